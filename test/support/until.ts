import { setTimeout as pause } from 'node:timers/promises';

/** A machine that has much else to do must not make a test fail. Where a time is promised, the test measures it. */
const PATIENCE = 30_000;

/** Asks again and again until the answer is there (not undefined, not false), and answers it; gives up after `limit` milliseconds. */
export async function until<Answer>(
  what: string,
  ask: () => Answer | undefined | false | Promise<Answer | undefined | false>,
  limit = PATIENCE,
): Promise<Answer> {
  const deadline = performance.now() + limit;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined && answer !== false) return answer;
    if (performance.now() > deadline) throw new Error(`Waited ${limit} ms in vain for: ${what}`);
    await pause(10);
  }
}
