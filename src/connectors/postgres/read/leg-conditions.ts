import { quoteName } from '../catalogue/names.ts';
import type { PostgresColumn } from '../catalogue/relations.ts';
import { columnOf, constant } from './conditions.ts';
import { tellsWriters } from './leg.ts';
import type { OpenRead } from './plan.ts';
import type { Leg, IncrementalStart } from './positions.ts';
import { isSeen } from './transactions.ts';

/** A clock that is set back by no more than this hides nothing: a transaction that begins after that writes a lower time than is there already. */
const LOOK_BACK: Readonly<Record<string, string>> = {
  timestamptz: "interval '2 minutes'",
  timestamp: "interval '2 minutes'",
  date: '1',
};

/** What the three conditions of a leg have in common. */
interface Bounds {
  readonly column: PostgresColumn;
  readonly progress: IncrementalStart;
  readonly leg: Leg;
  /** Whether the cursor tells where a read begins, rather than only what was seen. */
  readonly isByCursor: boolean;
  /** Whether rows are left out that were seen already, by who wrote them. */
  readonly leavesSeenOut: boolean;
  readonly once: boolean;
}

/** The rows of a leg: from where the last read ended, without those that were seen, up to where the next read begins. */
export function legConditions({ relation, request }: OpenRead, cursor: string, progress: IncrementalStart, leg: Leg): string[] {
  const { once = false } = request;
  const isTold = tellsWriters(relation, once);
  const bounds: Bounds = {
    column: columnOf(relation, cursor),
    progress,
    leg,
    // A refresh brings rows with any cursor into a materialized view: there, what was seen decides alone.
    isByCursor: !isTold || relation.kind !== 'm',
    leavesSeenOut: isTold && progress.seen !== null && progress.edge !== 'whole',
    once,
  };
  return [beginning(bounds), ...unseen(bounds), ...ending(bounds)];
}

function beginning({ column, progress, isByCursor, leavesSeenOut, once }: Bounds): string {
  const name = quoteName(column.name);
  if (progress.low === null || !isByCursor) return `${name} is not null`;
  const low = constant(column, progress.low);
  // To look back costs little where rows that were seen can be left out, unless each is to come once whatever happens.
  const back = leavesSeenOut && !once ? LOOK_BACK[column.type] : undefined;
  if (back !== undefined) return `${name} >= ${low} - ${back}`;
  return `${name} ${progress.edge ? '>' : '>='} ${low}`;
}

function unseen({ progress, leg, leavesSeenOut }: Bounds): string[] {
  const now = leg.next.seen;
  return leavesSeenOut && progress.seen && now ? [`not ${isSeen(progress.seen, now)}`] : [];
}

function ending({ column, leg, isByCursor }: Bounds): string[] {
  const name = quoteName(column.name);
  if (leg.upTo !== undefined) return [`${name} <= ${constant(column, leg.upTo)}`];
  const { low, edge, seen } = leg.next;
  if (!leg.until || !seen) return [];
  // The next read does not look below its own beginning: a row there that is being changed right now comes now.
  const isLastTime = low === null || !isByCursor ? '' : ` or ${name} ${edge ? '<=' : '<'} ${constant(column, low)}`;
  return [`(${isSeen(leg.until, seen)}${isLastTime})`];
}
