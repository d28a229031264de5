import type { Batch } from '../../batch.ts';
import type { Settle, WriteResult } from '../../contract.ts';
import { spare } from './spare.ts';
import { afterBatch, type PostgresCheckpoint, told, type RowWay } from './states.ts';
import type { PostgresTarget } from './target.ts';

/** Around what the caller throws when it is told: it is no fault of the rows, nor of the server, whatever it looks like. */
export class Unsettled extends Error {
  constructor(cause: unknown) {
    super('The outcome could not be settled.', { cause });
  }
}

/** Tells the outcome before it counts. The answer is the note to be kept; without a `settle`, the note stays. */
export async function noteFor({ note }: PostgresCheckpoint, result: WriteResult, settle: Settle | undefined): Promise<string | null> {
  if (!settle) return note;
  try {
    return await settle(result);
  } catch (error) {
    throw new Unsettled(error);
  }
}

/** How a batch gets in, and what will be committed before it. */
interface Before {
  readonly target: PostgresTarget;
  readonly way: RowWay;
  readonly checkpoint: PostgresCheckpoint;
}

/** The outcome of a batch as it was told, and the checkpoint that goes with it. With rows that cannot be used, within a transaction. */
export async function settled(
  { target, way, checkpoint }: Before,
  batch: Batch,
  outcome: WriteResult,
  settle: Settle | undefined,
): Promise<{ result: WriteResult; checkpoint: PostgresCheckpoint }> {
  const { state } = checkpoint;
  const result = { ...outcome, ...told(state, outcome) };
  // What goes straight into a table that was empty takes nothing away.
  const hasSpared = way === 'stage' && (await spare(target, state, batch, outcome.rejects));
  const note = await noteFor(checkpoint, result, settle);
  const after = { ...afterBatch(state, batch, outcome), ...(hasSpared && { spared: true as const }) };
  return { result, checkpoint: { position: batch.position, note, state: after } };
}
