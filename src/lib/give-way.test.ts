import assert from 'node:assert/strict';
import { getPriority } from 'node:os';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';

test('a thread that gives way is a little less urgent, and the others are as urgent as before', {
  skip: process.platform !== 'linux',
}, async () => {
  const before = getPriority();
  const code = `Promise.all([import('node:os'), import('node:worker_threads'), import(${JSON.stringify(import.meta.resolve('./give-way.ts'))})])
    .then(([os, { parentPort }, { giveWay }]) => { giveWay(); parentPort.postMessage(os.getPriority()); });`;
  const thread = new Worker(code, { eval: true });
  const [priority] = await new Promise<[number]>((resolve, reject) =>
    thread.once('message', (found) => resolve([found])).once('error', reject),
  );
  // Far from 19: beside programs of others that never rest, such a thread would stand still.
  assert.equal(priority, Math.min(19, before + 5));
  assert.equal(getPriority(), before);
  await thread.terminate();
});
