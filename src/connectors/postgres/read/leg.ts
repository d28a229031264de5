import { setTimeout as pause } from 'node:timers/promises';
import { OutsideError } from '../../../outside/errors.ts';
import { hasIds, type Relation } from '../catalogue/relations.ts';
import { columnOf } from './conditions.ts';
import type { Link } from '../wire/link.ts';
import { quoteName, quoteRelation } from '../catalogue/names.ts';
import { orderOf, type OpenRead } from './plan.ts';
import type { Leg, IncrementalStart, Running } from './positions.ts';
import {
  isAnybody,
  isNobodyRunning,
  mayHaveWrapped,
  nextProgress,
  notOver,
  runningTransactions,
  type Highest,
  takeSnapshot,
} from './transactions.ts';

/** Below this many rows a sort is cheap; above, a table without an index on the cursor is read in the order of its key. */
const CHEAP_SORT = 100_000;
/** How long the transactions of others are waited for, where each row is to come once. Nearly all are shorter. */
const PATIENCE = 250;
const INTERVAL = 20;

/**
 * The three looks are taken in this order for a reason. Whoever can still commit a row below `highest` began before that
 * look, so he is among those running in the second, or was over before the third and is read now.
 */
export async function newLeg({ link, relation, request }: OpenRead, cursor: string, progress: IncrementalStart): Promise<Leg> {
  const { once = false, key } = request;
  const isTold = tellsWriters(relation, once);
  const { isFuture, ...highest } = await highestCursor(link, relation, cursor);
  const running = await runningTransactions(link);
  const rest = once && isTold ? await waitFor(link, running) : running;
  const { seen, isExact } = await takeSnapshot(link, progress.seen);
  // Rows from before the last time around may look as if they were new. At the first read that must not hide them.
  const mayHide = progress.seen === null && mayHaveWrapped(seen);
  const start = {
    until: isTold && isExact && !mayHide ? seen : null,
    order: incrementalOrder(relation, cursor, orderOf(relation, key)),
    last: null,
    rows: 0,
  };
  if (!once) {
    const next = nextProgress(progress, running, { at: highest.at }, seen);
    // Nobody who could write below the highest is left: the second read need not look at everything again, as the first one does.
    const isFirst = progress.low === null && progress.mark === null;
    return { ...start, next: isFirst && isTold && isNobodyRunning(progress, running) ? { ...next, low: highest.at } : next };
  }
  if (highest.at === null || (isTold && isAnybody(rest))) return { ...start, next: nextProgress(progress, rest, highest, seen) };
  // Nobody who could write below the highest is left: the reads after this one need not look there again.
  const { low: _low, edge: _edge, ...home } = progress;
  const next = { ...home, seen, mark: null, low: highest.at };
  const isWhole = !isTold || (highest.edge === 'closed' && !isFuture);
  return isWhole
    ? { ...start, upTo: highest.at, next: { ...next, edge: 'whole' } }
    : { ...start, next: { ...next, ...(highest.edge && { edge: highest.edge }) } };
}

/** Whether it can be told of a row that it is new. A refresh writes a materialized view anew, with all that was there before. */
export function tellsWriters(relation: Relation, once: boolean): boolean {
  return hasIds(relation) && !(once && relation.kind === 'm');
}

/** Those of the transactions that are not over after a while. Whoever has begun meanwhile does not matter: he writes no lower cursor. */
async function waitFor(link: Link, running: Running): Promise<Running> {
  let rest = running;
  const end = performance.now() + PATIENCE;
  while (isAnybody(rest) && performance.now() < end) {
    // Whoever stops us destroys the connection too, so that the next look fails.
    await pause(INTERVAL);
    rest = notOver(rest, await runningTransactions(link));
  }
  return rest;
}

function incrementalOrder(relation: Relation, cursor: string, key: readonly string[]): string[] {
  if (key.length === 0) return [];
  const isQuick = relation.indexes.some((index) => index.columns[0] === cursor) || (relation.estimatedRows ?? 0) < CHEAP_SORT;
  return isQuick ? [cursor, ...key.filter((name) => name !== cursor)] : [...key];
}

const UTC = "clock_timestamp() at time zone 'UTC'";

// A single row from the far future must not keep everything below it out for ever. Whose clock a time without a zone is from
// nobody knows; no zone is further ahead of UTC, or further behind.
const NOW: Readonly<Record<string, { latest: string; earliest: string }>> = {
  timestamptz: { latest: 'clock_timestamp()', earliest: 'clock_timestamp()' },
  timestamp: { latest: `(${UTC} + interval '14 hours')`, earliest: `(${UTC} - interval '12 hours')` },
  date: { latest: `(${UTC} + interval '14 hours')::date`, earliest: `(${UTC} - interval '12 hours')::date` },
};

/** That whoever begins later writes a higher value: it is an exact moment, or one that is over. */
function isPast(type: string): string {
  const now = NOW[type];
  if (!now) return 'false';
  return type === 'date' ? `at < ${now.earliest}` : `(at <> date_trunc('milliseconds', at) or at < ${now.earliest} - interval '1 second')`;
}

async function highestCursor(link: Link, relation: Relation, cursor: string): Promise<Highest & { isFuture: boolean }> {
  const column = columnOf(relation, cursor);
  const name = quoteName(cursor);
  const bound = NOW[column.type]?.latest;
  const isUnique = relation.indexes.some(({ isArbiter, columns }) => isArbiter && columns.length === 1 && columns[0] === cursor);
  try {
    const [row] = await link.query<{ at: string; is_future: string; is_past: string }>(
      `select at::text, is_future::text, (${isPast(column.type)})::text as is_past
       from (select ${bound ? `least(${name}, ${bound}) as at, ${name} > ${bound}` : `${name} as at, false`} as is_future
         from ${quoteRelation(relation)} where ${name} is not null order by ${name} desc limit 1) h`,
    );
    const isClosed = isUnique || row?.is_past === 'true';
    return { at: row?.at ?? null, ...(isClosed && { edge: 'closed' }), isFuture: row?.is_future === 'true' };
  } catch (error) {
    // 42883: no operator to order by.
    if ((error as { cause?: { code?: string } }).cause?.code !== '42883') throw error;
    throw new OutsideError('config', 'CURSOR_INVALID', `"${cursor}" cannot be a cursor: values of type ${column.native} have no order.`, {
      field: cursor,
      cause: error,
    });
  }
}
