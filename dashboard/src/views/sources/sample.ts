import { useQuery } from '@tanstack/react-query';
import { type Data, requestOf, send } from '../../api/client.ts';
import type { ApiError } from '../../api/errors.ts';

const NAME = 'GET /api/v1/datasync/sources/{id}/streams/{name}/sample';

type Sample = Data<typeof NAME>;

export function sampleInput(id: string, name: string) {
  return { params: { id, name }, query: { limit: 100 } };
}

/** Some rows of a stream, with all the digits of their numbers: JavaScript alone would round large ones. */
export function useSample(id: string, name: string) {
  const input = sampleInput(id, name);
  return useQuery<Sample, ApiError>({
    queryKey: [NAME, input],
    queryFn: async ({ signal }) => {
      const { method, path } = requestOf(NAME, input);
      const response = await send(path, { method, signal });
      return (JSON.parse(await response.text(), exact) as { data: Sample }).data;
    },
  });
}

/** A number that a double does not hold stays as it was written, as text. */
function exact(_: string, value: unknown, context?: { source?: string }): unknown {
  return typeof value === 'number' && context?.source !== undefined && String(value) !== context.source ? context.source : value;
}
