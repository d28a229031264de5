import type { DuckdbLink } from '../database/open.ts';
import { aborted } from '../../../outside/errors.ts';
import type { Transact } from '../../sql-target/transact.ts';
import { duckdbError } from '../database/errors.ts';
import type { DatabaseByTurns } from './by-turns.ts';

/** DuckDB gives a transaction up with the first row that is refused. Which rows these are is found out, then it begins again without them. */
export class Again extends Error {
  readonly findOut: () => Promise<void>;

  constructor(findOut: () => Promise<void>) {
    super('again');
    this.findOut = findOut;
  }
}

const INTERRUPT_EVERY_MS = 100;

/** The last one in the queue for each file. */
const turns = new Map<string, Promise<void>>();

/** Writers take turns: two at the same time would take each other's transactions down. */
export function transactor(database: DatabaseByTurns, path: string, signal: AbortSignal): Transact {
  const { connection, file } = database;
  return async (work) => {
    const before = turns.get(file);
    const { promise: turn, resolve: done } = Promise.withResolvers<void>();
    turns.set(file, turn);
    await before;
    const isOver = interruptWhenAborted(connection, signal);
    try {
      if (!signal.aborted) await database.take();
      for (;;) {
        if (signal.aborted) throw aborted();
        try {
          return await attempt(connection, work);
        } catch (error) {
          if (!(error instanceof Again)) throw error;
          await error.findOut();
        }
      }
    } catch (error) {
      throw signal.aborted ? aborted() : /^[A-Z]\w+ Error: /.test((error as Error).message) ? duckdbError(error, path) : error;
    } finally {
      isOver();
      await database.giveWay().catch(() => {});
      done();
      if (turns.get(file) === turn) turns.delete(file);
    }
  };
}

/**
 * Ends statements that are under way once the work is to stop; answers how to end that. A thread that is ended by force while it is inside of DuckDB takes
 * the whole process with it. An interruption between two statements is lost, so there are more of them.
 */
function interruptWhenAborted(connection: DuckdbLink, signal: AbortSignal): () => void {
  let again: NodeJS.Timeout | undefined;
  const begin = (): void => {
    connection.interrupt();
    again = setInterval(() => connection.interrupt(), INTERRUPT_EVERY_MS);
  };
  if (signal.aborted) begin();
  else signal.addEventListener('abort', begin, { once: true });
  return () => {
    signal.removeEventListener('abort', begin);
    clearInterval(again);
  };
}

/** Does something in a transaction that is rolled back when it fails, or in any case. */
export async function attempt<T>(connection: DuckdbLink, work: () => T | Promise<T>, isTrial = false): Promise<T> {
  await connection.run('begin transaction');
  let isDone = false;
  try {
    const result = await work();
    if (!isTrial) await connection.run('commit');
    isDone = !isTrial;
    return result;
  } finally {
    if (!isDone) await connection.run('rollback').catch(() => {});
  }
}
