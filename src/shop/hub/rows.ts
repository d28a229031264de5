import { parseExactly } from '../../lib/exact-json.ts';
import type { Row } from '../../connectors/canonical.ts';
import { fromJson } from '../../connectors/json-values.ts';
import { SHOP_STREAMS, type ShopStream } from '../../connectors/shop-streams.ts';

/** An order or product as the JSON that the API shows. */
export interface Entity {
  id: string;
  json: string;
}

/** The streams that tell what was done with orders: the member of the order, and, of those with a row for each line, the name of the deed's id in it. */
const DEEDS = {
  fulfillments: { member: 'fulfillments' },
  fulfillment_lines: { member: 'fulfillments', idOf: 'fulfillment_id' },
  returns: { member: 'returns' },
  return_lines: { member: 'returns', idOf: 'return_id' },
  refunds: { member: 'refunds' },
  refund_lines: { member: 'refunds', idOf: 'refund_id' },
} as const satisfies Partial<Record<ShopStream, { member: string; idOf?: string }>>;

export type DeedStream = keyof typeof DEEDS;

export function isDeeds(stream: ShopStream): stream is DeedStream {
  return Object.hasOwn(DEEDS, stream);
}

type Members = Record<string, unknown>;

/** The rows that an order or product is in a stream: itself, or one for each of its items, or of what was done with it. */
export function rowsOf(stream: ShopStream, entity: Entity): Row[] {
  if (isDeeds(stream)) return deedsOf(stream, entity).flat();
  const whole = parseExactly(entity.json) as Members;
  if (stream !== 'order_items') return [rowOf(stream, whole)];
  const items = whole['items'] as Members[];
  return items.map((item, index) => rowOf(stream, { ...item, order_id: entity.id, line: index + 1, updated_at: whole['updated_at'] }));
}

/** What was done with an order, oldest first: the rows of each deed. */
export function deedsOf(stream: DeedStream, entity: Entity): Row[][] {
  const whole = parseExactly(entity.json) as Members;
  const ofOrder = { order_id: entity.id, currency: whole['currency'], updated_at: whole['updated_at'] };
  const form: { member: string; idOf?: string } = DEEDS[stream];
  return ((whole[form.member] ?? []) as Members[]).map((deed) => {
    if (form.idOf === undefined) return [rowOf(stream, { ...deed, ...tracked(deed), ...ofOrder })];
    const named = { ...ofOrder, [form.idOf]: deed['id'] };
    return ((deed['lines'] ?? []) as Members[]).map((line) => rowOf(stream, { ...line, ...named }));
  });
}

function tracked({ tracking }: Members): Members {
  const { carrier, number, url } = (tracking ?? {}) as Members;
  return { tracking_carrier: carrier, tracking_number: number, tracking_url: url };
}

/** The member of an order that an event has added to, if it has. */
const ADDED_BY: Readonly<Record<string, string>> = {
  'order.fulfilled': 'fulfillments',
  'order.returned': 'returns',
  'order.refunded': 'refunds',
};

/** Whether an event of this type tells of a new deed, which is the last one, in this stream. */
export function isAdded(stream: DeedStream, type: string): boolean {
  return ADDED_BY[type] === DEEDS[stream].member;
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

export function rowOf(stream: ShopStream, object: Readonly<Record<string, unknown>>): Row {
  return SHOP_STREAMS[stream].fields.map(({ name, type }) => {
    const value = fromJson(type, object[name] ?? null);
    if (value === undefined) throw new Error(`${stream}.${name} is no ${type}.`);
    return value;
  });
}
