import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { newDatabase, type TestDatabase } from '../../../test/support/postgres-database.ts';
import { Batch } from '../batch.ts';
import type { Session } from '../contract.ts';
import { createKept } from '../kept.ts';

let database: TestDatabase;
before(async () => {
  database = await newDatabase();
  await database.run('create table t (id bigint primary key, v text); insert into t values (0, null)');
});
after(() => database.close());

/** The connections that the connector has open now. */
const open = async (): Promise<string[]> =>
  (
    await database.rows(
      `select pid::text from pg_stat_activity where datname = current_database() and application_name like 'syncline%' order by 1`,
    )
  ).map(([pid]) => pid ?? '');

let token = 0n;

/** What a run does: it looks at the table, writes a row through a temporary table and reads all. */
async function work(session: Session): Promise<number> {
  await session.discover(['public.t']);
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
  await session.close();
  return rows;
}

test('a session goes on with the connections of the one before, as if they were new', async () => {
  const kept = createKept({ time: 60_000, most: 4 });
  const rows = await work(await database.session({}, { kept }));
  const first = await open();
  assert.ok(first.length > 0, 'the connections are still there');
  assert.equal(await work(await database.session({}, { kept })), rows + 1);
  assert.deepEqual(await open(), first);
});

test('a connection that the server has ended meanwhile is replaced, and nobody hears of it', async () => {
  const kept = createKept({ time: 60_000, most: 4 });
  const rows = await work(await database.session({}, { kept }));
  const first = await open();
  await database.run(
    `select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'syncline%' and datname = current_database()`,
  );
  assert.equal(await work(await database.session({}, { kept })), rows + 1);
  assert.equal(
    (await open()).some((pid) => first.includes(pid)),
    false,
  );
});

test('another configuration has connections of its own, and one that was stopped in the middle leaves none', async () => {
  const kept = createKept({ time: 60_000, most: 4 });
  await work(await database.session({}, { kept }));
  const first = await open();
  await work(await database.session({ lock_timeout: 7 }, { kept }));
  const both = await open();
  assert.ok(both.length > first.length && first.every((pid) => both.includes(pid)));

  const stop = new AbortController();
  const session = await database.session({ lock_timeout: 8 }, { kept, signal: stop.signal });
  await session.discover();
  const busy = (await open()).filter((pid) => !both.includes(pid));
  assert.equal(busy.length, 1);
  stop.abort('cancelled');
  await session.close();
  while ((await open()).includes(busy[0] ?? '')) await new Promise((resolve) => setTimeout(resolve, 10));
});
