import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Accounts } from './accounts.ts';

const ALL_AT_ONCE = 20_000_000;

test('owners that have not spent for a while are forgotten, and those that rest go on resting', () => {
  let now = 0;
  const accounts = new Accounts(() => now);
  for (let n = 0; n < 999; n++) accounts.spend(`gone${n}`, 1000);
  now += 10_000;
  accounts.spend('greedy', ALL_AT_ONCE + 1);
  assert.equal(accounts.size, 1000);
  const rest = accounts.rest('greedy');
  assert.ok(rest > 0);
  accounts.spend('new', 1);
  assert.equal(accounts.size, 2);
  assert.equal(accounts.rest('greedy'), rest);
  assert.equal(accounts.rest('gone1'), 0);
});
