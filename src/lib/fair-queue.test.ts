import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { FairQueue } from './fair-queue.ts';

const OPTIONS = { places: 4, perOwner: 2, reserved: 1, waiting: 3 };
const LATER = (): number => performance.now() + 60_000;
const one = (owner: string) => ({ owner, isPrivileged: false });
const ADMIN = { owner: 'admin', isPrivileged: true };

/** How a promise stands, after everything that is due has happened. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  const settled = Symbol('settled');
  return (await Promise.race([promise.then(() => settled), new Promise((resolve) => setImmediate(resolve))])) === settled;
}

test('one owner has its share and no more, and all together leave the reserve', async () => {
  const shares = new FairQueue(OPTIONS);
  const mine = [shares.take(one('a'), LATER()), shares.take(one('a'), LATER()), shares.take(one('a'), LATER())];
  assert.deepEqual(await Promise.all(mine.map(isSettled)), [true, true, false]);
  const others = [shares.take(one('b'), LATER()), shares.take(one('c'), LATER())];
  assert.deepEqual(await Promise.all(others.map(isSettled)), [true, false]);
  const admin = [shares.take(ADMIN, LATER()), shares.take(ADMIN, LATER())];
  assert.deepEqual(await Promise.all(admin.map(isSettled)), [true, false]);
  // What comes free goes to those with privileges, and then to whose owner has the fewest.
  (await mine[0])?.();
  assert.deepEqual(await Promise.all([isSettled(admin[1] as Promise<unknown>), isSettled(others[1] as Promise<unknown>)]), [true, false]);
  (await admin[0])?.();
  assert.deepEqual(await Promise.all([isSettled(others[1] as Promise<unknown>), isSettled(mine[2] as Promise<unknown>)]), [true, false]);
  (await mine[1])?.();
  assert.ok(await mine[2]);
});

test('an owner that waits too long, or with too many, is refused', async () => {
  const shares = new FairQueue(OPTIONS);
  await Promise.all([shares.take(one('a'), LATER()), shares.take(one('a'), LATER())]);
  assert.equal(await shares.take(one('a'), performance.now() - 1), undefined);
  assert.equal(await shares.take(one('a'), performance.now() + 5), undefined);
  for (let i = 0; i < OPTIONS.waiting; i++) void shares.take(one('a'), LATER());
  assert.equal(await shares.take(one('a'), LATER()), undefined);
  assert.ok(await shares.take(one('b'), LATER()));
});

test('whatever is taken and given back: no limit is ever passed, and nobody is forgotten', async () => {
  const owner = fc.constantFrom('a', 'b', 'c', 'admin');
  const step = fc.oneof(fc.record({ take: owner }), fc.record({ give: fc.nat() }));
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      const shares = new FairQueue({ ...OPTIONS, waiting: 1000 });
      const held: { owner: string; release: () => void }[] = [];
      let asked = 0;
      let done = 0;
      const check = (): void => {
        const count = (name: string): number => held.filter((place) => place.owner === name).length;
        assert.ok(held.length <= OPTIONS.places);
        assert.ok(held.length - count('admin') <= OPTIONS.places - OPTIONS.reserved);
        for (const name of ['a', 'b', 'c']) assert.ok(count(name) <= OPTIONS.perOwner);
      };
      const give = async (place: number): Promise<void> => {
        held.splice(place % held.length, 1)[0]?.release();
        done++;
        await new Promise((resolve) => setImmediate(resolve));
        check();
      };
      for (const action of steps) {
        if ('take' in action) {
          asked++;
          const claimant = { owner: action.take, isPrivileged: action.take === 'admin' };
          void shares.take(claimant, LATER()).then((release) => release && held.push({ owner: action.take, release }));
          await Promise.resolve();
        } else if (held.length > 0) await give(action.give);
        check();
      }
      await new Promise((resolve) => setImmediate(resolve));
      while (held.length > 0) await give(0);
      assert.equal(done, asked);
    }),
    { numRuns: 100 },
  );
});
