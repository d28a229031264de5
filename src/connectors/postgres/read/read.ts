import type { Batch } from '../../batch.ts';
import type { ReadRequest } from '../../contract.ts';
import { OutsideError } from '../../../outside/errors.ts';
import { demandStream, hasIds, type Relation } from '../catalogue/relations.ts';
import { filterConditions, filterTrials, tryValues } from './conditions.ts';
import type { Link } from '../wire/link.ts';
import type { Links } from '../wire/links.ts';
import { incrementalRead } from './incremental.ts';
import { quoteRelation, streamName } from '../catalogue/names.ts';
import { pages } from './pages.ts';
import { orderOf, type PostgresReadPlan, positionTrials, type OpenRead, upTo } from './plan.ts';
import { type FullPosition, parseFull, positionInvalid, type TransactionSnapshot } from './positions.ts';
import { sqlState } from '../wire/sql-errors.ts';
import { isSeen, mayHaveWrapped, takeSnapshot } from './transactions.ts';

export async function* read(links: Links, request: ReadRequest, schema: string): AsyncGenerator<Batch> {
  const { signal } = request;
  links.demandGoing(signal);
  const link = await links.take('read', signal);
  const cut = (): void => link.destroy();
  signal?.addEventListener('abort', cut, { once: true });
  let isWhole = false;
  try {
    const relation = await demandStream(link, request.stream, schema);
    const reading = { link, relation, request };
    yield* pages(links, reading, await planOf(reading));
    isWhole = true;
  } catch (error) {
    links.demandGoing(signal);
    throw readError(request.stream, error);
  } finally {
    signal?.removeEventListener('abort', cut);
    if (isWhole) links.giveBack(link, 'read');
    else link.destroy();
  }
}

/** How a read is done, or cut into ranges. */
export async function planOf(reading: OpenRead): Promise<PostgresReadPlan> {
  const { request } = reading;
  return request.cursor === undefined ? fullPlan(reading) : incrementalRead(reading, request.cursor);
}

async function fullPlan({ link, relation, request }: OpenRead): Promise<PostgresReadPlan> {
  const order = orderOf(relation, request.key);
  const start = request.after ?? request.range?.after;
  const after = start === undefined ? undefined : parseFull(start);
  const filters = request.filters ?? [];
  if (order.length === 0) {
    if ((after && !('rows' in after)) || request.range) throw positionInvalid();
    await tryValues(link, filterTrials(relation, filters));
    const seen = after ? after.seen : hasIds(relation) ? (await takeSnapshot(link, null)).seen : null;
    if (after) await demandUnchanged(link, relation, after.seen);
    return {
      conditions: filterConditions(relation, filters),
      order,
      last: null,
      rows: after?.rows ?? 0,
      positionOf: (_, rows) => JSON.stringify({ v: 1, rows, seen }),
    };
  }
  const last = lastOf(after, order);
  const until = lastOf(request.range?.upTo === undefined ? undefined : parseFull(request.range.upTo), order);
  await tryValues(link, [...filterTrials(relation, filters), ...[last, until].flatMap((at) => positionTrials(relation, order, at))]);
  return {
    conditions: [...filterConditions(relation, filters), ...upTo(relation, order, until)],
    order,
    last,
    rows: 0,
    positionOf: (values) => JSON.stringify({ v: 1, key: order, last: values }),
  };
}

/** The row that a position of a read in this order is behind. */
function lastOf(position: FullPosition | undefined, order: readonly string[]): string[] | null {
  if (!position) return null;
  if (!('key' in position && position.key.join('\0') === order.join('\0'))) throw positionInvalid();
  return position.last;
}

/** Rows without a key are told by their place in the table, which means nothing after any write. (What was only deleted cannot be seen.) */
async function demandUnchanged(link: Link, relation: Relation, seen: TransactionSnapshot | null): Promise<void> {
  if (!seen || mayHaveWrapped(seen)) return;
  const rows = await link.query(`select 1 from ${quoteRelation(relation)} where not ${isSeen(seen, seen)} limit 1`);
  if (rows.length === 0) return;
  throw new OutsideError(
    'config',
    'POSITION_LOST',
    `"${streamName(relation)}" was changed since the read was cut off, and has no key to go on by.`,
    {
      field: 'stream',
      hint: 'Read it anew from the start; or give it a primary key.',
    },
  );
}

/** What is about a row's values was, when reading, about those that the server itself has or computes. */
function readError(stream: string, error: unknown): unknown {
  const state = sqlState(error);
  if (!(error instanceof OutsideError) || error.kind !== 'data' || state === undefined) return error;
  if (state === '22021') return badText(stream, error);
  return new OutsideError('config', 'READ_FAILED', `PostgreSQL could not compute a row of "${stream}" (${state}).`, {
    field: 'stream',
    hint: 'Select from it in psql to see why: a view divides by zero, say, or raises an error. Correct the view, or leave the stream out.',
    cause: error,
  });
}

function badText(stream: string, cause: unknown): OutsideError {
  return new OutsideError('data', 'BAD_TEXT', `A text in "${stream}" is no valid text in the encoding of the database.`, {
    hint: 'Correct it in the database, or leave the field or the row out.',
    cause,
  });
}
