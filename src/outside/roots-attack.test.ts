// What an attacker tries who may name any path and any root, or who can link, mount and rename on the machine.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { linkSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { readAndClose } from '../connectors/files/place/local/safe-write.ts';
import { type Roots, rootsOf } from './roots.ts';

const program = realpathSync(fileURLToPath(new URL('../..', import.meta.url)));
// In the program's folder, so that links to it can be made; and so that the folder for files lies below the program, as after `npm start`.
const base = realpathSync(mkdtempSync(join(program, 'node_modules', '.attack-')));
after(() => rmSync(base, { recursive: true }));
const dataDir = join(base, 'data');
const files = join(dataDir, 'files');
mkdirSync(files, { recursive: true });
mkdirSync(join(base, 'code'));
const code = join(base, 'code', 'connector.ts');
writeFileSync(code, 'the code');
writeFileSync(join(dataDir, 'admin-key'), 'the key');
writeFileSync(join(files, 'good.csv'), 'good');

const everywhere = rootsOf({ folders: ['/'], dataDir });
const usual = rootsOf({ folders: [files], dataDir });

/** No way to it at all: neither to read it, nor to write over it or beside it. */
async function closed(roots: Roots, path: string, code = 'PATH_REFUSED'): Promise<void> {
  const ways = {
    open: () => roots.open(path),
    existing: () => roots.existing(path),
    hold: () => roots.hold(path),
    writable: () => roots.writable(path),
  };
  for (const [way, attempt] of Object.entries(ways))
    await assert.rejects(
      attempt,
      (error: { code?: string; hint?: string }) => error.code === code && /SYNCLINE_FILE_ROOTS/.test(error.hint ?? ''),
      `${way} ${path}`,
    );
}

async function closedFolder(roots: Roots, path: string): Promise<void> {
  for (const attempt of [
    () => roots.entries(path),
    () => roots.folder(path),
    () => roots.folder(path, true),
    () => roots.folder(join(path, 'new'), true),
  ])
    await assert.rejects(attempt, { code: 'PATH_REFUSED' }, path);
}

describe('whatever the roots say', () => {
  test("the program's folder is closed, by any name", async () => {
    for (const roots of [everywhere, rootsOf({ folders: [program], dataDir }), rootsOf({ folders: [join(base, 'code')], dataDir })]) {
      for (const path of [
        code,
        join(program, 'package.json'),
        join(program, 'src', 'none.ts'),
        join(files, '..', '..', 'code', 'connector.ts'),
      ])
        await closed(roots, path);
      for (const path of [join(base, 'code'), program, join(program, 'src')]) await closedFolder(roots, path);
    }
    await closed(usual, '../../code/connector.ts');
  });

  test('the data directory is closed but for its folder "files", also when it is a root itself', async () => {
    for (const roots of [everywhere, rootsOf({ folders: [dataDir], dataDir }), rootsOf({ folders: [join(dataDir, 'other')], dataDir })]) {
      for (const path of [join(dataDir, 'admin-key'), join(dataDir, 'none')]) await closed(roots, path);
      await closedFolder(roots, dataDir);
    }
    await assert.rejects(rootsOf({ folders: [join(dataDir, 'other')], dataDir }).folder('.', true), { code: 'PATH_REFUSED' });
    assert.deepEqual(readdirSync(dataDir).sort(), ['admin-key', 'files']);
    for (const roots of [everywhere, usual, rootsOf({ folders: [dataDir], dataDir })])
      assert.equal(await roots.existing(join(files, 'good.csv')), join(files, 'good.csv'));
  });

  test('/proc, /sys and /dev are closed, by any name', async () => {
    symlinkSync('/proc/self/environ', join(files, 'environ.csv'));
    const paths = ['/proc/self/environ', '/proc/self/status', '/proc/none', '/sys/none', '/dev/null', '/dev/zero', '/dev/none.csv'];
    for (const path of [...paths, `/proc/${process.pid}/environ`, join(files, 'environ.csv')]) await closed(everywhere, path);
    for (const path of ['/proc', '/proc/self', '/sys', '/dev', '/dev/shm']) await closedFolder(everywhere, path);
    await closed(everywhere, `/proc/self/root${code}`);
    await closed(everywhere, `/proc/self/cwd/package.json`);
  });
});

