import assert from 'node:assert/strict';
import { test } from 'node:test';
import { closest } from './closest.ts';

const names = ['public.customers', 'public.orders', 'id', 'updated_at', 'created_at'];

const cases: [string, string | undefined][] = [
  ['public.customer', 'public.customers'],
  ['public.Orders', 'public.orders'],
  ['ID', 'id'],
  ['ix', 'id'],
  ['update_at', 'updated_at'],
  ['something else', undefined],
  ['', undefined],
];

for (const [wanted, expected] of cases) {
  test(`"${wanted}" may mean ${expected ?? 'nothing that is there'}`, () => assert.equal(closest(wanted, names), expected));
}

test('a name of a thousand letters takes no time', () => {
  const started = performance.now();
  closest('x'.repeat(1000), ['y'.repeat(1000), 'x'.repeat(5), 'x'.repeat(1000)]);
  assert.ok(performance.now() - started < 1000);
});
