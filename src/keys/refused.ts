import { recordAudit } from '../audit/record.ts';
import { command } from '../db/database.ts';
import { appendEvents } from '../events/append.ts';
import { actorCalled } from '../http/caller.ts';
import type { Burst } from '../http/callers/refusal-table.ts';
import { isoTime } from '../lib/clock.ts';

/** Writes down that many wrong keys came from one address, for those who look at the audit and for those who read the feed. */
export const raiseRefusedKeys = command(
  import.meta.url,
  'raiseRefusedKeys',
  async (tx, { now, node, burst }: { now: number; node: string; burst: Burst }): Promise<void> => {
    const { address, network, refused, since, request_id } = burst;
    const details = { refused, since, node };
    const actor = { ...actorCalled('unknown'), address, request_id };
    await recordAudit(tx, now, { actor, action: 'key.refused', object_id: network, details });
    const data = JSON.stringify({ address: network, ...details });
    await appendEvents(tx, 'keys', [{ type: 'key.refused', objectId: network, at: isoTime(now), data }], {});
  },
);
