import type { Batch } from '../batch.ts';
import type { Settle, Writer, WriteResult } from '../contract.ts';
import type { SqlDialect, Put } from './dialect.ts';
import { intoTable, type Kept } from './kept.ts';
import { nothing } from './outcome.ts';

/** Appends or upserts: batches go into the table itself. */
export async function openDirect(dialect: SqlDialect, found: Kept): Promise<Omit<Writer, 'close'>> {
  const { request, checkpoint, table, stage } = dialect;
  const kept = intoTable(found, request.stream);
  if (kept !== found) await checkpoint.begin(kept);
  // Another worker was here, and may have left a stage.
  if (kept !== found && found.state !== undefined) await stage.drop();
  const into = await table.putter(false);
  const remove = table.remover(request.deletes ?? 'delete');
  return {
    checkpoint: kept.position,
    note: kept.note,
    write: (batch, settle) => writeBatch(dialect, batch.operation === 'delete' ? remove : into, batch, settle),
    finish: (_approve, settle) => finishWith(dialect, settle),
  };
}

/** Writes one batch, all or nothing: its rows, its position, and what is noted of them. */
export async function writeBatch(
  { checkpoint, transaction }: SqlDialect,
  { prepare, put }: Put,
  batch: Batch,
  settle: Settle | undefined,
): Promise<WriteResult> {
  await prepare?.();
  return transaction(async () => {
    await checkpoint.demand();
    const result = await put(batch);
    await checkpoint.keep({ position: batch.position, note: await settle?.(result) });
    return result;
  });
}

/** Everything is in the table already. A position of null is forgotten, any other stays. */
export function finishWith({ checkpoint, transaction }: SqlDialect, settle: Settle | undefined, position?: null): Promise<WriteResult> {
  return transaction(async () => {
    await checkpoint.demand();
    const result = nothing();
    await checkpoint.keep({ ...(position === null && { position }), note: await settle?.(result) });
    return result;
  });
}
