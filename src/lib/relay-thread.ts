// The main thread of a process that has one thread to work, which may be inside of native code without end. It passes messages on, and ends the
// process, with whatever is under way in it, when the service is gone.
import type { Worker } from 'node:worker_threads';
import type { FromRelay, ToRelay } from './process-thread.ts';
import { startBody } from './thread.ts';

let worker: Worker | undefined;
const tell = (what: FromRelay, then = (): void => undefined): void => void process.send?.(what, then);
// An ordinary exit would wait for the thread.
const end = (): void => void process.kill(process.pid, 'SIGKILL');

process.on('disconnect', end);
// A terminal and a supervisor signal all processes of a service. The service itself decides when its threads end.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);

process.on('message', (told: ToRelay) => {
  if ('message' in told) worker?.postMessage(told.message);
  else if ('start' in told) start(told);
  else void tellHeap(told.heap);
});

function start({ start: body, workerData, resourceLimits }: Extract<ToRelay, { start: string }>): void {
  worker = startBody(body, { ...(workerData && { workerData }), ...(resourceLimits && { resourceLimits }) });
  worker.on('message', (message) => tell({ message }));
  worker.on('error', (error: NodeJS.ErrnoException) => tell({ error: { message: error.stack ?? error.message, code: error.code } }));
  // What was told before goes out first.
  worker.on('exit', () => tell({ isOver: true }, end));
}

async function tellHeap(question: number): Promise<void> {
  const statistics = await worker?.getHeapStatistics().catch(() => undefined);
  const { used_heap_size, external_memory } = statistics ?? {};
  const isKnown = used_heap_size !== undefined && external_memory !== undefined;
  tell({ heap: question, statistics: isKnown ? { used_heap_size, external_memory } : null });
}