describe('by other names', () => {
  test('a link to the program or to a key is refused', async () => {
    symlinkSync(code, join(files, 'link.csv'));
    symlinkSync(join(base, 'code'), join(files, 'folder'));
    symlinkSync(join(dataDir, 'admin-key'), join(files, 'key.csv'));
    for (const name of ['link.csv', 'folder/connector.ts', 'key.csv']) {
      await closed(usual, name);
      await closed(everywhere, join(files, name));
    }
    await closedFolder(everywhere, join(files, 'folder'));
  });

  test('a hard link to the program or to a key is refused, one to anything else is a file', async () => {
    linkSync(code, join(files, 'hard.csv'));
    linkSync(join(dataDir, 'admin-key'), join(files, 'hard-key.csv'));
    linkSync(join(files, 'good.csv'), join(files, 'twin.csv'));
    for (const name of ['hard.csv', 'hard-key.csv']) {
      await closed(usual, name);
      await assert.rejects(
        usual.folder('.').then(async (folder) => folder.open(name).finally(() => folder.close())),
        { code: 'PATH_REFUSED' },
      );
    }
    const handle = await usual.open('twin.csv');
    assert.equal(await handle.readFile('utf8'), 'good');
    await handle.close();
  });

  test('what is mounted from there is refused: a folder, a part of it, a single file', async (t) => {
    // Not below the program's folder: other tests would find it changed.
    const root = realpathSync(mkdtempSync(join(tmpdir(), 'syncline-mounts-')));
    const other = realpathSync(mkdtempSync(join(tmpdir(), 'syncline-mounted-')));
    const mounted: string[] = [];
    t.after(() => {
      // Before anything is removed, as that would be removed from there.
      for (const path of mounted.toReversed()) execFileSync('umount', [path]);
      for (const path of [root, other]) rmSync(path, { recursive: true });
    });
    const usual = rootsOf({ folders: [root], dataDir });
    const mounts: [from: string, to: string, file: string][] = [
      [join(base, 'code'), 'mounted', 'connector.ts'],
      [dataDir, 'mounted-data', 'admin-key'],
      ['/proc', 'mounted-proc', 'self/environ'],
      [`/proc/${process.pid}`, 'mounted-self', 'environ'],
    ];
    for (const [from, to, file] of mounts) {
      mkdirSync(join(root, to));
      if (!mount(t, from, join(root, to), mounted)) return;
      await closed(usual, join(to, file));
      await closedFolder(usual, to);
    }
    for (const [from, to] of [
      [code, 'mounted.csv'],
      [join(dataDir, 'admin-key'), 'mounted-key.csv'],
    ] as const) {
      writeFileSync(join(root, to), '');
      if (!mount(t, from, join(root, to), mounted)) return;
      await closed(usual, to);
    }
    // And a folder that is nobody's stays open, however it got there.
    writeFileSync(join(other, 'a.csv'), 'a');
    mkdirSync(join(root, 'mounted-other'));
    if (!mount(t, other, join(root, 'mounted-other'), mounted)) return;
    await (await usual.open('mounted-other/a.csv')).close();
  });
});

function mount(t: TestContext, from: string, to: string, mounted: string[]): boolean {
  try {
    execFileSync('mount', ['--bind', from, to], { stdio: 'pipe' });
  } catch (error) {
    t.skip(`this machine does not let us mount: ${String((error as { stderr?: Buffer }).stderr).trim()}`);
    return false;
  }
  mounted.push(to);
  return true;
}

describe('while names change', () => {
  /** A thread that does this again and again, until the test is over. */
  const meanwhile = (t: TestContext, body: string, data: object): void => {
    const thread = new Worker(
      `const fs = require('node:fs'); const data = require('node:worker_threads').workerData; for (;;) { ${body} }`,
      {
        eval: true,
        workerData: data,
      },
    );
    t.after(() => thread.terminate());
  };

  test('a file that is now ours and now a link to a key is never read as the key', async (t) => {
    const path = join(files, 'swapped.csv');
    writeFileSync(path, 'good');
    writeFileSync(`${path}.good`, 'good');
    meanwhile(
      t,
      `fs.symlinkSync(data.key, data.path + '.1'); fs.renameSync(data.path + '.1', data.path);
       fs.copyFileSync(data.path + '.good', data.path + '.2'); fs.renameSync(data.path + '.2', data.path);
       fs.linkSync(data.key, data.path + '.3'); fs.renameSync(data.path + '.3', data.path);
       fs.copyFileSync(data.path + '.good', data.path + '.4'); fs.renameSync(data.path + '.4', data.path);`,
      { path, key: join(dataDir, 'admin-key') },
    );
    const seen = { good: 0, refused: 0 };
    const deadline = performance.now() + 20_000;
    while ((seen.good < 50 || seen.refused < 50) && performance.now() < deadline) {
      const text = await usual.open('swapped.csv').then(readAndClose, () => undefined);
      assert.notEqual(text, 'the key');
      seen[text === undefined ? 'refused' : 'good']++;
    }
    assert.ok(seen.good >= 50 && seen.refused >= 50, JSON.stringify(seen));
  });

  test("a folder that is held stays the same when a link to the program's takes its place", async (t) => {
    mkdirSync(join(files, 'swapped'));
    meanwhile(
      t,
      `fs.renameSync(data.path, data.path + '-away'); fs.symlinkSync(data.code, data.path);
       fs.unlinkSync(data.path); fs.renameSync(data.path + '-away', data.path);`,
      { path: join(files, 'swapped'), code: join(base, 'code') },
    );
    let [written, refused] = [0, 0];
    const deadline = performance.now() + 20_000;
    while ((written < 50 || refused < 50) && performance.now() < deadline) {
      const folder = await usual.folder('swapped').catch(() => undefined);
      if (!folder) refused++;
      else {
        writeFileSync(folder.at(`${written++}.csv`), 'x');
        folder.close();
      }
    }
    assert.ok(written >= 50 && refused >= 50, `${written} ${refused}`);
    assert.deepEqual(readdirSync(join(base, 'code')), ['connector.ts']);
    assert.equal(readFileSync(code, 'utf8'), 'the code');
  });
});
