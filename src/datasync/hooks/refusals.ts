import type { Database } from '../../db/database.ts';
import { type Clock, isoTime } from '../../lib/clock.ts';
import type { Logger } from '../../lib/log.ts';
import { countRefusals } from './count-refusals.ts';
import type { CallRefusal } from './signatures.ts';

/** What is written down of refused calls is written so often at most: a flood of them costs no more than that. */
const WRITE_INTERVAL = 1_000;

export const REFUSED_WORDS: Readonly<Record<CallRefusal, string>> = {
  missing: 'The signature is missing.',
  malformed: 'The signature cannot be read.',
  wrong: 'The signature is wrong: another secret, or a changed body.',
  timestamp: 'The time of the message is more than five minutes off.',
};

/** Counts calls that were not taken, for the metrics of this node and for the hook. */
export interface HookTally {
  accepted: number;
  duplicates: number;
  readonly refused: Record<CallRefusal, number>;
  refuse(hookId: string, why: CallRefusal): void;
  /** Writes what is not written yet. */
  close(): Promise<void>;
}

interface Refusals {
  count: number;
  at: string;
  why: CallRefusal;
}

export function createHookTally({ db, clock, log }: { db: Database; clock: Clock; log: Logger }): HookTally {
  const waiting = new Map<string, Refusals>();
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();

  const write = (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    const refused = [...waiting].map(([id, { count, at, why }]) => ({ id, count, at, reason: REFUSED_WORDS[why] }));
    waiting.clear();
    if (refused.length === 0) return writing;
    writing = db
      .write(countRefusals, refused)
      .catch((error: unknown) => log.warn({ err: error }, 'could not write down how many calls of hooks were refused'));
    return writing;
  };
  return {
    accepted: 0,
    duplicates: 0,
    refused: { missing: 0, malformed: 0, wrong: 0, timestamp: 0 },
    refuse(hookId, why) {
      this.refused[why]++;
      const before = waiting.get(hookId)?.count ?? 0;
      waiting.set(hookId, { count: before + 1, at: isoTime(clock()), why });
      timer ??= setTimeout(() => void write(), WRITE_INTERVAL).unref();
    },
    close: write,
  };
}
