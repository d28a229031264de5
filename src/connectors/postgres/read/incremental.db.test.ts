import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import type pg from 'pg';
import { newDatabase, type TestDatabase } from '../../../../test/support/postgres-database.ts';
import { sampled } from '../../../../test/support/whole.ts';
import type { Batch } from '../../batch.ts';
import type { ReadRequest } from '../../contract.ts';
import type { Session } from '../../session.ts';

let database: TestDatabase;
let session: Session;
let tables = 0;

before(async () => {
  database = await newDatabase();
  session = await database.session();
});
after(() => database.close());

/** A table with a cursor, read in small batches. */
async function newTable(columns = 'id bigint primary key, at bigint, v int'): Promise<{ name: string; request: ReadRequest }> {
  const name = `t${++tables}`;
  await database.run(`create table ${name} (${columns})`);
  return { name, request: { stream: `public.${name}`, fields: ['id', 'at', 'v'], key: ['id'], cursor: 'at', batchBytes: 32 } };
}

/** All rows behind a position, as `id:v`, and the position at the end. */
async function readOn(request: ReadRequest, after: string | undefined): Promise<{ rows: string[]; position: string }> {
  const rows: string[] = [];
  let position = after ?? '';
  for await (const batch of session.read({ ...request, ...(after !== undefined && { after }) })) {
    rows.push(...batch.rows.map(([id, , v]) => `${id}:${v}`));
    ({ position } = batch);
  }
  return { rows, position };
}

