import { Grid, Stack } from '@mantine/core';
import { useState } from 'react';
import { useApi } from '../../api/queries.ts';
import { EmptyState } from '../../parts/page/empty-state.tsx';
import { lazyPart } from '../../parts/lazy-part.ts';
import { Loaded } from '../../parts/page/loaded.tsx';
import { PageHeader } from '../../parts/page/page-header.tsx';
import { PageSkeleton } from '../../parts/page/page-skeleton.tsx';
import { type Window, WindowChoice } from '../../parts/filter/window-choice.tsx';
import { useMay } from '../../shell/me.tsx';
import { Figures } from './figures.tsx';
import { HealthTable } from './health-table.tsx';
import { NeedsPerson } from './needs-person.tsx';
import { OpenIncidents } from './open-incidents.tsx';
import { OrdersPerDay } from './orders-per-day.tsx';
import { RunningNow } from './running-now.tsx';
import { RunsOverTime } from './runs-over-time.tsx';

// Most who look have a synchronization: what is said before the first one is loaded for those who have none.
const GettingStarted = lazyPart(async () => (await import('./getting-started.tsx')).GettingStarted);

/** At a glance: what is in sync, what runs, what failed, and what needs attention. */
export function Overview() {
  const may = useMay();
  return (
    <>
      <PageHeader title="Overview" about="What is in sync, what runs now, and what needs attention." />
      <Stack gap="md">
        {may('datasync:read') && <OpenIncidents />}
        {may('datasync:read') && <Synchronizations />}
        {may('orders:read') && <OrdersPerDay />}
        {!may('datasync:read') && !may('orders:read') && (
          <EmptyState title="This key sees nothing of this page.">
            It needs datasync:read for synchronizations or orders:read for orders. What it may do is told at the bottom of the navigation.
          </EmptyState>
        )}
      </Stack>
    </>
  );
}

function Synchronizations() {
  const [window, setWindow] = useState<Window>('24h');
  const syncs = useApi('GET /api/v1/datasync/sync', { query: { status: 'all', limit: 1000 } });
  const metrics = useApi('GET /api/v1/datasync/metrics', { query: { window } });
  // What an earlier visit knows may be out of date: there may be a first one by now.
  if (syncs.data?.total === 0 && syncs.isFetching) return <PageSkeleton />;
  return (
    <Loaded query={syncs}>
      {({ data, total }) =>
        total === 0 ? (
          <GettingStarted />
        ) : (
          <Stack gap="md">
            <Figures syncs={data} total={total} metrics={metrics.data?.data} />
            <Grid gap="md">
              <Grid.Col span={{ base: 12, md: 7 }}>
                <NeedsPerson syncs={data} />
              </Grid.Col>
              <Grid.Col span={{ base: 12, md: 5 }}>
                <RunningNow syncs={data} />
              </Grid.Col>
            </Grid>
            <Loaded query={metrics}>
              {(answer) => <RunsOverTime metrics={answer.data} choice={<WindowChoice window={window} onChange={setWindow} />} />}
            </Loaded>
            <HealthTable syncs={data} total={total} />
          </Stack>
        )
      }
    </Loaded>
  );
}
