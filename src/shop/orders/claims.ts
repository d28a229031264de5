import { bulk } from '../../db/bulk.ts';
import { command, type Connection } from '../../db/database.ts';
import { sql } from '../../db/sql.ts';
import type { OrderDraft } from './order-draft.ts';
import type { CreateOutcome, Outcomes } from './outcomes.ts';
import { type RenderableOrder, renderAsCreated, renderReceiptAsCreated } from './render.ts';

// The idempotency keys of new orders.

/**
 * Claims the idempotency keys. Drafts whose key was used before get their outcome here. Of several drafts of this batch
 * with one key the first is to be written, and the others follow it.
 */
export async function claimKeys(
  tx: Connection,
  drafts: readonly OrderDraft[],
  { now, receipts }: { now: string; receipts: boolean },
  outcomes: Outcomes,
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

/** Of orders that are not made after all. */
export async function giveBackKeys(tx: Connection, drafts: readonly OrderDraft[]): Promise<void> {
  const names = drafts.flatMap(({ idempotency }) => (idempotency ? [[idempotency.owner, idempotency.key]] : []));
  if (names.length === 0) return;
  await tx.all(sql`
    delete from idempotency_keys
    where (owner, key) in (select owner, key from ${bulk({ owner: 'text', key: 'text' }, names)} as unused)`);
}

/** What becomes of an order whose key another one of the same batch has claimed. */
export function follow(follower: OrderDraft, first: OrderDraft, outcomes: ReadonlyMap<OrderDraft, CreateOutcome>): CreateOutcome {
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

/** Forgets idempotency keys whose time is over, some at a time; answers how many. */
export const forgetExpiredKeys = command(import.meta.url, 'forgetExpiredKeys', async (tx, input: { now: string; most: number }) => {
  const result = await tx.all<{ key: string }>(sql`
    delete from idempotency_keys
    where (owner, key) in (select owner, key from idempotency_keys where expires_at <= ${input.now} limit ${input.most})
    returning key`);
  return result.length;
});
