import { command, type Connection, first } from '../../db/database.ts';
import { databaseTime, databaseTimeText } from '../../db/database-time.ts';
import { integer, sql } from '../../db/sql.ts';
import { isoTime } from '../../lib/clock.ts';
import type { SourceRow } from '../sources/queries.ts';

// What sources keep of their logs for synchronizations that do not need it any more. A source may be away when that turns out, and must not keep
// its log for ever: so it is written down, and done when the source is there.

/** What a source is to forget, and the way to it as it was. */
export interface ReleaseRow {
  id: string;
  sync_id: string;
  sync_name: string;
  source_id: string;
  source_name: string;
  type: string;
  /** JSON text, with masks where secrets are. */
  config: string;
  /** Encrypted for the place of `source_id`, or null when there are none. */
  secrets: string | null;
  created_at: string;
  attempts: number;
  /** What it is to forget: its log, or what it keeps of runs so that they can be undone. */
  what: ForgottenThing;
}

export type ForgottenThing = 'log' | 'undo';

/** The worker that follows the log hears within seconds that it is over. */
const FIRST_AFTER = 4_000;

type KeptSource = Pick<SourceRow, 'id' | 'name' | 'type' | 'config' | 'secrets'>;

interface Unneeded {
  sync: { id: string; name: string };
  source: KeptSource;
  now: number;
  what?: ForgottenThing;
}

/** A synchronization is no longer live at this source, or has nothing undone there: the source is to forget what it keeps for it. */
export async function oweRelease(tx: Connection, { sync, source, now, what = 'log' }: Unneeded): Promise<void> {
  const time = await databaseTime(tx, now);
  const { id, name, type, config, secrets } = source;
  await tx.all(sql`
    insert into log_releases (id, sync_id, sync_name, source_id, source_name, type, config, secrets, created_at, attempts, next_at, what)
    values (${idOf(sync.id, id, what)}, ${sync.id}, ${sync.name}, ${id}, ${name}, ${type}, ${config}, ${secrets}, ${isoTime(time)}, 0,
      ${isoTime(time + FIRST_AFTER)}, ${what})
    on conflict (id) do update set config = excluded.config, secrets = excluded.secrets, created_at = excluded.created_at, attempts = 0,
      next_at = excluded.next_at, error = null`);
}

/** What the source keeps is needed again. */
export async function needAgain(tx: Connection, syncId: string, sourceId: string, what: ForgottenThing = 'log'): Promise<void> {
  await tx.all(sql`delete from log_releases where id = ${idOf(syncId, sourceId, what)}`);
}

function idOf(syncId: string, sourceId: string, what: ForgottenThing): string {
  return what === 'log' ? `${syncId} ${sourceId}` : `${what} ${syncId} ${sourceId}`;
}

/** Those that may be tried now, the longest waiting first. */
export async function dueReleases(db: Connection, now: number, most: number): Promise<ReleaseRow[]> {
  return db.all<ReleaseRow>(sql`
    select id, sync_id, sync_name, source_id, source_name, type, config, secrets, created_at, attempts, what from log_releases
    where next_at <= ${databaseTimeText(now)} order by next_at limit ${integer(most)}`);
}

/**
 * Whether two configurations name the same database of the same server. What it keeps there has the same name for the same synchronization: the next one to hold it has
 * given up what was held before, and to release it would take that away.
 */
export function isSameServer(one: string, other: string): boolean {
  const [left, right] = [one, other].map((config) => JSON.parse(config) as Record<string, unknown>);
  return ['host', 'port', 'database'].every((member) => left?.[member] === right?.[member]);
}

/** The configuration of the source that a synchronization follows at this moment; undefined when it is not live, or gone. */
export async function followedConfig(db: Connection, syncId: string): Promise<string | undefined> {
  const row = await first<{ config: string }>(
    db,
    sql`select sources.config from syncs join sync_state on sync_state.sync_id = syncs.id join sources on sources.id = syncs.source_id
      where syncs.id = ${syncId} and sync_state.live <> 0`,
  );
  return row?.config;
}

/** A live synchronization that nobody follows at the moment, and what its source may keep for it. */
export interface IdleFollower {
  sync: { id: string };
  source: KeptSource;
  most: number;
}

export async function idleFollowers(db: Connection): Promise<IdleFollower[]> {
  const rows = await db.all<KeptSource & { sync_id: string; definition: string }>(sql`
    select sources.id, sources.name, sources.type, sources.config, sources.secrets, syncs.id as sync_id, syncs.definition
    from sync_state join syncs on syncs.id = sync_state.sync_id join sources on sources.id = syncs.source_id
    where sync_state.live <> 0
      and not exists (select 1 from runs where runs.sync_id = syncs.id and runs.live <> 0 and runs.status = 'running')
    order by syncs.id`);
  return rows.map(({ sync_id, definition, ...source }) => {
    const { max_retained } = JSON.parse(definition) as { max_retained: number };
    return { sync: { id: sync_id }, source, most: max_retained };
  });
}

export const endRelease = command(import.meta.url, 'endRelease', async (tx, { id, attempts }: Pick<ReleaseRow, 'id' | 'attempts'>) => {
  // One that was written down anew meanwhile is still to do.
  await tx.all(sql`delete from log_releases where id = ${id} and attempts = ${attempts}`);
});

interface Postponed extends Pick<ReleaseRow, 'id' | 'attempts'> {
  now: number;
  delay: number;
  error: string;
}

export const postponeRelease = command(
  import.meta.url,
  'postponeRelease',
  async (tx, { id, attempts, now, delay, error }: Postponed): Promise<void> => {
    const time = await databaseTime(tx, now);
    await tx.all(sql`
      update log_releases set attempts = attempts + 1, next_at = ${isoTime(time + delay)}, error = ${error}
      where id = ${id} and attempts = ${attempts}`);
  },
);

interface Resealed extends Pick<ReleaseRow, 'id'> {
  before: string;
  secrets: string;
}

/** Unless it was written down anew meanwhile, with secrets of its own. */
export const resealRelease = command(import.meta.url, 'resealRelease', async (tx, { id, before, secrets }: Resealed): Promise<void> => {
  await tx.all(sql`update log_releases set secrets = ${secrets} where id = ${id} and secrets = ${before}`);
});

/** How many sources have still to forget this. */
export async function openReleases(db: Connection, what: ForgottenThing): Promise<number> {
  return (await first<{ n: number }>(db, sql`select count(*) as n from log_releases where what = ${what}`))?.n ?? 0;
}
