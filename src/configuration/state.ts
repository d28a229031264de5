import { command, type Connection } from '../db/database.ts';
import { bulk, list } from '../db/bulk.ts';
import { raw, sql } from '../db/sql.ts';
import { AppError, type FieldError } from '../lib/errors.ts';
import { isJsonObject } from '../lib/exact-json.ts';
import { isId } from '../lib/ids.ts';

// How far synchronizations have come, so that another installation goes on where this one has stopped. What targets keep of them is known there by the id of
// the synchronization, so that the id goes along.

/** What is remembered of a stream between runs. */
interface StreamState {
  readonly target: string;
  readonly generation: number;
  readonly fields: string | null;
  readonly position: string | null;
  readonly rows: number | null;
  readonly note: string | null;
}

/** What a target that cannot be read back has accepted. */
interface DeliveredState {
  readonly target: string;
  readonly seq: number;
  readonly generation: number;
  readonly run_id: string;
  readonly entries: string;
}

export interface SyncState {
  readonly id: string;
  readonly streams: readonly StreamState[];
  readonly delivered: readonly DeliveredState[];
}

const STREAM_COLUMNS = { target: 'text', generation: 'bigint', fields: 'json', position: 'text', rows: 'bigint', note: 'json' } as const;
const DELIVERED_COLUMNS = { target: 'text', seq: 'bigint', generation: 'bigint', run_id: 'text', entries: 'text' } as const;
const STREAM_NAMES = raw(
  Object.keys(STREAM_COLUMNS)
    .map((name) => `"${name}"`)
    .join(', '),
);
const DELIVERED_NAMES = raw(Object.keys(DELIVERED_COLUMNS).join(', '));

/** The state of all synchronizations by name, on one snapshot. Refused while one of them runs: it would be of no moment. */
export const readStates = command(import.meta.url, 'readStates', async (db, _input: object): Promise<Record<string, SyncState>> => {
  const running = await db.all<{ name: string }>(sql`
    select distinct name from runs join syncs on syncs.id = runs.sync_id where runs.status in ('running', 'retrying') order by name limit 5`);
  if (running.length > 0) {
    const names = running.map(({ name }) => `"${name}"`).join(', ');
    const message = `The state cannot be taken while ${names} ${running.length === 1 ? 'runs' : 'run'}. Pause the synchronizations, wait until none runs, and take it then.`;
    throw new AppError('CONFLICT', message, { field: 'state', reason: 'pause the synchronizations first' });
  }
  const syncs = await db.all<{ id: string; name: string }>(sql`select id, name from syncs order by id`);
  const streams = await db.all<StreamState & { sync_id: string }>(
    sql`select sync_id, ${STREAM_NAMES} from sync_streams order by sync_id, target`,
  );
  const delivered = await db.all<DeliveredState & { sync_id: string }>(
    sql`select sync_id, ${DELIVERED_NAMES} from delivered order by sync_id, target, seq`,
  );
  const of = <Row extends { sync_id: string }>(rows: readonly Row[], id: string) =>
    rows.filter((row) => row.sync_id === id).map(({ sync_id: _id, ...rest }) => rest);
  return Object.fromEntries(syncs.map(({ id, name }) => [name, { id, streams: of(streams, id), delivered: of(delivered, id) }]));
});

/** Gives a synchronization that was made in the same transaction the state that it had elsewhere. */
export async function bringState(tx: Connection, { id, streams, delivered }: SyncState): Promise<true> {
  const columns = <Columns extends object>(of: Columns) => ({ sync_id: 'text' as const, ...of });
  if (streams.length > 0) {
    const rows = streams.map(({ target, generation, fields, position, rows: count, note }) => [
      id,
      target,
      generation,
      fields,
      position,
      count,
      note,
    ]);
    await tx.all(
      sql`insert into sync_streams (sync_id, ${STREAM_NAMES}) select sync_id, ${STREAM_NAMES} from ${bulk(quoted(columns(STREAM_COLUMNS)), rows)} as input`,
    );
  }
  for (const { target, seq, generation, run_id, entries } of delivered)
    await tx.all(
      sql`insert into delivered (sync_id, ${DELIVERED_NAMES}) values (${id}, ${target}, ${seq}, ${generation}, ${run_id}, ${entries})`,
    );
  return true;
}

function quoted<Columns extends Record<string, string>>(columns: Columns): Columns {
  return Object.fromEntries(Object.entries(columns).map(([name, type]) => [`"${name}"`, type])) as Columns;
}

/** Of these synchronizations, those whose ids are taken. */
export async function takenIds(db: Connection, ids: readonly string[]): Promise<Map<string, string>> {
  const rows = await db.all<{ id: string; name: string }>(sql`select id, name from syncs where id in ${list(ids)}`);
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/** What is wrong with a state that was sent. */
export function stateFaults(state: unknown): FieldError[] {
  if (!isJsonObject(state)) return [{ field: 'state', reason: 'must be an object: the state of each synchronization by its name' }];
  return Object.entries(state).flatMap(([name, one]): FieldError[] => {
    const field = `state.${name}`;
    if (!isJsonObject(one) || typeof one['id'] !== 'string' || !isId('syn', one['id']))
      return [{ field: `${field}.id`, reason: 'must be the id of a synchronization' }];
    return [
      ...rowFaults(`${field}.streams`, one['streams'], STREAM_COLUMNS, ['target', 'generation']),
      ...rowFaults(`${field}.delivered`, one['delivered'], DELIVERED_COLUMNS, Object.keys(DELIVERED_COLUMNS)),
    ];
  });
}

function rowFaults(field: string, rows: unknown, columns: Readonly<Record<string, string>>, needed: readonly string[]): FieldError[] {
  if (!Array.isArray(rows)) return [{ field, reason: 'must be an array' }];
  const fits = (row: unknown): boolean =>
    isJsonObject(row) &&
    Object.keys(row).every((name) => Object.hasOwn(columns, name)) &&
    Object.entries(columns).every(([name, type]) => {
      const value = row[name] ?? null;
      if (value === null) return !needed.includes(name);
      return type === 'bigint' ? Number.isSafeInteger(value) : typeof value === 'string' && (type !== 'json' || isJson(value));
    });
  return rows.flatMap((row, at) =>
    fits(row) ? [] : [{ field: `${field}[${at}]`, reason: 'is not as `syncline export --state` writes it' }],
  );
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
