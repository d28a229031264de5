import { setTimeout as pause } from 'node:timers/promises';
import type { Database } from '../../../db/database.ts';
import { type Duty, type HeldDuty, startDuty } from '../../../jobs/duty.ts';
import type { Clock } from '../../../lib/clock.ts';
import { firstIdAt } from '../../../lib/ids.ts';
import type { Logger } from '../../../lib/log.ts';
import { foldAnew } from '../../orders/find/follower.ts';
import { eraseOld } from './retention.ts';
import {
  closeErasure,
  eraseEvents,
  eraseOrders,
  type ErasureRow,
  erasedOrders,
  type ErasureStep,
  findErasure,
  openErasures,
  stepErasure,
} from './rows.ts';
import { eraseTexts, TEXT_PLACES, TEXTS_AT_ONCE } from './texts.ts';

const LOOK_INTERVAL = 1_000;
/** After a failure: a long read, such as a backup, keeps the file from being made anew. */
const AFTER_FAILURE = 10_000;
const RETENTION_INTERVAL = 60_000;
const DAY = 24 * 3_600_000;

export interface ErasingOptions {
  node: string;
  db: Database;
  clock: Clock;
  log: Logger;
  /** Takes some texts out of the logs, which have an index of their own. */
  eraseFromLogs: (texts: readonly string[]) => Promise<void>;
  /** After so many days persons are erased from orders; undefined keeps them. */
  customerDays: number | undefined;
}

/** Does what erasures are still to do: one node for all, and whatever dies, it goes on where it was. */
export function startErasing(options: ErasingOptions): Duty {
  const { db, log } = options;
  const work = async ({ lost }: HeldDuty): Promise<void> => {
    let lookedAt = Number.NEGATIVE_INFINITY;
    while (!lost.aborted) {
      let wait = LOOK_INTERVAL;
      try {
        const isDue = performance.now() - lookedAt > RETENTION_INTERVAL;
        const isIdle = await eraseOnce(options, lost, isDue);
        if (isIdle && isDue) lookedAt = performance.now();
        if (!isIdle) continue;
      } catch (error) {
        wait = AFTER_FAILURE;
        if (!lost.aborted) log.warn({ err: error }, 'could not go on erasing; it is tried again');
      }
      await pause(wait, undefined, { signal: lost }).catch(() => undefined);
    }
  };
  return startDuty({ name: 'erase', ...options, work, db });
}

/** Brings all erasures as far as it can; answers whether nothing is left to do. */
async function eraseOnce(options: ErasingOptions, lost: AbortSignal, isDue: boolean): Promise<boolean> {
  const { db, clock, customerDays } = options;
  const open = await openErasures(db.read);
  for (const { id } of open.filter(({ step }) => step !== 'sweep')) await erase(options, id, lost);
  if (customerDays !== undefined && isDue && !lost.aborted) {
    const before = firstIdAt('ord', clock() - customerDays * DAY);
    if (await db.write(eraseOld, { before, now: clock() })) return false;
  }
  if (open.length === 0 || lost.aborted) return true;
  // Once for all of them: the whole file is made anew.
  await db.sweep?.();
  for (const { id } of await openErasures(db.read)) {
    const erasure = await findErasure(db.read, id);
    if (erasure?.step === 'sweep') await db.write(stepErasure, { id, step: 'done', now: clock() });
  }
  return true;
}

/** From step to step, up to the last but one. */
async function erase(options: ErasingOptions, id: string, lost: AbortSignal): Promise<void> {
  const { db, clock } = options;
  for (;;) {
    const erasure = await findErasure(db.read, id);
    if (lost.aborted || !erasure || erasure.step === 'sweep' || erasure.step === 'done') return;
    if (erasure.step === 'close') await db.write(closeErasure, { id });
    else if (await takeStep(options, erasure)) await db.write(stepErasure, { id, step: NEXT[erasure.step], now: clock() });
  }
}

const NEXT = { orders: 'events', events: 'texts', texts: 'index', index: 'close' } as const satisfies Partial<
  Record<ErasureStep, ErasureStep>
>;

/** Answers whether the step is done. */
async function takeStep({ db, clock, eraseFromLogs }: ErasingOptions, erasure: ErasureRow): Promise<boolean> {
  const { id, step } = erasure;
  if (step === 'orders') return db.write(eraseOrders, { id, now: clock() });
  if (step === 'events') return db.write(eraseEvents, { id });
  // The longest first: of an e-mail that begins with the id, the rest would not be known any more.
  const texts = (JSON.parse(erasure.texts ?? '[]') as string[]).toSorted((a, b) => b.length - a.length);
  if (step === 'texts') {
    for (let n = 0; n < texts.length; n += TEXTS_AT_ONCE) {
      const some = texts.slice(n, n + TEXTS_AT_ONCE);
      for (const table of Object.keys(TEXT_PLACES)) await db.write(eraseTexts, { table, texts: some });
      await eraseFromLogs(some);
    }
  } else {
    const orders = await erasedOrders(db.read, erasure);
    await foldAnew(
      db,
      orders.map((order) => order.id),
    );
  }
  return true;
}
