import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { until } from '../../test/support/until.ts';
import { startThreadInProcess } from './process-thread.ts';
import type { Thread } from './thread.ts';

const folder = mkdtempSync(join(tmpdir(), 'syncline-process-'));
const beside = pathToFileURL(join(folder, 'asking.ts')).href;
after(() => rmSync(folder, { recursive: true }));

writeFileSync(
  join(folder, 'works.ts'),
  `import { parentPort, workerData } from 'node:worker_threads';
   import { DatabaseSync } from 'node:sqlite';
   const forever = new DatabaseSync(':memory:').prepare('with recursive n(i) as (select 1 union all select i + 1 from n) select count(*) from n');
   parentPort.on('message', (message) => {
     parentPort.postMessage({ pid: process.pid, message, greeting: workerData.greeting });
     if (message === 'die') throw new Error('as told');
     if (message === 'hang') forever.get();
   });`,
);

const hears = (thread: Thread, event: 'message' | 'error' | 'exit'): Promise<unknown> =>
  new Promise((resolve) => void thread.once(event, resolve));
const isThere = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    // One that has ended and was not asked for its exit code is none.
    return process.platform !== 'linux' || !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
};

test('a thread in a process of its own hears and is heard, and dies of its own faults alone', async () => {
  const thread = startThreadInProcess(beside, 'works', { workerData: { greeting: 'hello' } });
  thread.postMessage({ many: [1n, new Date(0)] });
  const { pid, ...told } = (await hears(thread, 'message')) as { pid: number };
  assert.deepEqual(told, { message: { many: [1n, new Date(0)] }, greeting: 'hello' });
  assert.notEqual(pid, process.pid);
  // A terminal and a supervisor signal all processes of a service.
  for (const signal of ['SIGTERM', 'SIGINT']) process.kill(pid, signal);
  const { used_heap_size } = await thread.getHeapStatistics();
  assert.ok(used_heap_size > 1e6, String(used_heap_size));
  const gone = hears(thread, 'exit');
  const failed = hears(thread, 'error');
  thread.postMessage('die');
  assert.match(((await failed) as Error).message, /as told/);
  await gone;
  assert.equal(isThere(pid), false);
  await assert.rejects(thread.getHeapStatistics());
});

test('one that is inside of native code is ended at once', async () => {
  const thread = startThreadInProcess(beside, 'works');
  thread.postMessage('hang');
  const { pid } = (await hears(thread, 'message')) as { pid: number };
  const began = performance.now();
  await thread.terminate();
  assert.ok(performance.now() - began < 2_000);
  assert.equal(isThere(pid), false);
});

test('it does not outlive the service, however that ends', async () => {
  const asks = `
    const { startThreadInProcess } = await import(${JSON.stringify(new URL('./process-thread.ts', import.meta.url).href)});
    const thread = startThreadInProcess(${JSON.stringify(beside)}, 'works');
    thread.on('message', ({ pid }) => console.log(pid));
    thread.postMessage('hang');`;
  const service = spawn(process.execPath, ['--input-type=module', '-e', asks], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(service.stdout, 'data')) as [Buffer];
  const pid = Number(line.toString());
  assert.ok(isThere(pid));
  service.kill('SIGKILL');
  await until('the process to go', () => !isThere(pid));
});
