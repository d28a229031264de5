import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { failureOf, newDatabase, type TestDatabase } from '../../../../test/support/postgres-database.ts';
import { until } from '../../../../test/support/until.ts';
import { Batch } from '../../batch.ts';
import { isCanonical, type Row } from '../../canonical.ts';
import type { ReadRequest } from '../../contract.ts';
import type { Session } from '../../session.ts';
import { OutsideError } from '../../../outside/errors.ts';

let database: TestDatabase;
let session: Session;

before(async () => {
  database = await newDatabase();
  session = await database.session();
});
after(() => database.close());

async function readAll(request: Partial<ReadRequest> & { stream: string }): Promise<Row[]> {
  const rows: Row[] = [];
  for await (const batch of session.read({ fields: ['id'], key: ['id'], ...request })) rows.push(...batch.rows);
  return rows;
}

const pids = async (): Promise<Set<string>> =>
  new Set(
    (await database.rows(`select pid from pg_stat_activity where application_name = 'syncline' and datname = current_database()`)).map(
      ([pid]) => String(pid),
    ),
  );

const connections = async (state: string): Promise<number> =>
  Number(
    (
      await database.rows(
        `select count(*) from pg_stat_activity where application_name = 'syncline' and datname = current_database() and ${state}`,
      )
    )[0]?.[0],
  );

describe('discovery', () => {
  test('shows schemas, views, partitioned tables as one, foreign tables, and odd names', async () => {
    await database.run(`create schema "a.b"; create table "a.b"."t""1" (id int primary key); create table parted (id int, at date, primary key (at, id)) partition by range (at);
      create table parted_1 partition of parted default; create view v as select 1 as id; create materialized view m as select 1 as id;
      create table unique_only (id int not null unique, code text not null unique, x int unique); create table nullable (id int unique); create table none (a text)`);
    const streams = await session.discover();
    const shown = Object.fromEntries(streams.map(({ name, kind, key, writable }) => [name, `${kind} ${key.join('+')} ${writable}`]));
    assert.deepEqual(shown, {
      '"a.b"."t""1"': 'table id true',
      'public.parted': 'table at+id true',
      'public.v': 'view  false',
      'public.m': 'view  false',
      'public.unique_only': 'table code true',
      'public.nullable': 'table  true',
      'public.none': 'table  true',
    });
    const some = await (await database.session({ schemas: ['a.b'] })).discover();
    assert.deepEqual(
      some.map(({ name }) => name),
      ['"a.b"."t""1"'],
    );
    assert.deepEqual(await readAll({ stream: '"a.b"."t""1"' }), []);
  });

  test('offers cursors, the best first', async () => {
    await database.run(
      `create table c (id bigint primary key, created_at timestamptz, name text, updated_at timestamptz, day date, n int); create index on c (created_at)`,
    );
    const stream = (await session.discover()).find(({ name }) => name === 'public.c');
    assert.deepEqual(stream?.cursors, ['updated_at', 'created_at', 'id', 'day']);
  });
});

