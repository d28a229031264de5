import { DuckDBInstance } from '@duckdb/node-api';
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { failure, rowsOf } from '../../../test/support/session-outcome.ts';
import { until } from '../../../test/support/until.ts';
import { startBody } from '../../lib/thread.ts';
import { reachOf } from '../../outside/reach.ts';
import { rootsOf } from '../../outside/roots.ts';
import { Batch } from '../batch.ts';
import type { Field, WriteRequest } from '../contract.ts';
import type { Session } from '../session.ts';
import { connector } from './connector.ts';
import { openDatabase } from './database/open.ts';
import { openByTurns } from './write/by-turns.ts';
import { transactor } from './write/transaction.ts';

const folder = mkdtempSync(join(tmpdir(), 'syncline-duckdb-'));
after(() => rmSync(folder, { recursive: true }));

const open = (path: string, config = {}): Promise<Session> =>
  connector.open(
    { path, create: true, memory_mb: 256, ...config },
    { reach: reachOf('any'), roots: rootsOf({ folders: [folder], dataDir: '/nowhere' }), signal: new AbortController().signal },
  );

/** A file that DuckDB itself has made of these statements. */
async function made(name: string, sql: string): Promise<string> {
  const path = join(folder, name);
  const instance = await DuckDBInstance.create(path);
  const connection = await instance.connect();
  for (const statement of sql.split(';')) await connection.run(statement);
  connection.closeSync();
  instance.closeSync();
  return path;
}

const request = (stream: string, fields: readonly Field[]): WriteRequest => ({
  stream,
  fields,
  key: ['id'],
  mode: 'upsert',
  owner: 'one',
  token: 1n,
  create: true,
});

