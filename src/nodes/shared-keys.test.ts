import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { newKeyText, parseKeyring } from '../lib/secrets.ts';
import { problemsOf } from './problems.ts';
import { demandSameSecretKey, haveSameAdminKey, type Marks, marksFor } from './shared-keys.ts';

const OLD = newKeyText();
const NEW = newKeyText();
const ADMIN = 'an-admin-key-of-the-operator';

const marks = (keys: string, adminKey?: string): Marks => marksFor(parseKeyring(keys), adminKey);
const meet = (one: Marks, ...others: Marks[]): void =>
  demandSameSecretKey(
    one,
    others.map((other, at) => ({ ...other, host: `host-${at}` })),
  );

describe('the keys that nodes must share', () => {
  test('nodes that can read what the other encrypts work side by side', () => {
    meet(marks(OLD));
    meet(marks(OLD), marks(OLD), marks(OLD));
    meet(marks(`new:${NEW},old:${OLD}`), marks(`other-name:${OLD},again:${NEW}`));
  });

  test('others are refused, each by its name, and told how to change a key while nodes run', () => {
    assert.throws(() => meet(marks(NEW), marks(OLD), marks(NEW), marks(OLD)), /than host-0, host-2, .*SYNCLINE_SECRET_KEY .*\(old,new\)/);
    // The one that has both would encrypt what the other cannot read, or could not read what the other encrypts.
    for (const [one, other] of [
      [`${NEW},${OLD}`, OLD],
      [OLD, `${NEW},${OLD}`],
    ] as const)
      assert.throws(() => meet(marks(one), marks(other)), /than host-0, .*SYNCLINE_SECRET_KEY/);
  });

  test('a key changes in steps that each go beside the one before', () => {
    const steps = [OLD, `${OLD},${NEW}`, `${NEW},${OLD}`, NEW].map((keys) => marks(keys));
    for (const [at, step] of steps.entries()) if (at > 0) meet(step, steps[at - 1] as Marks);
  });

  test("the operator's key is compared by any key that both have, and never told", () => {
    assert.ok(haveSameAdminKey(marks(OLD), marks(OLD)));
    assert.ok(haveSameAdminKey(marks(OLD, ADMIN), marks(`${NEW},${OLD}`, ADMIN)));
    assert.ok(!haveSameAdminKey(marks(OLD, ADMIN), marks(`${NEW},${OLD}`, `${ADMIN}!`)));
    assert.ok(!haveSameAdminKey(marks(OLD, ADMIN), marks(OLD)));
    const told = JSON.stringify(marks(`${NEW},${OLD}`, ADMIN));
    for (const secret of [OLD, NEW, ADMIN]) assert.ok(!told.includes(secret) && !told.includes(Buffer.from(secret).toString('base64')));
  });
});

test('problems of a node are told in words', () => {
  const self = marks(OLD, ADMIN);
  const node = { ...self, isAlive: true, clockAheadMs: 0 };
  assert.deepEqual(problemsOf(node, self), []);
  assert.deepEqual(problemsOf({ ...node, clockAheadMs: -4999 }, self), []);
  assert.match(problemsOf({ ...node, clockAheadMs: 600_000 }, self).join(), /^Its clock is 600 seconds ahead of the database's\. .*NTP/);
  assert.match(problemsOf({ ...node, clockAheadMs: -60_000 }, self).join(), /^Its clock is 60 seconds behind the database's\./);
  assert.match(problemsOf({ ...node, ...marks(OLD) }, self).join(), /^Its SYNCLINE_ADMIN_KEY is another /);
  assert.match(problemsOf({ ...node, ...marks(NEW) }, marks(OLD)).join(), /^Its SYNCLINE_SECRET_KEY is another /);
  assert.match(problemsOf({ ...node, isAlive: false, clockAheadMs: 600_000 }, self).join(), /^It has not been heard of for 15 seconds/);
});
