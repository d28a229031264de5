import { bulk, list } from '../../db/bulk.ts';
import { command, type Connection, LostRace } from '../../db/database.ts';
import { type Sql, sql } from '../../db/sql.ts';
import { appendEvents } from '../../events/append.ts';
import { leftOut } from '../../events/left-out.ts';
import type { ShortLine } from '../../lib/errors.ts';
import { saveStock, tellOfStock } from '../products/stock/save.ts';
import { type CountChange, countInBlocks, countInBlocksAtOnce, statusCounts } from './counts.ts';
import type { OrderDraft } from './order-draft.ts';
import { type PackedDrafts, unpackDrafts } from './packed.ts';
import { type RenderableOrder, renderAsCreated, renderLines, renderOrder, renderReceipt, renderReceiptAsCreated } from './render.ts';
import { type TakenStock, takeStock } from './reserve.ts';

export type CreateOutcome =
  | { kind: 'created'; id: string; json: string }
  | { kind: 'replayed'; id: string; json: string }
  | { kind: 'key_reused' }
  /** Nothing was decided: the order is to be submitted once more. */
  | { kind: 'again' }
  | { kind: 'external_id_taken'; by: string }
  | { kind: 'out_of_stock'; lines: ShortLine[] };

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
    for (const outcome of await createSome(tx, some, { now, receipts, endsIt: alone && isLast })) outcomes.push(outcome);
  }
  return outcomes;
}

interface How {
  now: string;
  receipts: boolean;
  /** Whether nothing comes behind them in the transaction. */
  endsIt: boolean;
}

async function createSome(tx: Connection, drafts: readonly OrderDraft[], { now, receipts, endsIt }: How): Promise<CreateOutcome[]> {
  const outcomes = new Map<OrderDraft, CreateOutcome>();
  const { firsts: claimed, followers } = await claimKeys(tx, drafts, { now, receipts }, outcomes);
  const isReserving = claimed.some(({ reserve }) => reserve);
  const [unknown, taken] = await Promise.all([
    unknownProducts(tx, claimed),
    isReserving ? takeStock(tx, claimed, Date.parse(now)) : undefined,
  ]);
  const firsts = taken ? await withoutRefused(tx, claimed, taken, outcomes) : claimed;

  const orders = renderFirsts(firsts, unknown);
  if (orders.every((order) => order.external_id === null)) {
    // Nothing can be refused, so nothing has to be waited for.
    if (taken) await Promise.all([insertOrders(tx, orders), tellOfAll(tx, orders, taken)]);
    else await insertPlain(tx, orders, endsIt);
  } else {
    const isRejected = await insertUnlessTaken(tx, orders);
    const rejected = firsts.filter(isRejected);
    // It was not there when stock was taken for it: the next try sees it.
    if (taken && rejected.some(({ id }) => taken.takers.has(id)))
      throw new LostRace('an order with this external id was made at the same time');
    if (rejected.length > 0) await explainRejected(tx, rejected, outcomes);
    const created = rejected.length === 0 ? orders : orders.filter((order) => !isRejected(order));
    await tellOfAll(tx, created, taken);
  }
  orders.forEach((order, index) => {
    const draft = firsts[index] as OrderDraft;
    if (outcomes.has(draft)) return;
    outcomes.set(draft, { kind: 'created', id: order.id, json: receipts ? renderReceipt(order) : renderOrder(order, []) });
  });
  for (const [follower, first] of followers) outcomes.set(follower, follow(follower, first, outcomes));
  return drafts.map((draft) => outcomes.get(draft) as CreateOutcome);
}

/** Whether the last transaction of this process has left a block that is full. */
let isBlockFull = false;

/**
 * Writes and tells of orders for which nothing has to be looked after. Others wait for the sequence of events until this is committed, so where the
 * transaction ends with them, the commit waits for no round trip.
 */
async function insertPlain(tx: Connection, orders: readonly RenderableOrder[], endsIt: boolean): Promise<void> {
  if (orders.length === 0) return;
  const changes = changesOf(orders);
  const isEnd = endsIt && tx.last !== undefined && !isBlockFull;
  const writing = Promise.all([
    insertOrders(tx, orders),
    tellOfOrders(tx, orders),
    isEnd ? countInBlocksAtOnce(tx, changes) : countInBlocks(tx, changes),
  ]);
  if (isEnd) tx.last?.();
  const [, , isFull] = await writing;
  isBlockFull = isFull === true;
}

