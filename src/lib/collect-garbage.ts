import { flushCompileCache } from 'node:module';
import { performance } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** The collector of this thread's heap. V8 has it for tests, and shows it to contexts that are made while the flag is set. */
export function garbageCollector(): (options: object) => void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as (options: object) => void;
  setFlagsFromString('--no-expose-gc');
  return collect;
}

/** Milliseconds of which a quiet thread has used less than `QUIET`. */
const WATCHED = 2_000;
const QUIET = 0.1;
/** What is begun at the start, and ends later on a busy machine, leaves its own. */
const AGAIN = 20_000;

/**
 * Gives back the memory of what nobody needs any more, once this thread has been quiet for a while. A start leaves some ten megabytes of it, which
 * the engine of JavaScript would leave where they are for as long as the service has little to do. A thread that is busy would be held up, and
 * would have to fetch back the room for its work in small steps.
 */
export function collectGarbageWhenQuiet(times = 2): void {
  const before = performance.eventLoopUtilization();
  setTimeout(() => {
    if (performance.eventLoopUtilization(before).utilization > QUIET) return collectGarbageWhenQuiet(times);
    flushCompileCache();
    garbageCollector()({ type: 'major', execution: 'sync', flavor: 'last-resort' });
    if (times > 1) setTimeout(collectGarbageWhenQuiet, AGAIN, times - 1).unref();
  }, WATCHED).unref();
}
