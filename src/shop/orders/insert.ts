import { bulk } from '../../db/bulk.ts';
import type { Connection } from '../../db/database.ts';
import { type Sql, sql } from '../../db/sql.ts';
import type { OrderDraft } from './order-draft.ts';
import { type RenderableOrder, renderLines } from './render.ts';

/** The rows of new orders. `unknown` are the products that are not known. */
export function rowsOf(drafts: readonly OrderDraft[], unknown: ReadonlySet<string>): RenderableOrder[] {
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

export async function insertOrders(tx: Connection, orders: readonly RenderableOrder[]): Promise<void> {
  if (orders.length > 0) await tx.all(insertion(orders));
}

/** Inserts what can be inserted, and answers which ones were not: those whose external id is taken. */
export async function insertUnlessTaken(tx: Connection, orders: readonly RenderableOrder[]): Promise<(order: { id: string }) => boolean> {
  // By external id, for the same reason as the keys above. SQLite has one writer, and does best when the ids of orders come in their order.
  const sorted = tx.engine === 'sqlite' ? orders : orders.toSorted((a, b) => compare(a.external_id ?? '', b.external_id ?? ''));
  const result = await tx.all<{ id: string }>(sql`
    ${insertion(sorted)} on conflict (external_id) where external_id is not null do nothing returning id`);
  // Looking each of them up costs more than to see that none is missing.
  if (result.length === orders.length) return () => false;
  const written = new Set(result.map((row) => row.id));
  return ({ id }) => !written.has(id);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
