import type { Database } from '../db/database.ts';
import type { Actor, TellRead, ToldRead } from '../http/caller.ts';
import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../lib/log.ts';
import { type AuditEntry, recordReads } from './record.ts';

// No reader waits for the trail, and a client that reads the same again and again does not fill it: the first read is written within a
// second, those that follow are counted, and told a minute later and then every hour, as long as they go on.

const WRITE_INTERVAL = 1_000;
/** After a failure. */
const PAUSE = 10_000;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** More than this only when the database cannot be written to for long, or when very many keys are used. */
const MAX_SERIES = 10_000;

/** Reads of one thing by one actor from one address. */
interface Series {
  /** The last who read; the request is that of the first that is not written yet. */
  actor: Actor;
  read: ToldRead;
  times: number;
  rows: number;
  /** When it is written next, if there is something to write. */
  due: number;
  written: number;
}

export interface ReadTrail {
  tell: TellRead;
  /** Writes what is not written yet. */
  close(): Promise<void>;
}

export function createReadTrail({ db, clock, log }: { db: Database; clock: Clock; log: Logger }): ReadTrail {
  const series = new Map<string, Series>();
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();
  let lost = 0;

  const tell: TellRead = (actor, read) => {
    const name = JSON.stringify([actor.id, actor.address, actor.by, read.action, read.objectId, read.details]);
    let known = series.get(name);
    if (!known) {
      if (series.size >= MAX_SERIES) {
        lost++;
        return;
      }
      known = { actor, read, times: 0, rows: 0, due: performance.now(), written: 0 };
      series.set(name, known);
    }
    if (known.times === 0) known.actor = actor;
    known.times++;
    known.rows += read.rows;
    wake();
  };

  const wake = (): void => {
    timer ??= setInterval(() => {
      writing = writing.then(() => write(performance.now()));
    }, WRITE_INTERVAL).unref();
  };

  async function write(until: number): Promise<void> {
    const due = [...series.values()].filter((one) => one.times > 0 && one.due <= until);
    const reads = due.map(notedOf);
    for (const one of due) settle(one);
    for (const [name, one] of series) if (one.times === 0 && one.due <= until) series.delete(name);
    if (series.size === 0) {
      clearInterval(timer);
      timer = undefined;
    }
    if (lost > 0) log.error({ reads: lost }, 'the audit could not tell of reads: there were too many different ones at once');
    lost = 0;
    if (reads.length === 0) return;
    try {
      await db.write(recordReads, { now: clock(), reads });
    } catch (error) {
      log.warn({ err: error, reads: reads.length }, 'could not write reads into the audit; it is tried again');
      for (const [index, one] of due.entries()) takeBack(one, reads[index] as AuditEntry);
    }
  }

  /** What could not be written counts as not written, whatever has come since. */
  function takeBack(one: Series, { actor, details }: AuditEntry): void {
    Object.assign(one, {
      actor,
      times: one.times + (details['times'] as number),
      rows: one.rows + (details['rows'] as number),
      due: performance.now() + PAUSE,
      written: one.written - 1,
    });
    wake();
  }

  return {
    tell,
    close: async () => {
      clearInterval(timer);
      await writing;
      await write(Number.POSITIVE_INFINITY);
      clearInterval(timer);
    },
  };
}

function notedOf({ actor, read: { action, objectId, details }, times, rows }: Series): AuditEntry {
  return { actor, action, object_id: objectId, details: { ...details, times, rows } };
}

function settle(one: Series): void {
  one.times = 0;
  one.rows = 0;
  one.written++;
  one.due = performance.now() + (one.written === 1 ? MINUTE : HOUR);
}
