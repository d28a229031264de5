import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import { Turns } from './turns.ts';

const LARGE = 'x'.repeat(300_000);

/** Work that ends when it is told to, and how much of it is under way. */
function createWork(answer = '') {
  const ends: (() => void)[] = [];
  const state = { begun: 0, done: 0 };
  const work = async (): Promise<string> => {
    state.begun++;
    await new Promise<void>((resolve) => ends.push(resolve));
    state.done++;
    return answer;
  };
  const endOne = async (): Promise<void> => {
    ends.shift()?.();
    await turnOfTheLoop();
  };
  return { work, state, endOne };
}

describe('turns', () => {
  test('small answers widen the way until eight are at work', async () => {
    const turns = new Turns();
    const { work, state, endOne } = createWork();
    const all = Array.from({ length: 40 }, () => turns.take('k', work));
    const atWork: number[] = [];
    for (let n = 0; n < 40; n++) {
      atWork.push(state.begun - state.done);
      await endOne();
    }
    await Promise.all(all);
    assert.deepEqual(atWork.slice(0, 8), [2, 3, 4, 5, 6, 7, 8, 8]);
    assert.equal(Math.max(...atWork), 8);
  });

  test('large answers are made one by one', async () => {
    const turns = new Turns();
    const { work, state, endOne } = createWork(LARGE);
    const all = Array.from({ length: 10 }, () => turns.take('k', work));
    await endOne();
    for (let n = 0; n < 9; n++) {
      assert.equal(state.begun - state.done, 1);
      await endOne();
    }
    await Promise.all(all);
  });

  test('a key waits for nobody but itself', async () => {
    const turns = new Turns();
    const slow = createWork();
    void Array.from({ length: 20 }, () => turns.take('slow', slow.work));
    assert.equal(await turns.take('quick', async () => 'there'), 'there');
  });

  test('work that hangs is not waited for longer than until the next look, and counted only once', async () => {
    const turns = new Turns();
    const { work, state, endOne } = createWork();
    const all = Array.from({ length: 7 }, () => turns.take('k', work));
    await turnOfTheLoop();
    assert.equal(state.begun, 2);
    turns.look();
    await turnOfTheLoop();
    assert.equal(state.begun, 4);
    turns.look();
    turns.look();
    await turnOfTheLoop();
    assert.equal(state.begun, 7);
    for (let n = 0; n < 7; n++) await endOne();
    await Promise.all(all);
    const after = createWork();
    void Array.from({ length: 5 }, () => turns.take('k', after.work));
    await turnOfTheLoop();
    assert.equal(after.state.begun, 2);
  });

  test('a failure makes room as well', async () => {
    const turns = new Turns();
    for (let n = 0; n < 20; n++)
      await assert.rejects(
        turns.take('k', () => Promise.reject(new Error('broken'))),
        /broken/,
      );
    assert.equal(await turns.take('k', async () => 'there'), 'there');
  });
});
