import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { syncline } from '../support/command-line.ts';
import { mysqlDatabase } from '../support/mysql-database.ts';
import { newDatabase } from '../support/postgres-database.ts';
import { until } from '../support/until.ts';
import { isWhole, sampled } from '../support/whole.ts';

// `syncline prove` as users call it. How often and between what is theirs to say: here it is a sample.

const KILLS = sampled(1, 2);
const PROGRAM = fileURLToPath(new URL('../../bin/syncline.js', import.meta.url));

let folder: string;
/** Where the kit has its files, so that what it leaves is seen. */
let own: Record<string, string>;
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'syncline-of-prove-'));
  own = { TMPDIR: folder, ...(process.env['NODE_COMPILE_CACHE'] && { NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] }) };
});
after(() => rmSync(folder, { recursive: true, force: true }));

const left = (): string[] => readdirSync(folder).filter((name) => name.startsWith('syncline-prove-'));

test('proves on files of SQLite that nothing is lost by kills, says so in a report, and leaves nothing behind', async () => {
  const report = join(folder, 'report.json');
  const { code, stdout, stderr } = await syncline(
    ['prove', '--kills', String(KILLS), '--seconds', '2', '--rows', '300', '--seed', 'a sample', '--report', report],
    own,
  );
  assert.equal(code, 0, stdout + stderr);
  assert.match(stdout, new RegExp(`Proven: after ${KILLS} kills? the target is the source in 3 synchronizations\\.`));
  for (const mode of ['mirror', 'incremental', 'append']) assert.match(stdout, new RegExp(`^${mode} +[\\d,]+ +.*equal.*equal`, 'm'));
  assert.match(stdout, /Left out +cdc: SQLite has no log that can be followed/);
  const found = JSON.parse(readFileSync(report, 'utf8'));
  assert.partialDeepStrictEqual(found, { proven: true, kills: KILLS, seed: 'a sample', faults: [] });
  assert.ok(found.transactions > 0);
  for (const { verify, plain, planted, found: seen } of found.syncs) {
    assert.deepEqual([verify.result, verify.rows], ['equal', plain.rows]);
    assert.partialDeepStrictEqual(seen, { ...planted, result: 'differs' });
  }
  assert.deepEqual(left(), []);
});

test('proves it between systems of two kinds, too', { skip: !isWhole && 'npm run test:whole has it' }, async () => {
  const [postgres, mysql] = [process.env['TEST_POSTGRES_URL'] ?? '', await mysqlDatabase()];
  const account = `${mysql.user}${mysql.password === '' ? '' : `:${mysql.password}`}`;
  const address = `mysql://${account}@${mysql.host}:${mysql.port}`;
  try {
    for (const ends of [
      ['--source', postgres, '--target', address],
      ['--source', address],
    ]) {
      const { code, stdout, stderr } = await syncline(['prove', ...ends, '--kills', '2', '--seconds', '4', '--rows', '300'], own);
      assert.equal(code, 0, stdout + stderr);
      assert.match(stdout, /Proven: after \d kills the target is the source in \d synchronizations\./);
    }
    const made = await mysql.query(`select schema_name from information_schema.schemata where schema_name like 'syncline%prove%'`);
    assert.deepEqual([made, left()], [[], []]);
  } finally {
    await mysql.close();
  }
});

test('Ctrl-C ends it, and what it has made is gone', async () => {
  const child = spawn(process.execPath, [PROGRAM, 'prove', '--kills', '0', '--seconds', '600', '--rows', '100'], {
    env: { PATH: process.env['PATH'], ...own },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = once(child, 'close');
  try {
    // The service works by then.
    await until('the service to run', () => left().some((name) => existsSync(join(folder, name, 'data', 'admin-key'))));
    child.kill('SIGINT');
    assert.deepEqual(await ended, [130, null]);
    assert.deepEqual(left(), []);
  } finally {
    child.kill('SIGKILL');
  }
});

test('a database that is there already is refused and stays as it is', async () => {
  const database = await newDatabase();
  const name = 'syncline_prove_source';
  await database.run(`create database ${name}`);
  try {
    const refused = await syncline(['prove', '--source', database.url], own);
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /has a database syncline_prove_source already/);
    assert.equal((await database.rows(`select 1 from pg_database where datname = '${name}'`)).length, 1);
    assert.deepEqual(left(), []);
  } finally {
    await database.run(`drop database ${name}`);
    await database.close();
  }
});

test('says what is wrong with its options before anything is made', async () => {
  const cases: [string[], RegExp][] = [
    [['--source', 'oracle://x'], /--source must be of the form postgres:\/\//],
    [['--kills', 'many'], /--kills must be a whole number/],
    [['--report', 'proof.pdf'], /--report must be a file that ends with \.md, \.json, \.txt/],
  ];
  for (const [args, words] of cases) {
    const { code, stderr } = await syncline(['prove', ...args], own);
    assert.equal(code, 2, stderr);
    assert.match(stderr, words);
  }
  assert.deepEqual(left(), []);
});
