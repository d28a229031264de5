import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OutsideError } from '../../outside/errors.ts';
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
