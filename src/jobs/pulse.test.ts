import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { pino } from 'pino';
import { createLog } from '../lib/log.ts';
import { startPulse } from './pulse.ts';

const silent = createLog('silent');

/** A clock that goes on only when it is told to, and what is due by then is done. */
function clockOf(t: TestContext): (milliseconds: number) => Promise<void> {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  return async (milliseconds) => {
    await turn();
    t.mock.timers.tick(milliseconds);
    await turn();
  };
}

test('it begins at once, and goes on', async (t) => {
  const passes = clockOf(t);
  let times = 0;
  const pulse = startPulse({ name: 'counting', interval: 1000, log: silent, work: async () => void times++ });
  assert.equal(times, 1);
  await passes(999);
  assert.equal(times, 1);
  await passes(1);
  assert.equal(times, 2);
  await passes(1000);
  assert.equal(times, 3);
  await pulse.stop();
  await passes(10_000);
  assert.equal(times, 3);
});

test('it is woken, and comes sooner when the work wants that', async (t) => {
  const passes = clockOf(t);
  let times = 0;
  const pulse = startPulse({ name: 'counting', interval: 60_000, log: silent, work: async () => (++times === 2 ? 5 : undefined) });
  await passes(59_999);
  assert.equal(times, 1);
  pulse.wake();
  assert.equal(times, 2);
  await passes(5);
  assert.equal(times, 3);
  await passes(59_999);
  assert.equal(times, 3);
  await pulse.stop();
});

test('it never runs twice at the same time; when it is woken meanwhile, it runs once more right after', async (t) => {
  const passes = clockOf(t);
  let running = 0;
  let most = 0;
  let times = 0;
  let finish = (): void => {};
  const pulse = startPulse({
    name: 'counting',
    interval: 60_000,
    log: silent,
    work: async () => {
      most = Math.max(most, ++running);
      await new Promise<void>((resolve) => {
        finish = resolve;
      });
      running--;
      times++;
    },
  });
  for (let i = 0; i < 5; i++) pulse.wake();
  assert.equal(running, 1);
  finish();
  await passes(0);
  assert.deepEqual({ running, times }, { running: 1, times: 1 }, 'the second time, right after');
  finish();
  await passes(59_999);
  assert.deepEqual({ running, most, times }, { running: 0, most: 1, times: 2 });
  pulse.wake();
  let stopped = false;
  const stopping = pulse.stop().then(() => {
    stopped = true;
  });
  await turn();
  assert.equal(stopped, false, 'stopping waits for what is under way');
  finish();
  await stopping;
  assert.equal(times, 3);
});

test('a failure is told once when it begins and once when it is over', async (t) => {
  const passes = clockOf(t);
  const lines: string[] = [];
  const log = pino({ base: null }, { write: (line: string) => void lines.push((JSON.parse(line) as { msg: string }).msg) });
  let times = 0;
  const pulse = startPulse({
    name: 'failing',
    interval: 5,
    log,
    work: async () => {
      if (++times <= 3) throw new Error('not now');
    },
  });
  await passes(999);
  assert.equal(times, 1, 'what failed is left alone for a moment');
  await passes(1);
  await passes(1000);
  assert.equal(times, 3);
  assert.deepEqual(lines, ['failed; it is tried again until it works']);
  await passes(1000);
  await passes(5);
  assert.equal(times, 5);
  await pulse.stop();
  assert.deepEqual(lines, ['failed; it is tried again until it works', 'works again']);
});
