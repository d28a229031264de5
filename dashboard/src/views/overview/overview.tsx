import { Grid, Skeleton, Stack } from '@mantine/core';
import { useState } from 'react';
import { useApi } from '../../api/queries.ts';
import { EmptyState } from '../../parts/page/empty-state.tsx';
import { lazyPart } from '../../parts/lazy-part.ts';
import { Loaded } from '../../parts/page/loaded.tsx';
import { PageHeader } from '../../parts/page/page-header.tsx';
import { type Window, WindowChoice } from '../../parts/filter/window-choice.tsx';
import { useMay } from '../../shell/me.tsx';
import { HealthTable } from './health-table.tsx';
import { NeedsPerson, otherIncidents } from './needs-person.tsx';
import { OrdersPerDay } from './orders-per-day.tsx';
import { RunningNow } from './running-now.tsx';
import { RunsOverTime } from './runs-over-time.tsx';
import { VerdictCard } from './verdict-card.tsx';

// Most who look have a synchronization: what is said before the first one is loaded for those who have none.
const GettingStarted = lazyPart(async () => (await import('./getting-started.tsx')).GettingStarted);

/** More than anybody would read; the way to all of them is given. */
const INCIDENTS = 50;

/** At a glance: whether all is well, what needs attention, what runs, and what was done. */
export function Overview() {
  const may = useMay();
  return (
    <>
      <PageHeader title="Overview" about="Whether all is well, what needs attention, and what runs now." />
      <Stack gap="md">
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
  const incidents = useApi('GET /api/v1/incidents', { query: { status: 'open', limit: INCIDENTS } });
  const known = incidents.data?.data ?? [];
  // What an earlier visit knows may be out of date: there may be a first one by now.
  if (syncs.data?.total === 0 && syncs.isFetching) return <OverviewSkeleton />;
  return (
    <Loaded query={syncs} skeleton={<OverviewSkeleton />}>
      {({ data, total }) =>
        total === 0 ? (
          <GettingStarted />
        ) : (
          <Stack gap="md">
            <VerdictCard
              syncs={data}
              total={total}
              metrics={metrics.data?.data}
              incidents={known}
              others={otherIncidents(known, data).length}
            />
            <Grid gap="md">
              <Grid.Col span={{ base: 12, md: 7 }}>
                <div className="level">
                  <NeedsPerson syncs={data} incidents={known} open={incidents.data?.total ?? 0} />
                </div>
              </Grid.Col>
              <Grid.Col span={{ base: 12, md: 5 }}>
                <div className="level">
                  <RunningNow syncs={data} />
                </div>
              </Grid.Col>
            </Grid>
            <Loaded query={metrics} skeleton={<Skeleton h={290} role="status" aria-label="Loading" />}>
              {(answer) => <RunsOverTime metrics={answer.data} choice={<WindowChoice window={window} onChange={setWindow} />} />}
            </Loaded>
            <HealthTable syncs={data} total={total} />
          </Stack>
        )
      }
    </Loaded>
  );
}

/** The shape of what comes, so that nothing jumps when it is there. */
function OverviewSkeleton() {
  return (
    <Stack gap="md" role="status" aria-label="Loading">
      <Skeleton h={208} />
      <Grid gap="md">
        <Grid.Col span={{ base: 12, md: 7 }}>
          <Skeleton h={220} />
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 5 }}>
          <Skeleton h={220} />
        </Grid.Col>
      </Grid>
      <Skeleton h={290} />
    </Stack>
  );
}
