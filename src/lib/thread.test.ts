import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { startBody } from './thread.ts';

/** Makes much that is soon forgotten, and tells how large the room for that has grown. */
const MAKER = `import { parentPort } from 'node:worker_threads';
import { getHeapSpaceStatistics } from 'node:v8';
let some = [];
let highest = 0;
for (let n = 0; n < 1_500_000; n++) {
  some.push({ n, pair: [n, 'n' + n] });
  if (some.length === 60_000) some = [];
  if (n % 20_000 === 0) highest = Math.max(highest, getHeapSpaceStatistics().find((space) => space.space_name === 'new_space').physical_space_size);
}
parentPort.postMessage(highest);`;

async function youngOf(megabytes: number): Promise<number> {
  const thread = startBody(`data:text/javascript,${encodeURIComponent(MAKER)}`, {
    resourceLimits: { maxYoungGenerationSizeMb: megabytes },
  });
  const [highest] = (await once(thread, 'message')) as [number];
  await thread.terminate();
  return highest / 1024 / 1024;
}

test('a thread keeps to its own limit for what is soon forgotten, whatever the process was told for itself', async () => {
  setFlagsFromString('--max-semi-space-size=16');
  const [small, large] = [await youngOf(12), await youngOf(48)];
  assert.ok(small <= 12, `${small} MB`);
  assert.ok(large > 12, `it takes ${large} MB where it may: the work is large enough to tell`);
});
