import { timeIn } from '../../../lib/ids.ts';
import type { FindableOrder } from './terms.ts';

/** When the customer ordered: where nothing is said of it, when the order was made, which is the time in its id. */
export function placedAt({ id, extra }: Pick<FindableOrder, 'id' | 'extra'>): number {
  // Few orders have it, and taking the JSON of all of them apart would cost more than the rest.
  const told = extra?.includes('"placed_at":') ? (JSON.parse(extra) as { placed_at?: string }).placed_at : undefined;
  return told === undefined ? timeIn(id) : Date.parse(told);
}
