import type { EventEmitter } from 'node:events';
import { setFlagsFromString } from 'node:v8';
import { type ResourceLimits, Worker, type WorkerOptions } from 'node:worker_threads';

/** What is used of a thread, wherever it runs: in this process, or in one of its own (`process-thread.ts`). It tells `message`, `error`, `exit`. */
export interface Thread extends EventEmitter {
  postMessage(message: unknown): void;
  /** Ends it, whatever it is doing. Resolves when it is gone. */
  terminate(): Promise<unknown>;
  /** Whether it keeps the process from its end. */
  ref(): void;
  unref(): void;
  getHeapStatistics(): Promise<{ used_heap_size: number; external_memory: number }>;
  /** How much it does, where that can be seen from outside. */
  readonly performance?: Pick<Worker['performance'], 'eventLoopUtilization'>;
}

export interface ThreadOptions {
  workerData?: object;
  resourceLimits?: ResourceLimits;
}

// As for the process itself: with the compile cache on first, the thread never loads the TypeScript stripper (30 MB).
const ENTRY = "require('node:module').enableCompileCache(); import(require('node:worker_threads').workerData.body);";

/** Megabytes for what is soon forgotten, where a thread does not say: as much as the process has (`bin/syncline.js`). */
const YOUNG = 48;

/** The address of the module of this name beside the one that asks (its `import.meta.url`). */
export function besideOf(asking: string, name: string): string {
  return new URL(`./${name}.${asking.endsWith('.ts') ? 'ts' : 'js'}`, asking).href;
}

/** Starts a thread whose body is the module of this name beside the one that asks (its `import.meta.url`). */
export function startThread(asking: string, name: string, options: WorkerOptions = {}): Worker {
  return startBody(besideOf(asking, name), options);
}

/** Starts a thread with this module as its body. */
export function startBody(body: string, { workerData, resourceLimits, ...options }: WorkerOptions): Worker {
  // What the process was told for itself would be that of each thread, too, whatever its limits say. Its own heap is made by now.
  setFlagsFromString('--max-semi-space-size=0');
  return new Worker(ENTRY, {
    ...options,
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG, ...resourceLimits },
    eval: true,
    workerData: { ...(workerData as object), body },
  });
}
