import { PageHeader } from '../../parts/page-header.tsx';

export function Overview() {
  return <PageHeader title="Overview" />;
}
