import assert from 'node:assert/strict';
import { closeSync, mkdirSync, openSync, readFileSync, symlinkSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { database, folder, open } from '../../../test/support/sqlite-files.ts';

test('check says what was reached', async () => {
  const report = await (await open(database('create table t (id)'))).check();
  assert.match(report.message, /^SQLite 3\.\d+\.\d+, ".*\.db" with 1 table or view\.$/);
  assert.deepEqual(report.warnings, []);
});

test('check says what is wrong with a file', async () => {
  const file = (name: string, content: string | Buffer): string => {
    const path = join(folder, name);
    writeFileSync(path, content);
    return path;
  };
  const noise = Buffer.from(Array.from({ length: 8192 }, (_, at) => (at * 7919) & 255));
  const cases: [string, string, RegExp][] = [
    [join(folder, 'none', 'there.db'), 'FILE_MISSING', /There is no file/],
    [file('words.db', 'These are words, and many of them.'.repeat(100)), 'NOT_A_DATABASE', /not an SQLite database, or it is encrypted/],
    [file('encrypted.db', noise), 'NOT_A_DATABASE', /encrypted/],
    [damaged(), 'CORRUPT', /is damaged/],
    ['/etc/passwd', 'PATH_REFUSED', /outside the folders/],
    [linkOut(), 'PATH_REFUSED', /outside the folders/],
    [own(), 'PATH_REFUSED', /belongs to Syncline itself/],
    [join(folder, '..', 'escape.db'), 'PATH_REFUSED', /outside the folders/],
  ];
  mkdirSync(join(folder, 'directory.db'));
  cases.push([join(folder, 'directory.db'), 'NOT_A_FILE', /not a file/]);
  for (const [path, code, words] of cases) {
    const session = await open(path, { create: false });
    await assert.rejects(session.check(), (error: Error & { code: string; kind: string }) => {
      assert.deepEqual([error.code, error.kind], [code, 'config'], path);
      assert.match(error.message, words);
      return true;
    });
  }
});

test('an empty file is a database without tables', async () => {
  const path = join(folder, 'empty.db');
  writeFileSync(path, '');
  const session = await open(path);
  assert.match((await session.check()).warnings.join(), /empty/);
  assert.deepEqual(await session.discover(), []);
});

test('check warns of a file that others write to, and does not wait for long', async () => {
  const path = database('create table t (id)');
  const other = new DatabaseSync(path);
  other.exec('begin immediate');
  const report = await (await open(path)).check();
  other.close();
  assert.match(report.warnings.join(), /Another program is writing/);
});

/** A database of which a page in the middle is noise. */
function damaged(): string {
  const path = database(`create table t (id integer primary key, v text); insert into t values (1, 'x');`);
  const bytes = readFileSync(path);
  const handle = openSync(path, 'r+');
  // The first page holds the schema; its header says how many cells there are.
  writeSync(handle, Buffer.alloc(bytes.length - 103, 0xa5), 0, bytes.length - 103, 103);
  closeSync(handle);
  return path;
}

function linkOut(): string {
  const path = join(folder, 'link.db');
  symlinkSync('/etc/passwd', path);
  return path;
}

function own(): string {
  const path = join(folder, 'own');
  mkdirSync(path);
  return database('create table t (id)', join(path, 'syncline.db'));
}

test('a path is relative to the folders', async () => {
  const path = database('create table t (id)');
  assert.ok(path.startsWith(tmpdir()));
  const session = await open(path.slice(folder.length + 1));
  assert.deepEqual(
    (await session.discover()).map(({ name }) => name),
    ['t'],
  );
});
