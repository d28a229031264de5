import type { Thread } from './thread.ts';
import { everyTick } from './ticks.ts';

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
  const hasWorked = workOf(worker);
  return everyTick(LOOK_INTERVAL, () => {
    if (hasWorked()) void isGreedy(worker, megabytes).then((greedy) => greedy && tooMuch());
  });
}

/** Milliseconds of work between two looks in which a thread cannot have taken much. */
const LITTLE_WORK = 10;
const MOST_SKIPPED = 7;

/** Tells whether a thread has done anything since it was last asked: one that waits need not be woken to say what it uses. */
function workOf({ performance: of }: Thread): () => boolean {
  if (!of) return () => true;
  let before = of.eventLoopUtilization();
  let skipped = 0;
  return () => {
    const now = of.eventLoopUtilization();
    const { active } = of.eventLoopUtilization(now, before);
    before = now;
    if (active < LITTLE_WORK && skipped++ < MOST_SKIPPED) return false;
    skipped = 0;
    return true;
  };
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
