import { Button } from '@mantine/core';
import { Link, Redirect } from 'wouter';
import { useApi } from '../../api/queries.ts';
import { EmptyState } from '../../parts/page/empty-state.tsx';
import { Section } from '../../parts/page/section.tsx';
import { useMay } from '../../shell/me.tsx';

/** What stands there before the first synchronization. Where there is nothing at all yet, the welcome page comes by itself. */
export function GettingStarted() {
  const may = useMay();
  const mayWrite = may('datasync:write');
  const orders = useApi('GET /api/v1/orders', { query: { limit: 1 } }, { enabled: mayWrite && may('orders:read') });
  if (mayWrite && orders.data?.total === 0) return <Redirect to="/welcome" replace />;
  return (
    <Section title="Synchronizations">
      <EmptyState
        title="There is no synchronization yet."
        actions={
          mayWrite && (
            <Button component={Link} href="/welcome">
              Set up the first one
            </Button>
          )
        }
      >
        A synchronization keeps a table, a file or an API in sync with another one, on a schedule or on every change.
        {!mayWrite && ' A key with the scope datasync:write can create one.'}
      </EmptyState>
    </Section>
  );
}
