import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Batch } from '../../batch.ts';
import type { ReadRequest, Stream } from '../../contract.ts';
import type { Session } from '../../session.ts';
import { database, open } from '../../../../test/support/sqlite-files.ts';

async function read(session: Session, request: Partial<ReadRequest> & { stream: string }) {
  const found = (await session.discover()).find(({ name }) => name === request.stream) as Stream;
  const full = { fields: found.fields.map(({ name }) => name), key: found.key, ...request };
  const batches: Batch[] = [];
  for await (const batch of session.read(full)) batches.push(batch);
  return {
    types: Object.fromEntries(found.fields.map(({ name, type }) => [name, type])),
    rows: batches.flatMap((batch) => batch.rows),
    rejects: batches.flatMap((batch) => batch.rejects),
    found,
    batches,
  };
}

test('a declared type is believed as long as the values keep to it', async () => {
  const path = database(`
    create table t (i integer, b boolean, d date, ts datetime, tz timestamp, n decimal(10,2), f double, u uuid, j json, x blob, s varchar(20), any_);
    insert into t values (1, 1, '2026-11-15', '2026-11-15T04:42:11.123456', '2026-11-15 06:42:11+02:00', 12.5, 0.1, '6F1C1D4E-0A1B-4C2D-8E3F-9A0B1C2D3E4F', '{"a":1}', x'00ff', 'text', 7);
    insert into t values (9223372036854775807, 0, null, '2026-11-15', null, 9007199254740993, 2, null, '[]', x'', '', -1);`);
  const { types, rows, found } = await read(await open(path), { stream: 't' });
  assert.deepEqual(types, {
    i: 'int64',
    b: 'boolean',
    d: 'date',
    ts: 'timestamp',
    tz: 'timestamptz',
    n: 'decimal',
    f: 'float64',
    u: 'uuid',
    j: 'json',
    x: 'binary',
    s: 'text',
    any_: 'int64',
  });
  assert.deepEqual(rows[0], [
    '1',
    't',
    '2026-11-15',
    '2026-11-15 04:42:11.123456',
    '2026-11-15 04:42:11+00',
    '12.5',
    '0.1',
    '6f1c1d4e-0a1b-4c2d-8e3f-9a0b1c2d3e4f',
    '{"a":1}',
    '\\x00ff',
    'text',
    '7',
  ]);
  assert.deepEqual(rows[1], [
    '9223372036854775807',
    'f',
    null,
    '2026-11-15 00:00:00',
    null,
    '9007199254740993',
    '2',
    null,
    '[]',
    '\\x',
    '',
    '-1',
  ]);
  const decimal = found.fields.find(({ name }) => name === 'n');
  assert.deepEqual([decimal?.native, decimal?.precision, decimal?.scale], ['decimal(10,2)', 10, 2]);
});

test('a column whose values break the promise is what its values are', async () => {
  const path = database(`
    create table t (i integer, b boolean, d date, ts datetime, epoch timestamp, f real, x blob, mixed);
    insert into t values (1, 1, '2026-11-15', 'yesterday', 1763181731, 1.5, 'text', 1);
    insert into t values ('many', 2, 'soon', '2026-11-15 04:42:11', 1763181732, 'NaN', 'more', 'two');`);
  const { types, rows } = await read(await open(path), { stream: 't' });
  assert.deepEqual(types, { i: 'text', b: 'int64', d: 'text', ts: 'text', epoch: 'int64', f: 'text', x: 'text', mixed: 'text' });
  assert.deepEqual(rows, [
    ['1', '1', '2026-11-15', 'yesterday', '1763181731', '1.5', 'text', '1'],
    ['many', '2', 'soon', '2026-11-15 04:42:11', '1763181732', 'NaN', 'more', 'two'],
  ]);
});

test('a value that shows up later and breaks the promise is a reject, and its row alone', async () => {
  const path = database(`
    create table t (id integer primary key, i integer);
    with recursive n(n) as (select 1 union all select n + 1 from n where n < 1000) insert into t select n, n from n;
    update t set i = 'five hundred' where id = 500;
    update t set i = x'00' where id = 501;`);
  const { types, rows, rejects } = await read(await open(path), { stream: 't' });
  assert.equal(types['i'], 'int64');
  assert.equal(rows.length, 998);
  assert.deepEqual(
    rejects.map(({ row, field }) => [row, field]),
    [
      [{ id: '500', i: 'five hundred' }, 'i'],
      [{ id: '501', i: '\\x00' }, 'i'],
    ],
  );
  assert.deepEqual(
    rejects.map(({ reason }) => reason),
    ['"five hundred"', '"\\\\x00"'].map(
      (value) => `The value of "i" is not of the type int64, which the other values of the column have: ${value}.`,
    ),
  );
});

test('a read that goes on reads the columns as it began', async () => {
  const path = database(`create table t (id integer primary key, i integer); insert into t values (1, 1), (2, 2), (3, 3);`);
  const session = await open(path);
  const { batches } = await read(session, { stream: 't', batchBytes: 1 });
  assert.equal(batches.length, 3);
  const again = database(`insert into t values (4, 'four'), (5, 5)`, path);
  assert.equal(again, path);
  const rest: Batch[] = [];
  for await (const batch of session.read({ stream: 't', fields: ['id', 'i'], key: ['id'], after: batches[1]?.position ?? '' }))
    rest.push(batch);
  assert.deepEqual(
    rest.flatMap((batch) => batch.rows),
    [
      ['3', '3'],
      ['5', '5'],
    ],
  );
  assert.equal(rest[0]?.rejects.length, 1);
});

