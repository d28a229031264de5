import { createHash } from 'node:crypto';
import { type Connection, first } from './database.ts';
import { databaseTimeText } from './database-time.ts';
import type { ColumnTypes, Migration } from './migration.ts';
import { MIGRATIONS } from './migrations.ts';
import { type Engine, raw, type Sql, sql } from './sql.ts';

const COLUMN_TYPES: Record<Engine, ColumnTypes> = {
  sqlite: { text: 'text', money: 'text', json: 'text', sequence: 'integer primary key', clustered: ' without rowid' },
  postgres: { text: 'text collate "C"', money: 'numeric', json: 'json', sequence: 'bigint primary key', clustered: '' },
};

export const SCHEMA_VERSION = MIGRATIONS.length;

/** The first schema that knows of `needs` and of nodes. */
const SIDE_BY_SIDE = 5;

/** A node that has not been heard of for so long is gone, or cut off. */
const LOST_AFTER = 15_000;

/** Whether a node was heard of a moment ago. One that was heard of at a time that has not come yet told so while the clock was ahead. */
export function isHeard(now: number): Sql {
  return sql`(seen_at > ${databaseTimeText(now, LOST_AFTER)} and seen_at < ${databaseTimeText(now, -LOST_AFTER)})`;
}

/** Any number that only we take: nodes that start together queue up behind it. */
const POSTGRES_LOCK = 7_316_924_771;

/** Nobody changes the schema, and no node comes, until the caller's transaction is over. SQLite has one writer anyway. */
export async function lockSchema(tx: Connection): Promise<void> {
  if (tx.engine === 'postgres') await tx.all(sql`select pg_advisory_xact_lock(${POSTGRES_LOCK})`);
}

/**
 * Brings the database to this program's schema: forward only, each step once, all in the caller's transaction. On SQLite
 * that transaction already excludes other writers; on PostgreSQL a lock makes nodes that start together wait. `upTo` stops at an earlier
 * schema: for what was written by an earlier program.
 */
export async function migrate(tx: Connection, now: number, upTo = SCHEMA_VERSION): Promise<void> {
  const { engine } = tx;
  await lockSchema(tx);
  const text = raw(COLUMN_TYPES[engine].text);
  await tx.all(sql`create table if not exists migrations (number bigint primary key, name ${text} not null, applied_at ${text} not null)`);
  // Beside them, as it was not kept at first. It says what a step was made of, and is no step itself.
  await tx.all(sql`create table if not exists migration_checksums (number bigint primary key, checksum ${text} not null)`);

  const newest = (await first<{ newest: number | null }>(tx, sql`select max(number) as newest from migrations`))?.newest ?? 0;
  if (newest > SCHEMA_VERSION) await demandKnown(tx);
  const ahead = MIGRATIONS.slice(newest, upTo);
  if (engine === 'postgres' && ahead.length > 0) {
    if (newest >= SIDE_BY_SIDE) await demandNoneLeftBehind(tx, now, ahead);
    // A session that waits for a table makes all others wait behind it. So we give up soon, and the whole is tried again.
    await tx.all(sql`set local lock_timeout = '3s'`);
  }
  for (const migration of ahead) await apply(tx, migration, now);
  await keepChecksums(tx);
}

/** What a step does, in short: equal for equal statements. */
function checksumOf({ statements }: Migration, engine: Engine): string {
  return createHash('sha256')
    .update(JSON.stringify(statements(COLUMN_TYPES[engine], engine)))
    .digest('base64url');
}

/** Of every step that has none yet: of those that were just taken, and of those from before checksums were kept. */
async function keepChecksums(tx: Connection): Promise<void> {
  const without = await tx.all<{ number: number }>(sql`
    select number from migrations where number <= ${SCHEMA_VERSION} and number not in (select number from migration_checksums)`);
  for (const { number } of without) {
    const migration = MIGRATIONS[number - 1];
    if (migration)
      await tx.all(sql`insert into migration_checksums (number, checksum) values (${number}, ${checksumOf(migration, tx.engine)})`);
  }
}

/**
 * What is wrong with the schema: steps that this program would take otherwise than they were taken, because they were edited afterwards.
 * It is told and does not stop the service, which would be a worse fault than most of what such an edit does.
 */
export async function schemaProblem(db: Connection): Promise<string | undefined> {
  const taken = await db.all<{ number: number; checksum: string }>(sql`select number, checksum from migration_checksums order by number`);
  const edited = taken.flatMap(({ number, checksum }) => {
    const migration = MIGRATIONS[number - 1];
    return migration && checksum !== checksumOf(migration, db.engine) ? [`${number} (${migration.name})`] : [];
  });
  if (edited.length === 0) return undefined;
  return (
    `The schema of the database was made by other statements than this program has, in the steps ${edited.join(', ')}. A step must not be edited after it was taken. ` +
    'Run the version that made the schema, or make a backup and restore it into an empty database with this one.'
  );
}

async function apply(tx: Connection, { number, name, needs, statements }: Migration, now: number): Promise<void> {
  for (const statement of statements(COLUMN_TYPES[tx.engine], tx.engine)) await tx.all(raw(statement));
  await tx.all(sql`insert into migrations (number, name, applied_at) values (${number}, ${name}, ${databaseTimeText(now)})`);
  if (needs !== undefined) await tx.all(sql`update migrations set needs = ${needs} where number = ${number}`);
}

/** Throws when the database has taken a step after which this program cannot go on. Steps that only add do no harm. */
export async function demandKnown(tx: Connection): Promise<void> {
  const found = await first<{ newest: number; needs: number | null }>(
    tx,
    sql`select max(number) as newest, max(needs) as needs from migrations`,
  );
  if (isOutdated(found?.needs ?? null)) throw new Error(outdatedText(found?.newest ?? 0));
}

/** Whether a database that asks for this schema at least asks for too much of this program. */
export function isOutdated(needs: number | null): boolean {
  return needs !== null && needs > SCHEMA_VERSION;
}

export function outdatedText(newest: number): string {
  return (
    `The database is of a newer Syncline (schema ${newest}, this program knows ${SCHEMA_VERSION}). ` +
    'Nothing was changed. Start the newer version again, or restore a backup made by this one.'
  );
}

/** Throws when a step would take away what nodes that are at work still use. */
async function demandNoneLeftBehind(tx: Connection, now: number, ahead: readonly Migration[]): Promise<void> {
  const needs = Math.max(0, ...ahead.map((migration) => migration.needs ?? 0));
  const left = await tx.all<{ host: string; version: string }>(sql`
    select host, version from nodes where schema_version < ${needs} and ${isHeard(now)} order by host`);
  if (left.length === 0) return;
  throw new Error(
    `Nodes of older versions are at work that this version cannot work beside: ${left.map(({ host, version }) => `${host} (${version})`).join(', ')}. ` +
      'Nothing was changed. Bring them to the version before this one first, or stop them; then start this one again.',
  );
}
