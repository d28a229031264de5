import { may, type Principal, type Scope } from '../../http/scopes.ts';

/** What the shop has. Each has a scope of its own for reading and one for writing. */
export type ShopRows = 'orders' | 'products';

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

const ALL: readonly ShopRows[] = ['orders', 'products'];

/** Whose rows a stream of the shop has: the items of orders are orders. */
export function rowsOfStream(stream: string): ShopRows {
  return stream === 'products' ? 'products' : 'orders';
}

/** The scopes of the shop that an act on these streams needs, beside those of the route. */
export function shopScopes(act: Act, types: EndTypes, streams: readonly StreamNames[]): Scope[] {
  const needed = streams.flatMap(({ source, target }): Scope[] => [
    ...(types.source === 'hub' ? [`${rowsOfStream(source)}:read` as const] : []),
    ...(types.target === 'hub' ? [`${rowsOfStream(target)}:${act === 'move' ? 'write' : 'read'}` as const] : []),
  ]);
  return [...new Set(needed)];
}

/** The rows of the shop that these streams bring to light, wherever they are shown; as text in a fixed order, to be kept. */
export function shopRowsOf(types: EndTypes, streams: readonly StreamNames[]): string {
  const scopes = shopScopes('look', types, streams);
  return ALL.filter((rows) => scopes.includes(`${rows}:read`)).join(' ');
}

/** What belongs to either. A synchronization that had the shop at an end still has rows of it in its runs and rejects. */
export function joinShopRows(one: string | null, other: string | null): string {
  const both = new Set([...rowsIn(one), ...rowsIn(other)]);
  return ALL.filter((rows) => both.has(rows)).join(' ');
}

/** The scopes that the caller lacks to see rows that were kept with this mark. */
export function hiddenRows(asking: Asking, mark: string | null): ShopRows[] {
  return rowsIn(mark).filter((rows) => !may(asking, `${rows}:read`));
}

/** Whether nothing of the shop has to be kept from the caller, whatever is asked. */
export function mayAnything({ scopes }: Asking): boolean {
  return scopes.has('admin') || ALL.every((rows) => scopes.has(`${rows}:read`) && scopes.has(`${rows}:write`));
}

/** Of what was written before marks were kept, nobody knows what is in it. */
function rowsIn(mark: string | null): ShopRows[] {
  return mark === null ? [...ALL] : ALL.filter((rows) => mark.split(' ').includes(rows));
}
