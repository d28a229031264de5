import { bulk } from '../../../db/bulk.ts';
import { command, type Connection } from '../../../db/database.ts';
import { sql } from '../../../db/sql.ts';
import { validatorOf } from '../../../http/validate.ts';
import { AppError } from '../../../lib/errors.ts';
import { isJsonObject, parseExactly } from '../../../lib/exact-json.ts';
import { metadataText } from '../../../lib/metadata.ts';
import { decimalText, type Units, unitsOf, unitsOfText } from '../../../lib/money.ts';
import { type OrderChange, type Since, sinceOf, sinceText } from '../deeds/records.ts';
import { type OrderRefusal, OrderRefused } from '../deeds/refusals.ts';
import { outOfStockWords } from '../refusals.ts';
import { shortLines } from '../reserve.ts';
import { type OrderStock, openOrderStock, quantitiesOf } from '../../products/stock/held.ts';
import { fulfillmentStatus, paymentStatus, tallyOf, tellsFulfillment } from '../deeds/tally.ts';
import { priced, sorted } from '../draft.ts';
import { otherMembers, OTHERS, timeOf } from '../extras.ts';
import { type Folded, loadOrders, saveOrders, tell, touch } from '../folded.ts';
import { renderLines, renderOrder, toldPaymentStatus, type RenderableOrder } from '../render.ts';
import { NewOrder } from '../schemas.ts';
import { reserves } from '../stock.ts';
import { mergePatch } from './merge.ts';
import { type OrderBody, reopened } from './reopen.ts';
import { ALWAYS, BEFORE_SHIPPING } from './schemas.ts';

export interface PatchRequest {
  order_id: string;
  at: string;
  /** Who changes it. */
  by: string;
  /** JSON text of the members that were sent. */
  patch: string;
  /** They take the place of what was there, instead of being merged with it. */
  replaces?: true;
  /** Decimal text. Of an order that was brought in: what was paid for it, whatever its parts come to. */
  total?: string | undefined;
  expected_total?: number | undefined;
  expected_version?: number | undefined;
}

export type PatchOutcome =
  | { kind: 'changed' | 'unchanged'; json: string }
  | { kind: 'not_found' }
  | { kind: 'version_conflict'; version: number }
  | { kind: 'refused'; refusal: OrderRefusal };

/** More of them are in the feed, with the order as it was each time. */
const KEPT_CHANGES = 100;

export const CHANGED_COLUMNS = {
  total: 'numeric',
  items: 'json',
  shipping_address: 'json',
  metadata: 'json',
  extra: 'json',
  payment_status: 'text',
  since: 'json',
  as_created: 'json',
} as const;

const validate = validatorOf(NewOrder);

/** Changes what orders say; several requests for one order take their turn within the batch. */
export const changeOrders = command(import.meta.url, 'changeOrders', async (tx, requests: PatchRequest[]): Promise<PatchOutcome[]> => {
  const orders = await loadOrders(
    tx,
    requests.map(({ order_id }) => order_id),
  );
  const stock = await openReserved(tx, orders, requests);
  const outcomes: PatchOutcome[] = [];
  for (const request of requests) {
    const folded = orders.get(request.order_id);
    outcomes.push(folded ? await changeOrder(tx, folded, request, stock) : { kind: 'not_found' });
  }
  const tellOfStock = await stock?.save();
  await saveOrders(tx, orders.values(), CHANGED_COLUMNS);
  await tellOfStock?.();
  return outcomes;
});

/** The stock of orders that have reserved theirs and may get other lines; undefined when there are none. */
export async function openReserved(
  tx: Connection,
  orders: ReadonlyMap<string, Folded>,
  requests: readonly Pick<PatchRequest, 'order_id' | 'patch' | 'at'>[],
): Promise<OrderStock | undefined> {
  const changing = requests.flatMap(({ order_id, patch, at }) => {
    const order = orders.get(order_id)?.order;
    const { items } = order && reserves(order) ? (JSON.parse(patch) as { items?: unknown }) : {};
    return Array.isArray(items) ? [{ order_id, at, items: items as { product_id?: unknown }[] }] : [];
  });
  if (!changing[0]) return undefined;
  const ids = changing.flatMap(({ items }) => items.map((item) => item?.product_id).filter((id) => typeof id === 'string'));
  return openOrderStock(
    tx,
    changing.map(({ order_id }) => order_id),
    Date.parse(changing[0].at),
    ids,
  );
}

