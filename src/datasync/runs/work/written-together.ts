import type { Database } from '../../../db/database.ts';
import { Batcher } from '../../../lib/batcher.ts';
import type { Clock } from '../../../lib/clock.ts';
import { type FinishedAttempt, type Finished, finishRuns } from '../queue/finish.ts';
import type { EndPace } from '../queue/pace.ts';
import { keepMemories, type StreamMemory } from '../rows/stream-memory.ts';

/** What all runs of a node write, and small ones by the hundred: what comes while something is being written goes together. */
export interface WrittenTogether {
  /** How a run ended; null when another worker has it now. */
  finish(finished: Finished): Promise<FinishedAttempt | null>;
  /** What a run has found out about a stream; false when another worker has it now. */
  remember(memory: StreamMemory): Promise<boolean>;
}

/** From so many ends in half a second on, it is worth waiting for company. */
const MANY = 5;
const PATIENCE = 100;

const ONE_AFTER_THE_OTHER = {
  maxItems: 100,
  maxWaiting: Number.POSITIVE_INFINITY,
  concurrency: 1,
  eager: Number.POSITIVE_INFINITY,
};

export function writeTogether({ db, clock, pace }: { db: Database; clock: Clock; pace: EndPace }): WrittenTogether {
  const ends = new Batcher<Finished, FinishedAttempt | null>({
    ...ONE_AFTER_THE_OTHER,
    linger: () => (pace.lately() < MANY ? 0 : PATIENCE),
    run: (finished) => db.write(finishRuns, { now: clock(), finished }),
  });
  const memories = new Batcher<StreamMemory, boolean>({
    ...ONE_AFTER_THE_OTHER,
    run: (found) => db.write(keepMemories, found),
  });
  return { finish: (finished) => ends.submit(finished), remember: (memory) => memories.submit(memory) };
}
