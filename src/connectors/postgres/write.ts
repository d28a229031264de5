import type { Batch } from '../batch.ts';
import type { Changes, Settle, WriteRequest, Writer, WriteResult } from '../contract.ts';
import { ConnectorError } from '../errors.ts';
import { begin } from './begin.ts';
import { keep } from './checkpoint.ts';
import type { Links } from './connect.ts';
import { demandFitKeys, UnfitKeys } from './keys.ts';
import { completeLoad, finishLoad } from './load.ts';
import { finishMirror } from './mirror.ts';
import { parseStreamName } from './names.ts';
import { beginPart, finishPart, partsOf } from './parts.ts';
import { writeSlowly } from './slow-path.ts';
import { sqlState } from './sql-errors.ts';
import { settled, told, Unsettled } from './settling.ts';
import { commitWith, copyStatement, countsOf, foreseen, NOTHING, prepareWay, type Writing } from './writing.ts';

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
      throw error instanceof Unsettled ? error.cause : error;
    }
  };
  const close = async (): Promise<void> => {
    signal?.removeEventListener('abort', cut);
    // Temporary tables and what is under way go with it.
    link.destroy();
  };
  try {
    const { part } = request;
    const writing = await guarded(() => (part ? beginPart(link, name, { ...request, part }) : begin(link, name, request)));
    return {
      checkpoint: writing.position ?? undefined,
      note: writing.note ?? undefined,
      write: (batch, settle) => guarded(() => write(writing, batch, settle)),
      finish: (approve, settle) =>
        guarded(async () => {
          await link.run('set synchronous_commit = on');
          if (part) return finishPart(writing, settle);
          return writing.way === 'stage' ? finishMirror(writing, approve, settle) : finishLoad(writing, approve, settle);
        }),
      ...(!part && { parts: partsOf(writing, guarded) }),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

async function write(writing: Writing, batch: Batch, settle: Settle | undefined): Promise<WriteResult> {
  if (batch.operation === 'delete' && writing.request.key.length === 0)
    throw new ConnectorError('config', 'KEY_MISSING', 'To delete rows by key, a key is needed.', { field: 'key' });
  if (batch.operation === 'delete' && writing.state.phase === 'load') await completeLoad(writing);
  const known = foreseen(writing, batch);
  const mustKnow = settle !== undefined || writing.state.loaded !== undefined;
  try {
    await prepareWay(writing, batch);
    const isSparing = writing.way === 'stage' && batch.spared.length > 0;
    return (known || !mustKnow) && !isSparing
      ? await writeAtOnce(writing, batch, known ?? NOTHING, settle)
      : await writeAndTell(writing, batch, settle);
  } catch (error) {
    if (!isAboutRows(error)) throw error;
    if (writing.way === 'direct' && sqlState(error) === '23505') {
      writing.way = 'merge';
      return write(writing, batch, settle);
    }
    return writeSlowly(writing, batch, settle);
  }
}

/** Rows and checkpoint in one round trip: what will come of it is known, or nobody wants to know beforehand. */
async function writeAtOnce(writing: Writing, batch: Batch, known: Changes, settle: Settle | undefined): Promise<WriteResult> {
  const { link, place } = writing;
  const { result, checkpoint } = await settled(writing, batch, { ...known, rejects: [] }, settle);
  const kept = keep(place, checkpoint);
  if (batch.count === 0) await link.run(kept);
  else {
    const { copied, rows } = await link.copyIn(`${copyStatement(writing, batch)}; ${kept}`, batch.lines, verifierOf(writing, batch));
    Object.assign(result, told(writing, countsOf(writing, batch, copied, rows[0])));
  }
  Object.assign(writing, checkpoint);
  return result;
}

/** First the rows, then what the server says about them, then the commit. */
async function writeAndTell(writing: Writing, batch: Batch, settle: Settle | undefined): Promise<WriteResult> {
  const { link } = writing;
  try {
    const { copied, rows } = await link.copyIn(`begin; ${copyStatement(writing, batch)}`, batch.lines, verifierOf(writing, batch));
    const changes = countsOf(writing, batch, copied, rows[0]);
    const { result, checkpoint } = await settled(writing, batch, { ...changes, rejects: [] }, settle);
    await commitWith(writing, checkpoint);
    return result;
  } catch (error) {
    await link.run('rollback').catch(() => {});
    throw error;
  }
}

function verifierOf({ request, keys }: Writing, batch: Batch): (() => void) | undefined {
  const isKeyed = request.mode !== 'append' && request.key.length > 0 && batch.operation === 'write';
  return isKeyed ? () => demandFitKeys(batch.lines, keys) : undefined;
}

function isAboutRows(error: unknown): boolean {
  return (error instanceof ConnectorError && error.kind === 'data') || (error as { cause?: unknown }).cause instanceof UnfitKeys;
}

function keyMissing(field: string): ConnectorError {
  return new ConnectorError('config', 'FIELD_MISSING', `The key field "${field}" is not among the fields.`, { field });
}