/** An order that has reserved its lines has reserved those that it has now, or it is not changed. */
function holdLines(stock: OrderStock | undefined, { order }: Folded, { items }: OrderBody): void {
  const shortages = stock && reserves(order) ? stock.hold(order.id, quantitiesOf(items)) : [];
  if (shortages.length === 0) return;
  const lines = shortLines(items, shortages);
  const { message, errors } = outOfStockWords(lines);
  throw new OrderRefused('OUT_OF_STOCK', `${message} The order stays as it is.`, errors, lines);
}

/** Changes what one order says, in memory. When it is refused, nothing has changed. */
export async function changeOrder(
  tx: Connection,
  folded: Folded,
  request: PatchRequest,
  stock: OrderStock | undefined,
): Promise<PatchOutcome> {
  const { order } = folded;
  try {
    const before = reopened(order);
    const after = merged(before, request);
    const members: string[] = [...ALWAYS, ...BEFORE_SHIPPING].filter((name) => textOf(before[name]) !== textOf(after[name]));
    const paid = request.total === undefined ? undefined : unitsOfText(request.total);
    if (paid !== undefined && paid !== unitsOfText(order.total)) members.push('total');
    // As with a move: the retry of a request whose answer was lost must succeed.
    if (members.length === 0) {
      demandTotal(order.total, request.expected_total);
      return { kind: 'unchanged', json: renderOrder(order, folded.history) };
    }
    const { version } = order;
    if (request.expected_version !== undefined && request.expected_version !== version) return { kind: 'version_conflict', version };
    const since = sinceOf(order);
    const changed = await applied(tx, order, before, after, { members, paid }, since);
    demandTotal(changed.total, request.expected_total);
    if (members.includes('items')) holdLines(stock, folded, after);
    Object.assign(order, changed, { as_created: order.as_created ?? asCreated(order) });
    touch(folded, request.at);
    order.since = sinceText(withChange(since, order, before, { members, version: order.version, at: order.updated_at, by: request.by }));
    const tally = tallyOf(order);
    order.payment_status = paymentStatus(unitsOfText(order.total), tally.refunded, toldPaymentStatus(order.extra));
    if (tellsFulfillment(since)) order.fulfillment_status = fulfillmentStatus(tally, order.status);
    return { kind: 'changed', json: tell(folded, 'order.updated') };
  } catch (error) {
    if (error instanceof OrderRefused) return { kind: 'refused', refusal: error.refusal };
    if (!(error instanceof AppError) || error.code !== 'INVALID_PARAMS') throw error;
    return { kind: 'refused', refusal: { code: error.code, message: error.message, faults: error.details.errors ?? [] } };
  }
}

/** The order as a body with the change in it, whole and valid. */
function merged(before: OrderBody, { patch, replaces }: PatchRequest): OrderBody {
  const sent = parseExactly(patch) as object;
  const after = inPlace(before, validate(replaces ? { ...before, ...sent } : mergePatch(before, sent)) as OrderBody, replaces);
  const { payment } = after;
  if (payment?.paid_at === undefined) return after;
  return { ...after, payment: { ...payment, paid_at: timeOf(payment.paid_at, 'payment.paid_at').text } };
}

/** Systems that tell an order anew do not always tell its lines in the same order. They are known by their places here, and keep them. */
function inPlace(before: OrderBody, after: OrderBody, replaces: true | undefined): OrderBody {
  const texts = ({ items }: OrderBody): string => items.map(textOf).toSorted().join('\n');
  return replaces && texts(before) === texts(after) ? { ...after, items: before.items } : after;
}

type Columns = Pick<RenderableOrder, 'total' | 'items' | 'shipping_address' | 'metadata' | 'extra'>;

/** The columns of the order with the change in them. What changes no money leaves all of it as it is, to the letter. */
async function applied(
  tx: Connection,
  order: RenderableOrder,
  before: OrderBody,
  after: OrderBody,
  { members, paid }: { members: readonly string[]; paid: Units | undefined },
  since: Since,
): Promise<Columns> {
  const others = {
    shipping_address: after.shipping_address ? JSON.stringify(after.shipping_address) : null,
    metadata: after.metadata ? metadataText(after.metadata, 'metadata') : '{}',
  };
  const touched = [...BEFORE_SHIPPING, 'total'].find((name) => members.includes(name));
  if (touched === undefined) return { total: order.total, items: order.items, extra: extraWith(order.extra, after), ...others };
  demandOpen(order, since, touched);
  const kept = (order.extra === null ? {} : parseExactly(order.extra)) as { imported?: boolean; placed_at?: string };
  const { lines, total, extra } = priced(after, order.currency, kept.imported ? { total: paid, placed_at: kept.placed_at } : undefined);
  const { refunded } = tallyOf(order, since);
  if (total < refunded) {
    throw new OrderRefused('CONFLICT', 'The order would come to less than was given back of it already.', [
      {
        field: touched,
        reason: `the order would come to ${decimalText(total)}, and ${decimalText(refunded)} were given back`,
        kept: 'the order would come to less than was given back',
      },
    ]);
  }
  const known = await knownProducts(tx, order, before, after);
  return { total: decimalText(total), items: renderLines(lines, (id) => known.has(id)), extra: extra ?? null, ...others };
}

