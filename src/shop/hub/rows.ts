import { parseExactly } from '../../lib/exact-json.ts';
import type { Row } from '../../connectors/canonical.ts';
import { fromJson } from '../../connectors/json-values.ts';
import { SHOP_STREAMS, type ShopStream } from '../../connectors/shop-port.ts';

/** An order or product as the JSON that the API shows. */
export interface Entity {
  id: string;
  json: string;
}

/** The rows that an order or product is in a stream: itself, or one for each of its items. */
export function rowsOf(stream: ShopStream, entity: Entity): Row[] {
  const whole = parseExactly(entity.json) as Record<string, unknown>;
  if (stream !== 'order_items') return [rowOf(stream, whole)];
  const items = whole['items'] as Record<string, unknown>[];
  return items.map((item, index) => rowOf(stream, { ...item, order_id: entity.id, line: index + 1, updated_at: whole['updated_at'] }));
}

/** The key of a line among the items of all orders. */
export function lineKey(orderId: string, line: number): Row {
  return [orderId, String(line)];
}

/** The keys of the lines that an order had once, and that changes have taken away. */
export function goneLines(entity: Entity): Row[] {
  const { items, most_lines = 0 } = JSON.parse(entity.json) as { items: unknown[]; most_lines?: number };
  return Array.from({ length: Math.max(0, most_lines - items.length) }, (_, index) => lineKey(entity.id, items.length + index + 1));
}

/** Of an order as a change has left it: how many lines it had before. */
export function linesBefore({ json }: Entity): number {
  const { items, changes } = JSON.parse(json) as { items: unknown[]; changes?: { lines?: number }[] };
  return changes?.at(-1)?.lines ?? items.length;
}

function rowOf(stream: ShopStream, object: Record<string, unknown>): Row {
  return SHOP_STREAMS[stream].fields.map(({ name, type }) => {
    const value = fromJson(type, object[name] ?? null);
    if (value === undefined) throw new Error(`${stream}.${name} is no ${type}.`);
    return value;
  });
}
