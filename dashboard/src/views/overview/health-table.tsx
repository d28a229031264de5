import { Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Sync } from '../../api/resources.ts';
import { type Column, DataTable } from '../../parts/table/data-table.tsx';
import { OutsideText } from '../../parts/words/outside-text.tsx';
import { RelativeTime } from '../../parts/words/relative-time.tsx';
import { Section } from '../../parts/page/section.tsx';
import { StatusShape } from '../../parts/status/status-shape.tsx';
import { HealthBadge } from '../../parts/status/status.tsx';
import { formatCount, formatRows } from '../../parts/words/format.ts';
import { isLive, lagWords } from '../syncs/live-words.ts';
import { byUrgency, reasonOf } from './attention.ts';

const MOST = 20;

const COLUMNS: readonly Column<Sync>[] = [
  { header: 'Synchronization', cell: ({ name }) => <OutsideText>{name}</OutsideText> },
  { header: 'Health', cell: (sync) => <HealthBadge health={sync.health} reason={reasonOf(sync)} />, width: 150 },
  {
    header: 'Last run',
    cell: (sync) => lastWords(sync),
    width: 140,
  },
  { header: 'Read', cell: ({ last_run }) => (last_run ? formatRows(last_run.totals.read) : '–'), numeric: true, width: 130 },
  { header: 'Verified', cell: ({ verified }) => <VerifiedWords verified={verified} />, width: 170 },
  {
    header: 'Next run',
    cell: (sync) => (sync.next_run_at === null ? whenWords(sync) : <RelativeTime time={sync.next_run_at} />),
    width: 130,
  },
];

const FOUND = { equal: ['check', 'good', 'Equal'], differs: ['cross', 'bad', 'Differs'], changing: ['half', 'busy', 'Changing'] } as const;

/** What the last comparison of both ends has found, and when. */
function VerifiedWords({ verified }: Pick<Sync, 'verified'>) {
  if (verified === null) return '–';
  const [shape, tone, word] = FOUND[verified.result];
  return (
    <Group gap={6} wrap="nowrap" display="inline-flex">
      <StatusShape shape={shape} tone={tone} />
      <Text span size="sm" style={{ whiteSpace: 'nowrap' }}>
        {word}, <RelativeTime time={verified.at} isPast />
      </Text>
    </Group>
  );
}

function lastWords(sync: Sync): ReactNode {
  if (isLive(sync) && sync.current_run?.status === 'running') return 'now';
  return sync.last_run?.finished_at ? <RelativeTime time={sync.last_run.finished_at} /> : 'never';
}

/** When one runs next for which no time is set. */
function whenWords(sync: Sync): string {
  const { status, schedule, lag } = sync;
  if (isLive(sync) && status === 'active') return lag ? `live, ${lagWords(lag.seconds)}` : 'live';
  if (schedule.type === 'manual') return 'manual';
  if (status === 'paused') return 'when resumed';
  return schedule.type === 'on_change' ? 'on a change' : '–';
}

/** Every synchronization with its health, those first that need attention. */
export function HealthTable({ syncs, total }: { syncs: readonly Sync[]; total: number }) {
  const shown = syncs.toSorted(byUrgency).slice(0, MOST);
  return (
    <Section
      title="Synchronizations"
      about={total > MOST ? `${MOST} of ${formatCount(total)}, those first that need attention` : undefined}
      flush
    >
      <DataTable
        label="Synchronizations"
        columns={COLUMNS}
        rows={shown}
        rowKey={({ id }) => id}
        href={({ id }) => `/syncs/${id}`}
        empty={null}
      />
    </Section>
  );
}