/** What has no effect on the total takes the place of what was there; behind it comes what says where the order is from. */
function extraWith(extra: string | null, after: OrderBody): string | null {
  const kept = (extra === null ? {} : parseExactly(extra)) as Record<string, unknown>;
  const text = (names: readonly string[]): string[] => names.map((name) => `"${name}":${JSON.stringify(kept[name])}`);
  const origin = ['reserve', 'imported', 'placed_at'].filter((name) => name in kept);
  const isOther = (name: string): boolean => origin.includes(name) || (OTHERS as readonly string[]).includes(name);
  const members = [...text(Object.keys(kept).filter((name) => !isOther(name))), ...otherMembers(after), ...text(origin)];
  return members.length === 0 ? null : `{${members.join(',')}}`;
}

/** Lines, and what they cost, are what was agreed on: they stay as they are from the first parcel on. */
function demandOpen({ status }: RenderableOrder, { fulfillments, returns, refunds }: Since, field: string): void {
  const why =
    status !== 'new' && status !== 'on_hold' && status !== 'processing'
      ? `the order is ${status}`
      : (fulfillments ?? returns)
        ? 'something was shipped already'
        : refunds?.some(({ lines }) => lines)
          ? 'lines were refunded already'
          : undefined;
  if (why === undefined) return;
  throw new OrderRefused('CONFLICT', `Lines and money of an order can be changed until something is shipped: ${why}.`, [
    { field, reason: `cannot be changed any more: ${why}` },
  ]);
}

function demandTotal(total: string, expected: number | undefined): void {
  if (expected === undefined || unitsOf(expected) === unitsOfText(total)) return;
  const reason = `is ${expected}, but the order comes to ${total}`;
  throw new OrderRefused('INVALID_PARAMS', '', [{ field: 'expected_total', reason, kept: 'is not what the order comes to' }]);
}

/** Of products that are in the order already, it stays what it was. */
async function knownProducts(tx: Connection, order: RenderableOrder, before: OrderBody, after: OrderBody): Promise<Set<string>> {
  const items = JSON.parse(order.items) as { product_id: string; product_known: boolean }[];
  const known = new Set(items.filter(({ product_known }) => product_known).map(({ product_id }) => product_id));
  const earlier = new Set(before.items.map(({ product_id }) => product_id));
  const rows = after.items.filter(({ product_id }) => !earlier.has(product_id)).map(({ product_id }) => [product_id]);
  if (rows.length === 0) return known;
  const found = await tx.all<{ product_id: string }>(sql`
    select p.product_id from ${bulk({ product_id: 'text' }, rows)} as input join products p on p.product_id = input.product_id`);
  for (const { product_id } of found) known.add(product_id);
  return known;
}

/** What the first answer was made from: the retry of the request that made the order gets that again. */
function asCreated({ total, items, shipping_address, metadata, extra }: RenderableOrder): string {
  return JSON.stringify({ total, items, shipping_address, metadata, extra });
}

function withChange(since: Since, order: RenderableOrder, before: OrderBody, change: OrderChange): Since {
  const lines = (JSON.parse(order.items) as unknown[]).length;
  const most = Math.max(since.most_lines ?? 0, before.items.length);
  const { most_lines: _, ...rest } = since;
  const noted = change.members.includes('items') ? { ...change, lines: before.items.length } : change;
  return {
    ...rest,
    ...(most > lines && { most_lines: most }),
    changes: [...(since.changes ?? []), noted].slice(-KEPT_CHANGES),
  };
}

/** Equal for equal values, whatever the order of their members; an empty object of `metadata` is the same as none. */
function textOf(value: unknown): string {
  if (isJsonObject(value) && Object.keys(value).length === 0) return '';
  return value === undefined ? '' : JSON.stringify(sorted(value));
}
