import type { DatabaseSync } from 'node:sqlite';
import type { Writer, WriteRequest } from '../../contract.ts';
import { openDirect } from '../../sql-target/direct.ts';
import { demandKey } from '../../sql-target/faults.ts';
import { afresh } from '../../sql-target/kept.ts';
import { openMirror } from '../../sql-target/mirror.ts';
import { checkpointOf } from './checkpoint.ts';
import { dialectOf } from './dialect.ts';
import type { SqliteConfig } from '../manifest.ts';
import { lackingOf } from '../structure/marks.ts';
import { hasTable } from './stage.ts';
import { prepareTable } from './target-table.ts';
import { transactor } from './transaction.ts';
import { keepForUndo } from '../undo/keeping.ts';

function isToBeMade(database: DatabaseSync, { stream, owner }: WriteRequest): boolean {
  return !hasTable(database, stream) || lackingOf(database, stream, owner) !== undefined;
}

export async function openWriter(
  database: DatabaseSync,
  config: SqliteConfig,
  request: WriteRequest,
  signal: AbortSignal,
): Promise<Writer> {
  demandKey(request, request.mode !== 'append');
  const transact = transactor(database, config, signal);
  // Tables come one by one, in no order: until all are there, rows may refer to what is not. It is looked at in the end.
  if (request.structured && isToBeMade(database, request)) database.exec('pragma foreign_keys = off');
  const writer = await transact(async () => {
    const checkpoint = checkpointOf(database, request);
    const found = await checkpoint.takeOver(request.resume);
    const { table, isNew } = prepareTable(database, request);
    if (request.undo) keepForUndo(database, request, table, request.undo);
    const open = request.mode === 'mirror' ? openMirror : openDirect;
    const dialect = dialectOf({ database, request, table, path: config.path, transact, checkpoint });
    // The rows that the position tells of went with the old table.
    return open(dialect, isNew ? afresh(found) : found);
  });
  return {
    ...writer,
    close: async () => {
      if (database.isOpen) database.close();
    },
  };
}
