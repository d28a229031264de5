import { list } from '../../db/bulk.ts';
import { command, type Connection, LostRace } from '../../db/database.ts';
import { sql } from '../../db/sql.ts';
import { appendEvents } from '../../events/append.ts';
import { leftOut } from '../../events/left-out.ts';
import { saveStock, tellOfStock } from '../products/stock/save.ts';
import { claimKeys, follow, giveBackKeys } from './claims.ts';
import { type CountChange, countInBlocks, countInBlocksAtOnce, statusCounts } from './counts.ts';
import { insertOrders, insertUnlessTaken, rowsOf } from './insert.ts';
import type { OrderDraft } from './order-draft.ts';
import type { CreateOutcome, Outcomes } from './outcomes.ts';
import { type PackedDrafts, unpackDrafts } from './packed.ts';
import { foundProducts, unknownProducts } from './products-found.ts';
import { type RenderableOrder, renderOrder, renderReceipt } from './render.ts';
import { type TakenStock, takeStock } from './reserve.ts';
import { noteRoom, reserveAtOnce } from './reserve-at-once.ts';

/** Undefined of an order that was made as it was drafted: all that a receipt says of it is in the draft. */
export type ReceiptOutcome = CreateOutcome | undefined;

export interface NewOrders {
  /** Packed where they go to another thread: that costs a fraction of copying the objects. What is packed together is written together. */
  drafts: PackedDrafts | OrderDraft[];
  now: string;
  /** Whether they are all that the transaction is for. */
  alone?: boolean;
}

/** Writes orders that arrived together: one transaction, a handful of statements, whatever their number. */
export const createOrders = command(import.meta.url, 'createOrders', (tx, input: NewOrders) => create(tx, input, false));

/** The same, where a short answer of each is enough. */
export const createForReceipts = command(
  import.meta.url,
  'createForReceipts',
  async (tx, input: NewOrders): Promise<ReceiptOutcome[]> =>
    // Most are made, and what says nothing need not be copied from thread to thread.
    (await create(tx, input, true)).map((outcome) => (outcome.kind === 'created' ? undefined : outcome)),
);

async function create(tx: Connection, { drafts, now, alone = false }: NewOrders, receipts: boolean): Promise<CreateOutcome[]> {
  const outcomes: CreateOutcome[] = [];
  let left = Array.isArray(drafts) ? 1 : drafts.packed.length;
  for (const some of Array.isArray(drafts) ? [drafts] : unpackDrafts(drafts)) {
    const isLast = --left === 0;
    for (const outcome of await createSome(tx, some, { now, receipts, alone, endsIt: alone && isLast })) outcomes.push(outcome);
  }
  return outcomes;
}

interface How {
  now: string;
  receipts: boolean;
  /** Whether the transaction writes nothing but orders. */
  alone: boolean;
  /** Whether nothing comes behind them in the transaction. */
  endsIt: boolean;
}

async function createSome(tx: Connection, drafts: readonly OrderDraft[], how: How): Promise<CreateOutcome[]> {
  const outcomes: Outcomes = new Map();
  const { firsts, followers } = await claimKeys(tx, drafts, how, outcomes);
  const products = productsOf(firsts);
  const isReserving = firsts.some(({ reserve }) => reserve);
  // Every wait is a round trip there. What is found along with changes of products would only hold if they were committed.
  const catalogue = how.alone ? tx.origin : undefined;
  const found = foundProducts(tx, catalogue, products);
  // An order of another system may turn out to be there already, and is to take nothing then.
  const isNew = firsts.every(({ external_id }) => external_id === null);
  const atOnce = found && isReserving && isNew ? reserveAtOnce(tx, firsts) : undefined;
  if (found && (!isReserving || atOnce))
    await writeFirsts(tx, firsts, { unknown: found, stock: atOnce && { save: atOnce } }, how, outcomes);
  else {
    const [unknown, taken] = await Promise.all([
      found ?? unknownProducts(tx, catalogue, products),
      isReserving ? takeStock(tx, firsts, Date.parse(how.now)) : undefined,
    ]);
    if (taken && tx.engine === 'postgres') noteRoom(taken.book, firsts);
    const served = taken ? await withoutRefused(tx, firsts, taken, outcomes) : firsts;
    const stock = taken && { save: () => saveStock(tx, taken.book), tell: () => tellOfStock(tx, taken.book) };
    await writeFirsts(tx, served, { unknown, stock, takers: taken?.takers }, how, outcomes);
  }
  for (const [follower, first] of followers) outcomes.set(follower, follow(follower, first, outcomes));
  return drafts.map((draft) => outcomes.get(draft) as CreateOutcome);
}

/** What orders do to stock, in the transaction that makes them. */
interface StockOfOrders {
  save(): Promise<void>;
  /** The last of the transaction, with other events. */
  tell?(): Promise<void>;
}

/** What was found out before orders are written. */
interface Decided {
  /** The products that are not known. */
  unknown: ReadonlySet<string>;
  stock: StockOfOrders | undefined;
  /** The ids of the orders that stock was taken for. */
  takers?: ReadonlySet<string> | undefined;
}

