import type { WriteRequest } from '../../contract.ts';
import { OutsideError } from '../../../outside/errors.ts';
import { indexMissing, keyDoubled } from '../../sql-target/faults.ts';
import { columnOf } from '../read/conditions.ts';
import { keepForUndo } from '../undo/keeping.ts';
import { type CheckpointPlace, createCheckpoints, keep, keptIn, takeOver } from './checkpoint.ts';
import type { Link } from '../wire/link.ts';
import { evictEarlier } from './evict.ts';
import { type Ascent, ascentOf, keyPlaces } from './keys.ts';
import { completeLoad } from './load.ts';
import { locksFor } from './locks.ts';
import { mergeOf } from './merge.ts';
import { quoteName, quoteRelation, type RelationName } from '../catalogue/names.ts';
import { partsProgress, takeParts } from './parts.ts';
import { createStage, dropStage, isStageWhole } from './stage.ts';
import { columnTypes, hasFilters, prepareTable, tellsRowsApart } from './tables.ts';
import { type PostgresCheckpoint, forgotten, isUnderWay, NEW, wayOf } from './states.ts';
import { isEmpty, type PostgresTarget } from './target.ts';
import { Writing } from './writing.ts';

/** Makes everything ready and takes the checkpoint over, all in one transaction. */
export async function begin(link: Link, name: RelationName, request: WriteRequest): Promise<{ writing: Writing; mustLast: boolean }> {
  const types = await columnTypes(link, request.fields);
  const place = { schema: name.schema, owner: request.owner, token: request.token, fences: await fencesOf(link, name.schema, request) };
  // What a crash of the server takes back goes with its position, and is written again. The end waits for the disk.
  await link.run(
    `set synchronous_commit = off; ${evictEarlier(place)}; begin; ${(await locksFor(link, name)).map((lock) => `select pg_advisory_xact_lock(${lock})`).join('; ')}`,
  );
  const { relation, isNew } = await prepareTable(link, name, request, types);
  await createCheckpoints(link, name.schema);
  if (request.undo) await link.run(await keepForUndo(link, request, relation, request.undo));
  const taken = await takeOver(link, place);
  const stream: Opened = { link, request, relation, place };
  // The rows that the checkpoint tells of went with the old table.
  const known = isNew ? NEW : taken;
  const found = (await isUsable(stream, known)) ? known : forgotten(known);
  const goesOn = request.resume?.(found.note ?? undefined, await partsProgress(stream, found)) ?? true;
  const from = goesOn ? found : forgotten(found);
  const isFirst = isNew && request.key.length > 0 && request.mode !== 'append';
  const start = await startOf(stream, isFirst ? { ...from, state: { phase: 'load' } } : from);
  if (taken.state.staged !== undefined && start.checkpoint.state.staged === undefined) await dropStage(stream);
  if (taken.state.split && !start.checkpoint.state.split) await takeParts(stream, taken.state.split);
  const target: PostgresTarget = {
    ...stream,
    merge: mergeOf(relation, request),
    keys: keyPlaces(request.fields, request.key),
    ascent: start.ascent,
    isFiltered: !isNew && (await hasFilters(link, relation)),
    temporary: new Set(),
  };
  await link.run(`${keep(place, start.checkpoint)}; commit`);
  return { writing: await chooseWay(target, start.checkpoint, goesOn), mustLast: isNew || request.mode === 'mirror' };
}

/** Where those are kept that are fenced with this writer. */
async function fencesOf(link: Link, schema: string, { fences = [] }: WriteRequest): Promise<NonNullable<CheckpointPlace['fences']>> {
  const found: { schema: string; owner: string }[] = [];
  for (const owner of fences) found.push({ schema: (await keptIn(link, owner)) ?? schema, owner });
  return found;
}

/** What is known of a writer before it is decided how it begins. */
type Opened = Pick<PostgresTarget, 'link' | 'request' | 'relation' | 'place'>;

/** Whether one can go on with a mirror that was not finished; true when there is none. */
async function isUsable(stream: Opened, { position, state }: PostgresCheckpoint): Promise<boolean> {
  const { request, relation } = stream;
  // A node of an older version, which knows nothing of parts, has written.
  if (state.split && position !== null) return false;
  if (!isUnderWay(state)) return true;
  if (request.mode !== 'mirror') return false;
  if (state.staged !== undefined) return isStageWhole(stream, state);
  // Where all rows that were loaded are gone, the position tells of nothing.
  const isThere = state.loaded === 0 || !(await isEmpty(stream));
  return isThere && (tellsRowsApart(relation, request.key) || state.phase === 'load');
}

interface Start {
  readonly checkpoint: PostgresCheckpoint;
  readonly ascent?: Ascent | undefined;
}

/**
 * Makes ready for rows what they need. Into a table without rows a mirror loads straight: nothing there can change or go. Otherwise it
 * collects everything first. A table that is still without its key gets it at the end.
 */
async function startOf(stream: Opened, checkpoint: PostgresCheckpoint): Promise<Start> {
  const { relation, request } = stream;
  const { state } = checkpoint;
  if (request.mode === 'upsert' && state.phase !== 'load') await demandIndex(stream);
  if (request.mode !== 'mirror' || isUnderWay(state)) return { checkpoint };
  const canLoad = ['r', 'p'].includes(relation.kind) && (state.phase === 'load' || tellsRowsApart(relation, request.key));
  if (canLoad && (await isEmpty(stream))) return { checkpoint: { ...checkpoint, position: null, state: { ...state, loaded: 0 } } };
  await createStage(stream);
  const ascent = ascentOf(
    keyPlaces(request.fields, request.key),
    request.key.map((name) => columnOf(relation, name)),
  );
  return { checkpoint: { ...checkpoint, position: null, state: { ...state, staged: 0 } }, ascent };
}

/** Chooses the way of the rows. Rows of an earlier load that was not completed get their key first, so that they can be compared. */
async function chooseWay(target: PostgresTarget, checkpoint: PostgresCheckpoint, goesOn: boolean): Promise<Writing> {
  const { mode, key } = target.request;
  const { phase, loaded } = checkpoint.state;
  const isLoading = phase === 'load' && (mode === 'mirror' ? loaded !== undefined : mode === 'upsert');
  const isHalf = phase === 'load' && (!isLoading || (!goesOn && !(await isEmpty(target))));
  const { state } = isHalf ? await completed(target, checkpoint) : checkpoint;
  const isFresh = mode === 'mirror' || (mode === 'upsert' && state.phase !== 'load' && (await isEmpty(target)));
  return new Writing(target, { ...checkpoint, state }, wayOf(state, { mode, hasKey: key.length > 0, isEmpty: isFresh }));
}

async function completed(target: PostgresTarget, checkpoint: PostgresCheckpoint): Promise<PostgresCheckpoint> {
  const writing = new Writing(target, checkpoint, 'plain');
  await completeLoad(writing, false);
  return writing.checkpoint;
}

/** An upsert needs a unique index on exactly its key. */
async function demandIndex({ link, relation, request }: Opened): Promise<void> {
  const { key, create } = request;
  if (tellsRowsApart(relation, key)) return;
  if (!create)
    throw indexMissing(
      request,
      'Create a primary key or a unique index on exactly these columns, or let the synchronization change the table.',
    );
  await link.run(`create unique index on ${quoteRelation(relation)} (${key.map(quoteName).join(', ')})`).catch((error: unknown) => {
    if (!(error instanceof OutsideError) || error.kind !== 'data') throw error;
    throw keyDoubled(request, error);
  });
}
