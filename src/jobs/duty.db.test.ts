import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { onBothEngines, openTestDatabase } from '../../test/support/databases.ts';
import { until } from '../../test/support/until.ts';
import type { Database } from '../db/database.ts';
import { systemClock } from '../lib/clock.ts';
import { createLog } from '../lib/log.ts';
import { type Duty, type HeldDuty, leaveDuty, startDuty, takeDuty } from './duty.ts';

const log = createLog('silent');

onBothEngines('a duty', (engine) => {
  let db: Database;
  before(async () => {
    db = await openTestDatabase(engine);
  });
  after(() => db.close());

  const startNode = (name: string, node: string, begun: (node: string, held: HeldDuty) => void): Duty =>
    startDuty({
      name,
      node,
      db,
      clock: systemClock,
      log,
      lease: 2_000,
      work: async (held) => {
        begun(node, held);
        await new Promise((resolve) => held.lost.addEventListener('abort', resolve, { once: true }));
      },
    });

  test('is had by one node, and handed over when that one stops', async () => {
    const story: string[] = [];
    const tokens: number[] = [];
    const tell = (node: string, { token }: HeldDuty): void => {
      story.push(node);
      tokens.push(token);
    };
    const one = startNode('handed over', 'one', tell);
    await until('the first has it', () => story.length === 1);
    // On SQLite a second node can only be one that came after a kill.
    if (engine === 'sqlite') return one.stop();
    const two = startNode('handed over', 'two', tell);
    await one.stop();
    await until('the second has it', () => story.length === 2);
    assert.deepEqual(story, ['one', 'two']);
    assert.ok((tokens[1] ?? 0) > (tokens[0] ?? 0));
    await two.stop();
  });

  test('is kept with its token, and is free for others when its lease has ended', async () => {
    const now = Date.now();
    const take = (node: string, token: number | null, at = now): Promise<number | null> =>
      db.write(takeDuty, { now: at, name: 'leased', node, lease: engine === 'postgres' ? 50 : 10_000, token });
    const first = await take('one', null);
    assert.ok(first !== null);
    assert.equal(await take('one', first), first, 'it is kept');
    if (engine === 'postgres') assert.equal(await take('two', null), null, 'it is had by another');
    const second = await until('the end of the lease', async () => (await take('two', null)) ?? undefined);
    assert.ok(second > first);
    if (engine === 'postgres') assert.equal(await take('one', first), null, 'who comes back late has it no more');
  });

  test('a node that comes back to its own duty after a failure gets another token', async () => {
    const first = await db.write(takeDuty, { now: Date.now(), name: 'failed', node: 'one', lease: 10_000, token: null });
    const second = await db.write(takeDuty, { now: Date.now(), name: 'failed', node: 'one', lease: 10_000, token: null });
    assert.ok((second ?? 0) > (first ?? 0));
  });

  test('is left by the node that has it, and not by one that had it before', async () => {
    // On SQLite a second node can only be one that came after a kill.
    if (engine === 'sqlite') return;
    const take = (node: string) => db.write(takeDuty, { now: Date.now(), name: 'left', node, lease: 60_000, token: null });
    const first = await take('one');
    await db.write(leaveDuty, { name: 'left', token: first ?? 0 });
    const second = await take('two');
    assert.ok((second ?? 0) > (first ?? 0));
    await db.write(leaveDuty, { name: 'left', token: first ?? 0 });
    assert.equal(await take('three'), null);
  });

  test('work that fails is begun again', async () => {
    let times = 0;
    const duty = startDuty({
      name: 'fails',
      node: 'one',
      db,
      clock: systemClock,
      log,
      lease: 400,
      work: async ({ lost }) => {
        if (++times === 1) throw new Error('The work failed.');
        await new Promise((resolve) => lost.addEventListener('abort', resolve, { once: true }));
      },
    });
    await until('the second time', () => times === 2);
    await duty.stop();
  });
});
