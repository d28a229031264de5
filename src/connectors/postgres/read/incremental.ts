import { OutsideError } from '../../../outside/errors.ts';
import type { Relation } from '../catalogue/relations.ts';
import { columnOf, constant, filterConditions, filterTrials, tryValues } from './conditions.ts';
import type { Link } from '../wire/link.ts';
import { newLeg, tellsWriters } from './leg.ts';
import { quoteName, quoteRelation } from '../catalogue/names.ts';
import { type PostgresReadPlan, positionTrials, type OpenRead, upTo } from './plan.ts';
import { type IncrementalPosition, parseIncremental, positionInvalid, type IncrementalStart } from './positions.ts';
import { databaseOf, isSeen, serverOf } from './transactions.ts';

/** A clock that is set back by no more than this hides nothing: whoever begins after that writes a lower time than is there already. */
const LOOK_BACK: Readonly<Record<string, string>> = {
  timestamptz: "interval '2 minutes'",
  timestamp: "interval '2 minutes'",
  date: '1',
};

/** How everything is read that came since the position, or everything at the first time. */
export async function incrementalRead(reading: OpenRead, cursor: string): Promise<PostgresReadPlan> {
  const { link, relation, request } = reading;
  const column = columnOf(relation, cursor);
  const filters = request.filters ?? [];
  const home = { server: await serverOf(link), database: await databaseOf(link) };
  const start: IncrementalPosition = { v: 1, cursor, progress: { ...home, low: null, seen: null, mark: null } };
  const after = request.after ?? request.range?.after;
  const given = after === undefined ? start : parseIncremental(after, cursor);
  // What the other ranges have read, or will, is of that life.
  if (request.range && !isSameLife(given.progress, home)) throw rangeLost(request.stream);
  const position = isSameLife(given.progress, home) ? given : await inNewLife(link, relation, given, start);
  const progress = { ...position.progress, ...home };
  const leg = position.leg ?? (await newLeg(reading, cursor, progress));
  const until = request.range?.upTo === undefined ? null : (parseIncremental(request.range.upTo, cursor).leg?.last ?? null);
  for (const at of [leg.last, until]) if (at && at.length !== leg.order.length) throw positionInvalid();
  const values = [progress.low, leg.next.low, leg.upTo].flatMap((value) =>
    value == null ? [] : [{ column, value, refuse: positionInvalid }],
  );
  await tryValues(link, [
    ...filterTrials(relation, filters),
    ...[leg.last, until].flatMap((at) => positionTrials(relation, leg.order, at)),
    ...values,
  ]);
  const name = quoteName(cursor);
  const isTold = tellsWriters(relation, request.once ?? false);
  const { seen, low } = leg.next;
  const conditions: string[] = [];
  // A refresh brings rows with any cursor into a materialized view: there, what was seen decides alone.
  const isByCursor = !isTold || relation.kind !== 'm';
  // To look back costs little where rows that were seen can be left out, unless each is to come once whatever happens.
  const back = isTold && progress.seen && !request.once && progress.edge !== 'whole' ? LOOK_BACK[column.type] : undefined;
  if (progress.low === null || !isByCursor) conditions.push(`${name} is not null`);
  else conditions.push(`${name} ${progress.edge && !back ? '>' : '>='} ${constant(column, progress.low)}${back ? ` - ${back}` : ''}`);
  if (progress.seen && seen && isTold && progress.edge !== 'whole') conditions.push(`not ${isSeen(progress.seen, seen)}`);
  if (leg.upTo !== undefined) conditions.push(`${name} <= ${constant(column, leg.upTo)}`);
  else if (leg.until && seen) {
    // The next read does not look below its own beginning: a row there that somebody is changing right now comes now.
    const isLastTime = low === null || !isByCursor ? '' : ` or ${name} ${leg.next.edge ? '<=' : '<'} ${constant(column, low)}`;
    conditions.push(`(${isSeen(leg.until, seen)}${isLastTime})`);
  }
  return {
    conditions: [...conditions, ...filterConditions(relation, filters), ...upTo(relation, leg.order, until)],
    order: leg.order,
    last: leg.last,
    rows: leg.rows,
    positionOf: (last, rows) => JSON.stringify({ v: 1, cursor, progress, leg: { ...leg, last, rows } } satisfies IncrementalPosition),
    start: JSON.stringify({ v: 1, cursor, progress, leg } satisfies IncrementalPosition),
    ...(until === null && { end: JSON.stringify({ v: 1, cursor, progress: leg.next } satisfies IncrementalPosition) }),
  };
}

type Home = Pick<IncrementalStart, 'server' | 'database'>;

function isSameLife(was: Home, is: Home): boolean {
  return was.server === is.server && isSameDatabase(was, is);
}

/** Older positions do not name it. */
function isSameDatabase(was: Home, is: Home): boolean {
  return was.database === undefined || was.database === is.database;
}

/**
 * The position is from before a failover or a restore, or from another server or database. Ids of transactions mean nothing any more, so rows may come
 * again. The cursor still holds, unless the rows it tells of are gone too.
 */
async function inNewLife(
  link: Link,
  relation: Relation,
  { cursor, progress }: IncrementalPosition,
  start: IncrementalPosition,
): Promise<IncrementalPosition> {
  const { low, edge } = progress;
  const [was, is] = [progress.server, start.progress.server].map((server) => server?.split('/')[0]);
  if (was !== is || !isSameDatabase(progress, start.progress) || low === null) return start;
  const column = columnOf(relation, cursor);
  await tryValues(link, [{ column, value: low, refuse: positionInvalid }]);
  const rows = await link.query(`select 1 from ${quoteRelation(relation)} where ${quoteName(cursor)} >= ${constant(column, low)} limit 1`);
  return rows.length === 0 ? start : { ...start, progress: { ...start.progress, low, ...(edge && { edge }) } };
}

function rangeLost(stream: string): OutsideError {
  return new OutsideError('config', 'POSITION_LOST', `The server of "${stream}" is not the one at which the read was cut into ranges.`, {
    field: 'stream',
    hint: 'After a failover or a restore, reset the stream, so that it is read anew from the start.',
  });
}
