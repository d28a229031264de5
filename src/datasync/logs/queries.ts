import { bulk } from '../../db/bulk.ts';
import { command, type Connection, first } from '../../db/database.ts';
import { all, integer, join, raw, type Sql, sql } from '../../db/sql.ts';
import { LEVELS, type LogLevel, levelsFrom } from './entry.ts';
import { type Places, placesOf } from './places.ts';
import { countSubject, levelList, type SubjectFilter } from './tally.ts';
import { hasWords, searchText } from './words.ts';

export interface LogFilter {
  sync_id?: string | undefined;
  run_id?: string | undefined;
  source_id?: string | undefined;
  /** This one and above. */
  level?: LogLevel | undefined;
  /** Each has to begin a word of the message. */
  words?: readonly string[] | undefined;
  /** ISO 8601, inclusive. */
  from?: string | undefined;
  /** ISO 8601, exclusive. */
  to?: string | undefined;
  /** The rows of the shop that are kept from the caller: words of entries that may quote them are not found. */
  hidden?: readonly string[] | undefined;
}

export interface LogPage {
  filter: LogFilter;
  limit: number;
  offset: number;
  /** The page starts after this number (the cursor). */
  after?: number | undefined;
}

export interface LogRow {
  seq: number;
  time: string;
  level: LogLevel;
  sync_id: string | null;
  run_id: string | null;
  stream: string | null;
  source_id: string | null;
  message: string;
  data: string | null;
  shop: string | null;
}

const COLUMNS = raw('seq, time, level, sync_id, run_id, stream, source_id, message, data, shop');
// Up to here rows are skipped one by one; beyond, whole blocks are skipped.
const SHALLOW_OFFSET = 1_000;
// With more matches than this PostgreSQL walks the newest entries and keeps those that match; sorting them all costs more.
const MANY_MATCHES = 20_000;

/** A page, newest first, with the exact total, on one snapshot. `newest` is the number of the last entry of all. */
export const listLogs = command(import.meta.url, 'listLogs', async (db, page: LogPage) => {
  const { filter, limit, after } = page;
  const { newest, ...places } = await placesOf(db, filter.from, filter.to);
  const { total, seqs } = await findSeqs(db, { ...page, limit: limit + 1, after: after ?? Number.MAX_SAFE_INTEGER }, places);
  const rows = seqs ? await db.all<LogRow>(sql`select ${COLUMNS} from logs where seq in (${seqs}) order by seq desc`) : [];
  return { rows: rows.slice(0, limit), total, more: rows.length > limit, newest };
});

/** The number of the last entry of all. */
export async function newestLog(db: Connection): Promise<number | undefined> {
  return (await first<{ seq: number }>(db, sql`select seq from log_head`))?.seq;
}

/** What was written after a number, oldest first, at most so much; `newest` is how far that goes. */
export const listNewLogs = command(
  import.meta.url,
  'listNewLogs',
  async (db, { filter, after, most }: { filter: LogFilter; after: number; most: number }) => {
    const newest = await newestLog(db);
    const rows = await db.all<LogRow>(sql`
      select ${COLUMNS} from logs where seq > ${after} and ${conditions(db, filter, sql`rowid > ${after}`)} order by seq limit ${most}`);
    return { rows, newest: rows.length < most ? (newest ?? after) : (rows.at(-1) as LogRow).seq };
  },
);

/** The numbers of the page's entries as a query, undefined when there are none, and how many entries match in all. */
async function findSeqs(
  db: Connection,
  { filter, limit, offset, after }: LogPage & { after: number },
  { low, high }: Places,
): Promise<{ total: number; seqs: Sql | undefined }> {
  const { sync_id, run_id, source_id, level } = filter;
  const end = Math.min(high, after);
  if (filter.words) {
    const place = { limit, offset, end };
    const within = run_id === undefined ? undefined : await searchRun(db, filter, { low, high }, place);
    return within ?? search(db, filter, { low, high }, place);
  }
  if (run_id !== undefined) {
    // A run has few entries for as long as it lasts: its index is walked.
    const matches = sql`${conditions(db, filter)} and seq >= ${low}`;
    const counted = await first<{ n: number }>(db, sql`select count(*) as n from logs where ${matches} and seq < ${high}`);
    return { total: counted?.n ?? 0, seqs: newestFirst(sql`select seq from logs where ${matches} and seq < ${end}`, limit, offset) };
  }
  if (sync_id === undefined && source_id === undefined && (level ?? LEVELS[0]) === LEVELS[0]) {
    // The numbers have no gaps.
    const rest = sql`select seq from logs where seq >= ${low} and seq < ${end - offset}`;
    return { total: high - low, seqs: offset < end - low ? newestFirst(rest, limit, 0) : undefined };
  }
  const subject: SubjectFilter = { sync_id, source_id, levels: levelsFrom(level ?? LEVELS[0]) };
  const tally = await countSubject(db, subject, { low, high });
  if (offset >= tally.total) return { total: tally.total, seqs: undefined };
  const start = offset > SHALLOW_OFFSET ? tally.skip(offset) : { high: end, offset };
  return { total: tally.total, seqs: mergeLevels(subject, { low, high: start.high }, limit, start.offset) };
}

