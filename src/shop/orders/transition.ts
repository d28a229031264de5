import { bulk, list } from '../../db/bulk.ts';
import { command, type Connection } from '../../db/database.ts';
import { forUpdate, sql } from '../../db/sql.ts';
import { appendEvents, type NewEvent } from '../../events/append.ts';
import { type CountChange, countInBlocks, statusCounts } from './counts.ts';
import { type HistoryEntry, type RenderableOrder, renderOrder } from './render.ts';
import { judgeTransition, type OrderStatus } from './rules.ts';

export interface TransitionRequest {
  order_id: string;
  to: OrderStatus;
  reason: string | null;
  expected_version?: number | undefined;
  at: string;
}

export type TransitionOutcome =
  | { kind: 'moved' | 'unchanged'; json: string }
  | { kind: 'not_found' }
  | { kind: 'version_conflict'; version: number }
  | { kind: 'illegal'; status: string };

interface Folded {
  order: RenderableOrder;
  history: HistoryEntry[];
  moves: (HistoryEntry & { version: number })[];
}

/** Moves orders that were asked for together; several requests for one order take their turn within the batch. */
export const transitionOrders = command(import.meta.url, 'transitionOrders', async (tx, requests: TransitionRequest[]) => {
  const orders = await loadOrders(tx, [...new Set(requests.map((request) => request.order_id))].sort());
  const events: NewEvent[] = [];
  const changes: CountChange[] = [];
  const outcomes = requests.map((request): TransitionOutcome => {
    const folded = orders.get(request.order_id);
    if (!folded) return { kind: 'not_found' };
    const { order } = folded;
    const verdict = judgeTransition(order, request.to, request.expected_version);
    if (verdict === 'unchanged') return { kind: 'unchanged', json: renderOrder(order, folded.history) };
    if (verdict === 'version_conflict') return { kind: 'version_conflict', version: order.version };
    if (verdict === 'illegal') return { kind: 'illegal', status: order.status };
    changes.push({ id: order.id, status: order.status, by: -1 }, { id: order.id, status: request.to, by: 1 });
    move(folded, request);
    const json = renderOrder(order, folded.history);
    events.push({ type: 'order.status_changed', objectId: order.id, at: order.updated_at, data: json });
    return { kind: 'moved', json };
  });
  const moved = [...orders.values()].filter((folded) => folded.moves.length > 0);
  if (moved.length > 0) {
    await Promise.all([save(tx, moved), appendEvents(tx, 'orders', events, statusCounts(changes)), countInBlocks(tx, changes)]);
  }
  return outcomes;
});

function move(folded: Folded, { to, reason, at }: TransitionRequest): void {
  const { order } = folded;
  order.status = to;
  order.version++;
  // A clock that was set back must not make an order younger than it was.
  order.updated_at = at > order.updated_at ? at : order.updated_at;
  const entry = { status: to, at: order.updated_at, reason };
  folded.history.push(entry);
  folded.moves.push({ ...entry, version: order.version });
}

async function loadOrders(tx: Connection, ids: readonly string[]): Promise<Map<string, Folded>> {
  const orders = await tx.all<RenderableOrder>(sql`
    select * from orders where id in ${list(ids)} order by id ${forUpdate}`);
  const history = await historyOf(tx, ids);
  return new Map(orders.map((order) => [order.id, { order: { ...order }, history: history.get(order.id) ?? [], moves: [] }]));
}

/** The changes of status of these orders, oldest first. */
export async function historyOf(db: Connection, ids: readonly string[]): Promise<Map<string, HistoryEntry[]>> {
  const rows = await db.all<HistoryEntry & { order_id: string }>(sql`
    select order_id, status, at, reason from order_history where order_id in ${list(ids)}
    order by order_id, version`);
  const byOrder = new Map<string, HistoryEntry[]>();
  for (const { order_id, ...entry } of rows) {
    const entries = byOrder.get(order_id);
    if (entries) entries.push(entry);
    else byOrder.set(order_id, [entry]);
  }
  return byOrder;
}

async function save(tx: Connection, moved: readonly Folded[]): Promise<void> {
  const states = moved.map(({ order }) => [order.id, order.status, order.version, order.updated_at]);
  const stateColumns = { id: 'text', status: 'text', version: 'bigint', updated_at: 'text' } as const;
  const updated = tx.all(sql`
    update orders set status = input.status, version = input.version, updated_at = input.updated_at
    from ${bulk(stateColumns, states)} as input where orders.id = input.id`);
  const entries = moved.flatMap(({ order, moves }) =>
    moves.map((entry) => [order.id, entry.version, entry.status, entry.at, entry.reason]),
  );
  const entryColumns = { order_id: 'text', version: 'bigint', status: 'text', at: 'text', reason: 'text' } as const;
  const noted = tx.all(sql`
    insert into order_history (order_id, version, status, at, reason)
    select order_id, version, status, at, reason from ${bulk(entryColumns, entries)} as input`);
  await Promise.all([updated, noted]);
}
