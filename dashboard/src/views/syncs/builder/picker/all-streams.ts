import { useQuery } from '@tanstack/react-query';
import { call } from '../../../../api/client.ts';
import type { ApiError } from '../../../../api/errors.ts';
import type { SourceStream } from '../../../../api/resources.ts';

const NAME = 'GET /api/v1/datasync/sources/{id}/streams';
/** As many as one answer may have. */
const PAGE = 1000;

/** All that a source has, however much it is. It is looked at anew whenever the builder is opened. */
export function useAllStreams(id: string) {
  return useQuery<readonly SourceStream[], ApiError>({
    // Under the name of the operation, so that it is asked again when the source is changed.
    queryKey: [NAME, { params: { id } }, 'all'],
    queryFn: async ({ signal }) => {
      const found: SourceStream[] = [];
      let cursor: string | null | undefined;
      while (cursor !== null) {
        const answer = await call(NAME, { params: { id }, query: { limit: PAGE, cursor } }, { signal });
        found.push(...answer.data);
        cursor = answer.next_cursor;
      }
      return found;
    },
    refetchOnMount: 'always',
    // While it is looked at, another window may add tables: "Look again" asks.
    structuralSharing: false,
  });
}
