import { canReadEachOther, haveSameAdminKey, type Marks } from './shared-keys.ts';

/** Times of ours are the database's. But a node's own clock dates its log, and says whether a token of an issuer is over. */
const CLOCK_TOLERANCE = 5_000;

export interface ObservedNode extends Marks {
  isAlive: boolean;
  clockAheadMs: number;
}

/** What an operator should look after, in words; `self` is the node that is asked. */
export function problemsOf(node: ObservedNode, self: Marks): string[] {
  if (!node.isAlive) return ['It has not been heard of for 15 seconds: it was killed, hangs, or is cut off from the database.'];
  const problems: string[] = [];
  if (!canReadEachOther(node, self)) problems.push('Its SYNCLINE_SECRET_KEY is another than that of the node that was asked.');
  if (!haveSameAdminKey(node, self)) problems.push('Its SYNCLINE_ADMIN_KEY is another than that of the node that was asked.');
  if (Math.abs(node.clockAheadMs) > CLOCK_TOLERANCE) {
    const seconds = Math.round(Math.abs(node.clockAheadMs) / 1000);
    problems.push(
      `Its clock is ${seconds} seconds ${node.clockAheadMs > 0 ? 'ahead of' : 'behind'} the database's. Keep clocks in sync (NTP).`,
    );
  }
  return problems;
}
