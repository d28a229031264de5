import { createHash } from 'node:crypto';
import type { WriteRequest } from '../../contract.ts';
import { CHECKPOINT_TABLE } from '../../sql-target/kept.ts';
import { OutsideError } from '../../../outside/errors.ts';
import { indexMissing, keyDoubled } from '../../sql-target/faults.ts';
import { columnOf } from '../read/conditions.ts';
import { createCheckpoints, keep, takeOver } from './checkpoint.ts';
import type { Link } from '../wire/link.ts';
import { evictEarlier } from './evict.ts';
import { ascentOf, keyPlaces } from './keys.ts';
import { completeLoad } from './load.ts';
import { mergeOf } from './merge.ts';
import { quoteName, quoteRelation, type RelationName } from '../catalogue/names.ts';
import { dropParts, partsProgress } from './parts.ts';
import { createStage, dropStage, isStageWhole } from './stage.ts';
import { columnTypes, hasFilters, prepareTable, tellsRowsApart } from './tables.ts';
import type { Writing } from './writing.ts';

/** Makes everything ready and takes the checkpoint over, all in one transaction. */
export async function begin(link: Link, name: RelationName, request: WriteRequest): Promise<Writing> {
  const types = await columnTypes(link, request.fields);
  const place = { schema: name.schema, owner: request.owner, token: request.token };
  // What a crash of the server takes back goes with its position, and is written again. The end waits for the disk.
  await link.run(
    `set synchronous_commit = off; ${evictEarlier(place)}; begin; ${(await locksFor(link, name)).map((lock) => `select pg_advisory_xact_lock(${lock})`).join('; ')}`,
  );
  const { relation, isNew } = await prepareTable(link, name, request, types);
  await createCheckpoints(link, name.schema);
  const taken = await takeOver(link, place);
  const writing: Writing = {
    link,
    request,
    relation,
    place,
    merge: mergeOf(relation, request),
    keys: keyPlaces(request.fields, request.key),
    way: 'plain',
    isFiltered: !isNew && (await hasFilters(link, relation)),
    // The rows that the checkpoint tells of went with the old table.
    ...(isNew ? { position: null, note: null, state: {} } : taken),
    temporary: new Set(),
    mustLast: isNew || request.mode === 'mirror',
  };
  if (!(await isUsable(writing))) forget(writing);
  const goesOn = request.resume?.(writing.note ?? undefined, await partsProgress(writing)) ?? true;
  if (!goesOn) forget(writing);
  if (isNew && request.key.length > 0 && request.mode !== 'append') writing.state = { phase: 'load' };
  if (request.mode === 'mirror') await beginMirror(writing);
  if (request.mode === 'upsert' && writing.state.phase !== 'load') await demandKey(writing);
  if (taken.state.staged !== undefined && writing.state.staged === undefined) await dropStage(writing);
  if (taken.state.split && !writing.state.split) await dropParts(writing, taken.state.split);
  await link.run(`${keep(place, writing)}; commit`);
  await beginLoad(writing, goesOn);
  return writing;
}

/**
 * Two who make or change the same table at the same moment would disturb each other. Who finds that his table or that of the
 * checkpoints is missing also holds off all others in this schema; most find everything as it was, and do not wait for each other.
 */
async function locksFor(link: Link, { schema, name }: RelationName): Promise<bigint[]> {
  const [found] = await link.query<{ n: string }>(
    `select count(*)::text as n from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
     where n.nspname = $1 and c.relname in ($2, $3)`,
    [schema, name, CHECKPOINT_TABLE],
  );
  const lock = (what: string): bigint => BigInt.asIntN(64, BigInt(`0x${createHash('sha256').update(what).digest('hex').slice(0, 16)}`));
  const ofTable = lock(`syncline ${schema} ${name}`);
  return found?.n === '2' ? [ofTable] : [lock(`syncline ${schema}`), ofTable];
}

/** Without its position, its note and what a mirror has collected. That a table still lacks its key concerns the table. */
function forget(writing: Writing): void {
  const { phase } = writing.state;
  Object.assign(writing, { position: null, note: null, state: phase ? { phase } : {} });
}

/** Whether one can go on with a mirror that was not finished; true when there is none. */
async function isUsable(writing: Writing): Promise<boolean> {
  const { request, relation, state, position } = writing;
  // Somebody who knows nothing of parts has written, of an older version.
  if (state.split && position !== null) return false;
  if (state.staged === undefined && state.loaded === undefined) return true;
  if (request.mode !== 'mirror') return false;
  return state.staged === undefined ? tellsRowsApart(relation, request.key) || state.phase === 'load' : isStageWhole(writing);
}

/** Into a table without rows a mirror loads straight: nothing there can change or go. Otherwise it collects everything first. */
async function beginMirror(writing: Writing): Promise<void> {
  const { relation, request, state } = writing;
  if (state.staged !== undefined || state.loaded !== undefined) return;
  writing.position = null;
  const canLoad = ['r', 'p'].includes(relation.kind) && (state.phase === 'load' || tellsRowsApart(relation, request.key));
  if (canLoad && (await isEmpty(writing))) {
    writing.state = { ...state, loaded: 0 };
    return;
  }
  await createStage(writing);
  writing.state = { ...state, staged: 0 };
  const ascent = ascentOf(
    writing.keys,
    request.key.map((name) => columnOf(relation, name)),
  );
  if (ascent) writing.ascent = ascent;
}

/** Chooses the way of the rows. Rows of an earlier load that was not completed get their key first, so that they can be compared. */
async function beginLoad(writing: Writing, goesOn: boolean): Promise<void> {
  const { request, state } = writing;
  const isLoading = state.phase === 'load' && (request.mode === 'mirror' ? state.loaded !== undefined : request.mode === 'upsert');
  const isHalf = state.phase === 'load' && (!isLoading || (!goesOn && !(await isEmpty(writing))));
  if (isHalf) await completeLoad(writing, false);
  if (writing.state.staged !== undefined) writing.way = 'stage';
  else if (writing.state.phase === 'load' || request.mode === 'append' || request.key.length === 0) writing.way = 'plain';
  else writing.way = request.mode === 'mirror' || (await isEmpty(writing)) ? 'direct' : 'merge';
}

/** An upsert needs a unique index on exactly its key. */
async function demandKey({ link, relation, request }: Writing): Promise<void> {
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

async function isEmpty({ link, relation }: Writing): Promise<boolean> {
  const rows = await link.query(`select 1 from ${quoteRelation(relation)} limit 1`);
  return rows.length === 0;
}
