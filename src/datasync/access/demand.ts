import { typesThat } from '../../connectors/registry.ts';
import { list } from '../../db/bulk.ts';
import type { Connection } from '../../db/database.ts';
import { sql } from '../../db/sql.ts';
import { demandScope } from '../../http/callers/auth.ts';
import { sameRowsAs, sourcesOfHook } from './hook-sources.ts';
import { hiddenRows } from './marks.ts';
import { type Act, type Asking, type EndTypes, mayAnything, shopRowsAt, shopScopes } from './rules.ts';

/** The types that are the shop. */
const SHOP = typesThat(({ shopRows }) => shopRows !== undefined);

interface StreamNames {
  readonly source: string;
  readonly target: string;
}

interface EndIds {
  readonly source_id: string;
  readonly target_id: string;
}

/** Throws FORBIDDEN unless the caller may do this to streams between two systems. */
export function demandShopScopes(asking: Asking, act: Act, types: EndTypes, streams: readonly StreamNames[]): void {
  for (const scope of shopScopes(act, types, streams)) demandScope(asking, scope);
}

/** The same for the streams of a synchronization. In the transaction of the act: what is at its ends must not change in between. */
export async function demandForSync(
  tx: Connection,
  asking: Asking,
  act: Act,
  { source_id, target_id }: EndIds,
  streams: readonly StreamNames[],
): Promise<void> {
  if (mayAnything(asking)) return;
  const rows = await tx.all<{ id: string; type: string }>(sql`select id, type from sources where id in ${list([source_id, target_id])}`);
  const typeOf = new Map(rows.map(({ id, type }) => [id, type]));
  demandShopScopes(asking, act, { source: typeOf.get(source_id) ?? '', target: typeOf.get(target_id) ?? '' }, streams);
}

/** Throws FORBIDDEN unless the caller may point a source elsewhere: what the shop sends there or takes from there goes along. */
export async function demandForSource(tx: Connection, asking: Asking, sourceId: string): Promise<void> {
  if (mayAnything(asking)) return;
  for (const { types, streams } of await syncsWithShop(tx, sourceId)) demandShopScopes(asking, 'move', types, streams);
}

/**
 * The same for a caller that lets a hook be called, where its calls are rows of a source: who can call it writes what the shop takes from there, and who
 * sees its calls sees those rows.
 */
export async function demandForHook(db: Connection, asking: Asking, act: Act, hookId: string): Promise<void> {
  if (mayAnything(asking)) return;
  for (const { id } of await sourcesOfHook(db, hookId)) {
    for (const { types, streams } of await syncsWithShop(db, id)) demandShopScopes(asking, act, types, streams);
  }
}

/**
 * Throws FORBIDDEN unless the caller may see rows of a stream. The rows of the shop are also where a synchronization has brought them, or
 * takes them from. The calls of a hook are the same rows in every source that is this hook.
 */
export async function demandForSample(db: Connection, asking: Asking, source: { id: string; type: string }, stream: string): Promise<void> {
  if (mayAnything(asking)) return;
  const rows = shopRowsAt(source.type, stream);
  if (rows) return demandScope(asking, `${rows}:read`);
  const isSame = (name: string): boolean => name.toLowerCase() === stream.toLowerCase();
  for (const id of await sameRowsAs(db, source)) {
    for (const { sourceId, targetId, types, streams } of await syncsWithShop(db, id)) {
      const concerned = streams.filter((one) => (sourceId === id && isSame(one.source)) || (targetId === id && isSame(one.target)));
      demandShopScopes(asking, 'look', types, concerned);
    }
  }
}

/**
 * Throws FORBIDDEN unless the caller may read and write these streams where another synchronization has the shop at its other end: where the
 * shop has put its rows they are still its rows, and what is written to where it takes rows from is written to the shop.
 */
export async function demandBesideShop(
  tx: Connection,
  asking: Asking,
  { source_id, target_id }: EndIds,
  types: EndTypes,
  streams: readonly StreamNames[],
): Promise<void> {
  if (mayAnything(asking)) return;
  const read = new Set(streams.map(({ source }) => source.toLowerCase()));
  const written = new Set(streams.map(({ target }) => target.toLowerCase()));
  for (const sync of SHOP.includes(types.source) ? [] : await syncsWithShop(tx, source_id)) {
    const brought = sync.targetId === source_id ? sync.streams.filter(({ target }) => read.has(target.toLowerCase())) : [];
    demandShopScopes(asking, 'look', sync.types, brought);
  }
  for (const sync of SHOP.includes(types.target) ? [] : await syncsWithShop(tx, target_id)) {
    const taken = sync.sourceId === target_id ? sync.streams.filter(({ source }) => written.has(source.toLowerCase())) : [];
    demandShopScopes(asking, 'move', sync.types, taken);
  }
}

/** Throws FORBIDDEN unless the caller may see rows that were kept with this mark. */
export function demandShopRows(asking: Asking, mark: string | null): void {
  for (const rows of hiddenRows(asking, mark)) demandScope(asking, `${rows}:read`);
}

interface SyncWithShop {
  sourceId: string;
  targetId: string;
  types: EndTypes;
  streams: readonly StreamNames[];
}

/** The synchronizations that use a source and have the shop at an end. */
async function syncsWithShop(db: Connection, sourceId: string): Promise<SyncWithShop[]> {
  const rows = await db.all<EndIds & { definition: string; source_type: string; target_type: string }>(sql`
    select source_id, target_id, definition, source.type as source_type, target.type as target_type from syncs
    join sources source on source.id = source_id join sources target on target.id = target_id
    where (source_id = ${sourceId} or target_id = ${sourceId}) and (source.type in ${list(SHOP)} or target.type in ${list(SHOP)})`);
  return rows.map(({ source_id, target_id, definition, source_type, target_type }) => ({
    sourceId: source_id,
    targetId: target_id,
    types: { source: source_type, target: target_type },
    streams: (JSON.parse(definition) as { streams: StreamNames[] }).streams,
  }));
}
