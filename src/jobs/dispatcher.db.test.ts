import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { openTestDatabase, onBothEngines } from '../../test/support/databases.ts';
import { cancelTestJobs as cancel, putTestJobs as put, takeTestJobs as take } from '../../test/support/job-commands.ts';
import { until } from '../../test/support/until.ts';
import type { Database } from '../db/database.ts';
import { openDatabase } from '../db/open.ts';
import type { Engine } from '../db/sql.ts';
import { createLog } from '../lib/log.ts';
import type { Dispatcher } from './dispatcher.ts';
import { openDispatcher } from './open.ts';

const log = createLog('silent');
const NEVER = 3_600_000;

async function openNode(engine: Engine, like?: { place: { dataDir: string; databaseUrl: string | undefined } }) {
  const db = like ? await openDatabase({ ...like.place, poolSize: 4 }, log) : await openTestDatabase(engine);
  return { db, dispatcher: await openDispatcher(db, log) };
}

onBothEngines('work', (engine) => {
  let db: Database;
  let dispatcher: Dispatcher;
  before(async () => ({ db, dispatcher } = await openNode(engine)));
  after(async () => {
    await dispatcher.close();
    await db.close();
  });

  test('is taken at the start, when told to, and while there is room', async () => {
    const asked: number[] = [];
    let room = 3;
    const worker = dispatcher.work('runs', {
      name: 'test',
      interval: NEVER,
      room: () => room,
      take: async (most) => void asked.push(most),
    });
    await until('the first look', () => asked.length === 1);
    room = 0;
    worker.wake();
    await worker.stop();
    assert.deepEqual(asked, [3], 'nothing is asked for without room');
  });

  test('is put in the queue by more transactions at once than there are connections, from the first on', async () => {
    const fresh = await openNode(engine);
    const keys = Array.from({ length: 40 }, (_, i) => `key ${i}`);
    await Promise.all(keys.map((key) => fresh.db.write(put, { jobs: [{ key }] })));
    const taken = await fresh.db.write(take, { most: 100 });
    if (engine === 'postgres') assert.deepEqual(taken?.toSorted(), keys.toSorted());
    await fresh.dispatcher.close();
    await fresh.db.close();
  });

  test('is looked for from time to time, whatever is told', async () => {
    let looks = 0;
    const worker = dispatcher.work('parts', { name: 'test', interval: 20, room: () => 1, take: async () => void looks++ });
    await until('several looks', () => looks >= 3);
    await worker.stop();
  });

  test('a failure stops nothing', async () => {
    let looks = 0;
    const take = async (): Promise<void> => {
      if (looks++ === 0) throw new Error('The database is away.');
    };
    const worker = dispatcher.work('parts', { name: 'test', interval: 20, room: () => 1, take });
    await until('another look', () => looks >= 2);
    await worker.stop();
  });

  test('hints reach the listeners of this node at once', () => {
    let heard = 0;
    const stop = dispatcher.hints.listen('keys', () => heard++);
    const before = heard;
    dispatcher.hints.tell('keys');
    dispatcher.hints.tell('runs');
    assert.equal(heard, before + 1);
    stop();
    dispatcher.hints.tell('keys');
    assert.equal(heard, before + 1);
  });
});

test('the embedded database keeps no jobs: a worker looks at the rows', async () => {
  const { db, dispatcher } = await openNode('sqlite');
  await db.write(put, { jobs: [{ key: 'a' }] });
  assert.equal(await db.write(take, { most: 5 }), null);
  await dispatcher.close();
  await db.close();
});

