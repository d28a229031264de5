import { useQuery } from '@tanstack/react-query';
import { send } from './client.ts';

/** The paths that the service offers, of those that not every service has; asked for when somebody wants to know. */
export function useOfferedPaths(enabled: boolean): ReadonlySet<string> | undefined {
  const { data } = useQuery({
    queryKey: ['the paths of openapi.json'],
    queryFn: async ({ signal }) => {
      const document = (await (await send('/openapi.json', { signal })).json()) as { paths: object };
      return new Set(Object.keys(document.paths));
    },
    enabled,
  });
  return data;
}
