import type { Connection } from '../../db/database.ts';
import { isoTime } from '../../lib/clock.ts';
import { type Sql, sql } from '../../db/sql.ts';
import { writesSomething } from '../runs/rows/run-modes.ts';
import { type EndedRun, type Summary, summarize } from './summary.ts';
import { DAY, HOUR, MINUTE, type Span } from './window.ts';

// Days that are over do not change any more: their runs are added up once and remembered, here where the questions are answered (on
// SQLite that is the reader's thread). So a month costs hardly more than a day, however many runs it had.

/** The longest bucket that every series but that of an hour can be made of. */
const BUCKET = HOUR / 2;
/** A run that ends at midnight may be committed a little later. */
const SETTLED = 10 * MINUTE;
/** Runs are deleted after some time: then what is remembered of them has to go, too. */
const REMEMBERED = HOUR;

interface KeptSummary {
  from: number;
  to: number;
  until: number;
  summary: Summary;
}

/** The whole days within each window, by whose memory it is: there may be several databases in a process. */
const memories = new Map<string, KeptSummary>();

/** The runs that ended within a span: its whole days, and what is before and after them. */
export async function historyOf(
  db: Connection,
  { from, to, step }: Span,
  { memory, syncs }: { memory: string; syncs: ReadonlySet<string> },
): Promise<Summary[]> {
  const bucket = Math.min(step, BUCKET);
  const firstDay = Math.ceil(from / DAY) * DAY;
  const lastDay = Math.floor((to - SETTLED) / DAY) * DAY;
  if (firstDay >= lastDay) return [await readStretch(db, from, to, bucket)];
  const name = `${memory} ${step}`;
  let days = memories.get(name);
  const holds = days?.from === firstDay && days.to === lastDay && days.until > to && days.summary.syncs.keys().every((id) => syncs.has(id));
  if (!days || !holds) {
    days = { from: firstDay, to: lastDay, until: to + REMEMBERED, summary: await readStretch(db, firstDay, lastDay, bucket) };
    memories.set(name, days);
  }
  return [days.summary, await readStretch(db, from, firstDay, bucket), await readStretch(db, lastDay, to, bucket)];
}

/** The same for one synchronization, which has few enough runs to be read anew. */
export async function historyOfSync(db: Connection, { from, to, step }: Span, syncId: string): Promise<Summary[]> {
  return [await readStretch(db, from, to, Math.min(step, BUCKET), sql`sync_id = ${syncId}`)];
}

/** Day by day, so that never more than the runs of one are in memory. */
async function readStretch(db: Connection, from: number, to: number, bucket: number, condition: Sql = sql`true`): Promise<Summary> {
  const summary: Summary = { syncs: new Map(), buckets: new Map() };
  for (let start = from; start < to; start += DAY) {
    const [first, last] = [isoTime(start), isoTime(Math.min(to, start + DAY))];
    // All of it is in the index `runs_figures`; the runs themselves, which are large, are not read.
    const runs = await db.all<EndedRun>(sql`
      select sync_id, status, finished_at, duration_ms, rows_read, inserted, updated, deleted, unchanged, rejected, bytes
      from runs where finished_at >= ${first} and finished_at < ${last} and ${writesSomething()} and ${condition}`);
    summarize(summary, runs, bucket);
  }
  return summary;
}
