import type { ListedOrder } from '../../api/resources.ts';

/** One who ordered, as some of their orders tell. */
export interface FoundCustomer {
  id: string;
  name: string | undefined;
  email: string | undefined;
  /** The newest of the orders that were looked at. */
  last: string;
}

const WORD = /[\p{L}\p{N}]+/gu;

/** Words as the search compares them: case and accents make no difference. */
function wordsOf(text: string): string[] {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase().match(WORD) ?? [];
}

/**
 * Those who ordered, of orders that a search has found, newest first. The search also finds what was ordered: here each word has to
 * begin one of the customer's own.
 */
export function customersIn(orders: readonly ListedOrder[], q: string): FoundCustomer[] {
  const wanted = wordsOf(q);
  const found = new Map<string, FoundCustomer>();
  for (const { customer_id = '', customer, created_at } of orders) {
    if (found.has(customer_id)) continue;
    const own = wordsOf(`${customer_id} ${customer?.name ?? ''} ${customer?.email ?? ''}`);
    if (!wanted.every((word) => own.some((one) => one.startsWith(word)))) continue;
    found.set(customer_id, { id: customer_id, name: customer?.name, email: customer?.email, last: created_at });
  }
  return [...found.values()];
}
