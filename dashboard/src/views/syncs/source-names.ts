import { useApi } from '../../api/queries.ts';
import type { Source } from '../../api/resources.ts';
import { namesOf } from '../../parts/words/names.ts';

/** All sources, and their names by id; the id itself for one that is not known yet. `isPending`: none was heard of so far. */
export function useSources(): { sources: readonly Source[] | undefined; nameOf: (id: string) => string; isPending: boolean } {
  const { data, isPending } = useApi('GET /api/v1/datasync/sources', { query: { limit: 1000 } });
  return { sources: data?.data, nameOf: namesOf(data?.data).nameOf, isPending };
}
