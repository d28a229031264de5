import assert from 'node:assert/strict';
import { test } from 'node:test';
import { allowedFrom, isOrderStatus, judgeTransition, ORDER_STATUSES, type OrderStatus, wayTo } from './rules.ts';

// Written out a second time, so that a slip in the table of the rules is noticed.
const ARROWS = `
  new → processing    new → on_hold           new → cancelled
  on_hold → processing                        on_hold → cancelled
  processing → shipped  processing → on_hold  processing → cancelled
  shipped → delivered   shipped → returned
  delivered → returned`;
const legal = new Set([...ARROWS.matchAll(/(\w+) → (\w+)/g)].map(([, from, to]) => `${from} ${to}`));

test('there are seven states and eleven ways between them', () => {
  assert.deepEqual(ORDER_STATUSES.toSorted(), ['cancelled', 'delivered', 'new', 'on_hold', 'processing', 'returned', 'shipped']);
  assert.equal(legal.size, 11);
  assert.equal(ORDER_STATUSES.flatMap(allowedFrom).length, 11);
});

for (const from of ORDER_STATUSES) {
  test(`from ${from} to each of the seven states`, () => {
    for (const to of ORDER_STATUSES) {
      const expected = from === to ? 'unchanged' : legal.has(`${from} ${to}`) ? 'move' : 'illegal';
      const order = { status: from, version: 3 };
      assert.equal(judgeTransition(order, to, undefined), expected, `${from} → ${to}`);
      assert.equal(judgeTransition(order, to, 3), expected, `${from} → ${to} at the right version`);
      // A retry of what has happened already succeeds; anything else that is decided on an old version does not.
      const stale = from === to ? 'unchanged' : 'version_conflict';
      for (const version of [1, 2, 4]) assert.equal(judgeTransition(order, to, version), stale, `${from} → ${to} at version ${version}`);
      assert.equal(allowedFrom(from).includes(to), expected === 'move');
    }
  });
}

test('a name that is not a state leads nowhere', () => {
  for (const name of ['', 'New', 'unknown', 'constructor', '__proto__', 'toString']) {
    assert.equal(isOrderStatus(name), false, name);
    assert.deepEqual(allowedFrom(name), [], name);
    assert.equal(judgeTransition({ status: name, version: 1 }, 'processing' satisfies OrderStatus, undefined), 'illegal');
  }
});

test('an order gets from one state to another by the shortest way that there is, if there is one', () => {
  assert.deepEqual(wayTo('new', 'delivered'), ['processing', 'shipped', 'delivered']);
  assert.deepEqual(wayTo('on_hold', 'returned'), ['processing', 'shipped', 'returned']);
  assert.deepEqual(wayTo('processing', 'processing'), []);
  for (const from of ORDER_STATUSES)
    for (const to of ORDER_STATUSES) {
      const way = wayTo(from, to);
      way?.forEach((state, at) =>
        assert.ok(allowedFrom(at === 0 ? from : (way[at - 1] ?? '')).includes(state), `${from} ${way.join(' ')}`),
      );
      assert.equal(way?.at(-1) ?? to, to);
      if (allowedFrom(from).includes(to)) assert.deepEqual(way, [to]);
    }
  for (const [from, to] of [
    ['cancelled', 'processing'],
    ['shipped', 'cancelled'],
    ['processing', 'new'],
    ['returned', 'delivered'],
  ] as const)
    assert.equal(wayTo(from, to), undefined, `${from} ${to}`);
});