describe('incremental reading', () => {
  test('a transaction that began earlier and commits later is not missed, however many reads lie between', async () => {
    const { name, request } = await newTable();
    const slow = await database.client();
    await slow.query(`begin; insert into ${name} values (1, 1, 1)`);
    await database.run(`insert into ${name} values (2, 2, 2)`);
    let { rows, position } = await readOn(request, undefined);
    assert.deepEqual(rows, ['2:2']);
    for (const id of [3, 4, 5]) {
      await database.run(`insert into ${name} values (${id}, ${id}, ${id})`);
      ({ rows, position } = await readOn(request, position));
      assert.deepEqual(rows, [`${id}:${id}`]);
    }
    await slow.query('commit');
    ({ rows, position } = await readOn(request, position));
    assert.deepEqual(rows, ['1:1']);
    ({ rows } = await readOn(request, position));
    assert.deepEqual(rows, []);
  });

  test('a transaction that has begun but written nothing yet is waited for too', async () => {
    const { name, request } = await newTable();
    const slow = await database.client();
    // It has no transaction id before it writes, only its time.
    await slow.query('begin; select now()');
    await database.run(`insert into ${name} values (2, 20, 2)`);
    const first = await readOn(request, undefined);
    await database.run(`insert into ${name} values (3, 30, 3)`);
    const second = await readOn(request, first.position);
    await slow.query(`insert into ${name} values (1, 10, 1)`);
    await slow.query('commit');
    const third = await readOn(request, second.position);
    assert.deepEqual([first.rows, second.rows, third.rows], [['2:2'], ['3:3'], ['1:1']]);
  });

  test('after a first read without writers, the next begins at its end; with a writer, it begins anew', async () => {
    const { name, request } = await newTable();
    const lowAfter = async (): Promise<unknown> => JSON.parse((await readOn(request, undefined)).position).progress.low;
    await database.run(`insert into ${name} values (1, 1, 1), (2, 20, 2)`);
    const quiet = await readOn(request, undefined);
    assert.equal(await lowAfter(), '20');
    const slow = await database.client();
    await slow.query('begin; select now()');
    assert.equal(await lowAfter(), null);
    await slow.query('commit');
    await database.run(`insert into ${name} values (3, 20, 3), (4, 21, 4)`);
    assert.deepEqual((await readOn(request, quiet.position)).rows.sort(), ['3:3', '4:4']);
  });

  test('rows written under a savepoint are not taken for seen while their transaction runs', async () => {
    const { name, request } = await newTable();
    const slow = await database.client();
    await slow.query(`begin; insert into ${name} values (1, 1, 1); savepoint a; insert into ${name} values (2, 1, 2); release savepoint a`);
    await database.run(`insert into ${name} values (3, 3, 3)`);
    const first = await readOn(request, undefined);
    await slow.query('commit');
    const second = await readOn(request, first.position);
    assert.deepEqual([first.rows, second.rows.sort()], [['3:3'], ['1:1', '2:2']]);
  });

  test('a row with the same cursor as the last and a lower key comes', async () => {
    const { name, request } = await newTable();
    await database.run(`insert into ${name} values (5, 7, 5)`);
    const first = await readOn(request, undefined);
    await database.run(`insert into ${name} values (4, 7, 4)`);
    const second = await readOn(request, first.position);
    assert.deepEqual([first.rows, second.rows], [['5:5'], ['4:4']]);
  });

  test('a row from the far future does not keep later ones out', async () => {
    const { name, request } = await newTable('id bigint primary key, at timestamptz, v int');
    await database.run(`insert into ${name} values (1, '9999-01-01', 1), (2, 'infinity', 2)`);
    let { rows, position } = await readOn(request, undefined);
    assert.deepEqual(rows.sort(), ['1:1', '2:2']);
    for (const id of [3, 4, 5]) {
      await database.run(`insert into ${name} values (${id}, now(), ${id})`);
      ({ rows, position } = await readOn(request, position));
      assert.deepEqual(rows, [`${id}:${id}`]);
    }
  });

  test('a clock that was set back a little hides nothing, and what was read does not come again', async () => {
    for (const type of ['timestamp', 'timestamptz', 'date']) {
      const { name, request } = await newTable(`id bigint primary key, at ${type}, v int`);
      const back = type === 'date' ? "date '2026-01-01' - 1" : "timestamp '2026-01-01' - interval '90 seconds'";
      await database.run(`insert into ${name} values (1, '2026-01-01', 1), (2, ${back}, 2)`);
      let { rows, position } = await readOn(request, undefined);
      assert.deepEqual(rows.toSorted(), ['1:1', '2:2']);
      for (const id of [3, 4]) {
        // The first of these begins when nobody of the time of the highest row is left.
        ({ rows, position } = await readOn(request, position));
        assert.deepEqual(rows, [], type);
        await database.run(`insert into ${name} values (${id}, ${back}, ${id})`);
        ({ rows, position } = await readOn(request, position));
        assert.deepEqual(rows, [`${id}:${id}`], type);
      }
    }
  });

  test('rows without a cursor are left to a read of everything', async () => {
    const { name, request } = await newTable();
    await database.run(`insert into ${name} values (1, null, 1), (2, 2, 2)`);
    assert.deepEqual((await readOn(request, undefined)).rows, ['2:2']);
    const { cursor: _, ...full } = request;
    assert.deepEqual((await readOn(full, undefined)).rows, ['1:1', '2:2']);
  });

  test('partitioned tables, materialized views, views, and tables without a key', async () => {
    await database.run(`create table parts (id bigint, at bigint, v int, primary key (id, at)) partition by range (at);
      create table parts_low partition of parts for values from (0) to (100); create table parts_high partition of parts for values from (100) to (1000);
      create table plain (id bigint, at bigint, v int); create view seen_plain as select * from plain;
      insert into parts values (1, 1, 1), (2, 200, 2); insert into plain select * from parts;
      create materialized view kept as select * from parts`);
    const more = (table: string): string => `insert into ${table} values (3, 200, 3), (4, 201, 4)`;
    for (const [stream, key] of [
      ['parts', ['id', 'at']],
      ['plain', []],
      ['kept', []],
    ] as const) {
      const request: ReadRequest = { stream: `public.${stream}`, fields: ['id', 'at', 'v'], key: [...key], cursor: 'at', batchBytes: 32 };
      const first = await readOn(request, undefined);
      const second = await readOn(request, first.position);
      await database.run(stream === 'kept' ? 'refresh materialized view kept' : more(stream));
      const third = await readOn(request, second.position);
      assert.deepEqual([first.rows.sort(), second.rows], [['1:1', '2:2'], []], stream);
      // A refresh writes everything anew.
      assert.deepEqual(third.rows.sort(), stream === 'kept' ? ['1:1', '2:2', '3:3', '4:4'] : ['3:3', '4:4'], stream);
    }
    const view: ReadRequest = { stream: 'public.seen_plain', fields: ['id', 'at', 'v'], key: [], cursor: 'at' };
    const first = await readOn(view, undefined);
    await database.run('insert into plain values (5, 202, 5)');
    const second = await readOn(view, first.position);
    assert.equal(first.rows.length, 4);
    assert.ok(second.rows.includes('5:5'), 'a view gives what is new, and perhaps some of what it gave before');
  });

  test('a row that is changed without its cursor, each time just before it is read, is not lost', async () => {
    const { name, request } = await newTable();
    const change = (id: number): Promise<void> => database.run(`update ${name} set v = v + 10 where id = ${id}`);
    await database.run(`insert into ${name} values (1, 1, 1), (2, 2, 2), (3, 3, 3)`);
    const given: string[] = [];
    let position: string | undefined;
    for (const id of [4, 5, 6]) {
      let isFirst = true;
      for await (const batch of session.read({ ...request, ...(position !== undefined && { after: position }) })) {
        ({ position } = batch);
        given.push(...batch.rows.map(([read]) => String(read)));
        if (isFirst) await change(2);
        isFirst = false;
      }
      await database.run(`insert into ${name} values (${id}, ${id}, ${id})`);
      await change(1);
    }
    assert.ok(given.includes('2'), given.join(' '));
  });

  test('a position of another database of the same server is one of another server', async () => {
    const other = await newDatabase();
    try {
      const { name, request } = await newTable();
      await database.run(`insert into ${name} select n, n, n from generate_series(1, 9) n`);
      await other.run(`create table ${name} (id bigint primary key, at bigint, v int); insert into ${name} values (1, 1, 1), (2, 2, 2)`);
      const { position } = await readOn(request, (await readOn(request, undefined)).position);
      const elsewhere = await other.session();
      const rows = [];
      for await (const batch of elsewhere.read({ ...request, after: position })) rows.push(...batch.rows);
      assert.equal(rows.length, 2);
      const old = JSON.parse(position) as { progress: { database?: string } };
      delete old.progress.database;
      assert.deepEqual(
        (await readOn(request, JSON.stringify(old))).rows,
        [],
        'one from before databases were told apart is taken for ours',
      );
    } finally {
      await other.close();
    }
  });

  test('after a failover, a restore or a move to another server rows may come again, and none is lost', async () => {
    const { name, request } = await newTable();
    await database.run(`insert into ${name} select n, n, n from generate_series(1, 9) n`);
    const { position } = await readOn(request, (await readOn(request, undefined)).position);
    await database.run(`insert into ${name} values (10, 10, 10)`);
    const tell = (change: (server: string) => string, low?: string): string => {
      const told = JSON.parse(position) as { progress: { server: string; low: string; seen: { xmax: string } } };
      // As if transactions were counted from far behind.
      const progress = {
        ...told.progress,
        server: change(told.progress.server),
        seen: { xmax: '999999999999', running: [] },
        ...(low && { low }),
      };
      return JSON.stringify({ ...told, progress });
    };
    assert.deepEqual(
      (
        await readOn(
          request,
          tell((server) => server.replace(/\/.*/, '/7')),
        )
      ).rows,
      ['9:9', '10:10'],
      'from the cursor on',
    );
    assert.equal(
      (
        await readOn(
          request,
          tell((server) => server.replace(/\/.*/, '/7'), '55'),
        )
      ).rows.length,
      10,
      'the rows it tells of are gone',
    );
    assert.equal(
      (
        await readOn(
          request,
          tell(() => 'other/1'),
        )
      ).rows.length,
      10,
      'another server',
    );
  });

  test('whatever transactions do, nothing is lost and nothing that did not change comes twice', async () => {
    const writers = await Promise.all([database.client(), database.client(), database.client()]);
    await fc.assert(
      fc.asyncProperty(
        fc.array(operation, { minLength: 10, maxLength: 50, size: 'max' }),
        fc.constantFrom('small', 'indexed', 'large'),
        async (operations, kind) => {
          const { name, request } = await newTable();
          if (kind === 'indexed') await database.run(`create index on ${name} (at)`);
          // What is large and has no index is read in the order of its key.
          if (kind === 'large') await database.run(`update pg_class set reltuples = 1000000 where oid = '${name}'::regclass`);
          await interleave(writers, name, request, operations);
        },
      ),
      { numRuns: sampled(15, 40) },
    );
  });
});

