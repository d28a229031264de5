import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../../db/database.ts';
import { type Duty, type HeldDuty, startDuty } from '../../jobs/duty.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Logger } from '../../lib/log.ts';
import { OutsideError } from '../../outside/errors.ts';
import type { LogStore } from '../logs/store.ts';
import type { Prober } from '../sources/prober.ts';
import type { SourceService } from '../sources/service.ts';
import { retainedTooMuch } from '../../engine/live/release.ts';
import {
  dueReleases,
  endRelease,
  followedConfig,
  type IdleFollower,
  idleFollowers,
  isSameServer,
  openReleases,
  postponeRelease,
  type ReleaseRow,
} from './rows.ts';
import { isFollowed } from './followed.ts';
import { keepsForUndo, SWEEP_INTERVAL, sweepKept, undoneRuns } from './kept-runs.ts';
import { family } from '../metrics/text-format.ts';

const LEASE = 30_000;
const LOOK_INTERVAL = 2_000;
const AT_ONCE = 20;
/** How often it is looked at what is kept for synchronizations that nobody follows at the moment. */
const BOUND_INTERVAL = 15_000;
const FIRST_DELAY = 5_000;
const LONGEST_DELAY = 60 * 60_000;
/** A server that has been away for so long is gone for good. */
const GIVEN_UP_AFTER = 30 * 86_400_000;

interface ReleasingOptions {
  /** The id of this node. */
  node: string;
  db: Database;
  clock: Clock;
  log: Logger;
  logs: Pick<LogStore, 'add'>;
  sources: Pick<SourceService, 'configOf'>;
  prober: Pick<Prober, 'ask'>;
}

/** Has sources forget what they keep for synchronizations that are gone: one node does it for all. */
export function startReleasing(options: ReleasingOptions): Duty {
  const { node, db, clock, log } = options;
  return startDuty({ name: 'log releases', node, db, clock, log, lease: LEASE, work: (held) => release(held, options) });
}

/** Each at its own pace: a source that does not answer holds up neither the others nor what is to be released. */
async function release({ lost }: HeldDuty, options: ReleasingOptions): Promise<void> {
  await Promise.all([
    again(lost, LOOK_INTERVAL, options, async () => {
      const due = await dueReleases(options.db.read, options.clock(), AT_ONCE);
      await Promise.all(due.map((row) => releaseOne(row, options)));
    }),
    again(lost, BOUND_INTERVAL, options, () => boundIdle(options)),
    again(lost, SWEEP_INTERVAL, options, () => sweepKept(options)),
  ]);
}

async function again(lost: AbortSignal, interval: number, { log }: ReleasingOptions, work: () => Promise<void>): Promise<void> {
  while (!lost.aborted) {
    await work().catch((error: unknown) => log.warn({ err: error }, 'what sources keep could not be looked at; it will be tried again'));
    await sleep(interval, undefined, { signal: lost, ref: false }).catch(() => undefined);
  }
}

/** The worker that follows a log sees to it that its source keeps no more of it than it may. For those that nobody follows, such as paused ones, this does. */
async function boundIdle(options: ReleasingOptions): Promise<void> {
  const idle = await idleFollowers(options.db.read);
  while (idle.length > 0) await Promise.all(idle.splice(0, AT_ONCE).map((one) => boundOne(one, options)));
}

async function boundOne({ sync, source, most }: IdleFollower, { log, logs, sources, prober }: ReleasingOptions): Promise<void> {
  try {
    const bytes = await prober.ask(source.type, sources.configOf(source), { ask: 'bound', syncId: sync.id, most });
    if (bytes === null) return;
    logs.add({ syncId: sync.id, sourceId: source.id, level: 'error', message: retainedTooMuch(bytes, most).message });
  } catch (error) {
    // One that is away keeps what it keeps.
    if (!(error instanceof OutsideError)) log.warn({ err: error, sync: sync.id }, 'what a source keeps could not be looked at');
  }
}

/** Whether it is needed after all, and if not, lets it be forgotten. */
async function isStillNeeded(row: ReleaseRow, { db, sources, prober }: ReleasingOptions): Promise<boolean> {
  const configOf = (): unknown => sources.configOf({ ...row, id: row.source_id, name: row.source_name });
  if (row.what === 'undo') {
    if (await keepsForUndo(db.read, row)) return true;
    await prober.ask(row.type, configOf(), { ask: 'forget', sync: row.sync_id });
    return false;
  }
  const followed = await followedConfig(db.read, row.sync_id);
  if (followed !== undefined && isSameServer(followed, row.config)) return true;
  const config = configOf();
  if (await isFollowed(row, config, { db, sources, prober })) return true;
  await prober.ask(row.type, config, { ask: 'release', syncId: row.sync_id });
  return false;
}

async function releaseOne(row: ReleaseRow, options: ReleasingOptions): Promise<void> {
  const { db, clock, log, logs } = options;
  const about = { syncId: row.sync_id, sourceId: row.source_id };
  const named = `what "${row.source_name}" keeps ${row.what === 'log' ? 'of its log' : 'to undo runs'} for "${row.sync_name}"`;
  try {
    if (await isStillNeeded(row, options)) return db.write(endRelease, row);
  } catch (error) {
    // Whatever it is, the others do not wait for it.
    if (!(error instanceof OutsideError))
      log.warn({ err: error, sync: row.sync_id }, 'a log could not be released; it will be tried again');
    const why = error instanceof OutsideError ? error.message : "The reason is in the service's own log.";
    if (clock() - Date.parse(row.created_at) > GIVEN_UP_AFTER) {
      logs.add({ ...about, level: 'error', message: `It is given up to release ${named}: it has failed for 30 days. ${why}` });
      return db.write(endRelease, row);
    }
    // It is told once, and not with every try.
    if (row.attempts === 0)
      logs.add({ ...about, level: 'warn', message: `Not released yet is ${named}: ${why} It is tried again until it is.` });
    const delay = Math.min(FIRST_DELAY * 2 ** row.attempts, LONGEST_DELAY);
    return db.write(postponeRelease, { id: row.id, attempts: row.attempts, now: clock(), delay, error: why });
  }
  logs.add({ ...about, level: 'info', message: `Released is ${named}.` });
  return db.write(endRelease, row);
}

/** What is still to be released, and what was undone, for the metrics. */
export async function releaseFamilies(db: Database): Promise<string> {
  const families = [
    family('syncline_log_releases_open', 'gauge', 'Synchronizations that are gone and whose source still keeps its log for them.', [
      { value: await openReleases(db.read, 'log') },
    ]),
    family('syncline_undo_releases_open', 'gauge', 'Synchronizations whose target is still to forget what it keeps to undo their runs.', [
      { value: await openReleases(db.read, 'undo') },
    ]),
    family('syncline_runs_undone', 'gauge', 'Runs of the history that were undone.', [{ value: await undoneRuns(db.read) }]),
  ];
  return families.join('');
}
