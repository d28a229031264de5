import type { Order } from '../../api/resources.ts';
import { statusWord } from '../../parts/status/status.tsx';

/** `fulfillment_status` as people say it. */
const SHIPPED: Readonly<Record<string, string>> = {
  unfulfilled: 'Not shipped',
  partial: 'Partly shipped',
  fulfilled: 'Shipped',
  partially_returned: 'Partly returned',
  returned: 'Returned',
};

/** `payment_status` as people say it. */
const PAID: Readonly<Record<string, string>> = {
  pending: 'Not paid yet',
  authorized: 'Payment authorized',
  paid: 'Paid',
  partially_refunded: 'Partly refunded',
  refunded: 'Refunded',
  voided: 'Payment voided',
  failed: 'Payment failed',
};

export function shippedWord(status: NonNullable<Order['fulfillment_status']>): string {
  return SHIPPED[status] ?? statusWord(status);
}

export function paidWord(status: string): string {
  return PAID[status] ?? statusWord(status);
}

/** `Partly shipped, not paid yet` */
export function statesText(words: readonly string[]): string {
  const text = words.join(', ');
  return text.charAt(0) + text.slice(1).toLowerCase();
}

/** What an order says besides its status: only what is not as one would expect. */
export function unusualStates({ status, fulfillment_status, payment_status }: Partial<Order>): string[] {
  const words: string[] = [];
  if (fulfillment_status === 'partial' || fulfillment_status === 'partially_returned') words.push(shippedWord(fulfillment_status));
  if (fulfillment_status === 'returned' && status !== 'returned') words.push(shippedWord(fulfillment_status));
  if (payment_status !== undefined && payment_status !== 'paid') words.push(paidWord(payment_status));
  return words;
}