describe('values', () => {
  test('come in canonical spelling whatever the database has set', async () => {
    const [[name] = []] = await database.rows('select current_database()');
    await database.run(`alter database ${name} set datestyle = 'German, DMY'; alter database ${name} set timezone = 'Asia/Tokyo'; alter database ${name} set bytea_output = 'escape';
      alter database ${name} set extra_float_digits = -10; alter database ${name} set intervalstyle = 'postgres_verbose'; alter database ${name} set standard_conforming_strings = off`);
    await database.run(`create table spelled (id int primary key, ts timestamptz, t timestamp, d date, b bytea, f float8, r float4, m money, n numeric);
      insert into spelled values (1, '2026-11-15 04:42:11.123456+00', '2026-11-15 04:42:11', '2026-11-15', '\\x00ff41', 0.1::float8 + 0.2::float8, 0.1, 1234.5, 'NaN')`);
    const fresh = await database.session();
    const fields = ['ts', 't', 'd', 'b', 'f', 'r', 'm', 'n', 'id'];
    const types = (await fresh.discover()).find((stream) => stream.name === 'public.spelled')?.fields ?? [];
    for await (const { rows } of fresh.read({ stream: 'public.spelled', fields, key: ['id'] })) {
      assert.deepEqual(rows, [
        [
          '2026-11-15 04:42:11.123456+00',
          '2026-11-15 04:42:11',
          '2026-11-15',
          '\\x00ff41',
          '0.30000000000000004',
          '0.1',
          '1234.50',
          'NaN',
          '1',
        ],
      ]);
      for (const [at, name] of fields.entries())
        assert.ok(isCanonical(types.find((field) => field.name === name)?.type ?? 'json', String(rows[0]?.[at])), name);
    }
  });

  test('of filters and positions are quoted, and bad ones are refused by name', async () => {
    await database.run(
      `create table f (id text primary key, n int); insert into f values ('it''s', 1), ('back\\slash', 2), ('"; drop table f; --', 3), ('', 4), ('ü😀', null)`,
    );
    const ids = await readAll({ stream: 'public.f' });
    for (const [id] of ids)
      assert.deepEqual(await readAll({ stream: 'public.f', filters: [{ field: 'id', op: '=', value: String(id) }] }), [[id]]);
    assert.deepEqual(
      await readAll({
        stream: 'public.f',
        filters: [
          { field: 'n', op: 'in', value: ['1', '3'] },
          { field: 'n', op: '!=', value: '1' },
        ],
      }),
      [['"; drop table f; --']],
    );
    assert.deepEqual(await readAll({ stream: 'public.f', filters: [{ field: 'n', op: 'is_null' }] }), [['ü😀']]);
    assert.deepEqual(await readAll({ stream: 'public.f', filters: [{ field: 'n', op: 'in', value: [] }] }), []);
    const bad = await failureOf(() => readAll({ stream: 'public.f', filters: [{ field: 'n', op: '>', value: 'many' }] }));
    assert.deepEqual([bad.kind, bad.code, bad.field], ['config', 'FILTER_INVALID', 'n']);
    const nul = await failureOf(() => readAll({ stream: 'public.f', filters: [{ field: 'id', op: '=', value: 'a\0' }] }));
    assert.equal(nul.code, 'FILTER_INVALID');
    for (const after of [
      '',
      '{}',
      '[]',
      'null',
      '{"v":1}',
      '{"v":1,"key":["id"],"last":["a","b"]}',
      '{"v":1,"key":["n"],"last":["1"]}',
      '{"v":1,"rows":1}',
      '{"v":1,"rows":-1}',
    ])
      assert.equal((await failureOf(() => readAll({ stream: 'public.f', after }))).code, 'POSITION_INVALID', after);
  });
});

describe('a large table', () => {
  test('is read by two connections that take turns, in order, and from any position on', async () => {
    await database.run(
      `create table large (a int, b text, v text, primary key (a, b)); insert into large select n / 3, 'k' || n, repeat('x', n % 50) from generate_series(1, 5000) n; analyze large`,
    );
    const expected = await database.rows('select a, b, v from large order by a, b');
    const rows: Row[] = [];
    const positions: { rows: number; position: string }[] = [];
    const own = await database.session();
    const others = await pids();
    const used = new Set<string>();
    for await (const batch of own.read({ stream: 'public.large', fields: ['a', 'b', 'v'], key: ['a', 'b'], batchBytes: 1000 })) {
      rows.push(...batch.rows);
      positions.push({ rows: rows.length, position: batch.position });
      if (positions.length % 20 === 0) for (const pid of await pids()) used.add(pid);
    }
    assert.deepEqual(rows, expected);
    assert.equal(used.difference(others).size, 2);
    for (const { rows: done, position } of positions.filter((_, i) => i % 37 === 0)) {
      const rest = await readAll({ stream: 'public.large', fields: ['a', 'b', 'v'], key: ['a', 'b'], batchBytes: 1000, after: position });
      assert.deepEqual(rest, expected.slice(done));
    }
    let taken = 0;
    for await (const batch of own.read({ stream: 'public.large', fields: ['a', 'b'], key: ['a', 'b'], batchBytes: 1000 })) {
      assert.ok(batch.count > 0);
      if (++taken === 40) break;
    }
    await until('what was left half-way is let go', async () => (await connections(`state <> 'idle'`)) === 0);
  });

  test('holds no transaction open while nobody asks for more', async () => {
    for await (const batch of session.read({ stream: 'public.large', fields: ['a', 'b', 'v'], key: ['a', 'b'], batchBytes: 4000 })) {
      assert.ok(batch.count > 0);
      await until('the page is through', async () => (await connections(`state <> 'idle'`)) === 0);
      break;
    }
  });
});

