import type { Scope, Sync } from '../../api/resources.ts';
import { useConnectors } from '../sources/connectors.ts';
import { useSources } from './source-names.ts';

/** What a key needs beside `datasync:write` where the shop is at an end: to have rows moved, and to be shown some. Of what is not known yet, nothing. */
export function useShopScopes(sync: Sync | undefined): { move: readonly Scope[]; look: readonly Scope[] } {
  const { sources } = useSources();
  const { source_id = '', target_id = '', streams = [] } = sync ?? {};
  const { byType } = useConnectors();
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
}

function unique(scopes: readonly Scope[]): readonly Scope[] {
  return [...new Set<Scope>(['datasync:write', ...scopes])];
}
