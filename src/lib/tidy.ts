import { getHeapStatistics } from 'node:v8';
import { garbageCollector } from './collect-garbage.ts';

// V8 lets garbage grow to four times what is in use before it looks at more than the youngest, as its limit is far off. Work whose portions are
// forgotten as a whole, but live for a moment, makes tens of megabytes of that.

/** So many bytes may be added before all is looked at, */
const LEAST = 16 * 1024 * 1024;
/** or such a part of what was in use then: the more there is, the longer a look takes. */
const PART = 0.5;

// Of the heap, of which each thread has one.
let collect: ReturnType<typeof garbageCollector> | undefined;
let most = 0;

/** Called between two portions of work, it collects garbage when much has come together. */
export function tidyUp(): void {
  const inUse = getHeapStatistics().used_heap_size;
  if (most === 0) most = inUse + allowed(inUse);
  if (inUse < most) return;
  collect ??= garbageCollector();
  collect({ type: 'major' });
  const left = getHeapStatistics().used_heap_size;
  most = left + allowed(left);
}

function allowed(inUse: number): number {
  return Math.max(LEAST, inUse * PART);
}
