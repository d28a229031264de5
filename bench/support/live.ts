import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { startPostgres } from '../../test/support/postgres-server.ts';
import { atEnd } from './cleanup.ts';
import { residentMegabytes, temporaryFolder } from './processes.ts';
import { psql } from './psql.ts';
import type { Pass } from './rates.ts';
import { createPostgresSource, createSync } from './synchronizations.ts';
import { startSyncline, type Syncline } from './syncline.ts';
import { databaseOn } from './two-databases.ts';

const AREA = '/api/v1/datasync';
const GLANCE = 10;
const MEMORY_EVERY = 50;
/** What takes longer has stopped. */
const PATIENCE = 900_000;

/** A server that keeps its log, with a database to follow and two that follow it. */
export interface LiveGround {
  readonly server: string;
  readonly source: string;
  readonly ours: string;
  readonly theirs: string;
  readonly syncline: Syncline;
}

export async function liveGround(): Promise<LiveGround> {
  const postgres = await startPostgres(
    '',
    '-c wal_level=logical -c max_wal_senders=120 -c max_replication_slots=120 -c wal_retrieve_retry_interval=100ms',
  );
  atEnd(() => postgres.stop());
  psql(postgres.url, 'create database source', 'create database ours', 'create database theirs');
  const [source, ours, theirs] = ['source', 'ours', 'theirs'].map((name) => databaseOn(postgres.url, name)) as [string, string, string];
  return { server: postgres.url, source, ours, theirs, syncline: await startSyncline(temporaryFolder()) };
}

/** A live synchronization of one table, once it follows. */
export async function followTable({ syncline, source, ours }: LiveGround, table: string): Promise<string> {
  const [source_id, target_id] = [await createPostgresSource(syncline, source), await createPostgresSource(syncline, ours)];
  const sync = await createSync(syncline, { source_id, target_id, streams: [{ source: table, target: table, mode: 'cdc' }] });
  await untilLive(syncline, sync);
  return sync;
}

export async function untilLive(syncline: Syncline, sync: string): Promise<void> {
  for (const deadline = Date.now() + PATIENCE; ; ) {
    const { data } = JSON.parse(await syncline.get(`${AREA}/sync/${sync}`)) as { data: { current_run: { id: string } | null } };
    if (data.current_run) {
      const run = JSON.parse(await syncline.get(`${AREA}/runs/${data.current_run.id}`)) as { data: { streams: { live?: string }[] } };
      if (run.data.streams.length > 0 && run.data.streams.every(({ live }) => live === 'live')) return;
    }
    if (Date.now() > deadline) throw new Error('The synchronization does not get live.');
    await sleep(50);
  }
}

export async function pause(syncline: Syncline, sync: string): Promise<void> {
  await ask(syncline, `${AREA}/sync/${sync}/pause`);
  for (;;) {
    const { data } = JSON.parse(await syncline.get(`${AREA}/sync/${sync}`)) as { data: { current_run: unknown } };
    if (!data.current_run) return;
    await sleep(20);
  }
}

export async function resume(syncline: Syncline, sync: string): Promise<void> {
  await ask(syncline, `${AREA}/sync/${sync}/resume`);
}

/** A connection that was idle for long, while the source was written to, may be closed; asking twice does no harm here. */
async function ask(syncline: Syncline, path: string): Promise<void> {
  await syncline.post(path).catch(() => syncline.post(path));
}

/** PostgreSQL's own: the same table by a subscription. Both databases are of one server, so the slot is made beforehand. */
export function subscribe({ server, source, theirs }: LiveGround, table: string): void {
  const columns = psql(
    source,
    `select string_agg(attname || ' ' || format_type(atttypid, atttypmod), ', ' order by attnum) from pg_attribute
    where attrelid = '${table}'::regclass and attnum > 0 and not attisdropped`,
  );
  psql(theirs, `create table ${table} (${columns}, primary key (id))`);
  psql(source, `create publication theirs for table ${table}`, "select pg_create_logical_replication_slot('theirs', 'pgoutput')");
  const { hostname, port, username } = new URL(server);
  psql(
    theirs,
    `create subscription theirs connection 'host=${hostname} port=${port} user=${username} dbname=source' publication theirs
      with (create_slot = false, slot_name = 'theirs', copy_data = false, enabled = false)`,
  );
}

/** How long it takes from a start until a database shows what was written last. */
export async function catchUp(url: string, query: string, expected: string, start: () => Promise<void>, pid?: number): Promise<Pass> {
  let memory = 0;
  // By one connection: a new psql each time would take processor time from those that are measured.
  const client = new pg.Client(url);
  await client.connect();
  const isThere = async (): Promise<boolean> => {
    const { rows } = await client.query({ text: query, rowMode: 'array' });
    return String((rows as unknown[][])[0]?.[0]) === expected;
  };
  const sampler = setInterval(() => (memory = Math.max(memory, (pid && residentMegabytes(pid)) || 0)), MEMORY_EVERY);
  try {
    const began = performance.now();
    await start();
    while (!(await isThere())) {
      if (performance.now() - began > PATIENCE) throw new Error(`Nothing comes: ${query} is not ${expected}`);
      await sleep(GLANCE);
    }
    return { seconds: (performance.now() - began) / 1000, memory };
  } finally {
    clearInterval(sampler);
    await client.end();
  }
}
