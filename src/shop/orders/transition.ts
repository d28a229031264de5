import { command } from '../../db/database.ts';
import { loadOrders, move, saveOrders } from './folded.ts';
import { renderOrder } from './render.ts';
import { judgeTransition, type OrderStatus } from './rules.ts';

export interface TransitionRequest {
  order_id: string;
  to: OrderStatus;
  reason: string | null;
  expected_version?: number | undefined;
  /** Whether what comes back is put back into stock. */
  restock?: boolean;
  at: string;
}

export type TransitionOutcome =
  | { kind: 'moved' | 'unchanged'; json: string }
  | { kind: 'not_found' }
  | { kind: 'version_conflict'; version: number }
  | { kind: 'illegal'; status: string };

/** Moves orders that were asked for together; several requests for one order take their turn within the batch. */
export const transitionOrders = command(import.meta.url, 'transitionOrders', async (tx, requests: TransitionRequest[]) => {
  const orders = await loadOrders(
    tx,
    requests.map(({ order_id }) => order_id),
  );
  const outcomes = requests.map(({ order_id, to, reason, expected_version, at, restock }): TransitionOutcome => {
    const folded = orders.get(order_id);
    if (!folded) return { kind: 'not_found' };
    const { order } = folded;
    const verdict = judgeTransition(order, to, expected_version);
    if (verdict === 'unchanged') return { kind: 'unchanged', json: renderOrder(order, folded.history) };
    if (verdict === 'version_conflict') return { kind: 'version_conflict', version: order.version };
    if (verdict === 'illegal') return { kind: 'illegal', status: order.status };
    return { kind: 'moved', json: move(folded, to, reason, at, restock) };
  });
  await saveOrders(tx, orders.values());
  return outcomes;
});