test('a table without statistics is read along its key: the server sorts nothing', async () => {
  const own = await newDatabase();
  try {
    await own.run(`alter database ${own.config.database} set work_mem = '64kB';
      create table t (id bigint primary key, v text) with (autovacuum_enabled = off);
      insert into t select n, repeat('x', 100) from generate_series(1, 60000) n`);
    const reader = await own.session();
    let rows = 0;
    for await (const batch of reader.read({ stream: 'public.t', fields: ['id', 'v'], key: ['id'], batchBytes: 100_000 }))
      rows += batch.count;
    // What a connection has done is known once it is closed.
    await reader.close();
    const readers = `select pid from pg_stat_activity where datname = current_database() and application_name = 'syncline'`;
    await until('no reader is left', async () => (await own.rows(readers)).length === 0);
    assert.deepEqual(
      [rows, await own.rows('select temp_files from pg_stat_database where datname = current_database()')],
      [60_000, [['0']]],
    );
  } finally {
    await own.close();
  }
});

describe('a table without a key', () => {
  test('goes on where it was cut off, unless it was written to', async () => {
    await database.run(`create table loose (id int); insert into loose select n % 100 from generate_series(1, 500) n`);
    const request = { stream: 'public.loose', fields: ['id'], key: [], batchBytes: 100 };
    const positions: string[] = [];
    for await (const batch of session.read(request)) positions.push(batch.position);
    const after = positions[10] ?? '';
    assert.equal((await readAll({ ...request, after })).length, 500 - Number(JSON.parse(after).rows));
    await database.run('update loose set id = 0 where id = 1');
    const error = await failureOf(() => readAll({ ...request, after }));
    assert.deepEqual([error.kind, error.code], ['config', 'POSITION_LOST']);
  });
});

