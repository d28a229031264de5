import type { Database } from '../../../db/database.ts';
import { type Pulse, startPulse } from '../../../jobs/pulse.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { Logger } from '../../../lib/log.ts';
import { beat, type RunNews } from '../queue/beat.ts';
import type { LiveWork } from './live-work.ts';
import type { Recovery } from './recovery.ts';
import type { RunsHere } from './runs-here.ts';

const BEAT_INTERVAL = 2_000;
/** What has not changed is still told so often: how long a run is at work is seen by it. A little less than some beats. */
const TOLD_ANYWAY = 5 * BEAT_INTERVAL - 500;

/** What was written down of a run, and when. */
interface Told {
  readonly news: RunNews;
  readonly at: number;
}

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
  let told: ReadonlyMap<string, Told> = new Map();
  const work = async (): Promise<void> => {
    const runs = [...runsHere.progress(leaseMs), ...live.progress()];
    if (runs.length > 0) {
      const now = performance.now();
      const isTold = (news: RunNews): boolean => isSame(told.get(news.id), news, now);
      const pulses = await db.write(beat, {
        now: clock(),
        runs: runs.map((news) => (isTold(news) ? { id: news.id, token: news.token, leaseMs: news.leaseMs } : news)),
      });
      told = new Map(runs.map((news) => [news.id, isTold(news) ? (told.get(news.id) as Told) : { news, at: now }]));
      for (const { id, stop } of pulses) if (stop) for (const here of [runsHere, live]) here.stop(id, stop);
    }
    if ((await recovery.ofLapsed()) > 0) claim();
  };
  return startPulse({ name: 'telling how far runs are', interval: BEAT_INTERVAL, log, work });
}

/** Whether there is nothing in it that is not written down. */
function isSame(told: Told | undefined, { token, report = [], lag }: RunNews, now: number): boolean {
  if (!told || now - told.at > TOLD_ANYWAY) return false;
  const { news } = told;
  const known = news.report ?? [];
  return news.token === token && news.lag === lag && known.length === report.length && report.every((one, at) => one === known[at]);
}
