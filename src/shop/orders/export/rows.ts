import { parseExactly } from '../../../lib/exact-json.ts';
import type { ParquetField } from '../../../lib/parquet-writer.ts';
import { refundSums, type RenderableOrder } from '../render.ts';

// An order as a row of a table: what is text stays text, amounts keep every digit, and what is nested is a column for each part, or JSON.

type Members = Record<string, unknown>;
type Cell = string | null;

const ADDRESS = ['name', 'street', 'city', 'zip', 'state', 'country', 'phone'];
const CUSTOMER = ['email', 'name', 'phone', 'company', 'tax_id'];
const AMOUNTS = ['subtotal', 'discount_total', 'shipping_total', 'tax_total', 'adjustment'];
const PAYMENT = ['method', 'reference'];

const text = (name: string): ParquetField => ({ name, type: 'text' });
const amount = (name: string): ParquetField => ({ name, type: 'decimal', precision: 28, scale: 4 });
const whole = (name: string): ParquetField => ({ name, type: 'int64' });
const moment = (name: string): ParquetField => ({ name, type: 'timestamptz' });
// As text: what reads Parquet takes columns that are marked as JSON for bytes, more often than not.
const json = text;

const ORDER_FIELDS: readonly ParquetField[] = [
  ...['id', 'status'].map(text),
  amount('total'),
  text('currency'),
  ...['created_at', 'updated_at'].map(moment),
  whole('version'),
  ...['customer_id', 'external_id'].map(text),
  moment('placed_at'),
  text('channel'),
  json('tags'),
  ...CUSTOMER.map((name) => text(`customer_${name}`)),
  ...ADDRESS.map((name) => text(`shipping_${name}`)),
  ...ADDRESS.map((name) => text(`billing_${name}`)),
  ...AMOUNTS.map(amount),
  ...['fulfillment_status', 'payment_status'].map(text),
  ...PAYMENT.map((name) => text(`payment_${name}`)),
  moment('payment_paid_at'),
  text('note'),
  json('metadata'),
  ...['refunded_total', 'remaining_total'].map(amount),
];

const LINE_FIELDS: readonly ParquetField[] = [
  whole('line'),
  ...['product_id', 'name', 'sku', 'variant'].map(text),
  whole('quantity'),
  ...['price', 'line_total', 'line_discount', 'line_tax'].map(amount),
  json('line_metadata'),
];

export const EXPORT_ROWS = ['orders', 'lines'] as const;
export type ExportRows = (typeof EXPORT_ROWS)[number];

/** The columns of a table with a row for each order, or for each of its lines. */
export function exportFields(rows: ExportRows): readonly ParquetField[] {
  return rows === 'orders' ? [...ORDER_FIELDS, json('items')] : [...ORDER_FIELDS, ...LINE_FIELDS];
}

/** An order as rows under these columns. */
export function exportRows(order: RenderableOrder, rows: ExportRows): Cell[][] {
  const own = orderCells(order);
  if (rows === 'orders') return [[...own, order.items]];
  return (parseExactly(order.items) as Members[]).map((line, index) => [...own, ...lineCells(line, index)]);
}

/** The same rows with times as Parquet's writer takes them. */
export function parquetRows(order: RenderableOrder, rows: ExportRows): Cell[][] {
  const moments = [...exportFields(rows).entries()].filter(([, { type }]) => type === 'timestamptz').map(([at]) => at);
  const found = exportRows(order, rows);
  for (const row of found) for (const at of moments) row[at] = row[at]?.replace('T', ' ').replace('Z', '+00:00') ?? null;
  return found;
}

function orderCells(order: RenderableOrder): Cell[] {
  const extra = parsed(order.extra);
  const [shipping, billing] = [parsed(order.shipping_address), membersOf(extra['billing_address'])];
  const refunds = refundSums(order);
  const [customer, payment] = [membersOf(extra['customer']), membersOf(extra['payment'])];
  return [
    order.id,
    order.status,
    order.total,
    order.currency,
    order.created_at,
    order.updated_at,
    String(order.version),
    order.customer_id,
    order.external_id,
    cell(extra['placed_at']),
    cell(extra['channel']),
    cell(extra['tags']),
    ...CUSTOMER.map((name) => cell(customer[name])),
    ...ADDRESS.map((name) => cell(shipping[name])),
    ...ADDRESS.map((name) => cell(billing[name])),
    ...AMOUNTS.map((name) => cell(extra[name])),
    order.fulfillment_status,
    order.payment_status,
    ...PAYMENT.map((name) => cell(payment[name])),
    cell(payment['paid_at']),
    cell(extra['note']),
    order.metadata,
    refunds?.refunded ?? null,
    refunds?.left ?? null,
  ];
}

function lineCells(line: Members, index: number): Cell[] {
  return [
    String(index + 1),
    ...['product_id', 'name', 'sku', 'variant', 'quantity', 'price', 'line_total'].map((name) => cell(line[name])),
    ...['discount', 'tax'].map((name) => cell(membersOf(line[name])['amount'])),
    cell(line['metadata']),
  ];
}

function parsed(json: string | null): Members {
  return json === null ? {} : (parseExactly(json) as Members);
}

function membersOf(value: unknown): Members {
  return (value ?? {}) as Members;
}

/** Numbers as their digits; what is nested as JSON. */
function cell(value: unknown): Cell {
  if (value === undefined || value === null) return null;
  return typeof value === 'string' ? value : JSON.stringify(value);
}
