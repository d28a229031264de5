import type { Database } from '../../db/database.ts';
import type { RefusedKeys } from '../../http/callers/refused-keys.ts';
import type { RequestTally } from '../../http/connections/request-tally.ts';
import type { Traffic } from '../../http/connections/traffic.ts';
import type { Clock } from '../../lib/clock.ts';
import { expose } from './exposition.ts';
import type { Metrics } from './metrics.ts';
import type { createProcessFigures } from './process-figures.ts';
import { stateFamilies, stateOfSyncs } from './sync-states.ts';
import { totalFamilies, totalsOfSyncs } from './totals.ts';

export interface ScrapeOptions {
  db: Database;
  clock: Clock;
  requests: RequestTally;
  traffic: Traffic;
  refusedKeys: RefusedKeys;
  processFigures: ReturnType<typeof createProcessFigures>;
  version: string;
  /** What else there is to measure, as families of the text format. */
  others: readonly (() => Promise<string>)[];
}

/** All that there is to measure, in the text format of Prometheus; `metrics` are the figures of a window. */
export function createScrape({ db, clock, requests, traffic, refusedKeys, processFigures, version, others }: ScrapeOptions) {
  return async (metrics: Metrics): Promise<string> => {
    const now = clock();
    const isShown = new Set(metrics.syncs.map(({ sync_id }) => sync_id));
    const [states, totals, ...more] = await Promise.all([
      db.query(stateOfSyncs, { now }),
      db.query(totalsOfSyncs, {}),
      ...others.map((families) => families()),
    ]);
    return [
      expose({ metrics, requests, traffic, refusedKeys, process: processFigures.read(), version }),
      stateFamilies(
        states.filter(({ id }) => isShown.has(id)),
        now,
      ),
      totalFamilies(totals.filter(({ id }) => isShown.has(id))),
      ...more,
    ].join('');
  };
}
