import type { Database } from '../../db/database.ts';
import { Batcher } from '../../lib/batcher.ts';
import type { Clock } from '../../lib/clock.ts';
import { type EndedRun, type Finished, finishRuns } from './finish.ts';

/** Writes down how runs of this node ended. */
export interface Finisher {
  finish(finished: Finished): Promise<EndedRun | null>;
}

/** Runs that end while others are being written down are written down together: small ones end by the hundred. */
export function createFinisher({ db, clock }: { db: Database; clock: Clock }): Finisher {
  const batcher = new Batcher<Finished, EndedRun | null>({
    maxItems: 100,
    maxWaiting: Number.POSITIVE_INFINITY,
    concurrency: 1,
    eager: Number.POSITIVE_INFINITY,
    run: (finished) => db.write(finishRuns, { now: clock(), finished }),
  });
  return { finish: (finished) => batcher.submit(finished) };
}