/** Writes orders whose keys are claimed, and notes what became of each. */
async function writeFirsts(
  tx: Connection,
  firsts: readonly OrderDraft[],
  { unknown, stock, takers }: Decided,
  { receipts, endsIt }: How,
  outcomes: Outcomes,
): Promise<void> {
  const orders = rowsOf(firsts, unknown);
  if (orders.every((order) => order.external_id === null)) {
    // Nothing can be refused, so nothing has to be waited for.
    await insertAll(tx, orders, stock, endsIt);
  } else {
    const isRejected = await insertUnlessTaken(tx, orders);
    const rejected = firsts.filter(isRejected);
    // It was not there when stock was taken for it: the next try sees it.
    if (rejected.some(({ id }) => takers?.has(id))) throw new LostRace('an order with this external id was made at the same time');
    if (rejected.length > 0) await explainRejected(tx, rejected, outcomes);
    const created = rejected.length === 0 ? orders : orders.filter((order) => !isRejected(order));
    await tellOfAll(tx, created, stock);
  }
  orders.forEach((order, index) => {
    const draft = firsts[index] as OrderDraft;
    if (outcomes.has(draft)) return;
    outcomes.set(draft, { kind: 'created', id: order.id, json: receipts ? renderReceipt(order) : renderOrder(order, []) });
  });
}

function productsOf(drafts: readonly OrderDraft[]): Set<string> {
  const ids = new Set<string>();
  for (const draft of drafts) for (const line of draft.lines) ids.add(line.product_id);
  return ids;
}

/** Whether the last transaction of this process has left a block that is full. */
let isBlockFull = false;

/**
 * Writes and tells of orders of which none can be refused any more. Others wait for the sequence of events until this is committed, so where the transaction
 * ends with them, the commit waits for no round trip.
 */
async function insertAll(
  tx: Connection,
  orders: readonly RenderableOrder[],
  stock: StockOfOrders | undefined,
  endsIt: boolean,
): Promise<void> {
  if (orders.length === 0) return;
  const isEnd = endsIt && tx.last !== undefined && !isBlockFull;
  const writing = Promise.all([insertOrders(tx, orders), tellOfAll(tx, orders, stock, isEnd)]);
  if (isEnd) tx.last?.();
  const [, isFull] = await writing;
  isBlockFull = isFull;
}

/** The events and the counts of new orders. One that was placed elsewhere is history: nobody is to pack it again. */
async function tellOfOrders(tx: Connection, orders: readonly RenderableOrder[]): Promise<void> {
  const events = orders.map((order) => ({
    type: order.past === null ? ('order.created' as const) : ('order.imported' as const),
    objectId: order.id,
    at: order.created_at,
    data: leftOut(bytesOf(order)),
  }));
  await appendEvents(tx, 'orders', events, statusCounts(changesOf(orders)));
}

/** What every order has, with its names, and about as much for the history of one that has none with it. */
const EVERY_ORDER = 400;

/** About how many bytes the order is as JSON. */
function bytesOf({ items, shipping_address, metadata, extra, past }: RenderableOrder): number {
  let bytes = EVERY_ORDER;
  for (const text of [items, shipping_address, metadata, extra, past]) if (text !== null) bytes += Buffer.byteLength(text);
  return bytes;
}

function changesOf(orders: readonly RenderableOrder[]): CountChange[] {
  return orders.map(({ id, status }) => ({ id, status, by: 1 }));
}

/** All that goes along with new orders, given to the database in one go if they are the end; answers whether that has left a block that is full. */
async function tellOfAll(
  tx: Connection,
  orders: readonly RenderableOrder[],
  stock: StockOfOrders | undefined,
  isEnd = false,
): Promise<boolean> {
  const isAny = orders.length > 0;
  const changes = changesOf(orders);
  const saved = stock?.save();
  const told = isAny && tellOfOrders(tx, orders);
  const counted = isAny && (isEnd ? countInBlocksAtOnce(tx, changes) : countInBlocks(tx, changes));
  const [isFull] = await Promise.all([counted, saved, told, isAny && stock?.tell?.()]);
  return isFull === true;
}

/** Says of orders that there is too little for what they want, and gives back their keys. Answers the others. */
async function withoutRefused(
  tx: Connection,
  drafts: readonly OrderDraft[],
  { refused }: TakenStock<OrderDraft>,
  outcomes: Outcomes,
): Promise<OrderDraft[]> {
  for (const [draft, lines] of refused) outcomes.set(draft, { kind: 'out_of_stock', lines });
  await giveBackKeys(tx, [...refused.keys()]);
  return drafts.filter((draft) => !refused.has(draft));
}

/** Says which order holds the external id, and gives back the idempotency key of a request that made no order. */
async function explainRejected(tx: Connection, drafts: readonly OrderDraft[], outcomes: Outcomes): Promise<void> {
  const externalIds = drafts.map((draft) => draft.external_id ?? '');
  const holders = await tx.all<{ id: string; external_id: string }>(sql`
    select id, external_id from orders where external_id in ${list(externalIds)}`);
  const byExternalId = new Map(holders.map((row) => [row.external_id, row.id]));
  for (const draft of drafts) outcomes.set(draft, { kind: 'external_id_taken', by: byExternalId.get(draft.external_id ?? '') ?? '' });
  await giveBackKeys(tx, drafts);
}
