import type { Scope, Sync } from '../../api/resources.ts';
import { useConnectors } from '../sources/connectors.ts';
import { useSources } from './source-names.ts';

interface ShopScopes {
  move: readonly Scope[];
  look: readonly Scope[];
}

/** What a key needs beside `datasync:write` where the shop is at an end: to have rows moved, and to be shown some. Of what is not known yet, nothing. */
export function useShopScopes(sync: Sync | undefined): ShopScopes {
  return useShopScopesOf()(sync);
}

/** The same for whichever is asked about. */
export function useShopScopesOf(): (sync: Sync | undefined) => ShopScopes {
  const { sources } = useSources();
  const { byType } = useConnectors();
  return (sync) => {
    const { source_id = '', target_id = '', streams = [] } = sync ?? {};
    const rowsAt = (id: string, stream: string) => {
      const type = sources?.find((source) => source.id === id)?.type ?? '';
      return byType.get(type)?.shop_streams.flatMap(({ name, rows }) => (name === stream ? [rows] : [])) ?? [];
    };
    const read = streams.flatMap(({ source }) => rowsAt(source_id, source)).map((rows): Scope => `${rows}:read`);
    const written = streams.flatMap(({ target }) => rowsAt(target_id, target));
    return {
      move: unique([...read, ...written.map((rows): Scope => `${rows}:write`)]),
      look: unique([...read, ...written.map((rows): Scope => `${rows}:read`)]),
    };
  };
}

function unique(scopes: readonly Scope[]): readonly Scope[] {
  return [...new Set<Scope>(['datasync:write', ...scopes])];
}
