import { setTimeout as pause } from 'node:timers/promises';
import type { Database } from '../../../db/database.ts';
import { type Duty, type HeldDuty, startDuty } from '../../../jobs/duty.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { Logger } from '../../../lib/log.ts';
import { applyFold, type FoldWish, prepareFold } from './fold.ts';
import { lackingPlaced } from './numbers.ts';
import { countUnfolded } from './rows.ts';

const LOOK_INTERVAL = 1_000;
/** A search looks at so many events, and at the orders that they tell of: then it is time to take them into the index. */
const ENOUGH = 1_024;
/** While more than this arrive within a second, the index waits for a quieter moment … */
const BUSY = 400;
/** … but not beyond so many. */
const TOO_MANY = 50_000;

/** Takes into the index what has happened, a step further; answers whether there is more to do at once. */
export async function foldOnce(db: Database, wish: FoldWish = {}): Promise<boolean> {
  const fold = await db.query(prepareFold, wish);
  const isApplied = await db.write(applyFold, fold);
  // Another node came first: what is left is looked at anew.
  return fold.more || !isApplied;
}

/** Keeps the index of orders behind the writes: one node does it for all. */
export function startFinding(options: { node: string; db: Database; clock: Clock; log: Logger }): Duty {
  const { db, log } = options;
  const work = async ({ lost }: HeldDuty): Promise<void> => {
    let before = 0;
    // Those that had this duty before may have been of a version that knew less of orders.
    let isOlder = await isOlderIndex(db);
    while (!lost.aborted) {
      const waiting = await countUnfolded(db.read).catch(() => 0);
      const isBusy = waiting - before > BUSY && waiting < TOO_MANY;
      before = waiting;
      if (isOlder || (waiting >= ENOUGH && !isBusy)) {
        try {
          while (!lost.aborted && (await foldOnce(db)));
          isOlder = false;
        } catch (error) {
          log.warn({ err: error }, 'could not bring the index of orders up to date; it is tried again');
        }
        before = 0;
      }
      await pause(LOOK_INTERVAL, undefined, { signal: lost }).catch(() => undefined);
    }
  };
  return startDuty({ name: 'find', ...options, work });
}

async function isOlderIndex(db: Database): Promise<boolean> {
  return (await lackingPlaced(db.read, 1).catch(() => [])).length > 0;
}

/** Makes the parts of the index anew that have these orders: nothing of what they were stays in it. */
export async function foldAnew(db: Database, anew: readonly string[]): Promise<void> {
  while (!(await db.write(applyFold, await db.query(prepareFold, { anew }))));
}
