import { namesOf } from '../parts/words/names.ts';
import { useApi } from './queries.ts';

/** Names for ids of synchronizations; the id itself for one that is not known (yet, or any more). `isPending`: none was heard of so far. */
export function useSyncNames(): { nameOf: (id: string) => string; names: ReadonlyMap<string, string>; isPending: boolean } {
  const { data, isPending } = useApi('GET /api/v1/datasync/sync', { query: { status: 'all', limit: 1000 } });
  return { ...namesOf(data?.data), isPending };
}
