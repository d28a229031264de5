import type { DeliveryTally } from './port.ts';

/** What this node has delivered since it was started. */
export class DeliveryFigures {
  delivered = 0;
  retried = 0;
  failed = 0;
  inFlight = 0;

  add({ delivered, retried, failed, inFlight }: DeliveryTally): void {
    this.delivered += delivered;
    this.retried += retried;
    this.failed += failed;
    this.inFlight = inFlight;
  }
}
