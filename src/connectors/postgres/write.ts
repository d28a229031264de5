import { createHash } from 'node:crypto';
import type { Batch } from '../batch.ts';
import type { WriteRequest, Writer, WriteResult } from '../contract.ts';
import { ConnectorError } from '../errors.ts';
import { createCheckpoints, keep, takeOver } from './checkpoint.ts';
import type { Link, Links } from './connect.ts';
import { demandFitKeys, keyPlaces, UnfitKeys } from './keys.ts';
import { completeLoad } from './load.ts';
import { mergeOf } from './merge.ts';
import { finishMirror, openStage } from './mirror.ts';
import { parseStreamName, quoteName, quoteRelation, type RelationName } from './names.ts';
import { writeSlowly } from './slow-path.ts';
import { columnTypes, prepareTable } from './tables.ts';
import { sqlState } from './sql-errors.ts';
import { copyStatement, countsOf, NOTHING, prepareWay, type Writing } from './writing.ts';

export async function openWriter(links: Links, request: WriteRequest, schema: string): Promise<Writer> {
  const { signal } = request;
  links.demandGoing(signal);
  const name = parseStreamName(request.stream, schema);
  for (const field of request.key) if (!request.fields.some((one) => one.name === field)) throw keyMissing(field);
  if (request.mode === 'upsert' && request.key.length === 0)
    throw new ConnectorError('config', 'KEY_MISSING', 'To update rows by key, a key is needed.', { field: 'key' });
  const link = await links.take('write', signal);
  const cut = (): void => link.destroy();
  signal?.addEventListener('abort', cut, { once: true });
  const guarded = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    try {
      return await work();
    } catch (error) {
      links.demandGoing(signal);
      throw error;
    }
  };
  const close = async (): Promise<void> => {
    signal?.removeEventListener('abort', cut);
    // Temporary tables and what is under way go with it.
    link.destroy();
  };
  try {
    const writing = await guarded(() => begin(link, name, request));
    return {
      checkpoint: writing.position ?? undefined,
      write: (batch) => guarded(() => write(writing, batch)),
      finish: (approve) =>
        guarded(async () => {
          if (request.mode === 'mirror') return finishMirror(writing, approve);
          if (writing.state.phase === 'load') return { ...(await completeLoad(writing)), rejects: [] };
          // Whoever was overtaken hears of it at the end too.
          await link.run(keep(writing.place, writing));
          return { ...NOTHING, rejects: [] };
        }),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Makes everything ready and takes the checkpoint over, all in one transaction. */
async function begin(link: Link, name: RelationName, request: WriteRequest): Promise<Writing> {
  const types = await columnTypes(link, request.fields);
  const place = { schema: name.schema, owner: request.owner, token: request.token };
  // Two who make the same table at the same moment would disturb each other.
  const lock = BigInt.asIntN(64, BigInt(`0x${createHash('sha256').update(`syncline ${name.schema}`).digest('hex').slice(0, 16)}`));
  await link.run(`begin; select pg_advisory_xact_lock(${lock})`);
  const { relation, isNew } = await prepareTable(link, name, request, types);
  await createCheckpoints(link, name.schema);
  let { position, state } = await takeOver(link, place);
  // The rows that the checkpoint tells of went with the old table.
  if (isNew) [position, state] = [null, request.mode === 'upsert' ? { phase: 'load' } : {}];
  const writing: Writing = {
    link,
    request,
    relation,
    place,
    merge: mergeOf(relation, request),
    keys: keyPlaces(request.fields, request.key),
    way: 'plain',
    position,
    state,
    temporary: new Set(),
  };
  if (request.mode === 'mirror') await openStage(writing);
  if (request.mode === 'upsert' && writing.state.phase !== 'load') await demandKey(writing);
  await link.run(`${keep(place, writing)}; commit`);
  if (request.mode !== 'upsert' && writing.state.phase === 'load') await completeLoad(writing);
  if (request.mode === 'upsert' && writing.state.phase !== 'load') writing.way = (await isEmpty(writing)) ? 'direct' : 'merge';
  return writing;
}

/** An upsert needs a unique index on exactly its key. */
async function demandKey({ link, relation, request }: Writing): Promise<void> {
  const { key, create } = request;
  const fits = relation.indexes.some(
    ({ isArbiter, columns }) => isArbiter && columns.length === key.length && columns.every((name) => key.includes(name)),
  );
  if (fits) return;
  if (!create)
    throw new ConnectorError('config', 'KEY_MISSING', `"${request.stream}" has no unique index on ${key.join(', ')}.`, {
      field: 'key',
      hint: 'Create a primary key or a unique index on exactly these columns, or allow Syncline to change the table.',
    });
  await link.run(`create unique index on ${quoteRelation(relation)} (${key.map(quoteName).join(', ')})`).catch((error: unknown) => {
    if (!(error instanceof ConnectorError) || error.kind !== 'data') throw error;
    throw new ConnectorError('config', 'KEY_NOT_UNIQUE', `"${request.stream}" has several rows with the same ${key.join(', ')}.`, {
      field: 'key',
      hint: 'Choose fields as key that tell the rows apart, or remove the duplicates.',
      cause: error,
    });
  });
}

async function isEmpty({ link, relation }: Writing): Promise<boolean> {
  const rows = await link.query(`select 1 from ${quoteRelation(relation)} limit 1`);
  return rows.length === 0;
}

async function write(writing: Writing, batch: Batch): Promise<WriteResult> {
  const { link, request, place, keys } = writing;
  if (batch.operation === 'delete' && request.key.length === 0)
    throw new ConnectorError('config', 'KEY_MISSING', 'To delete rows by key, a key is needed.', { field: 'key' });
  if (batch.operation === 'delete' && writing.state.phase === 'load') await completeLoad(writing);
  const state = writing.way === 'stage' ? { ...writing.state, staged: (writing.state.staged ?? 0) + batch.count } : writing.state;
  const kept = keep(place, { position: batch.position, state });
  let result: WriteResult;
  if (batch.count === 0) {
    await link.run(kept);
    result = { ...NOTHING, rejects: [] };
  } else {
    try {
      await prepareWay(writing, batch);
      const verify = request.mode === 'append' || batch.operation === 'delete' ? undefined : () => demandFitKeys(batch.lines, keys);
      const { copied, rows } = await link.copyIn(`${copyStatement(writing, batch)}; ${kept}`, batch.lines, verify);
      result = { ...countsOf(writing, batch, copied, rows[0]), rejects: [] };
    } catch (error) {
      if (!isAboutRows(error)) throw error;
      if (writing.way === 'direct' && sqlState(error) === '23505') {
        writing.way = 'merge';
        return write(writing, batch);
      }
      result = await writeSlowly(writing, batch, kept);
    }
  }
  [writing.position, writing.state] = [batch.position, state];
  return result;
}

function isAboutRows(error: unknown): boolean {
  return (error instanceof ConnectorError && error.kind === 'data') || (error as { cause?: unknown }).cause instanceof UnfitKeys;
}

function keyMissing(field: string): ConnectorError {
  return new ConnectorError('config', 'FIELD_MISSING', `The key field "${field}" is not among the fields.`, { field });
}
