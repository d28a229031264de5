import { Button, Group, SegmentedControl, Text } from '@mantine/core';
import { useMemo } from 'react';
import { Link } from 'wouter';
import { usePages } from '../../api/queries.ts';
import type { Sync } from '../../api/resources.ts';
import { useSyncNames } from '../../api/use-sync-names.ts';
import { CurlButton } from '../../parts/action/curl-button.tsx';
import { type Column, DataTable } from '../../parts/table/data-table.tsx';
import { EmptyState } from '../../parts/page/empty-state.tsx';
import { OutsideText, visible } from '../../parts/words/outside-text.tsx';
import { PageHeader } from '../../parts/page/page-header.tsx';
import { RelativeTime } from '../../parts/words/relative-time.tsx';
import { HealthBadge, StatusBadge } from '../../parts/status/status.tsx';
import { useFilter } from '../../parts/filter/use-filter.ts';
import { useMay } from '../../shell/me.tsx';
import { isLive, lagWords } from './live-words.ts';
import { scheduleWords } from './schedule-words.ts';
import { useSources } from './source-names.ts';

const SIZE = 50;
const WHICH = [
  { value: 'all', label: 'All' },
  { value: 'active', label: 'Active' },
  { value: 'paused', label: 'Paused' },
];

type NameOf = (id: string) => string;

/** The names are asked for once, and not by each row. */
function columnsOf(sourceName: NameOf, syncName: NameOf): readonly Column<Sync>[] {
  return [
    { header: 'Name', cell: ({ name }) => <OutsideText>{name}</OutsideText>, width: 200 },
    { header: 'Health', cell: ({ health, health_reason }) => <HealthBadge health={health} reason={visible(health_reason)} />, width: 150 },
    { header: 'Source and target', cell: (sync) => <Ends sync={sync} nameOf={sourceName} />, width: 170 },
    { header: 'Schedule', cell: (sync) => <ScheduleCell sync={sync} nameOf={syncName} />, width: 160 },
    {
      header: 'Last run',
      cell: (sync) => <LastRun run={isLive(sync) ? (sync.current_run ?? sync.last_run) : sync.last_run} />,
      width: 170,
    },
    { header: 'Next run', cell: ({ next_run_at }) => (next_run_at === null ? '–' : <RelativeTime time={next_run_at} />), width: 130 },
  ];
}

/** How far something live is behind is no event: it is asked for while it is seen. */
const LOOK_EVERY = 5_000;

function everyOf(answer: unknown): number | undefined {
  const { data = [] } = (answer ?? {}) as { data?: readonly Sync[] };
  return data.some((sync) => isLive(sync) && sync.status === 'active') ? LOOK_EVERY : undefined;
}

/** Every synchronization: how it is, what it connects, and when it runs. */
export function SyncList() {
  const may = useMay();
  const [filter, setFilter] = useFilter('status');
  const status = filter === 'active' || filter === 'paused' ? filter : 'all';
  const input = { query: { status, limit: SIZE } as const };
  const pages = usePages('GET /api/v1/datasync/sync', input, { every: everyOf });
  const { nameOf: sourceName } = useSources();
  const { nameOf: syncName } = useSyncNames();
  const columns = useMemo(() => columnsOf(sourceName, syncName), [sourceName, syncName]);
  const make = may('datasync:write') && (
    <Button component={Link} href="/syncs/new">
      New synchronization
    </Button>
  );
  return (
    <>
      <PageHeader
        title="Synchronizations"
        about="What is kept in sync with what, its health, and when it runs."
        actions={
          <>
            {make}
            <CurlButton operation="GET /api/v1/datasync/sync" input={input} />
          </>
        }
      />
      <Group mb="sm">
        <SegmentedControl
          aria-label="Status"
          size="xs"
          data={WHICH}
          value={status}
          onChange={(value) => setFilter(value === 'all' ? '' : value)}
        />
      </Group>
      <div className="surface">
        <DataTable
          label="Synchronizations"
          columns={columns}
          rows={pages.rows}
          rowKey={({ id }) => id}
          href={({ id }) => `/syncs/${id}`}
          error={pages.error}
          refetch={pages.refetch}
          paging={{ ...pages, size: SIZE }}
          empty={
            status === 'all' ? (
              <EmptyState title="There is no synchronization yet." actions={make}>
                A synchronization keeps tables, files or resources of one source in sync with another one. You need two sources first.
              </EmptyState>
            ) : (
              <EmptyState title={`No synchronization is ${status}.`} />
            )
          }
        />
      </div>
    </>
  );
}

function Ends({ sync: { source_id, target_id }, nameOf }: { sync: Sync; nameOf: NameOf }) {
  return (
    <>
      <OutsideText>{nameOf(source_id)}</OutsideText> → <OutsideText>{nameOf(target_id)}</OutsideText>
    </>
  );
}

function ScheduleCell({ sync, nameOf }: { sync: Sync; nameOf: NameOf }) {
  if (!isLive(sync)) return scheduleWords(sync.schedule, nameOf);
  return (
    <>
      Live
      {sync.lag && sync.status === 'active' && (
        <Text span size="xs" c="dimmed" display="block">
          {lagWords(sync.lag.seconds)}
        </Text>
      )}
    </>
  );
}

function LastRun({ run }: { run: Sync['last_run'] }) {
  if (run === null) return 'never';
  return (
    <Group gap={6} wrap="nowrap">
      <StatusBadge status={run.status} />
      <Text span size="xs" c="dimmed">
        <RelativeTime time={run.finished_at ?? run.created_at} />
      </Text>
    </Group>
  );
}
