// A standby that keeps slots takes over while changes come in: nothing is lost, and nothing is loaded anew.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { preparedPlace, type Place } from '../support/databases.ts';
import { copyServer, type PostgresCopy } from '../support/postgres-copy.ts';
import { type Service, startService } from '../support/service.ts';
import type { Reachable } from '../../src/cli/prove/service-process.ts';
import { until } from '../support/until.ts';
import { demandEqual } from './books.ts';
import { type PlainClient, postgresClient } from '../../src/cli/prove/plain-client.ts';
import { type LiveEnd, startEnd, startPostgresEnd } from './ends.ts';
import { LiveSync } from './live-sync.ts';

/** The first version whose standbys keep slots. */
const KEEPS_SLOTS = 170_000;
const TABLES = ['fail_a', 'fail_b'];
const PATIENCE = 120_000;

let place: Place;
let source: LiveEnd;
let target: LiveEnd;
let service: Service;
let standby: PostgresCopy | undefined;
let version = 0;

before(async () => {
  place = await preparedPlace('sqlite');
  source = await startPostgresEnd();
  target = await startEnd('postgres', place);
  service = await startService('sqlite', { place });
  const client = await source.connect();
  version = Number((await client.rows(`select current_setting('server_version_num')`))[0]?.[0]);
  await client.close();
});
after(async () => {
  await service.close();
  standby?.stop();
  await source.close();
  await target.close();
  await place.remove();
});

/** A standby as the documents of PostgreSQL want it: it keeps the slots, and the primary sends nothing that it has not. */
async function startStandby(): Promise<PostgresCopy> {
  const client = await source.connect();
  await client.run(`select pg_create_physical_replication_slot('standby')`);
  await client.run(`alter system set synchronized_standby_slots = 'standby'`);
  const url = `postgres://syncline@127.0.0.1:${source.port}/live`;
  return copyServer({ url, rows: (sql) => client.rows(sql) }, [
    `primary_conninfo = 'host=127.0.0.1 port=${source.port} user=syncline dbname=live'`,
    `primary_slot_name = 'standby'`,
    'hot_standby_feedback = on',
    'sync_replication_slots = on',
    `synchronized_standby_slots = ''`,
  ]);
}

/** Changes all tables in one transaction, again and again, until the server is gone. Answers how often it was done. */
async function bustle(client: PlainClient, from: number): Promise<number> {
  let done = from;
  try {
    for (; ; done++) await change(client, done);
  } catch {
    return done;
  }
}

const change = (client: PlainClient, n: number): Promise<void> =>
  client.run(
    `begin; ${TABLES.map((table) => `insert into ${table} values (${n}, ${n}); update ${table} set v = v + 1 where id = ${n % 3}; delete from ${table} where id = ${n - 5};`).join(' ')} commit`,
  );

test('a standby that keeps slots takes over: it goes on there, without a loss or a load', async (t) => {
  if (version < KEEPS_SLOTS)
    return t.skip(`PostgreSQL 17 is the first whose standbys keep slots; this is ${version}. Name another one in TEST_POSTGRES_BIN.`);
  standby = await startStandby();
  const reachable: Reachable = { url: service.url, adminKey: service.adminKey, logs: () => '' };
  const client = await source.connect();
  for (const table of TABLES)
    await client.run(`create table ${table} (id int not null primary key, v int); insert into ${table} values (1, 1), (2, 2)`);
  const sync = new LiveSync({ source, target }, TABLES);
  await sync.create(reachable);
  await sync.live(reachable);
  const there = await standby.client();
  // A standby keeps a slot for good when both servers have come so far.
  await until(
    'the standby to keep the slot',
    async () => {
      await client.rows('select pg_log_standby_snapshot()');
      const kept = await there.query(`select 1 from pg_replication_slots where synced and not temporary and invalidation_reason is null`);
      return kept.rows.length === 1;
    },
    PATIENCE,
  );
  const writing = bustle(client, 10);
  await until(
    'changes at the target',
    async () => {
      const seen = await target.connect();
      const [found] = await seen.rows(`select max(id) from ${TABLES[0]}`);
      await seen.close();
      return Number(found?.[0]) > 100;
    },
    PATIENCE,
  );
  standby.killFirst();
  const done = await writing;
  // The address may lead to it before it has taken over.
  const { port } = standby;
  source.leadTo(standby);
  let told: { message: string }[] = [];
  const ask = async (): Promise<void> => void (told = await sync.demand(reachable, 'GET', `/logs?sync_id=${sync.id}&level=warn&limit=100`));
  await until(
    'it to be told that it is a standby',
    async () => {
      await ask();
      return told.some(({ message }) => /standby/.test(message));
    },
    PATIENCE,
  ).catch((error: Error) => assert.fail(`${error.message}; ${JSON.stringify(told)}`));
  await there.query('select pg_promote()');
  await there.end();
  const promoted: LiveEnd = { ...source, port, connect: () => postgresClient(`postgres://syncline@127.0.0.1:${port}/live`) };
  const next = await promoted.connect();
  for (let n = done + 1; n < done + 50; n++) await change(next, n);
  await next.close();
  await demandEqual({ source: promoted, target }, TABLES, async () => JSON.stringify(await sync.look(reachable)));
  await sync.live(reachable);
  await ask();
  assert.deepEqual(
    told.map(({ message }) => message).filter((message) => /loaded anew|read anew/i.test(message)),
    [],
  );
});
