import { findManifest } from '../../connectors/registry.ts';
import { SHOP_ROWS, type ShopRows } from '../../connectors/shop-streams.ts';
import type { Principal, Scope } from '../../http/scopes.ts';

/** The caller, by what its key may do. */
export type Asking = Pick<Principal, 'scopes'>;

/** The types of the sources at both ends. */
export interface EndTypes {
  readonly source: string;
  readonly target: string;
}

interface StreamNames {
  readonly source: string;
  readonly target: string;
}

/**
 * - `move`: rows go from one end to the other, now or later: a definition is saved, a source that it uses is pointed elsewhere, a run is
 *   started, approved, resumed, reset or tried again.
 * - `look`: rows are shown: a preview, a sample, what was rejected.
 *
 * What only stops or removes something (pausing, cancelling, deleting) moves nothing and shows nothing.
 */
export type Act = 'move' | 'look';

/** Whose rows a stream has, when the type is the shop. One that the shop does not have is taken for orders, so that it needs a scope too. */
export function shopRowsAt(type: string, stream: string): ShopRows | undefined {
  const rows = findManifest(type)?.shopRows;
  if (!rows) return undefined;
  return (Object.hasOwn(rows, stream) ? rows[stream] : undefined) ?? 'orders';
}

/** The scopes of the shop that an act on these streams needs, beside those of the route. */
export function shopScopes(act: Act, types: EndTypes, streams: readonly StreamNames[]): Scope[] {
  const needed = streams.flatMap(({ source, target }): Scope[] => {
    const [read, written] = [shopRowsAt(types.source, source), shopRowsAt(types.target, target)];
    return [...(read ? [`${read}:read` as const] : []), ...(written ? [`${written}:${act === 'move' ? 'write' : 'read'}` as const] : [])];
  });
  return [...new Set(needed)];
}

/** The rows of the shop that these streams bring to light, wherever they are shown; as text in a fixed order, to be kept. */
export function shopRowsOf(types: EndTypes, streams: readonly StreamNames[]): string {
  const scopes = shopScopes('look', types, streams);
  return SHOP_ROWS.filter((rows) => scopes.includes(`${rows}:read`)).join(' ');
}

/** Whether nothing of the shop has to be kept from the caller, whatever is asked. */
export function mayAnything({ scopes }: Asking): boolean {
  return scopes.has('admin') || SHOP_ROWS.every((rows) => scopes.has(`${rows}:read`) && scopes.has(`${rows}:write`));
}
