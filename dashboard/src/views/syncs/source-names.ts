import { useApi } from '../../api/queries.ts';
import type { Source } from '../../api/resources.ts';

/** All sources, and their names by id; the id itself for one that is not known yet. */
export function useSources(): { sources: readonly Source[] | undefined; nameOf: (id: string) => string } {
  const { data } = useApi('GET /api/v1/datasync/sources', { query: { limit: 1000 } });
  const names = new Map(data?.data.map(({ id, name }) => [id, name]));
  return { sources: data?.data, nameOf: (id) => names.get(id) ?? id };
}
