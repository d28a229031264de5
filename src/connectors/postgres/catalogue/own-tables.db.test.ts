import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { failureOf, newDatabase, type TestDatabase } from '../../../../test/support/postgres-database.ts';
import { openDatabase } from '../../../db/open.ts';
import { createLog } from '../../../lib/log.ts';
import type { Field, WriteRequest } from '../../contract.ts';
import type { Session } from '../../session.ts';
import { Batch } from '../../batch.ts';

const ID: Field = { name: 'id', type: 'text', nullable: false };

let database: TestDatabase;
let session: Session;
before(async () => {
  database = await newDatabase();
  await database.run('create schema office; create schema syncline_jobs');
  // Not where one would look for it, as the search path of the address says.
  const url = new URL(database.url);
  url.searchParams.set('options', '-c search_path=office');
  const own = await openDatabase({ dataDir: '/nowhere', databaseUrl: url.href, poolSize: 1 }, createLog('silent'));
  await own.close();
  await database.run(`
    create table office.customers (id text primary key);
    insert into office.customers values ('c1');
    create table public.orders (id text primary key);
    insert into public.orders values ('somebody else''s');
    create table public.parent (like office.keys);
    alter table office.keys inherit public.parent;
    create table public.child () inherits (office.keys);
    create view public.who as select id, scopes from office.keys;
    create view public.deeper as select id from public.who;
    create materialized view public.stored as select id from public.deeper;
    create table public.forwarding (id text);
    create rule forwarded as on insert to public.forwarding do also insert into office.keys (id, name, scopes, created_at) values (new.id, '', '[]', '');
    create table syncline_jobs.job (id text);
    create table public._syncline_checkpoints (owner text primary key, token numeric(20) not null, position text, note text, state text not null default '{}', updated_at timestamptz not null default now())`);
  session = await database.session();
});
after(() => database.close());

const OURS = [
  'office.keys',
  'office.key_secrets',
  'office.orders',
  'office.migrations',
  'office.sources',
  'public.parent',
  'public.child',
  'public.who',
  'public.deeper',
  'public.stored',
  'public.forwarding',
  'syncline_jobs.job',
  'public._syncline_checkpoints',
];

const writing = (stream: string, changes: Partial<WriteRequest> = {}): WriteRequest => ({
  stream,
  fields: [ID],
  key: [],
  mode: 'append',
  owner: 'sync 1',
  token: 1n,
  create: true,
  ...changes,
});

test('discovery shows what is beside our tables, and nothing of ours or made of them', async () => {
  assert.deepEqual(
    (await session.discover()).map(({ name }) => name),
    ['office.customers', 'public.orders'],
  );
  const { message } = await session.check();
  assert.match(message, /2 tables/);
});

test('a request for one of ours by name says whose it is', async () => {
  for (const stream of OURS)
    assert.deepEqual(
      (await session.discover([stream])).map((found) => [found.name, found.isOurs, found.writable]),
      [[stream, true, false]],
      stream,
    );
  assert.equal((await session.discover(['public.orders']))[0]?.isOurs, undefined);
});

test('none of ours is read', async () => {
  for (const stream of OURS) {
    const failure = await failureOf(async () => Array.fromAsync(session.read({ stream, fields: ['id'], key: [] })));
    assert.deepEqual([failure.kind, failure.code], ['config', 'OWN_TABLE'], stream);
    assert.match(failure.message, /Syncline's own/);
    const ranges = await failureOf(async () => session.ranges?.({ stream, fields: ['id'], key: [] }, 1));
    assert.equal(ranges.code, 'OWN_TABLE', stream);
  }
  const rows = await Array.fromAsync(session.read({ stream: 'public.orders', fields: ['id'], key: ['id'] }));
  assert.deepEqual(
    rows.flatMap((batch) => batch.rows),
    [["somebody else's"]],
  );
});

test('none of ours is written, whatever the mode, and nothing is left behind', async () => {
  for (const stream of OURS) {
    for (const mode of ['append', 'upsert', 'mirror'] as const) {
      const failure = await failureOf(session.write(writing(stream, { mode, key: mode === 'append' ? [] : ['id'] })));
      assert.equal(failure.code, 'OWN_TABLE', `${stream} ${mode}`);
    }
    const part = await failureOf(session.write(writing(stream, { part: { split: 's', index: 0 } })));
    assert.equal(part.code, 'OWN_TABLE', stream);
  }
  assert.deepEqual(await database.rows('select (select count(*) from office.keys), (select count(*) from public._syncline_checkpoints)'), [
    ['0', '0'],
  ]);
});

test('nothing is made that could be taken for ours', async () => {
  // The search path of a user begins with the schema of that name: a table there would stand before ours.
  for (const stream of ['postgres.keys', 'office.run_parts', 'syncline_jobs.more', 'public._syncline_stage_1']) {
    await database.run('drop table if exists office.run_parts cascade');
    const failure = await failureOf(session.write(writing(stream)));
    assert.equal(failure.code, 'OWN_TABLE', stream);
  }
  assert.deepEqual(await database.rows(`select 1 from pg_namespace where nspname = 'postgres'`), []);
});

test('tables of others stay what they are, also under the same name and in the same schema', async () => {
  for (const stream of ['public.orders', 'office.customers', 'office.copies']) {
    const writer = await session.write(writing(stream, { owner: stream }));
    await writer.write(Batch.ofRows([['new']], { position: '1' }));
    await writer.finish();
    await writer.close();
  }
  assert.deepEqual(await database.rows('select id from public.orders union all select id from office.customers order by 1'), [
    ['c1'],
    ['new'],
    ['new'],
    ["somebody else's"],
  ]);
});

test('tables of the same names make no installation where its witnesses are missing', async () => {
  const other = await newDatabase();
  try {
    await other.run(
      'create table keys (id text); create table orders (id text); create table migrations (number bigint, name text); create table key_secrets (hash text)',
    );
    const elsewhere = await other.session();
    assert.equal((await elsewhere.discover()).length, 4);
    const writer = await elsewhere.write(writing('public.sources'));
    await writer.finish();
    await writer.close();
  } finally {
    await other.close();
  }
});
