import { Button, Group, Select, SimpleGrid, Text } from '@mantine/core';
import { useMemo } from 'react';
import { Link, useSearchParams } from 'wouter';
import { usePages } from '../../api/queries.ts';
import type { Run } from '../../api/resources.ts';
import { useSyncNames } from '../../api/use-sync-names.ts';
import { CurlButton } from '../../parts/action/curl-button.tsx';
import { type Column, DataTable } from '../../parts/table/data-table.tsx';
import { EmptyState } from '../../parts/page/empty-state.tsx';
import { formatCount, formatDuration, formatMoment } from '../../parts/words/format.ts';
import { OutsideText } from '../../parts/words/outside-text.tsx';
import { PageHeader } from '../../parts/page/page-header.tsx';
import { RelativeTime } from '../../parts/words/relative-time.tsx';
import { Section } from '../../parts/page/section.tsx';
import { isUnderWay, StatusBadge, statusWord } from '../../parts/status/status.tsx';
import { SyncSelect } from '../../parts/filter/sync-select.tsx';
import { useFilter } from '../../parts/filter/use-filter.ts';
import { modeWord } from './run-words.ts';

const PAGE = 50;
type Status = Run['status'];
const STATUSES: readonly Status[] = [
  'running',
  'queued',
  'retrying',
  'needs_approval',
  'succeeded',
  'partial',
  'failed',
  'cancelled',
  'skipped',
];

/** Every run of every synchronization, newest first. */
export function Runs() {
  const [status, setStatus] = useFilter('status');
  const [sync, setSync] = useFilter('sync_id');
  const { nameOf } = useSyncNames();
  const columns = useMemo(() => columnsOf(nameOf), [nameOf]);
  const [params] = useSearchParams();
  const stretch = stretchIn(params);
  const query = { limit: PAGE, ...(status !== '' && { status: status as Status }), ...(sync !== '' && { sync_id: sync }), ...stretch };
  const pages = usePages('GET /api/v1/datasync/runs', { query });
  return (
    <>
      <PageHeader
        title="Runs"
        about="Every run of every synchronization: what it did, how long it took, and how it ended."
        actions={<CurlButton operation="GET /api/v1/datasync/runs" input={{ query }} />}
      />
      <Section title="All runs" about="Newest first" flush>
        <SimpleGrid cols={{ base: 1, xs: 2, md: 4 }} px="md" pb="sm" spacing="sm" verticalSpacing="xs" role="search" aria-label="Runs">
          <SyncSelect value={sync || undefined} onChange={(id) => setSync(id ?? '')} />
          <Select
            label="Status"
            placeholder="All"
            data={STATUSES.map((value) => ({ value, label: statusWord(value) }))}
            value={status || null}
            onChange={(value) => setStatus(value ?? '')}
            clearable
            clearButtonProps={{ 'aria-label': 'Every status' }}
            comboboxProps={{ shadow: 'md' }}
          />
        </SimpleGrid>
        {(stretch.ended_from ?? stretch.ended_to) !== undefined && <StretchNote {...stretch} />}
        <DataTable
          label="Runs"
          columns={columns}
          rows={pages.rows}
          rowKey={({ id }) => id}
          href={({ id }) => `/runs/${id}`}
          error={pages.error}
          refetch={pages.refetch}
          empty={<NoRuns filtered={status !== '' || sync !== '' || Object.keys(stretch).length > 0} />}
          paging={{ ...pages, size: PAGE }}
        />
      </Section>
    </>
  );
}

interface Stretch {
  ended_from?: string;
  ended_to?: string;
  writing?: 'true';
}

/** The stretch of time that a bar of a chart stands for, as the address names it. What is no time is passed over. */
function stretchIn(params: URLSearchParams): Stretch {
  const [from, to] = ['ended_from', 'ended_to'].map((name) => params.get(name) ?? '');
  return {
    ...(from && !Number.isNaN(Date.parse(from)) && { ended_from: from }),
    ...(to && !Number.isNaN(Date.parse(to)) && { ended_to: to }),
    ...(params.get('writing') === 'true' && { writing: 'true' as const }),
  };
}

/** Which runs a chart has led to, and the way to all of them. */
function StretchNote({ ended_from, ended_to }: Stretch) {
  const [, setParams] = useSearchParams();
  const all = (): void =>
    setParams((current) => {
      const next = new URLSearchParams(current);
      for (const name of ['ended_from', 'ended_to', 'writing']) next.delete(name);
      return next;
    });
  return (
    <Group px="md" pb="sm" gap="xs">
      <Text size="sm" role="status">
        Those that ended
        {ended_from !== undefined && ` from ${formatMoment(ended_from)}`}
        {ended_to !== undefined && ` until ${formatMoment(ended_to)}`}
        {ended_to === undefined && ' on'}
      </Text>
      <Button size="compact-xs" variant="default" onClick={all}>
        Of all times
      </Button>
    </Group>
  );
}

function columnsOf(nameOf: (id: string) => string): readonly Column<Run>[] {
  return [
    {
      header: 'Synchronization',
      cell: (run) => (
        <>
          <OutsideText>{nameOf(run.sync_id)}</OutsideText>
          {modeWord(run) !== undefined && (
            <Text span size="xs" c="dimmed" ml={6}>
              {modeWord(run)}
            </Text>
          )}
        </>
      ),
    },
    { header: 'Status', cell: ({ status, error }) => <StatusBadge status={status} reason={error?.message} />, width: 150 },
    { header: 'Queued', cell: ({ created_at }) => <RelativeTime time={created_at} />, width: 140, phone: 'bare' },
    {
      header: 'Duration',
      cell: ({ duration_ms, status }) => (duration_ms === null || isUnderWay(status) ? '–' : formatDuration(duration_ms)),
      numeric: true,
      width: 110,
    },
    { header: 'Read', cell: ({ totals }) => formatCount(totals.read), numeric: true, width: 110 },
    {
      header: 'Changed',
      cell: ({ totals: { inserted, updated, deleted } }) => formatCount(inserted + updated + deleted),
      numeric: true,
      width: 110,
    },
    { header: 'Rejected', cell: ({ totals }) => formatCount(totals.rejected), numeric: true, width: 100 },
  ];
}

function NoRuns({ filtered }: { filtered: boolean }) {
  const [, setParams] = useSearchParams();
  if (!filtered) {
    return (
      <EmptyState
        title="Nothing has run yet."
        actions={
          <Button component={Link} href="/syncs" variant="default">
            Go to the synchronizations
          </Button>
        }
      >
        A run reads what is new at the source and writes it to the target. A synchronization runs by its schedule, on a change, or when you
        start it on its page.
      </EmptyState>
    );
  }
  return (
    <EmptyState
      title="No run matches."
      actions={
        <Button variant="default" onClick={() => setParams({})}>
          Clear the filters
        </Button>
      }
    >
      Old runs are removed after a while; those of a synchronization that was deleted are gone with it.
    </EmptyState>
  );
}