/** The events and the counts of new orders. One that was placed elsewhere is history: nobody is to pack it again. */
async function tellOfOrders(tx: Connection, orders: readonly RenderableOrder[]): Promise<void> {
  const events = orders.map((order) => ({
    type: order.past === null ? ('order.created' as const) : ('order.imported' as const),
    objectId: order.id,
    at: order.created_at,
    data: leftOut(lengthOf(order)),
  }));
  await appendEvents(tx, 'orders', events, statusCounts(changesOf(orders)));
}

/** What every order has, with its names, and about as much for the history of one that has none with it. */
const EVERY_ORDER = 400;

/** About how long the order is as JSON. */
function lengthOf({ items, shipping_address, metadata, extra, past }: RenderableOrder): number {
  return EVERY_ORDER + items.length + (shipping_address?.length ?? 0) + metadata.length + (extra?.length ?? 0) + (past?.length ?? 0);
}

function changesOf(orders: readonly RenderableOrder[]): CountChange[] {
  return orders.map(({ id, status }) => ({ id, status, by: 1 }));
}

/** All that goes along with new orders. */
async function tellOfAll(tx: Connection, orders: readonly RenderableOrder[], taken: TakenStock<OrderDraft> | undefined): Promise<void> {
  await Promise.all([
    taken && saveStock(tx, taken.book),
    orders.length > 0 && tellOfOrders(tx, orders),
    orders.length > 0 && countInBlocks(tx, changesOf(orders)),
    taken && orders.length > 0 && tellOfStock(tx, taken.book),
  ]);
}

/** Says of orders that there is too little for what they want, and gives back their keys. Answers the others. */
async function withoutRefused(
  tx: Connection,
  drafts: readonly OrderDraft[],
  { refused }: TakenStock<OrderDraft>,
  outcomes: Map<OrderDraft, CreateOutcome>,
): Promise<OrderDraft[]> {
  for (const [draft, lines] of refused) outcomes.set(draft, { kind: 'out_of_stock', lines });
  await giveBackKeys(tx, [...refused.keys()]);
  return drafts.filter((draft) => !refused.has(draft));
}

/**
 * Claims the idempotency keys. Drafts whose key was used before get their outcome here. Of several drafts of this batch
 * with one key the first is to be written, and the others follow it.
 */
async function claimKeys(
  tx: Connection,
  drafts: readonly OrderDraft[],
  { now, receipts }: { now: string; receipts: boolean },
  outcomes: Map<OrderDraft, CreateOutcome>,
) {
  const firsts: OrderDraft[] = [];
  const followers: [follower: OrderDraft, first: OrderDraft][] = [];
  const groups = new Map<string, [OrderDraft, ...OrderDraft[]]>();
  for (const draft of drafts) {
    const name = draft.idempotency && nameOf(draft.idempotency);
    const group = name === null ? undefined : groups.get(name);
    if (name === null) firsts.push(draft);
    else if (group) group.push(draft);
    else groups.set(name, [draft]);
  }
  if (groups.size === 0) return { firsts, followers };

  // In the order of the keys: two nodes that claim the same ones wait for each other in a line, not in a circle.
  const claims = [...groups.keys()].sort().flatMap((name) => groups.get(name)?.slice(0, 1) ?? []);
  const claimed = new Set((await claim(tx, claims, now)).map((row) => row.order_id));
  const taken = claims.filter((draft) => !claimed.has(draft.id));
  const earlier = new Map((taken.length > 0 ? await findClaims(tx, taken) : []).map((row) => [nameOf(row), row]));
  for (const [name, [first, ...others]] of groups) {
    const before = earlier.get(name);
    if (before) {
      for (const draft of [first, ...others]) {
        const same = before.body_hash === draft.idempotency?.bodyHash;
        const json = receipts ? renderReceiptAsCreated(before) : renderAsCreated(before);
        outcomes.set(draft, same ? { kind: 'replayed', id: before.id, json } : { kind: 'key_reused' });
      }
    } else {
      firsts.push(first);
      followers.push(...others.map((other): [OrderDraft, OrderDraft] => [other, first]));
    }
  }
  return { firsts, followers };
}

