import { Worker, type WorkerOptions } from 'node:worker_threads';

// As for the process itself: with the compile cache on first, the thread never loads the TypeScript stripper (30 MB).
const ENTRY = "require('node:module').enableCompileCache(); import(require('node:worker_threads').workerData.body);";

/** Starts a thread whose body is the module of this name beside the one that asks (its `import.meta.url`). */
export function startThread(asking: string, name: string, { workerData, ...options }: WorkerOptions = {}): Worker {
  const body = new URL(`./${name}.${asking.endsWith('.ts') ? 'ts' : 'js'}`, asking).href;
  return new Worker(ENTRY, { ...options, eval: true, workerData: { ...(workerData as object), body } });
}
