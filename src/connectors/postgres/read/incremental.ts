import type { PostgresColumn, Relation } from '../catalogue/relations.ts';
import { columnOf, filterConditions, filterTrials, type Trial, tryValues } from './conditions.ts';
import { newLeg } from './leg.ts';
import { legConditions } from './leg-conditions.ts';
import { positionInThisLife } from './life.ts';
import { type PostgresReadPlan, positionTrials, type OpenRead, upTo } from './plan.ts';
import { type IncrementalPosition, type Leg, parseIncremental, positionInvalid, type IncrementalStart } from './positions.ts';

/** How everything is read that came since the position, or everything at the first time. */
export async function incrementalRead(reading: OpenRead, cursor: string): Promise<PostgresReadPlan> {
  const { link, relation, request } = reading;
  const column = columnOf(relation, cursor);
  const filters = request.filters ?? [];
  const position = await positionInThisLife(reading, cursor);
  const { progress } = position;
  const leg = position.leg ?? (await newLeg(reading, cursor, progress));
  const until = request.range?.upTo === undefined ? null : (parseIncremental(request.range.upTo, cursor).leg?.last ?? null);
  await tryValues(link, [...filterTrials(relation, filters), ...legTrials(relation, column, progress, leg, until)]);
  const spell = (parts: Pick<IncrementalPosition, 'progress' | 'leg'>): string =>
    JSON.stringify({ v: 1, cursor, ...parts } satisfies IncrementalPosition);
  return {
    conditions: [
      ...legConditions(reading, cursor, progress, leg),
      ...filterConditions(relation, filters),
      ...upTo(relation, leg.order, until),
    ],
    order: leg.order,
    last: leg.last,
    rows: leg.rows,
    positionOf: (last, rows) => spell({ progress, leg: { ...leg, last, rows } }),
    start: spell({ progress, leg }),
    // The whole is read only when its last range is.
    ...(until === null && { end: spell({ progress: leg.next }) }),
  };
}

/** All values that come from a position. */
function legTrials(relation: Relation, column: PostgresColumn, progress: IncrementalStart, leg: Leg, until: string[] | null): Trial[] {
  const ends = [leg.last, until];
  for (const end of ends) if (end && end.length !== leg.order.length) throw positionInvalid();
  const cursors = [progress.low, leg.next.low, leg.upTo].filter((value) => typeof value === 'string');
  return [
    ...ends.flatMap((end) => positionTrials(relation, leg.order, end)),
    ...cursors.map((value) => ({ column, value, refuse: positionInvalid })),
  ];
}