async function claim(tx: Connection, drafts: readonly OrderDraft[], now: string): Promise<{ order_id: string }[]> {
  const rows = drafts.map(({ id, idempotency }) => [
    idempotency?.owner ?? '',
    idempotency?.key ?? '',
    idempotency?.bodyHash ?? '',
    id,
    idempotency?.expiresAt ?? '',
  ]);
  const columns = { owner: 'text', key: 'text', body_hash: 'text', order_id: 'text', expires_at: 'text' } as const;
  const result = await tx.all<{ order_id: string }>(sql`
    insert into idempotency_keys (owner, key, body_hash, order_id, expires_at)
    select owner, key, body_hash, order_id, expires_at from ${bulk(columns, rows)} as input where true
    on conflict (owner, key) do update
      set body_hash = excluded.body_hash, order_id = excluded.order_id, expires_at = excluded.expires_at
      where idempotency_keys.expires_at <= ${now}
    returning order_id`);
  return result;
}

async function findClaims(tx: Connection, drafts: readonly OrderDraft[]) {
  const names = drafts.map(({ idempotency }) => [idempotency?.owner ?? '', idempotency?.key ?? '']);
  const result = await tx.all<RenderableOrder & { owner: string; key: string; body_hash: string }>(sql`
    select k.owner, k.key, k.body_hash, o.* from ${bulk({ owner: 'text', key: 'text' }, names)} as input
    join idempotency_keys k on k.owner = input.owner and k.key = input.key
    join orders o on o.id = k.order_id`);
  return result;
}

/** The products of these orders that we do not know. Most are known, so few rows come back. */
async function unknownProducts(tx: Connection, drafts: readonly OrderDraft[]): Promise<Set<string>> {
  const ids = new Set<string>();
  for (const draft of drafts) for (const line of draft.lines) ids.add(line.product_id);
  if (ids.size === 0) return ids;
  const rows = Array.from(ids, (id) => [id]);
  const unknown = await tx.all<{ product_id: string }>(sql`
    select product_id from ${bulk({ product_id: 'text' }, rows)} as input
    where not exists (select 1 from products where products.product_id = input.product_id)`);
  return new Set(unknown.map((row) => row.product_id));
}

function renderFirsts(drafts: readonly OrderDraft[], unknown: ReadonlySet<string>): RenderableOrder[] {
  const isKnown = unknown.size === 0 ? () => true : (id: string) => !unknown.has(id);
  return drafts.map((draft) => ({
    id: draft.id,
    status: draft.status ?? 'new',
    total: draft.total,
    created_at: draft.created_at,
    updated_at: draft.created_at,
    version: 1,
    customer_id: draft.customer_id,
    currency: draft.currency,
    external_id: draft.external_id,
    items: renderLines(draft.lines, isKnown),
    shipping_address: draft.shipping_address,
    metadata: draft.metadata,
    extra: draft.extra ?? null,
    past: draft.past ?? null,
    fulfillment_status: null,
    payment_status: draft.payment_status ?? null,
    since: null,
    as_created: null,
  }));
}

const COLUMNS = {
  id: 'text',
  total: 'numeric',
  created_at: 'text',
  customer_id: 'text',
  currency: 'text',
  external_id: 'text',
  items: 'json',
  shipping_address: 'json',
  metadata: 'json',
} as const;

