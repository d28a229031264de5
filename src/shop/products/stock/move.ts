import { recordAudit } from '../../../audit/record.ts';
import { command, type Connection } from '../../../db/database.ts';
import { sql } from '../../../db/sql.ts';
import type { Actor } from '../../../http/caller.ts';
import type { StockMovement } from './book.ts';
import { openProductStock, type ProductStock, saveProductStock } from './on-hand.ts';
import { totalOf } from './rules.ts';
import type { MovementKey } from './save.ts';

export interface MovementRequest {
  product_id: string;
  location: string;
  delta: number;
  reason: string | null;
}

interface Moves {
  requests: MovementRequest[];
  key: MovementKey | undefined;
  actor: Actor;
  now: number;
}

export type MoveOutcome =
  | { kind: 'moved' | 'replayed'; movements: StockMovement[] }
  | { kind: 'key_reused' }
  | { kind: 'refused'; index: number; why: 'not_found' | 'untracked' | 'too_many' }
  | { kind: 'refused'; index: number; why: 'short'; available: number };

/** The trail shows so many movements of one request, and how many there were. */
const MOST_NOTED = 50;

/** Makes movements that were asked for by hand: all of them, or none. */
export const moveStock = command(import.meta.url, 'moveStock', async (tx, { requests, key, actor, now }: Moves): Promise<MoveOutcome> => {
  const stock = await openProductStock(
    tx,
    requests.map(({ product_id }) => product_id),
    now,
  );
  const before = key ? await movementsOf(tx, key) : [];
  const [first] = before;
  if (first) return first.body_hash === key?.bodyHash ? { kind: 'replayed', movements: before } : { kind: 'key_reused' };
  for (const [index, request] of requests.entries()) {
    const refused = moveOne(stock, request, index);
    if (refused) return refused;
  }
  const { book } = stock;
  const tell = await saveProductStock(tx, stock, key);
  const noted = requests.slice(0, MOST_NOTED);
  const details = { movements: requests.length, made: noted };
  await recordAudit(tx, now, { actor, action: 'stock.adjusted', object_id: requests[0]?.product_id ?? '', details });
  await tell();
  return { kind: 'moved', movements: book.movements };
});

function moveOne({ book, products }: ProductStock, request: MovementRequest, index: number): MoveOutcome | undefined {
  const { product_id, location, delta, reason } = request;
  if (!products.has(product_id)) return { kind: 'refused', index, why: 'not_found' };
  const levels = book.levelsOf(product_id);
  if (levels.length === 0) return { kind: 'refused', index, why: 'untracked' };
  // What is on hand in all has to stay a number that can be told.
  if (!Number.isSafeInteger(totalOf(levels).on_hand + delta)) return { kind: 'refused', index, why: 'too_many' };
  const level = levels.find((one) => one.location === location);
  if (book.adjust(product_id, location, delta, reason)) return undefined;
  return { kind: 'refused', index, why: 'short', available: Math.max(0, (level?.on_hand ?? 0) - (level?.reserved ?? 0)) };
}

/** What an earlier request with this key has made. */
function movementsOf(tx: Connection, { owner, key }: MovementKey): Promise<(StockMovement & { body_hash: string })[]> {
  return tx.all(sql`select * from stock_movements where owner = ${owner} and key = ${key} order by place`);
}
