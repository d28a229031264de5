import type { Database } from '../../../db/database.ts';
import type { Hints } from '../../../jobs/hints.ts';
import { type Pulse, startPulse } from '../../../jobs/pulse.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { Logger } from '../../../lib/log.ts';
import { type Agenda, readAgenda, readDue, stoppingRuns } from '../queue/agenda.ts';
import type { ShopWatch } from '../queue/changes.ts';
import { fireDue } from '../queue/fire.ts';
import { fireVerify, readVerifyDue } from '../queue/fire-verify.ts';
import type { TimeKeeper } from '../queue/time-keeper.ts';
import type { WantedWatch } from '../queue/wanted.ts';
import type { Backlog } from './backlog.ts';
import { LATE_LEASE, type LiveWork } from './live-work.ts';
import type { PartWork } from './part-work.ts';
import type { Recovery } from './recovery.ts';
import type { RunsHere } from './runs-here.ts';

/** While runs are at work they may be cancelled, and the person must not wait for it even if hints are lost. */
const LOOK_AT_WORK = 500;
/** An idle node asks the database as little as it can: rarely while it hears of all that is new. */
const LOOK_IDLE = 2_000;
const LOOK_UNHEARD = 1_000;
const DUE_AT_ONCE = 200;

export interface LookingOptions {
  node: string;
  db: Database;
  clock: Clock;
  log: Logger;
  hints: Hints;
  runsHere: RunsHere;
  backlog: Backlog;
  recovery: Recovery;
  changes: ShopWatch;
  wanted: WantedWatch;
  timeKeeper: TimeKeeper;
  parts: PartWork;
  live: LiveWork;
  /** There are runs to claim. */
  claim: () => void;
  /** The lease of a run is over. */
  lapsed: () => void;
}

/** Looks all the time for what is due, and wakes those that do it. */
export function startLooking(options: LookingOptions): Pulse {
  const { node, db, clock, log, hints, runsHere, backlog, recovery, changes, wanted, timeKeeper, parts, live, claim, lapsed } = options;
  const work = async (): Promise<number> => {
    await recovery.begin();
    let agenda = await readAgenda(db.read, node, clock());
    if (await timeKeeper.look(agenda.now)) agenda = await readAgenda(db.read, node, clock());
    if (agenda.stopping > 0)
      for (const { id, reason } of await stoppingRuns(db.read, node)) for (const here of [runsHere, live]) here.stop(id, reason);
    const started = dueFor(agenda, 'due') === undefined ? 0 : await fire(options, agenda.now);
    const fired = started + (dueFor(agenda, 'verify') === undefined ? 0 : await verify(options, agenda.now));
    const again = soonest(await changes.look(agenda), await wanted.look(agenda));
    const waiting = dueFor(agenda, 'waiting');
    backlog.look(waiting);
    parts.hasRoom();
    if (fired > 0 || again !== undefined || waiting !== undefined) claim();
    if (fired > 0 || again !== undefined || dueFor(agenda, 'live') !== undefined) live.wake();
    const isLapsed = dueFor(agenda, 'lease') !== undefined;
    recovery.look(isLapsed);
    if (isLapsed) lapsed();
    if (leftOf(agenda, 'lease') < LATE_LEASE) await live.makeReady();
    // Live runs are there at all times: for them alone it is looked as often as hints need it.
    const isAtWork = runsHere.isAny || (live.isAny() && !hints.areHeard());
    const interval = isAtWork ? LOOK_AT_WORK : hints.areHeard() ? LOOK_IDLE : LOOK_UNHEARD;
    return Math.min(interval, again ?? interval, untilNext(agenda));
  };
  return startPulse({ name: 'looking for what is due', interval: LOOK_IDLE, log, work });
}

/** Puts the runs of all slots that have come in the queue; answers how many. */
async function fire({ db, clock }: LookingOptions, now: string): Promise<number> {
  let queued = 0;
  for (let due = await readDue(db.read, now, DUE_AT_ONCE); due.length > 0; due = await readDue(db.read, now, DUE_AT_ONCE)) {
    queued += (await db.write(fireDue, { now: clock(), due })).queued;
  }
  return queued;
}

/** The same for streams that are to be compared. */
async function verify({ db, clock }: LookingOptions, now: string): Promise<number> {
  const syncIds = await readVerifyDue(db.read, now, DUE_AT_ONCE);
  return syncIds.length === 0 ? 0 : db.write(fireVerify, { now: clock(), syncIds });
}

function soonest(...times: readonly (number | undefined)[]): number | undefined {
  const known = times.filter((time) => time !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}

/** For how many milliseconds the first of its kind has been due; undefined when none is. */
function dueFor(agenda: Agenda, kind: 'waiting' | 'live' | 'due' | 'verify' | 'lease'): number | undefined {
  const left = leftOf(agenda, kind);
  return left <= 0 ? -left : undefined;
}

/** In how many milliseconds the first of its kind is due; less than none when it has been for a while. */
function leftOf(agenda: Agenda, kind: 'waiting' | 'live' | 'due' | 'verify' | 'lease'): number {
  const time = agenda[kind];
  return time === null ? Number.POSITIVE_INFINITY : Date.parse(time) - Date.parse(agenda.now);
}

/** Milliseconds until the next thing on the agenda that is not due yet; what is due already waits for room. */
function untilNext(agenda: Agenda): number {
  const lease = leftOf(agenda, 'lease');
  const times = [
    leftOf(agenda, 'waiting'),
    leftOf(agenda, 'live'),
    leftOf(agenda, 'due'),
    leftOf(agenda, 'verify'),
    lease,
    lease - LATE_LEASE,
  ];
  return Math.min(LOOK_IDLE, ...times.filter((left) => left > 0));
}
