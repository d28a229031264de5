import { command, type Connection, first } from '../../../db/database.ts';
import { bytesOf, rowsThatFit } from '../../../db/page-bytes.ts';
import { all, integer, type Sql, sql } from '../../../db/sql.ts';
import type { PageRequest } from '../../../http/paging.ts';
import { runCounter } from './counts.ts';
import { COMPARES_ENDS, writesSomething } from './run-modes.ts';
import type { RunRow } from './run-row.ts';
import type { RunStatus } from './transitions.ts';

export async function findRun(db: Connection, id: string): Promise<RunRow | undefined> {
  return first<RunRow>(db, sql`select * from runs where id = ${id}`);
}

/** The mark of what a synchronization has of the shop; undefined when there is no such synchronization. */
export async function shopRowsOfSync(db: Connection, id: string): Promise<{ shop: string | null } | undefined> {
  return first<{ shop: string | null }>(db, sql`select shop from syncs where id = ${id}`);
}

export async function syncExists(db: Connection, id: string): Promise<boolean> {
  return (await db.all(sql`select 1 from syncs where id = ${id}`)).length > 0;
}

export interface RunFilter {
  sync_id?: string | undefined;
  status?: RunStatus | undefined;
  /** Only those that compared both ends; of one synchronization. */
  proofs?: boolean | undefined;
  /** Only those that metrics count: previews and verifies write nothing. */
  writing?: boolean | undefined;
  /** Ended at this time or later, and before that time. */
  ended_from?: string | undefined;
  ended_to?: string | undefined;
}

export interface RunPage extends PageRequest {
  filter: RunFilter;
}

/** What a run holds: its streams with what happened to each. */
export const RUN_BYTES = bytesOf('report', 'error', 'streams');

// Up to here the database may skip rows one by one while others wait.
const SHALLOW_OFFSET = 1_000;

/** Whether a page is read and counted along an index, and so may be read where a long read would disturb others. */
export function isQuickPage({ filter, offset }: RunPage): boolean {
  if (offset > SHALLOW_OFFSET || isOfStretch(filter)) return false;
  return filter.sync_id === undefined || (filter.status === undefined && filter.proofs !== true);
}

/** Whether only some runs of a status are meant, so that no counter knows how many there are. */
function isOfStretch({ ended_from, ended_to, writing }: RunFilter): boolean {
  return ended_from !== undefined || ended_to !== undefined || writing === true;
}

/** Runs, newest first, as many as fit into a page and one more when there are more; and how many there are in all. */
export const listRuns = command(
  import.meta.url,
  'listRuns',
  async (db, { filter, limit: most, offset, after }: RunPage): Promise<{ rows: RunRow[]; total: number; limit: number }> => {
    const where = matching(filter);
    const place = after === undefined ? where : sql`${where} and id < ${after}`;
    const page = (count: number) => sql`where ${place} order by id desc limit ${integer(count)} offset ${offset}`;
    const limit = await rowsThatFit(db, sql`select ${RUN_BYTES} as bytes from runs ${page(most)}`, most);
    const [rows, total] = await Promise.all([db.all<RunRow>(sql`select * from runs ${page(limit + 1)}`), countRuns(db, filter)]);
    return { rows, total, limit };
  },
);

function matching({ sync_id, status, proofs, writing, ended_from, ended_to }: RunFilter): Sql {
  return all([
    sync_id === undefined ? undefined : sql`sync_id = ${sync_id}`,
    status === undefined ? undefined : sql`status = ${status}`,
    proofs === true ? sql`${COMPARES_ENDS}` : undefined,
    writing === true ? sql`${writesSomething()}` : undefined,
    ended_from === undefined ? undefined : sql`finished_at >= ${ended_from}`,
    ended_to === undefined ? undefined : sql`finished_at < ${ended_to}`,
  ]);
}

/** Those of all synchronizations are counted as they change; those of one are few enough to be counted now. */
async function countRuns(db: Connection, filter: RunFilter): Promise<number> {
  const counted =
    filter.sync_id === undefined && !isOfStretch(filter)
      ? sql`select n from counters where name = ${runCounter(filter.status)}`
      : sql`select count(*) as n from runs where ${matching(filter)}`;
  return (await first<{ n: number }>(db, counted))?.n ?? 0;
}

interface RejectList {
  rows: RejectRow[];
  total: number;
  /** How many fit into the page; one more was read when there are more. */
  limit: number;
}

export interface RejectRow {
  id: string;
  stream: string;
  target: string;
  first_run_id: string;
  last_run_id: string;
  key: string | null;
  row: string;
  field: string | null;
  reason: string;
  created_at: string;
  updated_at: string;
  resolved_at: string | null;
}

export interface RejectPage extends PageRequest {
  syncId: string;
  /** Only those that this run has seen. */
  runId?: string | undefined;
  stream?: string | undefined;
  status?: 'open' | 'resolved' | undefined;
}

/** What is rejected of a synchronization, or by one run of it, oldest first; and how many in all. On one snapshot. */
export const listRejects = command(
  import.meta.url,
  'listRejects',
  async (db, { syncId, runId, stream, status, limit: most, offset, after }: RejectPage): Promise<RejectList> => {
    const where = all([
      sql`sync_id = ${syncId}`,
      runId === undefined ? undefined : sql`last_run_id >= ${runId} and first_run_id <= ${runId}`,
      stream === undefined ? undefined : sql`stream = ${stream}`,
      status === undefined ? undefined : status === 'open' ? sql`resolved_at is null` : sql`resolved_at is not null`,
    ]);
    const place = after === undefined ? where : sql`${where} and id > ${after}`;
    const page = (count: number) => sql`from rejects where ${place} order by id limit ${integer(count)} offset ${offset}`;
    const limit = await rowsThatFit(db, sql`select ${bytesOf('"row"', '"key"', 'reason')} as bytes ${page(most)}`, most);
    const [rows, counted] = await Promise.all([
      db.all<RejectRow>(sql`
        select id, stream, target, first_run_id, last_run_id, "key", "row", field, reason, created_at, updated_at, resolved_at
        ${page(limit + 1)}`),
      first<{ n: number }>(db, sql`select count(*) as n from rejects where ${where}`),
    ]);
    return { rows, total: counted?.n ?? 0, limit };
  },
);