describe('a hostile or dying source', () => {
  test('a row that is too large is refused before it is in memory', async () => {
    await database.run(
      `create table giant (id int primary key, v text); insert into giant values (1, 'small'), (2, repeat('x', 80 * 1024 * 1024))`,
    );
    const before = process.memoryUsage().rss;
    const rows: Row[] = [];
    const error = await failureOf(async () => {
      for await (const batch of session.read({ stream: 'public.giant', fields: ['id', 'v'], key: ['id'] })) rows.push(...batch.rows);
    });
    assert.deepEqual([error.kind, error.code], ['data', 'ROW_TOO_LARGE']);
    assert.ok(process.memoryUsage().rss - before < 40 * 1024 * 1024, 'memory stays bounded');
    assert.deepEqual(await readAll({ stream: 'public.giant' }), [['1'], ['2']], 'the other columns can be read');
  });

  test('text that is no UTF-8 is told', async () => {
    const [[name] = []] = await database.rows('select current_database()');
    await database.run(`create database ${name}_ascii template template0 encoding 'SQL_ASCII' lc_collate 'C' lc_ctype 'C'`);
    const bytes = await database.session({ database: `${name}_ascii` });
    const writer = await bytes.write({
      stream: 'public.t',
      fields: [{ name: 'id', type: 'text', nullable: false }],
      key: ['id'],
      mode: 'append',
      owner: 'o',
      token: 1n,
      create: true,
    });
    await writer.write(Batch.ofLines(Buffer.from('good\n'), { position: '' }));
    const { rejects } = await writer.write(Batch.ofLines(Buffer.from([0x62, 0xff, 0x0a]), { position: '' }));
    await writer.close();
    // What is refused as text may be there all the same, from times when nobody looked.
    const client = new (await import('pg')).default.Client({
      host: database.config.host,
      port: database.config.port ?? 0,
      user: database.config.user,
      database: `${name}_ascii`,
    });
    await client.connect();
    await client.query(`set client_encoding = 'SQL_ASCII'; insert into t values (convert_from('\\x62ff', 'SQL_ASCII'))`);
    await client.end();
    const error = await failureOf(async () => {
      for await (const batch of bytes.read({ stream: 'public.t', fields: ['id'], key: [] })) assert.ok(batch.rows);
    });
    assert.deepEqual([rejects.length, error.kind, error.code], [1, 'data', 'BAD_TEXT']);
    await bytes.close();
    await database.run(`drop database ${name}_ascii with (force)`);
  });

  test('a table that is dropped, changed or replaced between two pages', async () => {
    for (const change of [
      'drop table moving',
      'alter table moving drop column v',
      'alter table moving alter column v type text',
      'alter table moving rename to moved; create table moving (id int primary key, v int)',
    ]) {
      await database.run(
        `drop table if exists moving, moved; create table moving (id int primary key, v int); insert into moving select n, n from generate_series(1, 3000) n`,
      );
      const error = await failureOf(async () => {
        let batches = 0;
        for await (const batch of session.read({ stream: 'public.moving', fields: ['id', 'v'], key: ['id'], batchBytes: 100 })) {
          assert.ok(batch.count > 0);
          if (++batches === 3) {
            await until('the page is through', async () => (await connections(`state <> 'idle'`)) === 0);
            await database.run(change);
          }
        }
      });
      assert.deepEqual([error.kind, error.code], ['config', 'STREAM_CHANGED'], `${change}: ${error.message}`);
      assert.ok(error.hint);
    }
  });

  test('a server that falls silent, or drips, is left in time', async () => {
    let isSilent = false;
    const proxy = createServer((near) => {
      const far = connect(database.config.port ?? 0, database.config.host);
      near.on('error', () => far.destroy()).on('close', () => far.destroy());
      far.on('error', () => near.destroy()).on('close', () => near.destroy());
      near.pipe(far);
      far.on('data', (data: Buffer) => near.write(isSilent ? data.subarray(0, 1) : data));
    });
    proxy.listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    const slow = await database.session({ port: (proxy.address() as AddressInfo).port, statement_timeout: 1 });
    const error = await failureOf(async () => {
      for await (const batch of slow.read({ stream: 'public.large', fields: ['a', 'b', 'v'], key: ['a', 'b'], batchBytes: 200 })) {
        assert.ok(batch.count > 0);
        isSilent = true;
      }
    });
    assert.deepEqual([error.kind, error.code], ['transient', 'TIMEOUT']);
    await slow.close();
    proxy.close();
  });

  test('a connection that the server ends: transient, and the session goes on', async () => {
    const positions: string[] = [];
    const error = await failureOf(async () => {
      for await (const batch of session.read({ stream: 'public.large', fields: ['a', 'b', 'v'], key: ['a', 'b'], batchBytes: 200 })) {
        positions.push(batch.position);
        if (positions.length === 5)
          await database.run(
            `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'syncline' and datname = current_database()`,
          );
      }
    });
    assert.equal(error.kind, 'transient', `${error.code} ${error.message}`);
    assert.equal((await readAll({ stream: 'public.large', fields: ['a', 'b'], key: ['a', 'b'] })).length, 5000);
  });

  test('a writer whose connection the server ends has written all of a batch or nothing', async () => {
    const fields = [{ name: 'id', type: 'int64' as const, nullable: false }];
    const request = { stream: 'public.killed', fields, key: ['id'], mode: 'upsert' as const, owner: 'killed', create: true };
    const lines = (from: number): Buffer => Buffer.from(Array.from({ length: 20_000 }, (_, n) => `${from + n}\n`).join(''));
    let token = 0n;
    for (let round = 0; round < 8; round++) {
      const writer = await session.write({ ...request, token: ++token });
      const at = Number(writer.checkpoint ?? 0);
      const kill = database.run(
        `select pg_sleep(${(round % 4) * 0.01}); select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'syncline' and datname = current_database()`,
      );
      const outcome = await writer.write(Batch.ofLines(lines(at), { position: String(at + 20_000) })).then(
        () => undefined,
        (reason: unknown) => reason,
      );
      await kill;
      if (outcome) assert.equal((outcome as OutsideError).kind, 'transient');
      await writer.close();
      const next = await session.write({ ...request, token: ++token });
      const done = Number(next.checkpoint ?? 0);
      await next.close();
      assert.ok(done === at || done === at + 20_000);
      if (!outcome) assert.equal(done, at + 20_000, 'what was said to be written is there');
      assert.deepEqual(await database.rows('select count(*), count(distinct id) from killed'), [[String(done), String(done)]]);
    }
  });
});

test('a view that cannot be computed is told as that, and its words hold no values', async () => {
  await database.run(`create view failing as select 1 / (id - id) as id from generate_series(1, 3) id;
    create function raising() returns int language plpgsql as $$ begin raise exception 'hunter2'; end $$; create view raised as select raising() as id`);
  for (const stream of ['public.failing', 'public.raised']) {
    const error = await failureOf(readAll({ stream, key: [] }));
    assert.deepEqual([error.kind, error.code], ['config', 'READ_FAILED'], error.message);
    assert.match(error.message, new RegExp(`a row of "${stream}"`));
    assert.ok(!`${error.message}${error.hint}`.includes('hunter2'));
  }
});
