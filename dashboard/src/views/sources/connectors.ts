import { useApi } from '../../api/queries.ts';
import type { Connector } from '../../api/resources.ts';

/** The kinds of systems that there are, by type. They do not change while the service runs. */
export function useConnectors() {
  const query = useApi('GET /api/v1/datasync/connectors', { query: { limit: 1000 } });
  const byType = new Map<string, Connector>(query.data?.data.map((connector) => [connector.type, connector]));
  return { ...query, byType, titleOf: (type: string) => byType.get(type)?.title ?? type };
}
