import { useApi } from '../../api/queries.ts';
import { YamlSection } from '../../parts/yaml/yaml-section.tsx';

export function SourceYaml({ id }: { id: string }) {
  const { data, error } = useApi('GET /api/v1/datasync/config/sources/{id}', { params: { id } });
  return <YamlSection of="source" written={data?.data} error={error} />;
}
