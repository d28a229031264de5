import type { DatabaseSync } from 'node:sqlite';
import type { Writer, WriteRequest } from '../../contract.ts';
import { demandKey } from '../../sql-target/faults.ts';
import { afresh, checkpointOf, type Kept, prepareCheckpoints, takeOver } from './checkpoints.ts';
import { applier } from './apply.ts';
import type { SqliteConfig } from '../manifest.ts';
import { openMirror } from './mirror.ts';
import { remover } from './remove.ts';
import { dropStage } from './stage.ts';
import { prepareTable } from './target.ts';
import { transactor } from './transactions.ts';
import { none, type Way, type Writing } from './writing.ts';

export async function openWriter(database: DatabaseSync, config: SqliteConfig, request: WriteRequest, signal: AbortSignal): Promise<Writer> {
  demandKey(request, request.mode !== 'append');
  const transact = transactor(database, config, signal);
  const { kept, way, checkpoint } = await transact(() => {
    prepareCheckpoints(database);
    const found = takeOver(database, request);
    const { table, isNew } = prepareTable(database, request);
    const writing: Writing = { database, request, table, path: config.path, transact, checkpoint: checkpointOf(database, request) };
    // The rows that the position tells of went with the old table.
    const known = isNew ? afresh(found) : found;
    return { ...(request.mode === 'mirror' ? openMirror(writing, known) : openDirect(writing, known)), checkpoint: writing.checkpoint };
  });
  return {
    checkpoint: kept.position,
    note: kept.note,
    write: (batch, settle) =>
      transact(async () => {
        checkpoint.demand();
        const result = way.put(batch);
        checkpoint.advance(batch.position, await settle?.(result));
        return result;
      }),
    finish: way.finish,
    close: async () => {
      if (database.isOpen) database.close();
    },
  };
}

/** Appends or upserts: batches go into the table itself. */
function openDirect(writing: Writing, found: Kept): { kept: Kept; way: Way } {
  const { database, request, transact, checkpoint } = writing;
  const state = JSON.stringify({ into: request.stream });
  const kept = { ...((found.state ?? state) === state ? found : afresh(found)), state };
  checkpoint.begin(kept);
  dropStage(database, request);
  const apply = applier(writing);
  const remove = remover(writing, request.stream, request.deletes ?? 'delete');
  const way: Way = {
    put: (batch) => (batch.operation === 'delete' ? remove(batch) : apply(batch)),
    finish: (_approve, settle) =>
      transact(async () => {
        checkpoint.demand();
        const result = { ...none(), rejects: [] };
        checkpoint.annotate(await settle?.(result));
        return result;
      }),
  };
  return { kept, way };
}