describe('jobs of several nodes', () => {
  type Node = Awaited<ReturnType<typeof openNode>>;
  let a: Node;
  let b: Node;
  const stops: (() => Promise<void>)[] = [];
  before(async () => {
    a = await openNode('postgres');
    b = await openNode('postgres', a.db as never);
  });
  afterEach(async () => {
    for (const stop of stops.splice(0)) await stop();
    await a.db.write(take, { most: 1000 });
  });
  after(async () => {
    await Promise.all([a.dispatcher.close(), b.dispatcher.close()]);
    await b.db.close();
    await a.db.close();
  });

  test('are taken once, oldest first', async () => {
    for (const key of ['a', 'b', 'c', 'd']) await a.db.write(put, { jobs: [{ key }] });
    assert.deepEqual((await b.db.write(take, { most: 3 }))?.sort(), ['a', 'b', 'c']);
    assert.deepEqual(await a.db.write(take, { most: 3 }), ['d']);
    assert.deepEqual(await b.db.write(take, { most: 3 }), []);
  });

  test('are part of the transaction that puts them there, and of the one that takes them', async () => {
    await assert.rejects(a.db.write(put, { jobs: [{ key: 'never' }], fail: true }), /The work failed/);
    assert.deepEqual(await b.db.write(take, { most: 5 }), []);
    await a.db.write(put, { jobs: [{ key: 'again' }] });
    await assert.rejects(b.db.write(take, { most: 5, fail: true }), /The work failed/);
    assert.deepEqual(await a.db.write(take, { most: 5 }), ['again']);
  });

  test('are one when they are given twice, and can be given again when they are taken', async () => {
    await a.db.write(put, { jobs: [{ key: 'twice' }] });
    await b.db.write(put, { jobs: [{ key: 'twice' }] });
    assert.deepEqual(await a.db.write(take, { most: 5 }), ['twice']);
    await b.db.write(put, { jobs: [{ key: 'twice' }] });
    assert.deepEqual(await a.db.write(take, { most: 5 }), ['twice']);
  });

  test('wait for their time, and can be cancelled', async () => {
    const soon = new Date(Date.now() + 300).toISOString();
    const late = new Date(Date.now() + NEVER).toISOString();
    await a.db.write(put, { jobs: [{ key: 'soon', notBefore: soon }, { key: 'late', notBefore: late }, { key: 'unwanted' }] });
    await b.db.write(cancel, ['unwanted', 'unknown']);
    assert.deepEqual(await b.db.write(take, { most: 5 }), []);
    assert.deepEqual(await until('its time', async () => (await b.db.write(take, { most: 5 }))?.join() || undefined), 'soon');
    await a.db.write(cancel, ['late']);
  });

  test('leave alone what another is taking', async () => {
    await a.db.write(put, { jobs: Array.from({ length: 200 }, (_, n) => ({ key: `job ${n}` })) });
    const takeAll = async ({ db }: Node): Promise<string[]> => {
      const taken: string[] = [];
      for (let keys = await db.write(take, { most: 7 }); keys?.length; keys = await db.write(take, { most: 7 })) taken.push(...keys);
      return taken;
    };
    const taken = (await Promise.all([takeAll(a), takeAll(b), takeAll(a), takeAll(b)])).flat();
    assert.equal(taken.length, 200);
    assert.equal(new Set(taken).size, 200);
  });

  test('wake the workers of all nodes after the commit', async () => {
    await until('word from other nodes', () => a.dispatcher.hints.areHeard() && b.dispatcher.hints.areHeard());
    const taken: string[] = [];
    const work = { name: 'test', interval: NEVER, room: () => 1 };
    const takeOne = async (): Promise<void> => void taken.push(...((await b.db.write(take, { most: 1 })) ?? []));
    stops.push(b.dispatcher.work('runs', { ...work, take: takeOne }).stop);
    await a.db.write(put, { jobs: [{ key: 'told' }] });
    await until('the job', () => taken.join() === 'told', 5_000);
  });

  test('hints reach the other nodes, and hints of one moment go together', async () => {
    await until('word from other nodes', () => b.dispatcher.hints.areHeard());
    let heard = 0;
    const stop = b.dispatcher.hints.listen('shop', () => heard++);
    for (let n = 0; n < 1000; n++) a.dispatcher.hints.tell('shop');
    await until('a hint', () => heard > 0, 5_000);
    stop();
    assert.ok(heard <= 2, `1000 hints of one moment came as ${heard}`);
  });

  test('come again after the connection of the listener was lost', async () => {
    await until('word from other nodes', () => b.dispatcher.hints.areHeard());
    let gaps = 0;
    const stop = b.dispatcher.hints.listen('keys', () => gaps++);
    await a.db.shared?.execute(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`,
    );
    await until('that hints are lost', () => !b.dispatcher.hints.areHeard());
    await until('that they are heard again', () => b.dispatcher.hints.areHeard());
    assert.ok(gaps > 0, 'a listener looks once, as something may have been missed');
    stop();
  });
});

test('nodes that start together on an empty database make one set of queues', async () => {
  const first = await openTestDatabase('postgres');
  const others = await Promise.all(Array.from({ length: 4 }, () => openDatabase({ ...first.place, poolSize: 3 }, log)));
  const dispatchers = await Promise.all([first, ...others].map((db) => openDispatcher(db, log)));
  await others[0]?.write(put, { jobs: [{ key: 'one' }] });
  assert.deepEqual(await others[3]?.write(take, { most: 2 }), ['one']);
  await Promise.all(dispatchers.map((dispatcher) => dispatcher.close()));
  await Promise.all(others.map((db) => db.close()));
  await first.close();
});