/** Each level lies in the order of its numbers in the index; merged, newest first. */
function mergeLevels({ sync_id, source_id, levels }: SubjectFilter, { low, high }: Places, limit: number, offset: number): Sql {
  const belongs = all([
    sync_id === undefined ? undefined : sql`sync_id = ${sync_id}`,
    source_id === undefined ? undefined : sql`source_id = ${source_id}`,
  ]);
  const parts = levels.map((level) => {
    const ofLevel = sql`select seq from logs where ${belongs} and level = ${level} and seq >= ${low} and seq < ${high}`;
    return sql`select seq from (${newestFirst(ofLevel, limit + offset, 0)}) as ${raw(level)}`;
  });
  return newestFirst(join(parts, ' union all '), limit, offset);
}

function newestFirst(query: Sql, limit: number, offset: number): Sql {
  return sql`${query} order by seq desc limit ${integer(limit)} ${offset === 0 ? sql`` : sql`offset ${offset}`}`;
}

interface PagePlace {
  limit: number;
  offset: number;
  /** Before this number. */
  end: number;
}

async function search(
  db: Connection,
  filter: LogFilter,
  { low, high }: Places,
  { limit, offset, end }: PagePlace,
): Promise<{ total: number; seqs: Sql }> {
  const text = searchOf(db, filter);
  if (db.engine === 'sqlite') {
    const matches = (before: number): Sql => sql`from log_words where log_words match ${text} and rowid >= ${low} and rowid < ${before}`;
    const counted = await first<{ n: number }>(db, sql`select count(*) as n ${matches(high)}`);
    const skip = offset === 0 ? sql`` : sql`offset ${offset}`;
    return { total: counted?.n ?? 0, seqs: sql`select rowid ${matches(end)} order by rowid desc limit ${integer(limit)} ${skip}` };
  }
  // The fence keeps the planner from walking all entries, which it likes better than the index of words.
  const matching = sql`words @@ ${text}::tsquery`;
  const found = sql`with found as materialized (select seq from logs where ${matching})`;
  const counted = await first<{ n: number }>(db, sql`${found} select count(*) as n from found where seq >= ${low} and seq < ${high}`);
  const total = counted?.n ?? 0;
  const walk = sql`select seq from logs where ${matching} and seq >= ${low} and seq < ${end}`;
  const sorted = sql`${found} select seq from found where seq >= ${low} and seq < ${end}`;
  return { total, seqs: newestFirst(total > MANY_MATCHES ? walk : sorted, limit, offset) };
}

/** A run has few entries: reading them is quicker than asking the index for all that have the word. Undefined when it has many. */
async function searchRun(
  db: Connection,
  filter: LogFilter,
  { low, high }: Places,
  { limit, offset, end }: PagePlace,
): Promise<{ total: number; seqs: Sql } | undefined> {
  const { words = [], hidden = [], ...others } = filter;
  const rows = await db.all<{ seq: number; message: string; shop: string | null }>(sql`
    select seq, message, shop from logs where ${conditions(db, others)} and seq >= ${low} and seq < ${high}
    order by seq desc limit ${MANY_MATCHES + 1}`);
  if (rows.length > MANY_MATCHES) return undefined;
  const found = rows.filter(({ message, shop }) => hasWords(message, words) && !hidden.some((one) => shop?.includes(one)));
  const page = found.filter(({ seq }) => seq < end).slice(offset, offset + limit);
  return {
    total: found.length,
    seqs: sql`select seq from ${bulk(
      { seq: 'bigint' },
      page.map(({ seq }) => [seq]),
    )} as page`,
  };
}

function searchOf({ engine }: Connection, { words = [], level, sync_id, run_id, source_id, hidden = [] }: LogFilter): string {
  const belongsTo = [sync_id, run_id, source_id].filter((id) => id !== undefined);
  return searchText({ words, level, belongsTo, without: hidden }, engine);
}

/** What an entry has to fulfil; `range` narrows a search on SQLite. */
function conditions(db: Connection, filter: LogFilter, range = sql`true`): Sql {
  const { sync_id, run_id, source_id, level, words } = filter;
  const found = (): Sql =>
    db.engine === 'postgres'
      ? sql`words @@ ${searchOf(db, filter)}::tsquery`
      : sql`seq in (select rowid from log_words where log_words match ${searchOf(db, filter)} and ${range})`;
  return all([
    sync_id === undefined ? undefined : sql`sync_id = ${sync_id}`,
    run_id === undefined ? undefined : sql`run_id = ${run_id}`,
    source_id === undefined ? undefined : sql`source_id = ${source_id}`,
    level === undefined ? undefined : sql`level in (${levelList(levelsFrom(level))})`,
    filter.from === undefined ? undefined : sql`time >= ${filter.from}`,
    words === undefined ? undefined : found(),
  ]);
}
