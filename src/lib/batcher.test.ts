import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { Batcher, type BatcherOptions } from './batcher.ts';
import { AppError, unavailable } from './errors.ts';

type Run = { items: number[]; finish: (error?: Error) => void };

/** A batcher of numbers that answers each with ten times itself, when it is told to. */
function held(options: Partial<BatcherOptions<number, number>> = {}): { batcher: Batcher<number, number>; runs: Run[] } {
  const runs: Run[] = [];
  const batcher = new Batcher<number, number>({
    maxItems: 100,
    concurrency: 1,
    eager: 1000,
    maxWaiting: 1000,
    run: (items) =>
      new Promise((resolve, reject) => {
        runs.push({ items, finish: (error) => (error ? reject(error) : resolve(items.map((item) => item * 10))) });
      }),
    ...options,
  });
  return { batcher, runs };
}

/** Lets the loop turn until there are so many runs. */
async function until(runs: readonly Run[], count: number): Promise<void> {
  for (let turns = 0; runs.length < count; turns++) {
    assert.ok(turns < 100, `${runs.length} runs instead of ${count}`);
    await turn();
  }
}

async function outcomes(promises: readonly Promise<number>[]): Promise<unknown[]> {
  return (await Promise.allSettled(promises)).map((settled) =>
    settled.status === 'fulfilled' ? settled.value : (settled.reason as Error).message,
  );
}

