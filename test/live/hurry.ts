import { setTimeout as pause } from 'node:timers/promises';
import type { Reachable } from '../../src/cli/prove/service-process.ts';
import type { LiveSync } from './live-sync.ts';

/** The longest that a live run waits before it is tried again. */
const LONGEST_WAIT = 61_000;
const GLANCE = 50;

/** Turns the clock whenever the run waits to be tried again, so that nobody has to. */
export async function hurry(live: LiveSync, service: Reachable, turn: (ms: number) => void, enough: AbortSignal): Promise<void> {
  while (!enough.aborted) {
    if (live.id !== '') {
      const sync = await live.look(service);
      const status = sync?.current_run?.status;
      if (status === 'retrying' || (sync && !sync.current_run) || status === 'queued') turn(LONGEST_WAIT);
    }
    await pause(GLANCE);
  }
}
