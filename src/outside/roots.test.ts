import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { OutsideError } from './errors.ts';
import { rootsOf } from './roots.ts';

describe('roots', () => {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'syncline-roots-')));
  after(() => rmSync(base, { recursive: true }));
  const dataDir = join(base, 'work', 'data');
  const outside = join(base, 'outside');
  mkdirSync(join(dataDir, 'files'), { recursive: true });
  mkdirSync(outside);
  writeFileSync(join(base, 'work', 'a.csv'), 'a');
  writeFileSync(join(dataDir, 'files', 'b.csv'), 'b');
  writeFileSync(join(dataDir, 'admin-key'), 'secret');
  writeFileSync(join(outside, 'c.csv'), 'c');
  symlinkSync(outside, join(base, 'work', 'out'));
  symlinkSync(join(outside, 'c.csv'), join(base, 'work', 'link.csv'));
  symlinkSync(join(dataDir, 'admin-key'), join(base, 'work', 'key.csv'));
  const roots = rootsOf({ folders: [join(base, 'work'), join(dataDir, 'files')], dataDir });

  const refused = (path: string, code = 'PATH_REFUSED') =>
    assert.rejects(roots.open(path), (error) => error instanceof OutsideError && error.code === code, path);

  test('files below a root are found, by relative and by full path', async () => {
    for (const [path, content] of [
      ['a.csv', 'a'],
      ['data/files/b.csv', 'b'],
      [join(base, 'work', 'a.csv'), 'a'],
      [join(dataDir, 'files', 'b.csv'), 'b'],
    ] as const) {
      const handle = await roots.open(path);
      assert.equal((await handle.readFile()).toString(), content);
      await handle.close();
    }
  });
  test('a relative path is meant from the first root, whatever the others have and whether it is there or not', async () => {
    await refused('b.csv', 'FILE_MISSING');
    const later = rootsOf({ folders: [join(base, 'later'), join(base, 'work')], dataDir });
    await assert.rejects(later.existing('a.csv'), { code: 'FILE_MISSING' });
    assert.equal(await later.writable('a.csv'), join(base, 'later', 'a.csv'));
    assert.equal(await later.existing(join(base, 'work', 'a.csv')), join(base, 'work', 'a.csv'));
    const folder = await later.folder('deep/er', true);
    writeFileSync(folder.at('a.csv'), 'later');
    folder.close();
    assert.equal(readFileSync(join(base, 'later', 'deep', 'er', 'a.csv'), 'utf8'), 'later');
    assert.equal(statSync(join(base, 'later', 'deep')).mode & 0o007, 0, 'not for all users');
  });
  test('what lies outside is refused, whether it is there or not, and links that lead out too', async () => {
    for (const path of [
      '../outside/c.csv',
      '../outside/none.csv',
      join(outside, 'c.csv'),
      '/etc/passwd',
      '/no/such',
      'out/c.csv',
      'link.csv',
    ])
      await refused(path);
  });
  test("Syncline's own data is refused, also through a link", async () => {
    for (const path of ['data/admin-key', join(dataDir, 'admin-key'), 'key.csv', 'data/none']) await refused(path);
  });
  test('a missing file is told as such, a folder is no file', async () => {
    await refused('none.csv', 'FILE_MISSING');
    await refused('data/files', 'NOT_A_FILE');
  });
  test('a file that may be made lies below a root', async () => {
    assert.equal(await roots.writable('new.csv'), join(base, 'work', 'new.csv'));
    assert.equal(await roots.writable('deep/er/new.csv'), join(base, 'work', 'deep', 'er', 'new.csv'));
    for (const path of ['../../../x.csv', join(outside, 'x.csv'), join(base, 'work', 'out', 'x.csv'), join(dataDir, 'x.csv')]) {
      await assert.rejects(roots.writable(path), { code: 'PATH_REFUSED' }, path);
      await assert.rejects(roots.folder(path, true), { code: 'PATH_REFUSED' }, path);
      assert.ok(!existsSync(path));
    }
  });
  test('a pipe is refused at once, and a loop of links is a missing file', async () => {
    execFileSync('mkfifo', [join(base, 'work', 'pipe.csv')]);
    symlinkSync('loop.csv', join(base, 'work', 'loop.csv'));
    await refused('pipe.csv', 'NOT_A_FILE');
    await refused('loop.csv', 'FILE_MISSING');
  });
  test('the refusal names the setting', async () => {
    await assert.rejects(
      roots.open('/etc/passwd'),
      (error) => error instanceof OutsideError && /SYNCLINE_FILE_ROOTS/.test(error.hint ?? ''),
    );
  });
});
