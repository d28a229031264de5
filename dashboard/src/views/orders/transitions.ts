import { TRANSITIONS } from '../../api-types.ts';
import type { Order } from '../../api/resources.ts';

/** From each state the ones that an order may go to, the usual one first: as the service that this page comes from says. */
const NEXT = TRANSITIONS['POST /api/v1/orders/{id}/transitions'];

export type OrderStatus = Order['status'];
/** A state that some other leads to: no order becomes new again. */
export type Target = (typeof NEXT)[OrderStatus][number];

export const ORDER_STATUSES = Object.keys(NEXT) as OrderStatus[];

/** A state that this page does not know, of a later version, leads nowhere from here. */
export function nextOf(status: string): readonly Target[] {
  return Object.hasOwn(NEXT, status) ? NEXT[status as OrderStatus] : [];
}

interface Move {
  /** What the button says. */
  verb: string;
  /** What it means, before one does it. */
  about: string;
}

export const MOVES: Record<Target, Move> = {
  processing: { verb: 'Start processing', about: 'It is being worked on from now on.' },
  on_hold: { verb: 'Put on hold', about: 'It waits. From there it can be processed or cancelled.' },
  shipped: { verb: 'Mark as shipped', about: 'It is on its way. After that it can only be delivered or returned.' },
  delivered: { verb: 'Mark as delivered', about: 'It has arrived. After that it can only be returned.' },
  cancelled: { verb: 'Cancel the order', about: 'This is final and cannot be undone.' },
  returned: { verb: 'Mark as returned', about: 'It came back. This is final and cannot be undone.' },
};
