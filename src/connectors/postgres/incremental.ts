import { ConnectorError } from '../errors.ts';
import { hasIds, type Relation } from './catalogue.ts';
import { columnOf, constant, filterConditions, filterTrials, tryValues } from './conditions.ts';
import type { Link } from './connect.ts';
import { quoteName, quoteRelation } from './names.ts';
import { orderOf, type Plan, positionTrials, type Reading } from './plan.ts';
import { type IncrementalPosition, type Leg, parseIncremental, positionInvalid, type Progress } from './positions.ts';
import { isSeen, mayHaveWrapped, nextProgress, runningTransactions, serverOf, takeSnapshot } from './transactions.ts';

/** Below this many rows a sort is cheap; above, a table without an index on the cursor is read in the order of its key. */
const CHEAP_SORT = 100_000;

/** How everything is read that came since the position, or everything at the first time. */
export async function incrementalRead({ link, relation, request }: Reading, cursor: string): Promise<Plan> {
  const column = columnOf(relation, cursor);
  const filters = request.filters ?? [];
  const server = await serverOf(link);
  const start: IncrementalPosition = { v: 1, cursor, progress: { server, low: null, seen: null, mark: null } };
  const given = request.after === undefined ? start : parseIncremental(request.after, cursor);
  const position = given.progress.server === server ? given : await inNewLife(link, relation, given, start);
  const { progress } = position;
  const leg = position.leg ?? (await newLeg(link, relation, cursor, request.key, progress));
  if (leg.last && leg.last.length !== leg.order.length) throw positionInvalid();
  const low = [progress.low, leg.next.low].flatMap((value) => (value === null ? [] : [{ column, value, refuse: positionInvalid }]));
  await tryValues(link, [...filterTrials(relation, filters), ...positionTrials(relation, leg.order, leg.last), ...low]);
  const name = quoteName(cursor);
  const { seen } = leg.next;
  return {
    conditions: [
      // A refresh brings rows with any cursor into a materialized view: there, what was seen decides alone.
      progress.low === null || relation.kind === 'm' ? `${name} is not null` : `${name} >= ${constant(column, progress.low)}`,
      ...(progress.seen && seen && hasIds(relation) ? [`not ${isSeen(progress.seen, seen)}`] : []),
      ...(leg.until && seen ? [isSeen(leg.until, seen)] : []),
      ...filterConditions(relation, filters),
    ],
    order: leg.order,
    last: leg.last,
    rows: leg.rows,
    positionOf: (last, rows) => JSON.stringify({ v: 1, cursor, progress, leg: { ...leg, last, rows } } satisfies IncrementalPosition),
    end: JSON.stringify({ v: 1, cursor, progress: leg.next } satisfies IncrementalPosition),
  };
}

/**
 * The position is from before a failover or a restore, or from another server. Ids of transactions mean nothing any more, so rows may come
 * again. The cursor still holds, unless the rows it tells of are gone too.
 */
async function inNewLife(
  link: Link,
  relation: Relation,
  { cursor, progress }: IncrementalPosition,
  start: IncrementalPosition,
): Promise<IncrementalPosition> {
  const { low } = progress;
  const [was, is] = [progress.server, start.progress.server].map((server) => server?.split('/')[0]);
  if (was !== is || low === null) return start;
  const column = columnOf(relation, cursor);
  await tryValues(link, [{ column, value: low, refuse: positionInvalid }]);
  const rows = await link.query(`select 1 from ${quoteRelation(relation)} where ${quoteName(cursor)} >= ${constant(column, low)} limit 1`);
  return rows.length === 0 ? start : { ...start, progress: { ...start.progress, low } };
}

/**
 * The three looks are taken in this order for a reason. Whoever can still commit a row below `highest` began before that
 * look, so he is among those running in the second, or was over before the third and is read now.
 */
async function newLeg(link: Link, relation: Relation, cursor: string, key: readonly string[], progress: Progress): Promise<Leg> {
  const highest = await highestCursor(link, relation, cursor);
  const running = await runningTransactions(link);
  const { seen, isExact } = await takeSnapshot(link, progress.seen);
  // Rows from before the last time around may look as if they were new. At the first read that must not hide them.
  const mayHide = progress.seen === null && mayHaveWrapped(seen);
  return {
    until: hasIds(relation) && isExact && !mayHide ? seen : null,
    next: nextProgress(progress, running, highest, seen),
    order: incrementalOrder(relation, cursor, orderOf(relation, key)),
    last: null,
    rows: 0,
  };
}

function incrementalOrder(relation: Relation, cursor: string, key: readonly string[]): string[] {
  if (key.length === 0) return [];
  const isQuick = relation.indexes.some((index) => index.columns[0] === cursor) || (relation.estimatedRows ?? 0) < CHEAP_SORT;
  return isQuick ? [cursor, ...key.filter((name) => name !== cursor)] : [...key];
}

// A single row from the far future must not keep everything below it out for ever.
const NOT_LATER_THAN: Readonly<Record<string, string>> = {
  timestamptz: 'clock_timestamp()',
  // Whose clock it is nobody knows; no zone is further ahead of UTC.
  timestamp: "(clock_timestamp() at time zone 'UTC' + interval '14 hours')",
  date: "(clock_timestamp() at time zone 'UTC' + interval '14 hours')::date",
};

async function highestCursor(link: Link, relation: Relation, cursor: string): Promise<string | null> {
  const column = columnOf(relation, cursor);
  const name = quoteName(cursor);
  const bound = NOT_LATER_THAN[column.type];
  try {
    const [row] = await link.query<{ highest: string | null }>(
      `select ${bound ? `least(${name}, ${bound})` : name}::text as highest from ${quoteRelation(relation)} where ${name} is not null order by ${name} desc limit 1`,
    );
    return row?.highest ?? null;
  } catch (error) {
    // 42883: no operator to order by.
    if ((error as { cause?: { code?: string } }).cause?.code !== '42883') throw error;
    throw new ConnectorError('config', 'CURSOR_INVALID', `"${cursor}" cannot be a cursor: values of type ${column.native} have no order.`, {
      field: cursor,
      cause: error,
    });
  }
}
