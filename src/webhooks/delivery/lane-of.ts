import type { Endpoint } from '../endpoint.ts';
import { Lane, type LaneState } from './lane.ts';
import type { Timing } from './schedule.ts';

/** What a clock may be wrong by when it is set, in milliseconds. */
export const CLOCK_SLACK = 5_000;

interface Beginning {
  timing: Timing;
  now: number;
  /** Whether what is known of its failures counts no more. */
  isAnew: boolean;
}

/** The lane of an endpoint, with what is kept of its deliveries. With `waitsForNothing`, what waits for its time is due. */
export function laneOf(endpoint: Endpoint, { timing, now, isAnew }: Beginning): { lane: Lane; waitsForNothing: boolean } {
  const state = stateOf(endpoint);
  // Times that have not come yet were told by a clock that was ahead: those to wait for were, too.
  const waitsForNothing = isAnew || Math.max(state.failingSince, state.lastDeliveredAt) > now + CLOCK_SLACK;
  if (waitsForNothing) Object.assign(state, { failures: 0, failingSince: 0, tryAt: 0 });
  return { lane: new Lane({ state, limits: endpoint, timing, random: Math.random }), waitsForNothing };
}

function stateOf({ position, failures, failingSince, tryAt, lastDeliveredAt }: Endpoint): LaneState {
  return { position, failures, failingSince: timeOf(failingSince), tryAt: timeOf(tryAt), lastDeliveredAt: timeOf(lastDeliveredAt) };
}

function timeOf(iso: string | null): number {
  return iso === null ? 0 : Date.parse(iso);
}