type Operation =
  | { do: 'begin' | 'commit' | 'rollback'; writer: number }
  | { do: 'write'; writer: number; id: number; isSaved: boolean }
  | { do: 'batch' | 'resume' | 'read' };

const writer = fc.nat(2);
const operation: fc.Arbitrary<Operation> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom('begin' as const, 'commit' as const), writer }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('rollback' as const), writer }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('write' as const), writer, id: fc.nat(30), isSaved: fc.boolean() }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constantFrom('batch' as const, 'resume' as const, 'read' as const, 'read' as const) }) },
);

/** Transactions and one reader, a step at a time. A transaction takes its cursor when it begins, as `now()` does. */
async function interleave(
  writers: readonly pg.Client[],
  table: string,
  request: ReadRequest,
  operations: readonly Operation[],
): Promise<void> {
  const begun = new Map<number, number>();
  const busy = new Map<number, number>();
  const given: string[] = [];
  const copy = new Map<string, string>();
  let clock = 0;
  let version = 0;
  let position: string | undefined;
  let reading: AsyncIterator<Batch> | undefined;

  const begin = async (who: number): Promise<void> => {
    if (begun.has(who)) return;
    begun.set(who, clock++);
    await writers[who]?.query('begin; select 1');
  };
  const end = async (who: number, how: 'commit' | 'rollback'): Promise<void> => {
    if (!begun.delete(who)) return;
    for (const [id, owner] of busy) if (owner === who) busy.delete(id);
    await writers[who]?.query(how);
  };
  const write = async (who: number, id: number, isSaved: boolean): Promise<void> => {
    await begin(who);
    // Two who write the same row would wait for each other.
    if (busy.has(id) && busy.get(id) !== who) return;
    busy.set(id, who);
    const statement = `insert into ${table} values (${id}, ${begun.get(who)}, ${++version}) on conflict (id) do update set at = excluded.at, v = excluded.v`;
    await writers[who]?.query(isSaved ? `savepoint s; ${statement}; release savepoint s` : statement);
  };
  const nextBatch = async (): Promise<boolean> => {
    reading ??= session.read({ ...request, ...(position !== undefined && { after: position }) })[Symbol.asyncIterator]();
    const { done, value } = await reading.next();
    if (done) {
      reading = undefined;
      return false;
    }
    ({ position } = value);
    for (const [id, , v] of value.rows) {
      given.push(`${id}:${v}`);
      copy.set(String(id), String(v));
    }
    return true;
  };

  for (const one of operations) {
    if (one.do === 'begin') await begin(one.writer);
    else if (one.do === 'commit' || one.do === 'rollback') await end(one.writer, one.do);
    else if (one.do === 'write') await write(one.writer, one.id, one.isSaved);
    else if (one.do === 'batch') await nextBatch();
    else if (one.do === 'read') while (await nextBatch());
    else if (reading) {
      await reading.return?.();
      reading = undefined;
    }
  }
  for (const who of begun.keys()) await end(who, 'commit');
  while (await nextBatch());
  while (await nextBatch());
  const rows = await database.rows(`select id, v from ${table}`);
  assert.deepEqual(Object.fromEntries(copy), Object.fromEntries(rows), 'what was read is what is there');
  assert.deepEqual(given, [...new Set(given)], 'nothing came twice');
}
