import { useApi } from '../../api/queries.ts';
import { YamlSection } from '../../parts/yaml/yaml-section.tsx';

export function SyncYaml({ id }: { id: string }) {
  const { data, error } = useApi('GET /api/v1/datasync/config/syncs/{id}', { params: { id } });
  return <YamlSection of="synchronization" written={data?.data} error={error} />;
}
