import { OutsideError } from '../../../outside/errors.ts';
import type { Link } from '../wire/link.ts';
import type { TransactionMark, IncrementalStart, Running, TransactionSnapshot } from './positions.ts';

// What makes incremental reading free of gaps. A transaction takes its time stamp or number when it begins, and its rows
// appear when it commits: a row with a LOWER cursor than those already read may come later. So a read remembers which
// transactions were running, and the next ones start low enough until those are over. Rows that were seen before are
// told by the transaction that wrote them (xmin), so they do not come twice.

/** So many ids are looked at one by one; beyond, rows of that time may come twice. */
const MOST_IDS = 1_000_000;
const MOST_RANGES = 1_000;
const WRAP = 2n ** 32n;
/** Ids of rows have 32 bits. Before the first time around, they need no guessing. */
const FIRST_ROUND = WRAP - 2n ** 30n;

/** The transactions that run in this database now, our own left out. */
export async function runningTransactions(link: Link): Promise<Running> {
  // A transaction that has begun holds a lock on its virtual id, which every user may see. Autovacuum, which has no user, writes no rows.
  const [row] = await link.query<{ virtual: string; prepared: string }>(`
    select coalesce((select json_agg(l.virtualxid) from pg_catalog.pg_locks l join pg_catalog.pg_stat_activity a on a.pid = l.pid
        where l.locktype = 'virtualxid' and l.pid <> pg_backend_pid() and a.usesysid is not null
          and a.datname = current_database()), '[]')::text as virtual,
      coalesce((select json_agg(p.transaction::text) from pg_catalog.pg_prepared_xacts p where p.database = current_database()), '[]')::text as prepared`);
  return { virtual: JSON.parse(row?.virtual ?? '[]') as string[], prepared: JSON.parse(row?.prepared ?? '[]') as string[] };
}

/**
 * Which transactions are over now. Those of savepoints are told apart too, which PostgreSQL's own snapshot leaves out. What was
 * over before is not asked for again, so that a transaction that runs for days costs nothing.
 */
export async function takeSnapshot(
  link: Link,
  before: TransactionSnapshot | null,
): Promise<{ seen: TransactionSnapshot; isExact: boolean }> {
  const open = [...(before?.running ?? []), [before?.xmax ?? '0', null]];
  const [row] = await link.query<{ xmin: string; xmax: string; asked: string; running: string }>(
    `with s as materialized (select pg_snapshot_xmin(s)::text::bigint as xmin, pg_snapshot_xmax(s)::text::bigint as xmax from pg_current_snapshot() s),
       r as materialized (select greatest((o ->> 0)::bigint, s.xmin) as first, least((o ->> 1)::bigint, s.xmax - 1) as last from s, json_array_elements($1::json) o),
       n as materialized (select coalesce(sum(last - first + 1) filter (where last >= first), 0) as asked from r)
     select s.xmin::text, s.xmax::text, n.asked::text, (select coalesce(json_agg(x::text order by x), '[]') from r, generate_series(r.first, r.last) x
       where n.asked <= ${MOST_IDS} and pg_xact_status(x::text::xid8) = 'in progress')::text as running
     from s, n`,
    [JSON.stringify(open)],
  );
  const { xmin = '0', xmax = '0', asked = '0', running = '[]' } = row ?? {};
  const ranges = toRanges((JSON.parse(running) as string[]).map(BigInt));
  if (Number(asked) > MOST_IDS || ranges.length > MOST_RANGES) return { seen: { xmax: xmin, running: [] }, isExact: false };
  return { seen: { xmax, running: ranges }, isExact: true };
}

function toRanges(ids: readonly bigint[]): TransactionSnapshot['running'] {
  const ranges: [bigint, bigint][] = [];
  for (const id of ids) {
    const last = ranges.at(-1);
    if (last && id === last[1] + 1n) last[1] = id;
    else ranges.push([id, id]);
  }
  return ranges.map(([from, to]) => [String(from), String(to)]);
}

/** Which server this is, and which of its lives: a restore from a backup or a failover begins a new one. */
export async function serverOf(link: Link): Promise<string | null> {
  const [row] = await link
    .query<{ server: string }>(
      `select s.system_identifier || '/' || case when pg_is_in_recovery() then (select 'standby ' || timeline_id from pg_control_checkpoint())
         else substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) end as server from pg_control_system() s`,
    )
    .catch((error: unknown) => {
      // Some services hide it. Then they have to be trusted.
      if (error instanceof OutsideError && error.kind !== 'transient') return [];
      throw error;
    });
  return row?.server ?? null;
}

/** The number of the database; it keeps it when it is renamed. */
export async function databaseOf(link: Link): Promise<string> {
  const [row] = await link.query<{ oid: string }>('select oid::text from pg_catalog.pg_database where datname = current_database()');
  return row?.oid ?? '';
}

/** The highest cursor there is. */
export type Highest = Pick<TransactionMark, 'at' | 'edge'>;

/** Where the reads after this one begin, when these transactions run as it starts. */
export function nextProgress(progress: IncrementalStart, now: Running, highest: Highest, seen: TransactionSnapshot): IncrementalStart {
  const { low, edge, mark, ...home } = progress;
  const stay = { low, ...(edge && { edge: 'closed' as const }) };
  if (mark) {
    const rest = notOver(mark, now);
    if (isAnybody(rest)) return { ...home, ...stay, seen, mark: { ...mark, ...rest } };
  }
  const reached = mark?.at == null ? stay : { low: mark.at, ...(mark.edge && { edge: mark.edge }) };
  return { ...home, ...reached, seen, mark: { ...highest, ...now } };
}

/** Those that ran before and still do. */
export function notOver(before: Running, now: Running): Running {
  const virtual = before.virtual.filter((id) => now.virtual.includes(id));
  // One that is gone may have been prepared: then it is among those that are prepared now.
  const mayBePrepared = virtual.length < before.virtual.length;
  return { virtual, prepared: mayBePrepared ? now.prepared : before.prepared.filter((id) => now.prepared.includes(id)) };
}

export function isAnybody({ virtual, prepared }: Running): boolean {
  return virtual.length + prepared.length > 0;
}

/** That no transaction runs for certain: a standby does not know of those at its primary, and of some servers it cannot be told what they are. */
export function isNobodyRunning({ server }: Pick<IncrementalStart, 'server'>, running: Running): boolean {
  return server !== null && !server.includes('/standby ') && !isAnybody(running);
}

/** Whether the ids of rows may be from an earlier round of the 32 bits. */
export function mayHaveWrapped(snapshot: TransactionSnapshot): boolean {
  return BigInt(snapshot.xmax) >= FIRST_ROUND;
}

/** That the transaction which wrote a row was over in the snapshot. */
export function isSeen(snapshot: TransactionSnapshot, now: TransactionSnapshot): string {
  const id = rowId(now);
  const running = snapshot.running.map(([from, to]) => (from === to ? `${id} = ${from}` : `${id} between ${from} and ${to}`));
  return `(${id} < ${snapshot.xmax}${running.length > 0 ? ` and not (${running.join(' or ')})` : ''})`;
}

/** The 64-bit id of a row's transaction: the one nearest to now. A frozen row of an earlier round may look newer than it is. */
function rowId(now: TransactionSnapshot): string {
  if (!mayHaveWrapped(now)) return 'xmin::text::bigint';
  const base = BigInt(now.xmax);
  const low = base % WRAP;
  return `(${base - 2n ** 31n} + (xmin::text::bigint - ${low} + ${WRAP + 2n ** 31n}) % ${WRAP})`;
}
