import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { RefusalTable } from './refusal-table.ts';

const NOON = Date.parse('2026-11-01T12:00:00Z');
const SECOND = 1000;
const MINUTE = 60 * SECOND;

describe('the table of refused keys', () => {
  test('lets a network send so many wrong keys a minute, then has it wait, and forgives it slowly', () => {
    const table = new RefusalTable(20);
    const answers = Array.from({ length: 40 }, (_, i) => table.add('a', `k${i}`, NOON));
    assert.deepEqual(
      answers.map(({ wait }) => wait > 0),
      Array.from({ length: 40 }, (_, i) => i >= 20),
    );
    assert.equal(answers[20]?.wait, 3 * SECOND, 'a minute for twenty');
    assert.deepEqual(
      answers.flatMap(({ burst }, i) => (burst ? [i] : [])),
      [20],
      'a burst begins once',
    );
    assert.equal(table.add('b', 'k', NOON).wait, 0, 'others are not concerned');
    assert.equal(table.add('a', 'k', NOON + 3 * SECOND).wait, 0, 'one is answered again');
    assert.ok(table.add('a', 'k', NOON + 3 * SECOND).wait > 0);
    assert.equal(table.add('a', 'k', NOON + 3 * MINUTE).wait, 0);
    const again = Array.from({ length: 20 }, (_, i) => table.add('a', `k${i}`, NOON + 3 * MINUTE));
    assert.ok(again.at(-1)?.burst, 'after a pause it is another burst');
  });

  test('never has a client wait when the limit is off', () => {
    const table = new RefusalTable(0);
    for (let i = 0; i < 1000; i++) assert.equal(table.add('a', `k${i}`, NOON).wait, 0);
  });

  test('tells the first at once, and the others a minute later in one line: how many, and how many different', () => {
    const table = new RefusalTable(20);
    const told = Array.from({ length: 30 }, (_, i) => table.add('a', `k${i % 3}`, NOON + i).tell);
    assert.deepEqual(told, [true, ...Array.from({ length: 29 }, () => false)]);
    assert.deepEqual(table.due(NOON + 59 * SECOND), []);
    assert.deepEqual(table.due(NOON + MINUTE), [{ network: 'a', count: 30, different: 3, since: NOON }]);
    assert.deepEqual(table.due(NOON + MINUTE + 1), []);
    table.add('a', 'k', NOON + MINUTE + 2);
    assert.deepEqual(table.due(NOON + 2 * MINUTE), [{ network: 'a', count: 1, different: 1, since: NOON + MINUTE + 2 }]);
  });

  test('says nothing again of one that came alone, and forgets it', () => {
    const table = new RefusalTable(20);
    assert.ok(table.add('a', 'k', NOON).tell);
    assert.deepEqual(table.due(NOON + 2 * MINUTE), []);
    assert.equal(table.size, 0);
  });

  test('is bounded, however many addresses a client has: memory, lines and bursts; what no line tells is counted', () => {
    const table = new RefusalTable(1);
    let lines = 0;
    let raised = 0;
    for (let i = 0; i < 20_000; i++) {
      if (table.add(`n${i}`, 'k', NOON).tell) lines++;
      if (table.add(`n${i}`, 'k', NOON).burst && table.mayRaise(`n${i}`, NOON)) raised++;
    }
    assert.ok(table.size <= 5000);
    assert.ok(lines <= 30);
    assert.equal(raised, 20);
    const due = table.due(NOON + MINUTE).reduce((sum, { count }) => sum + count, 0);
    assert.equal(due + table.untold(), 40_000, 'every refusal is in some figure');
    assert.equal(table.untold(), 0);
    assert.equal(table.mayRaise('n0', NOON + 59 * MINUTE), false);
    assert.equal(table.mayRaise('n0', NOON + 61 * MINUTE), true);
  });
});
