import assert from 'node:assert/strict';
import { test } from 'node:test';
import { everyTick } from './ticks.ts';

test('what is done as often is done in the same moment, until it is stopped', (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const done: string[] = [];
  const note = (name: string) => (): void => void done.push(name);
  const stopFirst = everyTick(1000, note('first'));
  t.mock.timers.tick(600);
  const stopSecond = everyTick(1000, note('second'));
  const stopOther = everyTick(2000, note('other'));
  t.mock.timers.tick(400);
  assert.deepEqual(done, ['first', 'second']);
  stopFirst();
  stopFirst();
  t.mock.timers.tick(1600);
  assert.deepEqual(done, ['first', 'second', 'second', 'other']);
  stopSecond();
  stopOther();
  t.mock.timers.tick(10_000);
  assert.equal(done.length, 4);
});

test('one that stops another in the same moment is obeyed, and what begins anew ticks again', (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const done: string[] = [];
  const stopFirst = everyTick(1000, () => {
    done.push('first');
    stopSecond();
  });
  const stopSecond = everyTick(1000, () => done.push('second'));
  t.mock.timers.tick(1000);
  stopFirst();
  stopSecond();
  const stopThird = everyTick(1000, () => done.push('third'));
  // It was over before.
  stopFirst();
  t.mock.timers.tick(1000);
  stopThird();
  assert.deepEqual(done, ['first', 'third']);
});
