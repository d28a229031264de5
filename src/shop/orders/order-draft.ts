import type { OrderLine } from './rules.ts';

/** An order that has passed every check and only needs to be written. */
export interface OrderDraft {
  id: string;
  created_at: string;
  customer_id: string;
  currency: string;
  external_id: string | null;
  total: string;
  lines: OrderLine[];
  /** JSON text. */
  shipping_address: string | null;
  /** JSON text. */
  metadata: string;
  /** JSON text of an object: what the order has that others do not. */
  extra?: string;
  payment_status?: string;
  /** Whether its lines are taken from stock. */
  reserve?: true;
  /** Of an order that was placed elsewhere: the state that it is in, and its history there as JSON text. */
  status?: string;
  past?: string;
  idempotency: { owner: string; key: string; bodyHash: string; expiresAt: string } | null;
}
