import { Batch } from '../batch.ts';
import type { Writer, WriteResult } from '../contract.ts';
import type { SqlDialect } from './dialect.ts';
import { NOTHING, refused } from './outcome.ts';

/** A mirror of what differs alone: rows go and come by their keys, in one transaction, in which the question is asked as well. The stage stays empty. */
export function finishWithOf({ request, checkpoint, transaction, table, stage }: SqlDialect): NonNullable<Writer['finishWith']> {
  // Not all systems drop a table within a transaction that does more. In one of its own it waits for others who write, and never drops the stage of who has taken over.
  const dropped = (): Promise<void> =>
    transaction(async () => {
      await checkpoint.demand();
      await stage.drop();
    });
  return async ({ put, gone }, approve, settle) => {
    const into = await table.putter(false);
    const remove = table.remover(request.deletes ?? 'delete');
    for (const { prepare } of [remove, into]) await prepare?.();
    const refusal = new Error('refused');
    const unfit = new Error('the table refuses rows');
    const outcome: (WriteResult & { refused?: boolean }) | undefined = await transaction(async () => {
      await checkpoint.demand();
      // What is gone goes first: a new row may need the place of an old one in a unique index.
      const { deleted } = gone.length > 0 ? await remove.put(batchOf(gone, 'delete')) : NOTHING;
      const { rejects, ...changes } = put.length > 0 ? await into.put(batchOf(put, 'write')) : { ...NOTHING, rejects: [] };
      // A mirror that reads everything tells of them.
      if (rejects.length > 0) throw unfit;
      const result: WriteResult = { ...changes, deleted, rejects };
      if (!(await approve({ ...changes, deleted }))) throw refusal;
      await checkpoint.keep({ position: null, note: await settle(result) });
      return result;
    }).catch((error: unknown) => {
      if (error === unfit) return undefined;
      if (error !== refusal) throw error;
      return refused();
    });
    if (outcome && !outcome.refused) await dropped();
    return outcome;
  };
}

function batchOf(rows: Batch['rows'], operation: 'write' | 'delete'): Batch {
  return Batch.ofRows(rows, { position: '', operation });
}
