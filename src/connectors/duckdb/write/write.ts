import type { Writer, WriteRequest } from '../../contract.ts';
import type { SqlDialect } from '../../sql-target/dialect.ts';
import { openDirect } from '../../sql-target/direct.ts';
import { demandKey } from '../../sql-target/faults.ts';
import { afresh } from '../../sql-target/kept.ts';
import { openMirror } from '../../sql-target/mirror.ts';
import { quote } from '../database/open.ts';
import type { DatabaseByTurns } from './by-turns.ts';
import { checkpointOf } from './checkpoint.ts';
import { putter, remover } from './rows.ts';
import { columnsOf, stageFor } from './stage.ts';
import { prepareTable } from './table.ts';
import type { DuckdbTarget } from './target.ts';
import { transactor } from './transaction.ts';

export async function openWriter(
  database: DatabaseByTurns,
  path: string,
  request: WriteRequest,
  signal: AbortSignal,
): Promise<Omit<Writer, 'close'>> {
  demandKey(request, request.mode !== 'append');
  const { connection } = database;
  const transact = transactor(database, path, signal);
  return transact(async () => {
    const checkpoint = await checkpointOf(connection, request);
    const found = await checkpoint.takeOver(request.resume);
    const { table, isNew } = await prepareTable(connection, request);
    const dialect = dialectOf({ connection, request, table, path, transact, checkpoint });
    // The rows that the position tells of went with the old table.
    return (request.mode === 'mirror' ? openMirror : openDirect)(dialect, isNew ? afresh(found) : found);
  });
}

function dialectOf(target: DuckdbTarget): SqlDialect {
  const { connection, request, transact, checkpoint } = target;
  const table = `main.${quote(request.stream)}`;
  return {
    request,
    checkpoint,
    transaction: transact,
    table: {
      columns: columnsOf(target),
      isEmpty: async () => (await connection.rows(`select 1 from ${table} limit 1`)).length === 0,
      count: async () => Number((await connection.rows(`select count(*) from ${table}`))[0]?.[0]),
      putter: () => ({ put: putter(target) }),
      remover: (how) => ({ put: remover(target, request.stream, how) }),
    },
    stage: stageFor(target),
  };
}
