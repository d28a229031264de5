import { setTimeout as pause } from 'node:timers/promises';
import { hasIds, type Relation } from '../catalogue/relations.ts';
import { highestCursor } from './highest-cursor.ts';
import type { Link } from '../wire/link.ts';
import { orderOf, type OpenRead } from './plan.ts';
import type { Leg, IncrementalStart, Running, TransactionSnapshot } from './positions.ts';
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

/** What a read finds when it begins. */
interface Looks {
  readonly highest: Highest;
  /** There is a cursor above `highest`, of a day that has not come yet. */
  readonly isFuture: boolean;
  /** Transactions that may still write rows below `highest`. */
  readonly running: Running;
  readonly seen: TransactionSnapshot;
  /** Whether `seen` tells of every transaction, so that rows of later ones can be left to the next read. */
  readonly isExact: boolean;
}

export async function newLeg(reading: OpenRead, cursor: string, progress: IncrementalStart): Promise<Leg> {
  const { relation, request } = reading;
  const { once = false, key } = request;
  const isTold = tellsWriters(relation, once);
  const looks = await lookAround(reading, cursor, progress, isTold);
  const { seen, isExact } = looks;
  // Rows from before the last time around may look as if they were new. At the first read that must not hide them.
  const mayHide = progress.seen === null && mayHaveWrapped(seen);
  return {
    until: isTold && isExact && !mayHide ? seen : null,
    order: incrementalOrder(relation, cursor, orderOf(relation, key)),
    last: null,
    rows: 0,
    ...(once ? aimOnce(progress, looks, isTold) : aim(progress, looks, isTold)),
  };
}

/**
 * The three looks are taken in this order for a reason. A transaction that can still commit a row below `highest` began before that
 * look: it is among those running in the second, or was over before the third and is read now.
 */
async function lookAround(
  { link, relation, request }: OpenRead,
  cursor: string,
  progress: IncrementalStart,
  isTold: boolean,
): Promise<Looks> {
  const { isFuture, ...highest } = await highestCursor(link, relation, cursor);
  const atFirst = await runningTransactions(link);
  const running = request.once && isTold ? await waitFor(link, atFirst) : atFirst;
  return { highest, isFuture, running, ...(await takeSnapshot(link, progress.seen)) };
}

/** How far a leg goes, and where the next read begins. */
type Aim = Pick<Leg, 'next' | 'upTo'>;

/** Where rows may come twice: the next read begins where nobody writes any more. */
function aim(progress: IncrementalStart, { highest, running, seen }: Looks, isTold: boolean): Aim {
  const next = nextProgress(progress, running, { at: highest.at }, seen);
  const isFirst = progress.low === null && progress.mark === null;
  // No transaction that could write below the highest is left: the second read need not look at everything again, as the first one does.
  return { next: isFirst && isTold && isNobodyRunning(progress, running) ? { ...next, low: highest.at } : next };
}

/** Where each row is to come once: a read goes up to the highest cursor, unless a transaction may still write below it. */
function aimOnce(progress: IncrementalStart, { highest, isFuture, running, seen }: Looks, isTold: boolean): Aim {
  if (highest.at === null || (isTold && isAnybody(running))) return { next: nextProgress(progress, running, highest, seen) };
  // No transaction that could write below the highest is left: the reads after this one need not look there again.
  const { low: _low, edge: _edge, ...life } = progress;
  const next = { ...life, seen, mark: null, low: highest.at };
  const isWhole = !isTold || (highest.edge === 'closed' && !isFuture);
  if (isWhole) return { upTo: highest.at, next: { ...next, edge: 'whole' } };
  return { next: { ...next, ...(highest.edge && { edge: highest.edge }) } };
}

/** Whether it can be told of a row that it is new. A refresh writes a materialized view anew, with all that was there before. */
export function tellsWriters(relation: Relation, once: boolean): boolean {
  return hasIds(relation) && !(once && relation.kind === 'm');
}

/** Those of the transactions that are not over after a while. One that has begun meanwhile does not matter: it writes no lower cursor. */
async function waitFor(link: Link, running: Running): Promise<Running> {
  let rest = running;
  const end = performance.now() + PATIENCE;
  while (isAnybody(rest) && performance.now() < end) {
    // The caller that stops us destroys the connection too, so that the next look fails.
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
