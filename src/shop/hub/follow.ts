import { list } from '../../db/bulk.ts';
import { command, type Connection } from '../../db/database.ts';
import { sql } from '../../db/sql.ts';
import { parseExactly } from '../../lib/exact-json.ts';
import { newId } from '../../lib/ids.ts';
import { decimalText, unitsOfText } from '../../lib/money.ts';
import { PSEUDONYM } from '../customers/erase/rows.ts';
import { CHANGED_COLUMNS, changeOrder, openReserved } from '../orders/change/write.ts';
import { type Refund, sinceOf, unitsIn } from '../orders/deeds/records.ts';
import { type OrderRefusal, OrderRefused } from '../orders/deeds/refusals.ts';
import { record } from '../orders/deeds/write.ts';
import { type Folded, loadOrders, move, saveOrders } from '../orders/folded.ts';
import type { RenderableOrder } from '../orders/render.ts';
import { type OrderStatus, wayTo } from '../orders/rules.ts';
import { type OrderStock, quantitiesOf } from '../products/stock/held.ts';
import { reserves } from '../orders/stock.ts';
import type { OrderTaking, WishedRefund } from './taken.ts';

/** Who changes orders here, and why, as it is noted with them. */
const WHO = 'hub';
const WHY = 'synchronization';

export type FollowOutcome = { kind: 'changed' | 'unchanged' | 'not_found' } | { kind: 'refused'; refusal: OrderRefusal };

interface FollowInput {
  takings: OrderTaking[];
  at: string;
}

/** Brings orders that are there in step with what another system says of them: all of what it says of an order, or nothing. */
export const followOrders = command(import.meta.url, 'followOrders', async (tx, { takings, at }: FollowInput): Promise<FollowOutcome[]> => {
  const found = await tx.all<{ id: string; external_id: string }>(sql`
      select id, external_id from orders where external_id in ${list(takings.map(({ external_id }) => external_id))}`);
  const ids = new Map(found.map(({ id, external_id }) => [external_id, id]));
  const orders = await loadOrders(tx, [...ids.values()]);
  const asked = takings.flatMap((taking) => {
    const folded = orders.get(ids.get(taking.external_id) ?? '');
    return folded ? [{ taking: forOrder(taking, folded), folded, order_id: folded.order.id }] : [];
  });
  const stock = await openReserved(
    tx,
    orders,
    asked.map(({ taking, order_id }) => ({ order_id, patch: taking.patch, at })),
  );
  const outcomes = new Map<string, FollowOutcome[]>();
  for (const { taking, folded } of asked) {
    const outcome = await follow(tx, folded, taking, at, stock);
    outcomes.set(taking.external_id, [...(outcomes.get(taking.external_id) ?? []), outcome]);
  }
  const tellOfStock = await stock?.save();
  await saveOrders(tx, orders.values(), CHANGED_COLUMNS);
  await tellOfStock?.();
  return takings.map(({ external_id }) => outcomes.get(external_id)?.shift() ?? { kind: 'not_found' });
});

type Items = { metadata?: unknown }[];
type Patch = { items?: Items; payment?: { reference?: unknown } } & Record<string, unknown>;

/** What tells of a person, and is not brought back into an order from which that person was erased. */
const PERSONAL: ReadonlySet<string> = new Set(['shipping_address', 'billing_address', 'customer', 'note', 'metadata']);

function forOrder(taking: OrderTaking, { order }: Folded): OrderTaking {
  if (!isErased(order)) return taking;
  const { items, payment, ...others } = parseExactly(taking.patch) as Patch;
  const kept = {
    ...Object.fromEntries(Object.entries(others).filter(([name]) => !PERSONAL.has(name))),
    ...(items && { items: items.map(({ metadata: _metadata, ...item }) => item) }),
    ...(payment && { payment: { ...payment, reference: undefined } }),
  };
  const refunds = taking.refunds.map((refund) => ({ ...refund, reason: undefined }));
  return { ...taking, patch: JSON.stringify(kept), refunds };
}

function isErased({ customer_id }: RenderableOrder): boolean {
  return customer_id.startsWith(PSEUDONYM);
}

