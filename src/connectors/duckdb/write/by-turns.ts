import { aborted } from '../../../outside/errors.ts';
import { isAwaited } from '../database/alone.ts';
import type { DuckdbDatabase, DuckdbLink } from '../database/open.ts';

/** A live run may have nothing to write for days, and others want to look into the file. */
const IDLE_MS = 1000;

/** A file that is open for writing while something is written. Outside of turns nothing can be asked of it. */
export interface DatabaseByTurns extends DuckdbDatabase {
  /** Opens it, unless it still is. */
  take(): Promise<void>;
  /** Lets go of it: at once when another thread waits for it, else when nothing is written for a while. */
  giveWay(): Promise<void>;
}

/** Opens a file to write to it by turns: runs that write to the same file would wait for each other's end otherwise. */
export async function openByTurns(open: () => Promise<DuckdbDatabase>): Promise<DatabaseByTurns> {
  let current: DuckdbDatabase | undefined = await open();
  const { file } = current;
  let isClosed = false;
  let idle: NodeJS.Timeout | undefined;
  const link = (): DuckdbLink => {
    if (!current) throw aborted();
    return current.connection;
  };
  const letGo = async (): Promise<void> => {
    clearTimeout(idle);
    const database = current;
    current = undefined;
    await database?.close();
  };
  const close = async (): Promise<void> => {
    isClosed = true;
    await letGo();
  };
  return {
    file,
    connection: {
      run: async (sql, values) => link().run(sql, values),
      rows: async (sql, values) => link().rows(sql, values),
      appender: async (table) => link().appender(table),
      interrupt: () => current?.connection.interrupt(),
      close,
    },
    take: async () => {
      clearTimeout(idle);
      if (isClosed) throw aborted();
      current ??= await open();
      // It was closed meanwhile.
      if (isClosed as boolean) await letGo();
    },
    giveWay: async () => {
      if (!current) return;
      if (await isAwaited(file)) return letGo();
      // What cannot be closed is told by the next one that opens it.
      idle = setTimeout(() => void letGo().catch(() => {}), IDLE_MS).unref();
    },
    close,
  };
}