test('bytes that are no UTF-8 are a reject, the sign for them is not', async () => {
  const path = database(`
    create table t (id integer primary key, s text);
    insert into t values (1, cast(x'c328' as text)), (2, char(0xfffd)), (3, 'a' || char(0) || 'b'), (4, 'fine');`);
  const { rows, rejects } = await read(await open(path), { stream: 't' });
  assert.deepEqual(rows, [
    ['2', '\ufffd'],
    ['3', 'a\0b'],
    ['4', 'fine'],
  ]);
  assert.deepEqual([rejects.length, rejects[0]?.row['id'], rejects[0]?.field], [1, '1', 's']);
  assert.match(rejects[0]?.reason ?? '', /not UTF-8/);
});

test('tables without row numbers, views, generated columns, strict tables, keys that are null or shadowed', async () => {
  const path = database(`
    create table wr (b text, a integer, v text, primary key (a, b)) without rowid;
    create table gen (a integer primary key, double integer generated always as (a * 2) virtual, kept text as ('n' || a) stored);
    create table st (i integer primary key, a any, t text) strict;
    create table nulls (k text primary key, v integer);
    create table shadow (rowid text, _rowid_ text, oid text, v integer);
    create table uniq (id integer not null unique, v text);
    create view v as select a, v from wr where a > 1;
    create virtual table fts using fts5(body);
    insert into wr select 'b' || n, n % 3, 'v' || n from (select 1 as n union select 2 union select 3 union select 4);
    insert into gen (a) values (1), (2), (3);
    insert into st values (1, 'x', 'y'), (2, 5, null);
    insert into nulls values (null, 1), (null, 2), ('a', 3), ('b', 4);
    insert into shadow values ('x', 'y', 'z', 1), ('x', 'y', 'z', 2), ('x', 'y', 'z', 3);`);
  const session = await open(path);
  const streams = new Map((await session.discover()).map((stream) => [stream.name, stream]));
  assert.deepEqual([...streams.keys()].sort(), ['gen', 'nulls', 'shadow', 'st', 'uniq', 'v', 'wr']);
  assert.deepEqual([streams.get('wr')?.key, streams.get('uniq')?.key, streams.get('shadow')?.key], [['a', 'b'], ['id'], []]);
  assert.deepEqual([streams.get('v')?.kind, streams.get('v')?.writable, streams.get('gen')?.fields.length], ['view', false, 3]);
  for (const [name, stream] of streams) {
    const { rows, batches } = await read(session, { stream: name, batchBytes: 1 });
    for (const [at, { position }] of batches.entries()) {
      const rest = await read(session, { stream: name, after: position });
      assert.deepEqual(rest.rows, rows.slice(at + 1), `${name} after ${at + 1}`);
    }
    if (stream.kind === 'view') {
      const keyed = await read(session, { stream: name, key: ['a', 'v'], batchBytes: 1 });
      assert.deepEqual(keyed.rows, [['2', 'v2']]);
    }
  }
  const counts = await Promise.all([...streams.keys()].sort().map(async (stream) => (await read(session, { stream })).rows.length));
  assert.deepEqual(counts, [3, 4, 3, 2, 0, 1, 4]);
});

test('by cursor: values of any kind, and rows without one are left out', async () => {
  const path = database(`
    create table t (id integer primary key, c);
    insert into t values (1, 5), (2, 'text'), (3, 2.5), (4, null), (5, x'01'), (6, 5), (7, 9223372036854775807), (8, 2.5);`);
  const session = await open(path);
  const order: (string | null | undefined)[] = [];
  let after: string | undefined;
  for (;;) {
    const request = { stream: 't', fields: ['id', 'c'], key: ['id'], cursor: 'c', limit: 1, ...(after !== undefined && { after }) };
    const batches: Batch[] = [];
    for await (const batch of session.read(request)) batches.push(batch);
    if (!batches[0]) break;
    order.push(batches[0].rows[0]?.[0] ?? (batches[0].rejects[0]?.row['id'] as string));
    after = batches[0].position;
  }
  assert.deepEqual(order, ['3', '8', '1', '6', '7', '2', '5']);
});

test('filters compare by what values mean', async () => {
  const path = database(`
    create table t (id integer primary key, d decimal text, ts timestamp, b boolean);
    insert into t values (1, '9', '2026-01-01T00:00:00', 1), (2, '10.0', '2026-01-01 00:00:00.000', 0), (3, '123456789012345678901234567890.1', '2027-01-01 00:00', null);`);
  const session = await open(path);
  const ids = async (field: string, op: '=' | '<' | '>=' | 'in' | '!=', value: string | string[]) =>
    (await read(session, { stream: 't', filters: [{ field, op, value }] })).rows.map(([id]) => id);
  assert.deepEqual(await ids('d', '=', '10'), ['2']);
  assert.deepEqual(await ids('d', '<', '10'), ['1']);
  assert.deepEqual(await ids('d', '>=', '123456789012345678901234567890.09'), ['3']);
  assert.deepEqual(await ids('ts', '=', '2026-01-01 00:00:00'), ['1', '2']);
  assert.deepEqual(await ids('b', '=', 't'), ['1']);
  assert.deepEqual(await ids('d', 'in', ['9.00', '10']), ['1', '2']);
  await assert.rejects(ids('id', '=', 'one'), { kind: 'config', code: 'FILTER_INVALID' });
});