async function follow(
  tx: Connection,
  folded: Folded,
  taking: OrderTaking,
  at: string,
  stock: OrderStock | undefined,
): Promise<FollowOutcome> {
  const { order } = folded;
  const { version } = order;
  const takeBack = marked(folded, stock);
  try {
    demandSame(order, taking);
    // Before anything else, as it is what mostly cannot be.
    movesOf(order, taking.status);
    const refunds = newRefunds(order, taking.refunds);
    const isHistory = order.extra !== null && (JSON.parse(order.extra) as { imported?: boolean }).imported === true;
    const outcome = await changeOrder(
      tx,
      folded,
      {
        order_id: order.id,
        at,
        by: WHO,
        patch: taking.patch,
        replaces: true,
        ...(isHistory ? { total: taking.total } : { expected_total: taking.total === undefined ? undefined : Number(taking.total) }),
      },
      stock,
    );
    if (outcome.kind === 'refused') throw new OrderRefused(outcome.refusal.code, outcome.refusal.message, outcome.refusal.faults);
    for (const { id, amount, reason } of refunds)
      await record(tx, folded, {
        kind: 'refunds',
        order_id: order.id,
        id: newId('rfd', Date.parse(at)).id,
        at,
        amount,
        reason,
        external_id: id,
        restock: false,
        idempotency: null,
      });
    for (const to of movesOf(order, taking.status)) move(folded, to, WHY, at);
    return { kind: order.version === version ? 'unchanged' : 'changed' };
  } catch (error) {
    if (!(error instanceof OrderRefused)) throw error;
    takeBack();
    return { kind: 'refused', refusal: error.refusal };
  }
}

/** Who ordered, and in which money, stays as it is. */
function demandSame(order: RenderableOrder, { customer_id, currency }: OrderTaking): void {
  const faults = [];
  if (customer_id !== undefined && customer_id !== order.customer_id && !isErased(order))
    faults.push({ field: 'customer_id', reason: `is ${order.customer_id} here, and cannot be changed` });
  if (currency !== undefined && currency !== order.currency)
    faults.push({ field: 'currency', reason: `is ${order.currency} here, and cannot be changed` });
  if (faults.length > 0) throw new OrderRefused('CONFLICT', 'The order is there already, with another customer or currency.', faults);
}

function movesOf(order: RenderableOrder, to: OrderStatus | undefined): OrderStatus[] {
  const way = to === undefined ? [] : wayTo(order.status, to);
  if (way) return way;
  throw new OrderRefused('INVALID_TRANSITION', `An order that is ${order.status} cannot become ${to}.`, [
    { field: 'status', reason: `is ${order.status} here, from where no way leads to ${to}` },
  ]);
}

/** Those that are not known yet. One that is known stays as it is. */
function newRefunds(order: RenderableOrder, wished: readonly WishedRefund[]): WishedRefund[] {
  const known = new Map(
    (sinceOf(order).refunds ?? []).flatMap((refund): [string, Refund][] =>
      refund.external_id === undefined ? [] : [[refund.external_id, refund]],
    ),
  );
  return wished.filter(({ id, amount }) => {
    const before = known.get(id);
    if (before && unitsIn(before.amount) !== unitsOfText(amount))
      throw new OrderRefused('CONFLICT', `The refund ${id} is there already, with another amount.`, [
        { field: 'refunds', reason: `${id} is ${decimalText(unitsIn(before.amount))} here, and cannot be changed` },
      ]);
    return !before;
  });
}

/** Where an order stands in this transaction. What it answers takes the order back there. */
function marked(folded: Folded, stock: OrderStock | undefined): () => void {
  const { order, history, moves, isChanged, events, counts, stock: deeds } = folded;
  const before = { ...order };
  const lengths = [history, moves, events, counts, deeds].map(({ length }) => length);
  return () => {
    [history, moves, events, counts, deeds].forEach((entries, index) => entries.splice(lengths[index] ?? 0));
    if (stock && order.items !== before.items && reserves(before))
      stock.hold(order.id, quantitiesOf(JSON.parse(before.items) as { product_id: string; quantity: number }[]));
    Object.assign(order, before);
    folded.isChanged = isChanged;
  };
}
