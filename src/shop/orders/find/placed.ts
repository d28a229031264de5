import { timeIn } from '../../../lib/ids.ts';
import type { FindableOrder } from './terms.ts';

/** Where it is told last, as it is written: no member within another one, and no text, ends so. */
const TOLD_LAST = /"placed_at":"([^"\\]*)"\}$/;

/** When the customer ordered: where nothing is said of it, when the order was made, which is the time in its id. */
export function placedAt({ id, extra }: Pick<FindableOrder, 'id' | 'extra'>): number {
  // Few orders have it, and taking the JSON of all of them apart would cost more than the rest.
  if (!extra?.includes('"placed_at":')) return timeIn(id);
  const told = TOLD_LAST.exec(extra)?.[1] ?? (JSON.parse(extra) as { placed_at?: string }).placed_at;
  return told === undefined ? timeIn(id) : Date.parse(told);
}
