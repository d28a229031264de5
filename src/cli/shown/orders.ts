import { scalarText } from '../../lib/exact-json.ts';
import { explain, pretty, show } from './output.ts';
import { table } from './table.ts';

/** An order as lists tell it. */
export interface FoundOrder {
  id: string;
  status: string;
  total: unknown;
  created_at: string;
}

/** Orders, and how many more there are. */
export function showOrders(found: readonly FoundOrder[], total: number, json: boolean | undefined): void {
  const rows = found.map((order) => [order.id, order.status, scalarText(order.total) ?? '', order.created_at]);
  show(json ? pretty(found) : table(['ID', 'STATUS', 'TOTAL', 'CREATED'], rows));
  if (!json && total > found.length) explain(`${found.length} of ${total}.`);
}
