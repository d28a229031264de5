import { Anchor, Stack, Text } from '@mantine/core';
import { Suspense } from 'react';
import { Link } from 'wouter';
import { usePages } from '../../api/queries.ts';
import type { Run, Sync } from '../../api/resources.ts';
import { lazyPart } from '../../parts/lazy-part.ts';
import { CurlButton } from '../../parts/action/curl-button.tsx';
import { type Column, DataTable } from '../../parts/table/data-table.tsx';
import { EmptyState } from '../../parts/page/empty-state.tsx';
import { PageSkeleton } from '../../parts/page/page-skeleton.tsx';
import { formatBytes, formatCount, formatDuration, formatMoment, formatRate } from '../../parts/words/format.ts';
import { OutsideText, visible } from '../../parts/words/outside-text.tsx';
import { Section } from '../../parts/page/section.tsx';
import { isUnderWay, StatusBadge, statusWord } from '../../parts/status/status.tsx';
import { sortedStreams } from '../runs/sorted-streams.ts';
import { useLastRuns } from './last-runs.ts';
import { isLive } from './live-words.ts';
import { RunCharts } from './run-charts.tsx';

const RunMatrix = lazyPart(async () => (await import('./matrix/run-matrix.tsx')).RunMatrix);

const SIZE = 25;
/** Of a run with many streams, those that matter: the page of the run has all. */
const MOST_STREAMS = 25;

/** What it did: the last run stream by stream, durations and speed over time, and every run. */
export function RunsPanel({ sync }: { sync: Sync }) {
  // How much room the week takes is known with its runs: what stands below it comes together with it.
  const { isPending } = useLastRuns(sync.id);
  if (isPending) return <PageSkeleton />;
  return (
    <Suspense fallback={<PageSkeleton />}>
      <Stack gap="md">
        <RunMatrix sync={sync} />
        {/* Of what is live, every run takes an hour, and how its streams are is told above. */}
        {sync.last_run && !isLive(sync) && <LastRun run={sync.last_run} />}
        {!isLive(sync) && <RunCharts sync={sync} />}
        <History sync={sync} />
      </Stack>
    </Suspense>
  );
}

type StreamReport = Run['streams'][number];

const STREAM_COLUMNS: readonly Column<StreamReport>[] = [
  { header: 'Stream', cell: ({ name, target }) => <OutsideText>{name === target ? name : `${name} → ${target}`}</OutsideText> },
  { header: 'Status', cell: ({ status, error }) => <StatusBadge status={status} reason={error && visible(error.message)} />, width: 130 },
  { header: 'Read', cell: ({ read }) => formatCount(read), numeric: true, width: 90 },
  { header: 'Inserted', cell: ({ inserted }) => formatCount(inserted), numeric: true, width: 90 },
  { header: 'Updated', cell: ({ updated }) => formatCount(updated), numeric: true, width: 90 },
  { header: 'Deleted', cell: ({ deleted }) => formatCount(deleted), numeric: true, width: 90 },
  { header: 'Unchanged', cell: ({ unchanged }) => formatCount(unchanged), numeric: true, width: 100 },
  { header: 'Rejected', cell: ({ rejected }) => formatCount(rejected), numeric: true, width: 90 },
  { header: 'Throughput', cell: ({ rows_per_second }) => formatRate(rows_per_second), numeric: true, width: 130 },
];

function LastRun({ run }: { run: Run }) {
  return (
    <Section
      title="Last run"
      about={
        <>
          <Anchor component={Link} href={`/runs/${run.id}`} size="sm">
            {formatMoment(run.started_at ?? run.created_at)}
          </Anchor>
          : {statusWord(run.status).toLowerCase()}
          {run.duration_ms !== null && ` after ${formatDuration(run.duration_ms)}`}, {formatBytes(run.totals.bytes)} read
        </>
      }
      flush
    >
      <DataTable
        label="Streams of the last run"
        columns={STREAM_COLUMNS}
        rows={sortedStreams(run.streams, { q: '', status: '', sort: 'failed' }).slice(0, MOST_STREAMS)}
        rowKey={({ name, target }) => `${name} ${target}`}
        empty={<EmptyState title="It ended before a stream was started." />}
      />
      {run.streams.length > MOST_STREAMS && (
        <Text size="sm" p="md">
          {MOST_STREAMS} of {formatCount(run.streams.length)} streams are shown, failed first.{' '}
          <Anchor component={Link} href={`/runs/${run.id}`} inherit>
            All of them
          </Anchor>
        </Text>
      )}
    </Section>
  );
}

const TRIGGERS: Record<string, string> = { manual: 'manual', schedule: 'schedule', change: 'change', retry: 'retry' };
const MODES: Record<string, string> = {
  run: '',
  full: ', full refresh',
  preview: ', preview',
  rejects: ', rejected rows',
  verify: ', verify',
  repair: ', repair',
  repair_preview: ', preview of a repair',
};

const RUN_COLUMNS: readonly Column<Run>[] = [
  { header: 'Started', cell: ({ started_at, created_at }) => formatMoment(started_at ?? created_at) },
  { header: 'Status', cell: ({ status, error }) => <StatusBadge status={status} reason={error && visible(error.message)} />, width: 150 },
  { header: 'Trigger', cell: ({ trigger, mode, live }) => `${live ? 'live' : (TRIGGERS[trigger] ?? trigger)}${MODES[mode] ?? ''}` },
  {
    header: 'Duration',
    cell: ({ duration_ms, status }) => (duration_ms === null || isUnderWay(status) ? '–' : formatDuration(duration_ms)),
    numeric: true,
    width: 110,
  },
  { header: 'Read', cell: ({ totals }) => formatCount(totals.read), numeric: true, width: 100 },
  { header: 'Changed', cell: ({ totals }) => formatCount(totals.inserted + totals.updated + totals.deleted), numeric: true, width: 100 },
  { header: 'Rejected', cell: ({ totals }) => formatCount(totals.rejected), numeric: true, width: 100 },
];

function History({ sync: { id } }: { sync: Sync }) {
  const input = { params: { id }, query: { limit: SIZE } };
  const pages = usePages('GET /api/v1/datasync/sync/{id}/runs', input);
  return (
    <Section title="All runs" actions={<CurlButton operation="GET /api/v1/datasync/sync/{id}/runs" input={input} />} flush>
      <DataTable
        label="Runs"
        columns={RUN_COLUMNS}
        rows={pages.rows}
        rowKey={(run) => run.id}
        href={(run) => `/runs/${run.id}`}
        error={pages.error}
        refetch={pages.refetch}
        paging={{ ...pages, size: SIZE }}
        empty={
          <EmptyState title="It has not run yet.">
            <Text span inherit>
              Run it now, or look at a preview of what it would change.
            </Text>
          </EmptyState>
        }
      />
    </Section>
  );
}
