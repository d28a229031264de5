import type { Database } from '../../../db/database.ts';
import { type Pulse, startPulse } from '../../../jobs/pulse.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { Logger } from '../../../lib/log.ts';
import { beat } from '../queue/beat.ts';
import type { LiveWork } from './live-work.ts';
import type { Recovery } from './recovery.ts';
import type { RunsHere } from './runs-here.ts';

const BEAT_INTERVAL = 2_000;

export interface BeatingOptions {
  db: Database;
  clock: Clock;
  log: Logger;
  leaseMs: number;
  runsHere: RunsHere;
  live: LiveWork;
  recovery: Recovery;
  /** There are runs to claim. */
  claim: () => void;
}

/** Tells that this node is alive and how far its runs are, and hears which of them are to stop. Then it has runs go on whose node is gone. */
export function startBeating({ db, clock, log, leaseMs, runsHere, live, recovery, claim }: BeatingOptions): Pulse {
  const work = async (): Promise<void> => {
    const runs = [...runsHere.progress(leaseMs), ...live.progress()];
    if (runs.length > 0) {
      const pulses = await db.write(beat, { now: clock(), runs });
      for (const { id, stop } of pulses) if (stop) for (const here of [runsHere, live]) here.stop(id, stop);
    }
    if ((await recovery.ofLapsed()) > 0) claim();
  };
  return startPulse({ name: 'telling how far runs are', interval: BEAT_INTERVAL, log, work });
}
