import { setTimeout as pause } from 'node:timers/promises';
import { RunDriver } from '../../src/cli/prove/run-driver.ts';
import type { Reachable } from '../../src/cli/prove/service-process.ts';
import { TABLES, type WorkMode } from './sync-workload.ts';

const GLANCE = 20;

export interface End {
  type: string;
  config: object;
}

/** How a stream is called at one of the ends. */
export type TargetName = (table: string) => string;

/** Keeps one synchronization for each mode busy, each with the table that the workload has for it. */
export class SyncDriver extends RunDriver {
  create(
    service: Reachable,
    source: End,
    target: End,
    named: TargetName,
    modes: readonly WorkMode[],
    from: TargetName = (table) => `public.${table}`,
  ): Promise<void> {
    const streams = modes.map((mode) => ({
      name: mode,
      mode,
      source: from(TABLES[mode]),
      target: named(TABLES[mode]),
      ...(mode !== 'mirror' && { cursor: 'at' }),
    }));
    return this.define(service, source, target, streams);
  }
}

/** A clock that goes on by itself and can be turned forwards. */
export interface TurnableClock {
  now: () => number;
  turn(milliseconds: number): void;
}

export function turnableClock(): TurnableClock {
  let ahead = 0;
  return { now: () => Date.now() + ahead, turn: (milliseconds) => (ahead += milliseconds) };
}

// The longest that a run waits before it is tried again.
const LONGEST_WAIT = 31 * 60_000;

/** Turns the clock whenever a run waits to be tried again, so that nobody has to. */
export async function impatient(service: Reachable, driver: SyncDriver, clock: TurnableClock, enough: AbortSignal): Promise<void> {
  while (!enough.aborted) {
    if (await driver.isAny(service, 'retrying')) clock.turn(LONGEST_WAIT);
    await pause(GLANCE);
  }
}
