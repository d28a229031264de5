import type { LaneState } from '../../src/webhooks/delivery/lane.ts';
import type { Outcome, Parcel } from '../../src/webhooks/delivery/parcel.ts';
import type { Timing } from '../../src/webhooks/delivery/schedule.ts';

export const TIMES: Timing = {
  delays: [10, 100, 1000],
  timeout: 50,
  probe: { first: 10, most: 80 },
  pauseAfter: 1_000_000,
  mostRetryAfter: 500,
};
export const FRESH: LaneState = { position: 0, failures: 0, failingSince: 0, tryAt: 0, lastDeliveredAt: 0 };

export function outcome(over: Partial<Outcome> & { status?: number } = {}): Outcome {
  const { status = over.isDelivered ? 200 : 500, ...rest } = over;
  const entry = {
    at: '',
    duration_ms: 1,
    response_status: status,
    response_body: null,
    error: over.isDelivered ? null : `status ${status}`,
  };
  return { isDelivered: false, isGone: false, retryAfter: 0, holdsAll: false, entry, ...rest };
}

export function event(seq: number, objectId = `o${seq}`): Pick<Parcel, 'seq' | 'type' | 'objectId' | 'createdAt'> {
  return { seq, type: 'order.created', objectId, createdAt: '2026-11-16T10:00:00.000Z' };
}
