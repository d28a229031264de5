import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { newDatabase, type TestDatabase } from '../../../../test/support/postgres-database.ts';
import { until } from '../../../../test/support/until.ts';
import { Batch } from '../../batch.ts';
import type { Session } from '../../session.ts';

let database: TestDatabase;
before(async () => {
  database = await newDatabase();
  await database.run('create table t (id bigint primary key, v text); insert into t values (0, null)');
});
after(() => database.close());

/** The connections that the connector has open now. */
async function open(): Promise<(string | null)[]> {
  const rows = await database.rows(
    `select pid::text from pg_stat_activity where datname = current_database() and application_name like 'syncline%' order by 1`,
  );
  return rows.flat();
}

let token = 0n;

/** What a run does for a stream: it writes a row through a temporary table, and reads all. */
async function work(session: Session): Promise<number> {
  const fields = [
    { name: 'id', type: 'int64' as const, nullable: false },
    { name: 'v', type: 'text' as const, nullable: true },
  ];
  const owner = `owner ${++token}`;
  const writer = await session.write({ stream: 'public.t', fields, key: ['id'], mode: 'upsert', owner, create: true, token });
  await writer.write(Batch.ofRows([[String(token), 'new']], { position: '1' }));
  await writer.finish();
  await writer.close();
  let rows = 0;
  for await (const { count } of session.read({ stream: 'public.t', fields: ['id', 'v'], key: ['id'] })) rows += count;
  return rows;
}

test('one stream after the other goes over the same connection, as if it were new; with the session it ends', async () => {
  const session = await database.session();
  await session.discover(['public.t']);
  const first = await open();
  assert.equal(first.length, 1);
  const rows = await work(session);
  assert.equal(await work(session), rows + 1, 'nothing is left of what the one before had made and set');
  assert.deepEqual(await open(), first);
  await session.close();
  await until('its connections to be gone', async () => (await open()).length === 0);
});

test('a connection that nobody has used for long is closed, and another one is opened when it is needed', async (context) => {
  const session = await database.session();
  context.mock.timers.enable({ apis: ['setTimeout'] });
  await session.discover(['public.t']);
  assert.equal((await open()).length, 1);
  context.mock.timers.tick(40_000);
  await session.discover(['public.t']);
  context.mock.timers.tick(40_000);
  assert.equal((await open()).length, 1, 'it was used meanwhile');
  context.mock.timers.tick(10_000);
  context.mock.timers.reset();
  await until('its connection to be gone', async () => (await open()).length === 0);
  await session.discover(['public.t']);
  assert.equal((await open()).length, 1);
  await session.close();
});

test('a connection that the server has ended meanwhile is replaced', async () => {
  const session = await database.session();
  const rows = await work(session);
  const first = await open();
  await database.run(
    `select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'syncline%' and datname = current_database()`,
  );
  await until('its connections to be gone', async () => (await open()).length === 0);
  assert.equal(await work(session), rows + 1);
  assert.equal(
    (await open()).some((pid) => first.includes(pid)),
    false,
  );
  await session.close();
});

test('a session that is closed while it connects leaves no connection behind', async () => {
  const session = await database.session();
  const looking = assert.rejects(session.discover(), /closed|terminated/i);
  await session.close();
  await looking;
  await until('its connections to be gone', async () => (await open()).length === 0);
});
