import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { until } from '../../test/support/until.ts';
import { ThreadPool } from './thread-pool.ts';

const ECHO = `const { parentPort, threadId } = require('node:worker_threads');
  parentPort.on('message', (message) => { if (message === 'die') throw new Error('as told'); parentPort.postMessage(threadId); });`;

function poolOf(most: number, idleTime = 60_000): { pool: ThreadPool<Worker>; started: Worker[] } {
  const started: Worker[] = [];
  const start = (): Worker => {
    const worker = new Worker(ECHO, { eval: true });
    started.push(worker);
    return worker;
  };
  return { pool: new ThreadPool({ start, most, idleTime }), started };
}

async function use(pool: ThreadPool<Worker>): Promise<number> {
  const worker = await pool.take(performance.now() + 10_000);
  assert.ok(worker);
  worker.postMessage('hello');
  const [id] = (await once(worker, 'message')) as [number];
  pool.giveBack(worker);
  return id;
}

test('a thread is started when needed, and used again', async () => {
  const { pool, started } = poolOf(4);
  assert.equal(started.length, 0);
  const first = await use(pool);
  assert.equal(await use(pool), first);
  assert.equal(started.length, 1);
  await pool.close();
});

test('no more than so many; one more waits for the next that is free, up to its deadline', async () => {
  const { pool, started } = poolOf(2);
  const all = await Promise.all(Array.from({ length: 6 }, () => use(pool)));
  assert.equal(new Set(all).size, 2);
  assert.equal(started.length, 2);
  const taken = [await pool.take(performance.now()), await pool.take(performance.now())];
  assert.equal(await pool.take(performance.now()), undefined);
  assert.equal(await pool.take(performance.now() + 20), undefined);
  const waiting = pool.take(Number.POSITIVE_INFINITY);
  pool.giveBack(taken[0] as Worker);
  assert.equal(await waiting, taken[0]);
  await pool.close();
});

test('a thread that has nothing to do ends, and one that is ended makes room', async () => {
  const { pool, started } = poolOf(1, 20);
  const first = await use(pool);
  const [worker] = started;
  assert.ok(worker);
  await until('the thread to end', () => worker.threadId === -1);
  const taken = await pool.take(performance.now());
  assert.ok(taken);
  const waiting = use(pool);
  pool.end(taken);
  pool.giveBack(taken);
  assert.notEqual(await waiting, first);
  assert.equal(started.length, 3);
  await pool.close();
});

test('a thread that dies is replaced, whether it works or waits', async () => {
  const { pool, started } = poolOf(1);
  const taken = await pool.take(performance.now());
  assert.ok(taken);
  taken.postMessage('die');
  await assert.rejects(once(taken, 'message'), /as told/);
  pool.giveBack(taken);
  await use(pool);
  started[1]?.postMessage('die');
  await until('the idle thread to end', () => started[1]?.threadId === -1);
  await use(pool);
  assert.equal(started.length, 3);
  await pool.close();
});

/** A thread with a statement that takes so many steps, which nothing interrupts. */
function stuckThread(steps: number): Worker {
  const code = `const { parentPort } = require('node:worker_threads');
    const { DatabaseSync } = require('node:sqlite');
    const long = new DatabaseSync(':memory:').prepare('with recursive n(i) as (select 1 union all select i + 1 from n where i < ${steps}) select count(*) from n');
    parentPort.on('message', () => { parentPort.postMessage('begins'); long.get(); });`;
  return new Worker(code, { eval: true });
}

async function setToWork(pool: ThreadPool<Worker>): Promise<Worker> {
  const worker = await pool.take(performance.now() + 10_000);
  assert.ok(worker);
  worker.postMessage('go');
  await once(worker, 'message');
  return worker;
}

test('threads that are ended and do not go are counted, so that they never become many', async () => {
  const pool = new ThreadPool({ start: () => stuckThread(3_000_000), most: 1, idleTime: 60_000 });
  for (let i = 0; i < 2; i++) pool.end(await setToWork(pool));
  assert.equal(await pool.take(performance.now()), undefined);
  assert.ok(await pool.take(performance.now() + 60_000), 'one is gone at last');
  await pool.close();
});

test('the end of the pool does not wait for a thread that does not go', async () => {
  const pool = new ThreadPool({ start: () => stuckThread(3_000_000), most: 1, idleTime: 60_000, closePatience: 10 });
  const worker = await setToWork(pool);
  let isGone = false;
  const gone = once(worker, 'exit').then(() => (isGone = true));
  await pool.close();
  assert.equal(isGone, false);
  await gone;
});

test('a thread can be kept for longer than the others, until it is used again', async () => {
  const { pool, started } = poolOf(1, 20);
  const taken = await pool.take(performance.now());
  assert.ok(taken);
  pool.giveBack(taken, 60_000);
  // Another pool with the same idle time lets go of its thread: as much time has passed here.
  const other = poolOf(1, 20);
  await use(other.pool);
  await until('the thread of the other pool to end', () => other.started[0]?.threadId === -1);
  assert.notEqual(taken.threadId, -1);
  await use(pool);
  assert.equal(started.length, 1);
  await until('the thread to end', () => taken.threadId === -1);
  await Promise.all([pool.close(), other.pool.close()]);
});
