import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { until } from '../../test/support/until.ts';
import { createLog } from '../lib/log.ts';
import { startPulse } from './pulse.ts';

const silent = createLog('silent');

test('it begins at once, and goes on', async () => {
  let times = 0;
  const pulse = startPulse({ name: 'counting', interval: 5, log: silent, work: async () => void times++ });
  assert.equal(times, 1);
  await until('it to come again', () => times > 3);
  await pulse.stop();
  const stopped = times;
  await sleep(30);
  assert.equal(times, stopped);
});

test('it is woken, and comes sooner when the work wants that', async () => {
  let times = 0;
  const pulse = startPulse({ name: 'counting', interval: 60_000, log: silent, work: async () => (++times === 2 ? 5 : undefined) });
  await sleep(10);
  assert.equal(times, 1);
  pulse.wake();
  await until('it to come twice more', () => times === 3);
  await sleep(20);
  assert.equal(times, 3);
  await pulse.stop();
});

test('it never runs twice at the same time; whoever wakes it meanwhile gets another time right after', async () => {
  let running = 0;
  let most = 0;
  let times = 0;
  const pulse = startPulse({
    name: 'counting',
    interval: 60_000,
    log: silent,
    work: async () => {
      most = Math.max(most, ++running);
      await sleep(10);
      running--;
      times++;
    },
  });
  for (let i = 0; i < 5; i++) pulse.wake();
  await until('the second time', () => times === 2);
  await sleep(30);
  assert.deepEqual({ most, times }, { most: 1, times: 2 });
  pulse.wake();
  await pulse.stop();
  assert.equal(times, 3, 'stopping waits for what is under way');
});

test('a failure is told once when it begins and once when it is over', async () => {
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
  for (const wanted of [2, 3, 4, 5])
    await until(`the time ${wanted}`, () => {
      pulse.wake();
      return times >= wanted;
    });
  await pulse.stop();
  assert.deepEqual(lines, ['failed; it is tried again until it works', 'works again']);
});
