import { createSupplies, type Supplies } from './supplies.ts';

/** Why a client was cut off. */
const DROP_REASONS = ['slow_handshake', 'slow_headers', 'slow_body', 'unread', 'crowded'] as const;
export type DropReason = (typeof DROP_REASONS)[number];

/** How busy the HTTP side is, and whom it has cut off. */
export class Traffic {
  /** Connections that are open. */
  connections = 0;
  /** When the certificate ends, in milliseconds since 1970; undefined without TLS. */
  certificateEnds: number | undefined;
  readonly supplies: Supplies;
  readonly dropped = new Map<DropReason, number>(DROP_REASONS.map((reason) => [reason, 0]));
  droppedInAll = 0;

  constructor(maxInFlight: number) {
    this.supplies = createSupplies(maxInFlight);
  }

  drop(reason: DropReason): void {
    this.droppedInAll++;
    this.dropped.set(reason, (this.dropped.get(reason) ?? 0) + 1);
  }
}
