import { decimalText, unitsOfText } from '../../lib/money.ts';
import { sinceOf } from './deeds/records.ts';
import { givenBack, leftOfMoney } from './deeds/tally.ts';
import type { OrderLine } from './rules.ts';

/** An order as JSON text: rendered once, then answered, kept in the event, and answered again on a retry, byte for byte. */
export interface RenderableOrder {
  id: string;
  status: string;
  total: string;
  created_at: string;
  updated_at: string;
  version: number;
  customer_id: string;
  currency: string;
  external_id: string | null;
  items: string;
  shipping_address: string | null;
  metadata: string;
  /** JSON text of an object: what the order has that others do not. */
  extra: string | null;
  /** JSON text of a list: the history that an order brought with it, from before it came here. */
  past: string | null;
  fulfillment_status: string | null;
  payment_status: string | null;
  /** JSON text of an object: what was done with the order since it came. */
  since: string | null;
  /** JSON text of an object: the columns of an order that was changed, as they were when it came. */
  as_created: string | null;
}

export interface HistoryEntry {
  status: string;
  at: string;
  reason: string | null;
}

export function renderOrder(order: RenderableOrder, moves: readonly HistoryEntry[]): string {
  return (
    `{"id":"${order.id}","status":"${order.status}","total":${order.total},"created_at":"${order.created_at}",` +
    `"updated_at":"${order.updated_at}","version":${order.version},"customer_id":${JSON.stringify(order.customer_id)},` +
    `"currency":"${order.currency}","external_id":${JSON.stringify(order.external_id)},"items":${order.items},` +
    `"shipping_address":${order.shipping_address ?? 'null'},"metadata":${order.metadata},${renderExtra(order.extra)}` +
    `${renderStatus('fulfillment', order.fulfillment_status)}${renderStatus('payment', order.payment_status)}${renderRefunded(order)}${renderExtra(order.since)}` +
    `"history":[${renderHistory(order, moves)}]}`
  );
}

/** The order as it was when it was made: what a repeated request is answered with, whatever happened since. */
export function renderAsCreated(order: CreatedOrder): string {
  return renderOrder(asCreated(order), []);
}

/** Of an order, what tells how it was when it was made: the rest is the same for all. */
export type CreatedOrder = Omit<RenderableOrder, 'status' | 'updated_at' | 'version' | 'fulfillment_status' | 'payment_status' | 'since'>;

type ReceiptOrder = Pick<RenderableOrder, 'id' | 'status' | 'total' | 'created_at' | 'version' | 'external_id'>;

/** Of an order of a batch, what the batch is answered with. */
export function renderReceipt({ id, status, total, created_at, version, external_id }: ReceiptOrder): string {
  return (
    `{"id":"${id}","status":"${status}","total":${total},"created_at":"${created_at}","version":${version},` +
    `"external_id":${JSON.stringify(external_id)}}`
  );
}

export function renderReceiptAsCreated(order: CreatedOrder): string {
  return `${renderReceipt(asCreated(order)).slice(0, -1)},"replayed":true}`;
}

function asCreated(order: CreatedOrder): RenderableOrder {
  const past = order.past === null ? [] : (JSON.parse(order.past) as HistoryEntry[]);
  const columns = order.as_created === null ? {} : (JSON.parse(order.as_created) as Partial<CreatedOrder>);
  const then = { ...order, ...columns };
  return {
    ...then,
    status: past.at(-1)?.status ?? 'new',
    version: 1,
    updated_at: order.created_at,
    fulfillment_status: null,
    payment_status: toldPaymentStatus(then.extra) ?? null,
    since: null,
  };
}

/** Of an order, what the caller that changed it needs to change it again. */
export function stateOnly(json: string): string {
  const { id, status, version, updated_at } = JSON.parse(json) as Record<string, unknown>;
  return JSON.stringify({ id, status, version, updated_at });
}

export function renderLines(lines: readonly OrderLine[], isKnown: (productId: string) => boolean): string {
  let text = '[';
  for (const line of lines) {
    if (text.length > 1) text += ',';
    text +=
      `{"product_id":${JSON.stringify(line.product_id)},"quantity":${line.quantity},"price":${line.price},` +
      `"line_total":${line.line_total},"product_known":${isKnown(line.product_id)}${line.more ?? ''}}`;
  }
  return `${text}]`;
}

/** The members of an object as members of the order, before others. */
function renderExtra(extra: string | null): string {
  return extra === null ? '' : `${extra.slice(1, -1)},`;
}

function renderStatus(of: 'fulfillment' | 'payment', status: string | null): string {
  return status === null ? '' : `"${of}_status":"${status}",`;
}

function renderRefunded(order: RenderableOrder): string {
  const sums = refundSums(order);
  return sums ? `"refunded_total":${sums.refunded},"remaining_total":${sums.left},` : '';
}

/** What was given back and what is left, as decimal texts, of an order that has refunds. */
export function refundSums(order: Pick<RenderableOrder, 'total' | 'extra' | 'since'>): { refunded: string; left: string } | undefined {
  // Few have some: the others are not taken apart.
  const since = order.since?.includes('"refunds":[') ? sinceOf(order) : {};
  if (since.refunds === undefined) return undefined;
  const refunded = givenBack(since);
  const left = leftOfMoney(unitsOfText(order.total), { refunded }, toldPaymentStatus(order.extra));
  return { refunded: decimalText(refunded), left: decimalText(left) };
}

/** What was told about the payment of an order, by those who sent it. */
export function toldPaymentStatus(extra: string | null): string | undefined {
  return extra === null ? undefined : (JSON.parse(extra) as { payment?: { status?: string } }).payment?.status;
}

function renderHistory({ past, created_at }: RenderableOrder, moves: readonly HistoryEntry[]): string {
  let text = past?.slice(1, -1) ?? `{"status":"new","at":"${created_at}","reason":null}`;
  for (const move of moves) text += `,{"status":"${move.status}","at":"${move.at}","reason":${JSON.stringify(move.reason)}}`;
  return text;
}
