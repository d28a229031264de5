import type { DatabaseSync } from 'node:sqlite';
import { aborted, codeOf } from '../../../outside/errors.ts';
import type { Transact } from '../../sql-target/transact.ts';
import { sqliteError } from '../database/errors.ts';
import type { SqliteConfig } from '../manifest.ts';
import { breathe, patiently } from '../database/open.ts';

/** The last one in the queue for each file. */
const turns = new Map<string, Promise<void>>();

export function transactor(database: DatabaseSync, config: SqliteConfig, signal: AbortSignal): Transact {
  const file = database.location() ?? config.path;
  return (work) =>
    inTurn(file, async () => {
      await breathe(signal);
      await patiently(config, signal, () => database.exec('begin immediate'));
      try {
        const result = await work();
        await patiently(config, signal, () => database.exec('commit'));
        return result;
      } catch (error) {
        // It was closed while the work waited for something: SQLite has undone it.
        if (!database.isOpen) throw aborted();
        if (database.isTransaction) database.exec('rollback');
        throw codeOf(error) === 'ERR_SQLITE_ERROR' ? sqliteError(error, config.path) : error;
      }
    });
}

/**
 * Writers of this thread take turns. A transaction may wait for something outside of SQLite; a writer that waited for its lock inside
 * of SQLite would keep the whole thread from going on, the one with the lock included.
 */
async function inTurn<T>(file: string, work: () => Promise<T>): Promise<T> {
  const before = turns.get(file);
  const { promise: turn, resolve: done } = Promise.withResolvers<void>();
  turns.set(file, turn);
  await before;
  try {
    return await work();
  } finally {
    done();
    if (turns.get(file) === turn) turns.delete(file);
  }
}