describe('DuckDB', () => {
  test('types of its own come with all their digits', async () => {
    const path = await made(
      'types.duckdb',
      `create table t as select 170141183460469231731687303715884105727::hugeint as huge, 18446744073709551615::ubigint as big,
        '12345678901234567890123456.789'::decimal(38,3) as money, '2026-01-02 03:04:05.123456'::timestamp as at, '2026-01-02 03:04:05.123456789'::timestamp_ns as nano,
        '2026-01-02 05:04:05.5+02'::timestamptz as zoned, [1, 2] as list, {'a': 1, 'b': 'x'} as struct, map {'k': 'v'} as map, 'small'::enum('small', 'large') as size,
        interval 3 days as span, '0044-03-15 (BC)'::date as ides, 'nan'::double as nothing, 1.5::float as half, '\\xAA\\x00'::blob as bytes, true as yes`,
    );
    const session = await open(path);
    const [stream] = await session.discover();
    const fields = stream?.fields ?? [];
    const [row] = (await rowsOf(
      session,
      't',
      fields.map(({ name }) => name),
    )) as string[][];
    await session.close();
    const told = Object.fromEntries(fields.map(({ name, type }, at) => [name, [type, row?.[at]]]));
    assert.deepEqual(told, {
      huge: ['decimal', '170141183460469231731687303715884105727'],
      big: ['decimal', '18446744073709551615'],
      money: ['decimal', '12345678901234567890123456.789'],
      at: ['timestamp', '2026-01-02 03:04:05.123456'],
      nano: ['timestamp', '2026-01-02 03:04:05.123456'],
      zoned: ['timestamptz', '2026-01-02 03:04:05.5+00'],
      list: ['json', '[1,2]'],
      struct: ['json', '{"a":1,"b":"x"}'],
      map: ['json', '{"k":"v"}'],
      size: ['text', 'small'],
      span: ['text', '3 days'],
      ides: ['date', '0044-03-15 BC'],
      nothing: ['float64', 'NaN'],
      half: ['float64', '1.5'],
      bytes: ['binary', '\\xaa00'],
      yes: ['boolean', 't'],
    });
  });

  test('huge integers are written exactly, and what a column cannot hold is a reject', async () => {
    const path = await made(
      'exact.duckdb',
      `create table t (id integer primary key, h hugeint, d decimal(5,2), v varchar check (v <> 'bad'))`,
    );
    const session = await open(path);
    const fields: Field[] = [
      { name: 'id', type: 'int64', nullable: false },
      { name: 'h', type: 'decimal', nullable: true },
      { name: 'd', type: 'decimal', nullable: true },
      { name: 'v', type: 'text', nullable: true },
    ];
    const writer = await session.write(request('t', fields));
    const { rejects, ...changes } = await writer.write(
      Batch.ofRows(
        [
          ['1', '-170141183460469231731687303715884105727', '123.45', 'a'],
          ['2', '1.5', null, 'a'],
          ['3', null, '1234.5', 'a'],
          ['4', null, '1.234', 'a'],
          ['5', null, '1.20', 'bad'],
          ['3000000000', null, null, 'a'],
          ['6', null, '1.200', null],
        ],
        { position: 'x' },
      ),
    );
    assert.deepEqual(changes, { inserted: 2, updated: 0, unchanged: 0, deleted: 0 });
    assert.deepEqual(
      rejects.map(({ index, field }) => [index, field]).sort(([a], [b]) => Number(a) - Number(b)),
      [
        [1, 'h'],
        [2, 'd'],
        [3, 'd'],
        [4, undefined],
        [5, 'id'],
      ],
    );
    await writer.close();
    assert.deepEqual(await rowsOf(session, 't', ['id', 'h', 'd', 'v']), [
      ['1', '-170141183460469231731687303715884105727', '123.45', 'a'],
      ['6', null, '1.20', null],
    ]);
    await session.close();
  });

  test('what stands in a file reaches nothing else', async () => {
    writeFileSync(join(folder, 'secret.csv'), 'a\n1\n');
    const path = await made(
      'hostile.duckdb',
      `create table t (id integer); create view outside as select * from read_csv('${join(folder, 'secret.csv')}')`,
    );
    const session = await open(path);
    assert.equal((await failure(rowsOf(session, 'outside', ['a']))).code, 'VIEW_REFUSED');
    assert.deepEqual(await rowsOf(session, 't', ['id']), []);
    await session.close();
  });

  test('files that are none, are missing or out of bounds are told', async () => {
    writeFileSync(join(folder, 'none.duckdb'), 'not a database at all, but long enough to look at it'.repeat(100));
    const codeOf = async (path: string, config = {}): Promise<string> => {
      const session = await open(path, config);
      const { code } = await failure(session.check());
      await session.close();
      return code;
    };
    assert.equal(await codeOf(join(folder, 'none.duckdb')), 'NOT_A_DATABASE');
    assert.equal(await codeOf(join(folder, 'missing.duckdb'), { create: false }), 'FILE_MISSING');
    assert.equal(await codeOf('/etc/passwd'), 'PATH_REFUSED');
  });

  test('as long as another process has it open, it is locked', async () => {
    const path = await made('locked.duckdb', 'create table t (id integer)');
    const holder = `const { DuckDBInstance } = await import('@duckdb/node-api'); await DuckDBInstance.create(process.argv[1]); console.log('held'); setInterval(() => {}, 1000);`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', holder, path], {
      stdio: ['ignore', 'pipe', 'inherit'],
      cwd: import.meta.dirname,
    });
    await once(child.stdout, 'data');
    const session = await open(path);
    const error = await failure(session.check());
    assert.deepEqual([error.kind, error.code], ['transient', 'LOCKED']);
    child.kill('SIGKILL');
    await once(child, 'close');
    assert.match((await session.check()).message, /^DuckDB \d+\.\d+\.\d+, .* with 1 table/);
    await session.close();
  });

  test('threads of one process that write to one file at the same time take turns', async () => {
    const path = join(folder, 'shared.duckdb');
    const [batches, rows] = [4, 300];
    const streams = ['a', 'b', 'c'];
    const body = new URL('../../../test/support/duckdb-thread.ts', import.meta.url).href;
    const ended = streams.map(async (stream) => {
      const [code] = await once(startBody(body, { workerData: { path, folder, stream, batches, rows } }), 'exit');
      return code as number;
    });
    assert.deepEqual(
      await Promise.all(ended),
      streams.map(() => 0),
    );
    const session = await open(path);
    for (const stream of streams) assert.equal((await rowsOf(session, stream, ['id', 'v'])).length, batches * rows, stream);
    await session.close();
  });

  test('a statement that takes long ends when the run is told to stop', async () => {
    const stop = new AbortController();
    const path = await made('long.duckdb', 'create table t (id integer)');
    const context = { reach: reachOf('any'), roots: rootsOf({ folders: [folder], dataDir: '/nowhere' }), signal: stop.signal };
    const database = await openByTurns(() => openDatabase({ path, create: false, memory_mb: 256 }, context, true));
    const transact = transactor(database, path, stop.signal);
    const begun = Promise.withResolvers<void>();
    const long = transact(async () => {
      await database.connection.run('insert into t values (1)');
      begun.resolve();
      await database.connection.run(
        'insert into t select count(*) from range(1000000) a, range(1000000) b where (a.range * b.range) % 7 = 3',
      );
    });
    await begun.promise;
    stop.abort();
    await assert.rejects(long, { code: 'ABORTED' });
    await database.close();
    const again = await open(path);
    assert.deepEqual(await rowsOf(again, 't', ['id']), [], 'nothing of it stays');
    await again.close();
  });

  test('a writer that has nothing to write lets go of the file', async () => {
    const path = join(folder, 'idle.duckdb');
    const session = await open(path);
    const fields: Field[] = [{ name: 'id', type: 'int64', nullable: false }];
    const writer = await session.write(request('t', fields));
    await writer.write(Batch.ofRows([['1']], { position: 'x' }));
    const look = `const { DuckDBInstance } = await import('@duckdb/node-api'); await DuckDBInstance.create(process.argv[1]);`;
    const isFree = async (): Promise<boolean> => {
      const child = spawn(process.execPath, ['--input-type=module', '-e', look, path], { stdio: 'ignore', cwd: import.meta.dirname });
      const [code] = await once(child, 'close');
      return code === 0;
    };
    await until('the file to be free', isFree);
    await writer.write(Batch.ofRows([['2']], { position: 'y' }));
    await writer.close();
    assert.deepEqual(await rowsOf(session, 't', ['id']), [['1'], ['2']]);
    await session.close();
  });
});
