import type { Batch } from '../../batch.ts';
import type { Settle, WriteResult } from '../../contract.ts';
import { OutsideError } from '../../../outside/errors.ts';
import { keyMissing } from '../../sql-target/faults.ts';
import { NOTHING } from '../../sql-target/outcome.ts';
import { keep } from './checkpoint.ts';
import type { Copying } from '../wire/link.ts';
import { NotSent } from '../wire/copy.ts';
import { demandFitKeys, UnfitKeys } from './keys.ts';
import { completeLoad } from './load.ts';
import { settled } from './settling.ts';
import { writeSlowly } from './slow-path.ts';
import { sqlState } from '../wire/sql-errors.ts';
import { type PostgresCheckpoint, told } from './states.ts';
import type { PostgresTarget } from './target.ts';
import { copyStatement, countsOf, foreseen, prepareWay } from './ways.ts';
import type { Writing } from './writing.ts';

/** A batch on its way to the server, and what will be true when it is in. */
interface Sent {
  readonly copying: Copying;
  readonly checkpoint: PostgresCheckpoint;
}

type OnSent = (sent: Sent) => void;

/** A batch that has been given. */
interface Given {
  /** Undefined when nothing could be said of it before it was done. */
  readonly sent: Promise<Sent | undefined>;
  readonly done: Promise<unknown>;
}

/** Batches in the order in which they were given. The server is busy with one while the next stands ready to be sent. */
export class Line {
  readonly #writing: Writing;
  #last: Given = { sent: Promise.resolve(undefined), done: Promise.resolve() };
  #hasRows = false;

  constructor(writing: Writing) {
    this.#writing = writing;
  }

  /** Whether there were any rows. */
  get hasRows(): boolean {
    return this.#hasRows;
  }

  write(batch: Batch, settle: Settle | undefined): Promise<WriteResult> {
    const before = this.#last;
    if (batch.count > 0) this.#hasRows = true;
    const { promise: sent, resolve } = Promise.withResolvers<Sent | undefined>();
    const done = this.#writeAfter(before, batch, settle, resolve).finally(() => resolve(undefined));
    // The caller is told; the batch behind it looks, too.
    done.catch(() => {});
    this.#last = { sent, done };
    return done;
  }

  async #writeAfter(before: Given, batch: Batch, settle: Settle | undefined, onSent: OnSent): Promise<WriteResult> {
    const writing = this.#writing;
    const behind = await before.sent;
    if (behind && batch.count > 0 && foreseen(writing.target, writing.way, batch) && isCertain(writing, batch, settle)) {
      try {
        return await writeAtOnce(writing, batch, settle, onSent, behind);
      } catch (error) {
        await before.done;
        if (!isAboutRows(error) && !isNotSent(error)) throw error;
        if (isAboutRows(error)) return writeAnyway(writing, batch, settle, error);
      }
    }
    await before.done;
    return write(writing, batch, settle, onSent);
  }
}

async function write(writing: Writing, batch: Batch, settle: Settle | undefined, onSent?: OnSent): Promise<WriteResult> {
  if (batch.operation === 'delete' && writing.target.request.key.length === 0)
    throw keyMissing('remove rows of', writing.target.request.stream);
  if (batch.operation === 'delete' && writing.checkpoint.state.phase === 'load') await completeLoad(writing);
  try {
    await prepareWay(writing.target, writing.way, batch);
    return isCertain(writing, batch, settle)
      ? await writeAtOnce(writing, batch, settle, onSent)
      : await writeAndTell(writing, batch, settle);
  } catch (error) {
    if (!isAboutRows(error)) throw error;
    return writeAnyway(writing, batch, settle, error);
  }
}

/** Something about the rows was refused. */
function writeAnyway(writing: Writing, batch: Batch, settle: Settle | undefined, error: unknown): Promise<WriteResult> {
  if (writing.way !== 'direct' || sqlState(error) !== '23505') return writeSlowly(writing, batch, settle);
  writing.keyMet();
  return write(writing, batch, settle);
}

/** Whether what will come of a batch is known beforehand, or not needed. */
function isCertain({ target, way, checkpoint }: Writing, batch: Batch, settle: Settle | undefined): boolean {
  const mustKnow = settle !== undefined || checkpoint.state.loaded !== undefined;
  const isSparing = way === 'stage' && batch.spared.length > 0;
  return (foreseen(target, way, batch) !== undefined || !mustKnow) && !isSparing;
}

/** Rows and checkpoint in one round trip, perhaps right behind another batch that is not in yet. */
async function writeAtOnce(
  writing: Writing,
  batch: Batch,
  settle: Settle | undefined,
  onSent: OnSent | undefined,
  behind?: Sent,
): Promise<WriteResult> {
  const { target, way } = writing;
  const { link, place } = target;
  const known = foreseen(target, way, batch) ?? NOTHING;
  const before = behind?.checkpoint ?? writing.checkpoint;
  const { result, checkpoint } = await settled({ target, way, checkpoint: before }, batch, { ...known, rejects: [] }, settle);
  const kept = keep(place, checkpoint);
  if (batch.count === 0) await link.run(kept);
  else {
    const text = `${copyStatement(target, way, batch)}; ${kept}`;
    const verify = verifierOf(target, batch);
    // A batch that stands in line has time for it now; otherwise it is done while the server is at work.
    if (behind) verify?.();
    const copying = link.beginCopy(text, batch.lines, behind ? undefined : verify, behind?.copying);
    onSent?.({ copying, checkpoint });
    const { copied, rows } = await copying.done;
    Object.assign(result, told(before.state, countsOf(way, batch, copied, rows[0])));
  }
  writing.committed(checkpoint);
  return result;
}

/** First the rows, then what the server says about them, then the commit. */
async function writeAndTell(writing: Writing, batch: Batch, settle: Settle | undefined): Promise<WriteResult> {
  const { target, way } = writing;
  const { link } = target;
  try {
    const { copied, rows } = await link.copyIn(`begin; ${copyStatement(target, way, batch)}`, batch.lines, verifierOf(target, batch));
    const changes = countsOf(way, batch, copied, rows[0]);
    const { result, checkpoint } = await settled(writing, batch, { ...changes, rejects: [] }, settle);
    await writing.commit(checkpoint);
    return result;
  } catch (error) {
    await link.run('rollback').catch(() => {});
    throw error;
  }
}

function verifierOf({ request, keys, ascent }: PostgresTarget, batch: Batch): (() => void) | undefined {
  const isKeyed = request.mode !== 'append' && request.key.length > 0 && batch.operation === 'write';
  return isKeyed ? () => demandFitKeys(batch.lines, keys, ascent) : undefined;
}

function isAboutRows(error: unknown): boolean {
  const isUnfit = error instanceof UnfitKeys || (error as { cause?: unknown }).cause instanceof UnfitKeys;
  return isUnfit || (error instanceof OutsideError && error.kind === 'data');
}

function isNotSent(error: unknown): boolean {
  return (error as { cause?: unknown }).cause instanceof NotSent;
}
