import type { Thread } from './thread.ts';

const LOOK_INTERVAL = 250;
/** V8's own limit takes the whole process down when it is hit by one large piece, so it must be far off when we look. */
const HEAP_LIMIT_FACTOR = 4;

/** V8's limit for a thread that is watched. */
export function heapLimit(megabytes: number): number {
  return megabytes * HEAP_LIMIT_FACTOR;
}

/** Whether a thread has ended by V8's own limit: it took so much between two looks. */
export function hitHeapLimit(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY';
}

/** Looks at a thread from time to time and tells when it uses more memory than this. Answers how to stop looking. */
export function watchMemory(worker: Thread, megabytes: number, tooMuch: () => void): () => void {
  const watch = setInterval(() => {
    void isGreedy(worker, megabytes).then((greedy) => greedy && tooMuch());
  }, LOOK_INTERVAL);
  return () => clearInterval(watch);
}

/** Whether a thread uses more memory than it may. It answers even while its JavaScript never rests. */
async function isGreedy(worker: Thread, limit: number): Promise<boolean> {
  try {
    const heap = await worker.getHeapStatistics();
    return heap.used_heap_size + heap.external_memory > limit * 1024 * 1024;
  } catch {
    // It has just ended, and says itself why.
    return false;
  }
}
