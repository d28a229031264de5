import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OutsideError } from '../../outside/errors.ts';
import { Decimal } from '../values/decimal.ts';
import { FUNCTIONS } from './functions.ts';
import { compare, compute } from './operators.ts';
import type { Item } from './values.ts';
import { beginBatch, beginRow, spend, spendOn, spendTurn } from './work.ts';

test('a row has so many steps, in whatever they are spent, and each row has them anew', () => {
  beginBatch();
  for (const work of [
    () => spend(1_000),
    () => spendTurn(900),
    () => spendOn('a'.repeat(8_000)),
    () => spendOn(Array.from({ length: 1_000 }, () => 1n)),
  ]) {
    beginRow();
    let done = 0;
    assert.throws(() => {
      for (; done < 1_000_000; done++) work();
    }, /too much work for one row/);
    assert.ok(done > 90_000 && done <= 100_000, `${done}`);
    assert.throws(work, /too much work for one row/, 'nobody gets around it by catching the first');
  }
});

test('decimals cost by their digits, in whatever they are computed', () => {
  beginBatch();
  beginRow();
  const runOf = (name: string, ...args: unknown[]): Item => {
    const run = FUNCTIONS[name]?.run as ((...given: unknown[]) => Item) | undefined;
    assert.ok(run, name);
    return run(...args);
  };
  const [third, seventh] = [runOf('div', 1n, 3n, 100n), runOf('div', 1n, 7n, 100n)];
  const long = new Decimal(10n ** 900n / 7n, 900);
  const works: [name: string, steps: number, work: () => unknown][] = [
    ['div', 150, () => runOf('div', 1n, 3n, 100n)],
    ['a product', 200, () => compute('*', third, seventh)],
    ['a quotient', 300, () => compute('/', third, seventh)],
    ['a long quotient', 3_000, () => compute('/', long, third)],
    ['a long remainder', 1_000, () => compute('%', long, third)],
    ['a long sum', 900, () => compute('+', long, third)],
    ['a comparison', 900, () => compare(long, third)],
    ['rounding', 900, () => runOf('round', long, 2n)],
    ['a whole number', 900, () => runOf('floor', long)],
    ['a double', 900, () => runOf('double', long)],
    ['a text of it', 900, () => runOf('string', long)],
    ['a decimal from a text', 1_500, () => runOf('decimal', '9'.repeat(999))],
    ['an int from a text', 1_500, () => runOf('int', '7'.padStart(999, '0'))],
  ];
  for (const [name, steps, work] of works) {
    beginRow();
    let done = 0;
    // What the row has beside, so that the rest is used up soon.
    spend(99_000_000);
    assert.throws(
      () => {
        for (; done < 100_000; done++) work();
      },
      /too much work for one row/,
      name,
    );
    assert.ok(done <= 1_000_000 / steps, `${name}: ${done}`);
  }
  beginRow();
  const tiny = new Decimal(1n, 900);
  assert.throws(() => compute('/', compute('/', 1n, tiny), tiny), /longer than 1000 digits/, 'quotients do not grow without end either');
});

test('a batch that takes too long stops the stream, and does not reject its rows', () => {
  beginRow();
  beginBatch(0);
  assert.throws(
    () => spend(20_000_000),
    (error) => error instanceof OutsideError && error.kind === 'config' && error.code === 'EXPRESSION_SLOW',
  );
  beginBatch();
  beginRow();
  spend(20_000_000);
});
