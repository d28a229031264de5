import { useApi } from '../../api/queries.ts';

/** How many runs are drawn: as many as one can tell apart. */
export const LAST_RUNS = 50;

/** The last runs with all of their streams, the newest first. Whatever draws them shares the answer. */
export function useLastRuns(id: string) {
  return useApi('GET /api/v1/datasync/sync/{id}/runs', { params: { id }, query: { limit: LAST_RUNS } });
}
