import type { Batch } from '../../batch.ts';
import type { Changes, Settle, WriteResult } from '../../contract.ts';
import type { Checkpoint, State } from './checkpoint.ts';
import { spare } from './spare.ts';
import type { Writing } from './writing.ts';

/** Around what the caller throws when it is told: it is no fault of the rows, nor of the server, whatever it looks like. */
export class Unsettled extends Error {
  constructor(cause: unknown) {
    super('The outcome could not be settled.', { cause });
  }
}

/** Tells the outcome before it counts. The answer is the note to be kept; without anybody to tell, the note stays. */
export async function noteFor({ note }: Writing, result: WriteResult, settle: Settle | undefined): Promise<string | null> {
  if (!settle) return note;
  try {
    return await settle(result);
  } catch (error) {
    throw new Unsettled(error);
  }
}

/** The outcome of a batch as it was told, and the checkpoint that goes with it. With rows that cannot be used, within a transaction. */
export async function settled(
  writing: Writing,
  batch: Batch,
  outcome: WriteResult,
  settle: Settle | undefined,
): Promise<{ result: WriteResult; checkpoint: Checkpoint }> {
  const result = { ...outcome, ...told(writing, outcome) };
  const hasSpared = await spare(writing, batch, outcome.rejects);
  const note = await noteFor(writing, result, settle);
  const state = { ...stateAfter(writing, batch, outcome), ...(hasSpared && { spared: true as const }) };
  return { result, checkpoint: { position: batch.position, note, state } };
}

/** The changes together with those that nobody was told of yet. */
export function told({ state: { doubled = 0 } }: Writing, { inserted, updated, unchanged, deleted }: Changes): Changes {
  return { inserted: inserted - doubled, updated: updated + doubled, unchanged, deleted };
}

function stateAfter({ state }: Writing, batch: Batch, { inserted, rejects }: WriteResult): State {
  const after = { ...state };
  delete after.doubled;
  if (after.loaded !== undefined) after.loaded += inserted;
  if (after.staged !== undefined && batch.operation === 'write') after.staged += batch.count - rejects.length;
  return after;
}
