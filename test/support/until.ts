import { setTimeout as pause } from 'node:timers/promises';

/** Asks again and again until the answer is there (not undefined, not false), and answers it; gives up after `limit` milliseconds. */
export async function until<Answer>(
  what: string,
  ask: () => Answer | undefined | false | Promise<Answer | undefined | false>,
  limit = 10_000,
): Promise<Answer> {
  const deadline = performance.now() + limit;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined && answer !== false) return answer;
    if (performance.now() > deadline) throw new Error(`Waited ${limit} ms in vain for: ${what}`);
    await pause(10);
  }
}
