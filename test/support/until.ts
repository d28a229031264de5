import { setTimeout as pause } from 'node:timers/promises';

/** A machine that has much else to do must not make a test fail. Where a time is promised, the test measures it. */
const PATIENCE = 120_000;
/** In milliseconds. To ask takes a while of a processor, which others need: what has not come for long is asked for less often. */
const PAUSE = { shortest: 10, longest: 100, ofWaited: 1 / 20 };

/** Asks again and again until the answer is there (not undefined, not false), and answers it; gives up after `limit` milliseconds. */
export async function until<Answer>(
  what: string,
  ask: () => Answer | undefined | false | Promise<Answer | undefined | false>,
  limit = PATIENCE,
): Promise<Answer> {
  const began = performance.now();
  for (;;) {
    const answer = await ask();
    if (answer !== undefined && answer !== false) return answer;
    const waited = performance.now() - began;
    if (waited > limit) throw new Error(`Waited ${limit} ms in vain for: ${what}`);
    await pause(Math.min(PAUSE.longest, Math.max(PAUSE.shortest, waited * PAUSE.ofWaited)));
  }
}

/** The same for what may take any time as long as it gets on: gives up when `progress` answers the same as `limit` milliseconds ago. */
export async function untilDone<Answer>(
  what: string,
  ask: () => Promise<Answer | undefined | false>,
  progress: () => Promise<unknown>,
  limit: number,
): Promise<Answer> {
  for (;;) {
    const before = JSON.stringify(await progress());
    try {
      return await until(what, ask, limit);
    } catch (error) {
      if (JSON.stringify(await progress()) === before) throw error;
    }
  }
}
