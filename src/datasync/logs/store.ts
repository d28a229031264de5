import type { Database } from '../../db/database.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Logger } from '../../lib/log.ts';
import { type LogEntry, type NewLog, toNewLog } from './entry.ts';
import { writeLogs } from './write.ts';

/** What runs, checks and schedules have to tell. Entries are written together, a little later; nobody waits and nothing throws. */
export interface LogStore {
  add(entry: LogEntry): void;
  /** Resolves when everything added before is on disk, or cannot be written now. */
  flush(): Promise<void>;
  /** Calls back whenever entries of this node have been written; answers how to stop that. */
  watch(listener: () => void): () => void;
  /** Writes what is left, once more if need be. */
  close(): Promise<void>;
}

export interface LogStoreOptions {
  db: Database;
  clock: Clock;
  log: Logger;
  /** Milliseconds that an entry waits for company. */
  patience?: number;
  /** Characters that may wait to be written. */
  room?: number;
}

const PATIENCE = 100;
const ROOM = 8 * 1024 * 1024;
/** Entries in one transaction: the database's writer is not held up for longer than a few milliseconds. */
const MOST_AT_ONCE = 500;
const MOST_PAUSE = 10_000;

export function createLogStore({ db, clock, log, patience = PATIENCE, room = ROOM }: LogStoreOptions): LogStore {
  const listeners = new Set<() => void>();
  let waiting: NewLog[] = [];
  let size = 0;
  let dropped = 0;
  let failures = 0;
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> | undefined;

  function schedule(delay: number): void {
    timer ??= setTimeout(() => void write(), delay).unref();
  }

  /** Writes what waits until nothing is left or the database does not take it. */
  function write(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    writing ??= writeAll().finally(() => {
      writing = undefined;
      if (waiting.length > 0) schedule(failures > 0 ? Math.min(MOST_PAUSE, patience * 2 ** failures) : patience);
    });
    return writing;
  }

  async function writeAll(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting.splice(0, MOST_AT_ONCE);
      const lost = dropped;
      if (lost > 0) batch.push(toNewLog(aboutDropped(lost), clock()));
      try {
        await db.write(writeLogs, batch);
      } catch (error) {
        if (lost > 0) batch.pop();
        waiting.unshift(...batch);
        if (failures++ === 0) log.warn({ err: error, waiting: waiting.length }, 'log entries cannot be written; they wait');
        return;
      }
      failures = 0;
      dropped -= lost;
      for (const entry of batch) size -= sizeOf(entry);
      if (lost > 0) size += sizeOf(batch.at(-1) as NewLog);
      for (const listener of listeners) listener();
    }
  }

  /** Makes room: what matters least goes first, the oldest of it before the others. */
  function makeRoom(): void {
    const doomed = new Set<NewLog>();
    for (const level of ['debug', 'info', 'warn', 'error']) {
      for (const entry of waiting) {
        // A quarter at a time, as looking for them takes a while.
        if (size <= room * 0.75) break;
        if (entry.level !== level) continue;
        doomed.add(entry);
        size -= sizeOf(entry);
      }
    }
    waiting = waiting.filter((entry) => !doomed.has(entry));
    dropped += doomed.size;
  }

  return {
    add: (entry) => {
      try {
        const made = toNewLog(entry, clock());
        waiting.push(made);
        size += sizeOf(made);
        if (size > room) makeRoom();
        if (failures > 0) return;
        if (waiting.length >= MOST_AT_ONCE) void write();
        else schedule(patience);
      } catch (error) {
        log.error({ err: error }, 'a log entry could not be taken');
      }
    },
    flush: async () => {
      await writing;
      if (waiting.length > 0) await write();
    },
    watch: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close: async () => {
      await writing;
      if (waiting.length > 0) await write();
      clearTimeout(timer);
      if (waiting.length > 0) log.warn({ entries: waiting.length }, 'log entries could not be written and are lost');
    },
  };
}

function sizeOf({ message, data }: NewLog): number {
  return 200 + message.length + (data?.length ?? 0);
}

function aboutDropped(entries: number): LogEntry {
  return {
    level: 'warn',
    message: `${entries} log entries were dropped, the least important first: there were more than the database could take.`,
    data: { entries },
  };
}
