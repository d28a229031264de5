import { command } from '../../db/database.ts';
import { sql } from '../../db/sql.ts';
import { isoTime } from '../../lib/clock.ts';
import { type Health, HEALTHS, healthOf } from '../syncs/health.ts';
import { eachSync } from '../syncs/queries.ts';
import { signsOf } from '../syncs/render.ts';
import { readVerified, type Verified } from '../runs/rows/verified.ts';
import { family, type Labels, type MetricSample } from './text-format.ts';

const AT_ONCE = 200;

interface SyncState {
  id: string;
  name: string;
  health: Health;
  isPaused: boolean;
  openRejects: number;
  /** When its last successful run began, and when it ended; where there was none, when it was made, and null. */
  since: string;
  succeededAt: string | null;
  verified: Verified | null;
}

/** How each synchronization is at this moment. */
export const stateOfSyncs = command(import.meta.url, 'stateOfSyncs', async (db, { now }: { now: number }): Promise<SyncState[]> => {
  const succeeded = await db.all<{ sync_id: string; started_at: string; finished_at: string }>(sql`
    select r.sync_id, r.started_at, r.finished_at from syncs s join runs r on r.id = (
      select id from runs where sync_id = s.id and status in ('succeeded', 'partial') and mode in ('run', 'full') order by id desc limit 1)`);
  const bySync = new Map(succeeded.map((run) => [run.sync_id, run]));
  const states: SyncState[] = [];
  for await (const view of eachSync(db, AT_ONCE)) {
    const last = bySync.get(view.id);
    states.push({
      id: view.id,
      name: view.name,
      health: healthOf(signsOf(view, isoTime(now))).health,
      isPaused: view.status === 'paused',
      openRejects: view.open_rejects,
      since: last?.started_at ?? view.created_at,
      succeededAt: last?.finished_at ?? null,
      verified: readVerified(view.verified),
    });
  }
  return states;
});

const RESULTS = ['equal', 'differs', 'changing'] as const;
const DIFFERENCES = ['missing', 'extra', 'different'] as const;

/** A series for each synchronization, also for one that is paused, has never run or was never compared: an alert on a series that is not there is never raised. */
export function stateFamilies(states: readonly SyncState[], now: number): string {
  const each = (pick: (state: SyncState, labels: Labels) => readonly MetricSample[]): MetricSample[] =>
    states.flatMap((state) => pick(state, { sync_id: state.id, sync: state.name }));
  const gauge = (name: string, help: string, pick: (state: SyncState) => number): string =>
    family(
      `syncline_${name}`,
      'gauge',
      help,
      each((state, labels) => [{ labels, value: pick(state) }]),
    );
  return [
    family(
      'syncline_sync_health',
      'gauge',
      'How a synchronization is: 1 for its health, and 0 for the others.',
      each(({ health }, labels) => HEALTHS.map((one) => ({ labels: { ...labels, health: one }, value: one === health ? 1 : 0 }))),
    ),
    gauge('sync_paused', 'Whether a synchronization is paused.', ({ isPaused }) => (isPaused ? 1 : 0)),
    gauge(
      'sync_last_success_timestamp_seconds',
      'When the last successful run ended, in seconds since 1970; 0 where there was none.',
      ({ succeededAt }) => seconds(succeededAt),
    ),
    gauge(
      'sync_age_seconds',
      'Seconds since the last successful run began, or since the synchronization was made: so old the target may be.',
      ({ since }) => Math.max(0, (now - Date.parse(since)) / 1000),
    ),
    gauge('sync_open_rejects', 'Rows that were rejected and wait; 1000 stands for that many and more.', ({ openRejects }) => openRejects),
    family(
      'syncline_verify_result',
      'gauge',
      'What was found when both ends were compared last: 1 for the result, and 0 for the others; 0 for all where they never were.',
      each(({ verified }, labels) =>
        RESULTS.map((one) => ({ labels: { ...labels, result: one }, value: one === verified?.result ? 1 : 0 })),
      ),
    ),
    gauge('verify_rows', 'Rows that were compared then.', ({ verified }) => verified?.rows ?? 0),
    family(
      'syncline_verify_differences',
      'gauge',
      'Rows that were seen to differ then, by kind.',
      each(({ verified }, labels) => DIFFERENCES.map((kind) => ({ labels: { ...labels, kind }, value: verified?.[kind] ?? 0 }))),
    ),
    gauge('verify_timestamp_seconds', 'When that was, in seconds since 1970; 0 where it never was.', ({ verified }) =>
      seconds(verified?.at ?? null),
    ),
  ].join('');
}

function seconds(time: string | null): number {
  return time === null ? 0 : Date.parse(time) / 1000;
}