describe('Batcher', () => {
  test('the first of a run waits for company, if that is wanted', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    let patience = 40;
    const { batcher, runs } = held({ linger: () => patience });
    const first = batcher.submit(1);
    t.mock.timers.tick(10);
    const second = batcher.submit(2);
    t.mock.timers.tick(29);
    await turn();
    assert.equal(runs.length, 0, 'not before the time is over');
    t.mock.timers.tick(1);
    await until(runs, 1);
    runs[0]?.finish();
    assert.deepEqual(await Promise.all([first, second]), [10, 20]);
    assert.deepEqual(runs[0]?.items, [1, 2]);
    patience = 0;
    const third = batcher.submit(3);
    await until(runs, 2);
    runs[1]?.finish();
    assert.equal(await third, 30);
  });

  test('joins what comes in one turn into one run, and answers each with its own result', async () => {
    const { batcher, runs } = held();
    const answers = [1, 2, 3].map((item) => batcher.submit(item));
    assert.equal(runs.length, 0);
    await turn();
    assert.deepEqual(
      runs.map(({ items }) => items),
      [[1, 2, 3]],
    );
    runs[0]?.finish();
    assert.deepEqual(await outcomes(answers), [10, 20, 30]);
  });

  test('lets a lone item wait for nobody', async () => {
    const { batcher, runs } = held();
    const answer = batcher.submit(7);
    await until(runs, 1);
    runs[0]?.finish();
    assert.equal(await answer, 70);
  });

  test('waits for a share of what was lately in here before it starts a second run', async () => {
    const { batcher, runs } = held({ concurrency: 2, eager: 2, eagerShare: 0.5 });
    const answers = [1, 2, 3, 4, 5, 6, 7, 8].map((item) => batcher.submit(item));
    runs[0]?.finish();
    await until(runs, 3);
    runs[1]?.finish();
    await turn();
    // Six were in here when the third run started, so that two are not enough for another beside it.
    answers.push(batcher.submit(9), batcher.submit(10));
    assert.equal(runs.length, 3);
    answers.push(batcher.submit(11));
    assert.deepEqual(
      runs.map(({ items }) => items),
      [
        [1, 2],
        [3, 4],
        [5, 6, 7, 8],
        [9, 10, 11],
      ],
    );
    for (const run of runs) run.finish();
    assert.deepEqual(await outcomes(answers), [10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 110]);
  });

  test('collects what comes during a run for the next, in order', async () => {
    const { batcher, runs } = held({ maxItems: 3 });
    const answers = [batcher.submit(1)];
    await turn();
    answers.push(...[2, 3, 4, 5].map((item) => batcher.submit(item)));
    await turn();
    assert.equal(runs.length, 1, 'the second waits for the first');
    for (let i = 0; i < 3; i++) {
      await until(runs, i + 1);
      runs[i]?.finish();
    }
    assert.deepEqual(await outcomes(answers), [10, 20, 30, 40, 50]);
    assert.deepEqual(
      runs.map(({ items }) => items),
      [[1], [2, 3, 4], [5]],
    );
  });

  test('starts at once when enough are waiting and a run is free', () => {
    const { batcher, runs } = held({ eager: 3, concurrency: 2 });
    for (const item of [1, 2]) void batcher.submit(item);
    assert.equal(runs.length, 0);
    void batcher.submit(3);
    assert.deepEqual(
      runs.map(({ items }) => items),
      [[1, 2, 3]],
    );
    for (const item of [4, 5, 6]) void batcher.submit(item);
    assert.equal(runs.length, 2);
    for (const item of [7, 8, 9]) void batcher.submit(item);
    assert.equal(runs.length, 2, 'there are no more than two at a time');
  });

  test('does not start one run too many when eager ones have taken the place', async () => {
    const { batcher, runs } = held({ eager: 2, concurrency: 1 });
    const answers = [1, 2, 3].map((item) => batcher.submit(item));
    await turn();
    await turn();
    assert.deepEqual(
      runs.map(({ items }) => items),
      [[1, 2]],
    );
    runs[0]?.finish();
    await until(runs, 2);
    runs[1]?.finish();
    assert.deepEqual(await outcomes(answers), [10, 20, 30]);
  });

  test('keeps its bounds and the order, and answers every item, whatever comes when', async () => {
    const options = fc.record({
      maxItems: fc.integer({ min: 1, max: 5 }),
      concurrency: fc.integer({ min: 1, max: 3 }),
      eager: fc.integer({ min: 1, max: 8 }),
    });
    const arrivals = fc.array(fc.tuple(fc.nat(6), fc.nat(2)), { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(options, arrivals, fc.infiniteStream(fc.nat(4)), async (bounds, bursts, turns) => {
        let running = 0;
        const started: number[] = [];
        const batcher = new Batcher<number, number>({
          ...bounds,
          maxWaiting: 1000,
          run: async (items) => {
            running++;
            assert.ok(running <= bounds.concurrency, `${running} runs at a time`);
            assert.ok(items.length > 0 && items.length <= bounds.maxItems);
            started.push(...items);
            for (let wait = turns.next().value as number; wait > 0; wait--) await turn();
            running--;
            return items.map((item) => item * 10);
          },
        });
        const answers: Promise<number>[] = [];
        for (const [burst, pause] of bursts) {
          for (let i = 0; i < burst; i++) answers.push(batcher.submit(answers.length));
          for (let i = 0; i < pause; i++) await turn();
        }
        assert.deepEqual(
          await Promise.all(answers),
          answers.map((_, i) => i * 10),
        );
        assert.deepEqual(
          started,
          answers.map((_, i) => i),
        );
      }),
      { numRuns: 200 },
    );
  });

  test('lets one poisonous item take nobody down', async () => {
    const runs: number[][] = [];
    const { batcher } = held({
      run: (items) => {
        runs.push(items);
        return items.includes(2) ? Promise.reject(new Error('poison')) : Promise.resolve(items.map((item) => item * 10));
      },
    });
    assert.deepEqual(await outcomes([1, 2, 3].map((item) => batcher.submit(item))), [10, 'poison', 30]);
    assert.deepEqual(runs, [[1, 2, 3], [1], [2], [3]]);
  });

  test('tries a lone item once', async () => {
    const { batcher, runs } = held();
    const answer = batcher.submit(1);
    await turn();
    runs[0]?.finish(new Error('broken'));
    await assert.rejects(answer, /broken/);
    await turn();
    assert.equal(runs.length, 1);
  });

  test('does not try again what nobody could do now', async () => {
    const { batcher, runs } = held();
    const answers = [1, 2, 3].map((item) => batcher.submit(item));
    await turn();
    runs[0]?.finish(unavailable('not now'));
    assert.deepEqual(await outcomes(answers), ['not now', 'not now', 'not now']);
    await turn();
    assert.equal(runs.length, 1);
    const later = batcher.submit(4);
    await until(runs, 2);
    runs[1]?.finish();
    assert.equal(await later, 40);
  });

  test('refuses one more than may wait, and takes more when there is room again', async () => {
    const { batcher, runs } = held({ maxWaiting: 2 });
    const first = batcher.submit(1);
    await turn();
    const waiting = [2, 3].map((item) => batcher.submit(item));
    await assert.rejects(batcher.submit(4), (error: unknown) => {
      assert.ok(error instanceof AppError);
      assert.equal(error.code, 'UNAVAILABLE');
      assert.equal(error.headers['retry-after'], '1');
      return true;
    });
    runs[0]?.finish();
    await first;
    await until(runs, 2);
    const next = batcher.submit(5);
    runs[1]?.finish();
    assert.deepEqual(await outcomes(waiting), [20, 30]);
    await until(runs, 3);
    runs[2]?.finish();
    assert.equal(await next, 50);
  });

  test('takes a run that throws at once for one that failed', async () => {
    const { batcher } = held({
      run: () => {
        throw new Error('at once');
      },
    });
    assert.deepEqual(await outcomes([batcher.submit(1), batcher.submit(2)]), ['at once', 'at once']);
  });
});
