import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';

/** Portions that live for a moment: nine are there at a time. */
const PORTIONS = `const { parentPort, workerData } = require('node:worker_threads');
const { getHeapStatistics } = require('node:v8');
void import(workerData.tidy).then(({ tidyUp }) => {
  const recent = [];
  let highest = 0;
  for (let n = 0; n < 300; n++) {
    recent.push(Array.from({ length: 5000 }, (_, at) => ({ at, row: ['a' + at, 'b' + at] })));
    if (recent.length > 9) recent.shift();
    if (workerData.isTidy) tidyUp();
    highest = Math.max(highest, getHeapStatistics().total_heap_size);
  }
  parentPort.postMessage({ megabytes: highest / 1024 / 1024, isShown: 'gc' in globalThis });
});`;

async function heapOf(isTidy: boolean): Promise<{ megabytes: number; isShown: boolean }> {
  const tidy = new URL('tidy.ts', import.meta.url).href;
  const worker = new Worker(PORTIONS, { eval: true, workerData: { tidy, isTidy }, resourceLimits: { maxYoungGenerationSizeMb: 24 } });
  const [told] = (await once(worker, 'message')) as [{ megabytes: number; isShown: boolean }];
  return told;
}

test('work in portions takes much less memory when it is tidied up between them', async () => {
  const [without, tidied] = [await heapOf(false), await heapOf(true)];
  assert.ok(tidied.megabytes < without.megabytes * 0.7, `${tidied.megabytes} MB, without it ${without.megabytes} MB`);
  assert.equal(tidied.isShown, false, 'others are not shown how to collect garbage');
});
