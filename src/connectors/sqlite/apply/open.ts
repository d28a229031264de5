import type { DatabaseSync } from 'node:sqlite';
import type { AppliedTo, Applier, ApplyRequest } from '../../changes.ts';
import type { WriteRequest } from '../../contract.ts';
import { Applying } from '../../sql-target/apply/applying.ts';
import { demandKey } from '../../sql-target/faults.ts';
import { intoLive } from '../../sql-target/kept.ts';
import type { SqliteConfig } from '../manifest.ts';
import { checkpointOf } from '../write/checkpoint.ts';
import { prepareTable } from '../write/target-table.ts';
import { transactor } from '../write/transaction.ts';
import { keepForUndo } from '../undo/keeping.ts';
import { type SqliteStream, sqliteStream } from './statements.ts';
import { SqliteChanges } from './target.ts';

export async function openApplier(
  database: DatabaseSync,
  config: SqliteConfig,
  request: ApplyRequest,
  signal: AbortSignal,
): Promise<Applier> {
  for (const stream of request.streams) demandKey({ ...stream, mode: 'upsert' }, true);
  const transact = transactor(database, config, signal);
  const prepared = (stream: AppliedTo): SqliteStream => {
    const asked: WriteRequest = { ...stream, owner: request.owner, token: request.token, mode: 'upsert' };
    const { table } = prepareTable(database, asked);
    if (request.undo) keepForUndo(database, stream, table, request.undo);
    return sqliteStream(stream, table);
  };
  return transact(async () => {
    const checkpoint = checkpointOf(database, request);
    const found = await checkpoint.takeOver(request.resume);
    const kept = intoLive(found);
    if (kept !== found) await checkpoint.begin(kept);
    const how = { database, path: config.path, transact, checkpoint, signal };
    const target = new SqliteChanges(
      { ...how, extend: ({ request: stream }, fields) => prepared({ ...stream, fields }) },
      request.streams.map(prepared),
    );
    return new Applying(target, kept, request.lookUp);
  });
}
