import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createKept } from './kept.ts';

/** Something that tells whether it was ended. */
function thing() {
  const self = { isEnded: false, destroy: () => void (self.isEnded = true) };
  return self;
}

test('what was left is taken once, the latest first, by its own key only', () => {
  const kept = createKept({ time: 1000, most: 5 });
  const [a, b, c] = [thing(), thing(), thing()];
  kept.leave('one', a);
  kept.leave('one', b);
  kept.leave('two', c);
  assert.deepEqual([kept.take('one'), kept.take('one'), kept.take('one')], [b, a, undefined]);
  assert.equal(kept.take('two'), c);
  assert.deepEqual([a.isEnded, b.isEnded, c.isEnded], [false, false, false]);
});

test('when there are too many, the oldest goes', () => {
  const kept = createKept({ time: 1000, most: 2 });
  const [a, b, c] = [thing(), thing(), thing()];
  for (const one of [a, b, c]) kept.leave('one', one);
  assert.deepEqual([a.isEnded, b.isEnded, c.isEnded], [true, false, false]);
  assert.deepEqual([kept.take('one'), kept.take('one'), kept.take('one')], [c, b, undefined]);
});

test('what nobody takes is ended; what was taken is not', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const kept = createKept({ time: 1000, most: 5 });
  const [a, b] = [thing(), thing()];
  kept.leave('one', a);
  kept.leave('one', b);
  t.mock.timers.tick(999);
  assert.equal(kept.take('one'), b);
  t.mock.timers.tick(1);
  assert.deepEqual([a.isEnded, b.isEnded], [true, false]);
  assert.equal(kept.take('one'), undefined);
});
