import type { Scope, Sync } from '../../api/resources.ts';
import { useSources } from './source-names.ts';

/** What a key needs beside `datasync:write` where the shop is at an end: to have rows moved, and to be shown some. */
export function useShopScopes({ source_id, target_id, streams }: Sync): { move: readonly Scope[]; look: readonly Scope[] } {
  const { sources } = useSources();
  const isShop = (id: string): boolean => sources?.find((source) => source.id === id)?.type === 'hub';
  const rowsOf = (stream: string): 'orders' | 'products' => (stream === 'products' ? 'products' : 'orders');
  const read = isShop(source_id) ? streams.map(({ source }): Scope => `${rowsOf(source)}:read`) : [];
  const written = isShop(target_id) ? streams.map(({ target }) => rowsOf(target)) : [];
  return {
    move: unique([...read, ...written.map((rows): Scope => `${rows}:write`)]),
    look: unique([...read, ...written.map((rows): Scope => `${rows}:read`)]),
  };
}

function unique(scopes: readonly Scope[]): readonly Scope[] {
  return [...new Set<Scope>(['datasync:write', ...scopes])];
}
