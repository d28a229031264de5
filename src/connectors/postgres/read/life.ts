import { OutsideError } from '../../../outside/errors.ts';
import { quoteName, quoteRelation } from '../catalogue/names.ts';
import { columnOf, constant, tryValues } from './conditions.ts';
import type { OpenRead } from './plan.ts';
import { type IncrementalPosition, parseIncremental, positionInvalid, type IncrementalStart } from './positions.ts';
import { databaseOf, serverOf } from './transactions.ts';

/** The life of a server, and the database, that a position is of: elsewhere the ids of transactions mean something else. */
type Life = Pick<IncrementalStart, 'server' | 'database'>;

/** Where a read begins: at the position that was given, as far as that holds in this life of the server, or at the very start. */
export async function positionInThisLife(reading: OpenRead, cursor: string): Promise<IncrementalPosition> {
  const { link, request } = reading;
  const life = { server: await serverOf(link), database: await databaseOf(link) };
  const start: IncrementalPosition = { v: 1, cursor, progress: { ...life, low: null, seen: null, mark: null } };
  const after = request.after ?? request.range?.after;
  if (after === undefined) return start;
  const given = parseIncremental(after, cursor);
  if (isSameLife(given.progress, life)) return { ...given, progress: { ...given.progress, ...life } };
  // What the other ranges have read, or will, is of the life before.
  if (request.range) throw rangeLost(request.stream);
  return inNewLife(reading, given, start);
}

function isSameLife(was: Life, is: Life): boolean {
  return was.server === is.server && isSameDatabase(was, is);
}

/** Older positions do not name it. */
function isSameDatabase(was: Life, is: Life): boolean {
  return was.database === undefined || was.database === is.database;
}

/** The number of a server, without that of its life. */
function systemOf({ server }: Life): string | undefined {
  return server?.split('/')[0];
}

/**
 * The position is from before a failover or a restore, or from another server or database. Ids of transactions mean nothing any more, so rows may come
 * again. The cursor still holds, unless the rows it tells of are gone too.
 */
async function inNewLife(
  { link, relation }: OpenRead,
  { cursor, progress }: IncrementalPosition,
  start: IncrementalPosition,
): Promise<IncrementalPosition> {
  const { low, edge } = progress;
  const isSameSystem = systemOf(progress) === systemOf(start.progress) && isSameDatabase(progress, start.progress);
  if (!isSameSystem || low === null) return start;
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