/** A column that no order of the batch has a value for is left out: plain orders are not to pay for what others have. */
function insertion(orders: readonly RenderableOrder[]): Sql {
  const hasExtra = orders.some(({ extra }) => extra !== null);
  const hasPast = orders.some(({ past }) => past !== null);
  const hasPayment = hasExtra && orders.some(({ payment_status }) => payment_status !== null);
  const rows = orders.map((o) => {
    const row = [o.id, o.total, o.created_at, o.customer_id, o.currency, o.external_id, o.items, o.shipping_address, o.metadata];
    if (hasExtra) row.push(o.extra);
    if (hasPast) row.push(o.past, o.status);
    if (hasPayment) row.push(o.payment_status);
    return row;
  });
  const columns = {
    ...COLUMNS,
    ...(hasExtra && { extra: 'json' as const }),
    ...(hasPast && { past: 'json' as const, status: 'text' as const }),
    ...(hasPayment && { payment_status: 'text' as const }),
  };
  const more = sql`${hasExtra ? sql`, extra` : sql``}${hasPast ? sql`, past` : sql``}${hasPayment ? sql`, payment_status` : sql``}`;
  return sql`
    insert into orders (id, status, total, created_at, updated_at, version, customer_id, currency, external_id, items, shipping_address, metadata${more})
    select id, ${hasPast ? sql`status` : sql`'new'`}, total, created_at, created_at, 1, customer_id, currency, external_id, items, shipping_address, metadata${more}
    from ${bulk(columns, rows)} as input where true`;
}

async function insertOrders(tx: Connection, orders: readonly RenderableOrder[]): Promise<void> {
  if (orders.length > 0) await tx.all(insertion(orders));
}

/** Inserts what can be inserted, and answers which ones were not: those whose external id is taken. */
async function insertUnlessTaken(tx: Connection, orders: readonly RenderableOrder[]): Promise<(order: { id: string }) => boolean> {
  // By external id, for the same reason as the keys above. SQLite has one writer, and does best when the ids of orders come in their order.
  const sorted = tx.engine === 'sqlite' ? orders : orders.toSorted((a, b) => compare(a.external_id ?? '', b.external_id ?? ''));
  const result = await tx.all<{ id: string }>(sql`
    ${insertion(sorted)} on conflict (external_id) where external_id is not null do nothing returning id`);
  // Looking each of them up costs more than to see that none is missing.
  if (result.length === orders.length) return () => false;
  const written = new Set(result.map((row) => row.id));
  return ({ id }) => !written.has(id);
}

/** Says which order holds the external id, and gives back the idempotency key of a request that made no order. */
async function explainRejected(tx: Connection, drafts: readonly OrderDraft[], outcomes: Map<OrderDraft, CreateOutcome>): Promise<void> {
  const externalIds = drafts.map((draft) => draft.external_id ?? '');
  const holders = await tx.all<{ id: string; external_id: string }>(sql`
    select id, external_id from orders where external_id in ${list(externalIds)}`);
  const byExternalId = new Map(holders.map((row) => [row.external_id, row.id]));
  for (const draft of drafts) outcomes.set(draft, { kind: 'external_id_taken', by: byExternalId.get(draft.external_id ?? '') ?? '' });
  await giveBackKeys(tx, drafts);
}

async function giveBackKeys(tx: Connection, drafts: readonly OrderDraft[]): Promise<void> {
  const names = drafts.flatMap(({ idempotency }) => (idempotency ? [[idempotency.owner, idempotency.key]] : []));
  if (names.length === 0) return;
  await tx.all(sql`
    delete from idempotency_keys
    where (owner, key) in (select owner, key from ${bulk({ owner: 'text', key: 'text' }, names)} as unused)`);
}

function follow(follower: OrderDraft, first: OrderDraft, outcomes: ReadonlyMap<OrderDraft, CreateOutcome>): CreateOutcome {
  const outcome = outcomes.get(first) as CreateOutcome;
  if (follower.idempotency?.bodyHash !== first.idempotency?.bodyHash) {
    // A first that was refused has given the key back, so another body may have it.
    return { kind: outcome.kind === 'external_id_taken' || outcome.kind === 'out_of_stock' ? 'again' : 'key_reused' };
  }
  return outcome.kind === 'created' ? { ...outcome, kind: 'replayed' } : outcome;
}

function nameOf({ owner, key }: { owner: string; key: string }): string {
  return `${owner}\0${key}`;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Forgets idempotency keys whose time is over, some at a time; answers how many. */
export const forgetExpiredKeys = command(import.meta.url, 'forgetExpiredKeys', async (tx, input: { now: string; most: number }) => {
  const result = await tx.all<{ key: string }>(sql`
    delete from idempotency_keys
    where (owner, key) in (select owner, key from idempotency_keys where expires_at <= ${input.now} limit ${input.most})
    returning key`);
  return result.length;
});
