import { parseExactly } from '../../lib/exact-json.ts';
import type { Batch, Reject } from '../batch.ts';
import type { CanonicalType, Row } from '../canonical.ts';
import type { Field, WriteRequest, WriteResult, Writer } from '../contract.ts';
import { OutsideError } from '../../outside/errors.ts';
import { fromText, toJsonText } from '../json-values.ts';
import type { ShopPort } from '../shop-port.ts';
import { SHOP_STREAMS, type ShopStream } from '../shop-streams.ts';

const TAKEN = {
  products: [
    'product_id',
    'name',
    'price',
    'stock_quantity',
    'categories',
    'stock_as_of',
    'track_stock',
    'allow_backorder',
    'sku',
    'barcode',
    'status',
    'prices',
    'weight',
    'variants',
    'images',
    'attributes',
  ],
  orders: [
    'customer_id',
    'currency',
    'external_id',
    'shipping_address',
    'metadata',
    'items',
    'status',
    'total',
    'prices_include_tax',
    'shipping',
    'discounts',
    'taxes',
    'customer',
    'billing_address',
    'payment',
    'note',
    'tags',
    'channel',
    'refunds',
    'imported',
    'placed_at',
    'history',
  ],
} as const satisfies Partial<Record<ShopStream, readonly string[]>>;

type TakenStream = keyof typeof TAKEN;

/** Of those that are no fields of the stream, the types. */
const TYPES: Readonly<Record<string, CanonicalType>> = { items: 'json', refunds: 'json', history: 'json' };

/** The fields that a stream of the shop takes. What it makes itself (ids, versions, times) is not among them: it would only be dropped. */
export function takenFields(stream: TakenStream): readonly string[] {
  return TAKEN[stream];
}

/**
 * Writes through the shop's own rules. The shop keeps no checkpoint of ours: a batch that is written again finds its
 * products and its orders, known by `external_id`, as they are to be. Where rows are only added, an order that is there stays as it is.
 */
export function openWriter(shop: ShopPort, stream: ShopStream, request: WriteRequest): Writer {
  if (stream !== 'orders' && stream !== 'products')
    throw new OutsideError('config', 'READ_ONLY', `The stream "${stream}" of the shop can only be read.`, {
      hint: 'Write to "orders", with the fields items and refunds, or to "products".',
    });
  if (request.mode === 'mirror')
    throw new OutsideError('config', 'MODE_UNSUPPORTED', 'The shop cannot be mirrored into.', { hint: 'Use upsert or append.' });
  if (request.mode === 'upsert' && request.key.length === 0)
    throw new OutsideError('config', 'KEY_MISSING', `The shop's ${stream} are found by a key.`, {
      hint: `Let the key be ${stream === 'orders' ? 'external_id' : 'product_id'}.`,
    });
  for (const { name } of request.fields) {
    if (!takenFields(stream).includes(name))
      throw new OutsideError('config', 'FIELD_MISSING', `The shop's ${stream} take no field "${name}".`, {
        hint: `They take ${takenFields(stream).join(', ')}.`,
      });
  }
  if (stream === 'orders' && !request.fields.some(({ name }) => name === 'external_id'))
    throw new OutsideError('config', 'FIELD_MISSING', 'Orders need the field "external_id".', {
      hint: 'By it an order that is written again is recognised.',
    });
  return {
    checkpoint: undefined,
    note: undefined,
    write: async (batch, settle) => {
      const result = await (batch.operation === 'delete'
        ? deleteRows(shop, stream, request, batch)
        : writeRows(shop, stream, request, batch));
      await settle?.(result);
      return result;
    },
    finish: async (_approve, settle) => {
      const result = { inserted: 0, updated: 0, unchanged: 0, deleted: 0, rejects: [] };
      await settle?.(result);
      return result;
    },
    close: async () => {},
  };
}

async function writeRows(shop: ShopPort, stream: TakenStream, { fields, mode }: WriteRequest, { rows }: Batch): Promise<WriteResult> {
  const objects = rows.map((row) => objectOf(stream, fields, row));
  const asFound = ({ index = 0, ...reject }: Reject): Reject => ({
    ...reject,
    index,
    row: Object.fromEntries(fields.map(({ name }, at) => [name, rows[index]?.[at] ?? null])),
  });
  if (stream === 'products') {
    const result = await shop.writeProducts(objects);
    return { ...result, deleted: 0, rejects: result.rejects.map(asFound) };
  }
  const nameless = objects.flatMap((row, index): Reject[] =>
    row['external_id'] ? [] : [{ index, row, field: 'external_id', reason: 'external_id is missing' }],
  );
  const named = objects.map((row, index) => ({ row, index })).filter(({ row }) => row['external_id']);
  const result = await shop.writeOrders(
    named.map(({ row }) => row),
    mode !== 'append',
  );
  const rejects = result.rejects.map((reject) => ({ ...reject, index: named[reject.index ?? 0]?.index ?? 0 }));
  return { ...result, deleted: 0, rejects: [...nameless, ...rejects].map(asFound) };
}

async function deleteRows(shop: ShopPort, stream: TakenStream, { deletes }: WriteRequest, batch: Batch): Promise<WriteResult> {
  const nothing = { inserted: 0, updated: 0, unchanged: 0, deleted: 0, rejects: [] };
  if (deletes === 'keep') return nothing;
  if (stream !== 'products')
    throw new OutsideError('config', 'DELETE_UNSUPPORTED', 'Orders are never deleted.', {
      hint: 'Cancel them instead, or let rows that are gone be kept.',
    });
  if (deletes === 'mark')
    throw new OutsideError('config', 'MARK_UNSUPPORTED', 'A product of the shop cannot be marked as deleted.', {
      hint: 'Let deleted rows be deleted or kept.',
    });
  return { ...nothing, deleted: await shop.deleteProducts(batch.rows.map((row) => row[0] ?? '')) };
}

/** A row as the body that the API would take. What is null is left out: the shop keeps what it has. */
function objectOf(stream: TakenStream, fields: readonly Field[], row: Row): Record<string, unknown> {
  const members: [string, unknown][] = [];
  fields.forEach(({ name, type }, index) => {
    const value = row[index] ?? null;
    if (value === null) return;
    // A text column may hold the JSON of a list, or a number, as files do.
    const wanted = SHOP_STREAMS[stream].fields.find((field) => field.name === name)?.type ?? TYPES[name] ?? type;
    const meant = type === 'text' && wanted !== 'text' ? fromText(wanted, value) : undefined;
    members.push([name, parsed(meant === undefined ? toJsonText(type, value) : toJsonText(wanted, meant), value)]);
  });
  return Object.fromEntries(members);
}

/** The value, or the text as it stands: the shop's rules then say what is wrong with it. */
function parsed(json: string, text: string): unknown {
  try {
    return parseExactly(json);
  } catch {
    return text;
  }
}
