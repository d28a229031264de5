import { SimpleGrid, Stack } from '@mantine/core';
import { useApi } from '../../api/queries.ts';
import type { Run, Sync } from '../../api/resources.ts';
import { useFollowedRun } from '../../api/use-followed-run.ts';
import { Figure } from '../../parts/page/figure.tsx';
import { formatBytes, formatClock, plural } from '../../parts/words/format.ts';
import { LagChart } from './lag-chart.tsx';
import { LiveStreams } from './live-streams.tsx';
import { formatLong, lagWords } from './live-words.ts';

/** How far something is behind is no event: it is asked for while it is seen. */
const LOOK_EVERY = 3_000;

/** Of a live synchronization: how far it is behind, what the source keeps for it, and how each stream is. */
export function LivePanel({ sync: known }: { sync: Sync }) {
  const { data } = useApi('GET /api/v1/datasync/sync/{id}', { params: { id: known.id } }, { every: LOOK_EVERY });
  const sync = data?.data ?? known;
  const { current_run: run } = sync;
  return run?.live && run.status === 'running' ? <Followed sync={sync} known={run} /> : <Shown sync={sync} run={run ?? sync.last_run} />;
}

function Followed({ sync, known }: { sync: Sync; known: Run }) {
  const { run } = useFollowedRun(known);
  return <Shown sync={run.lag ? { ...sync, lag: run.lag } : sync} run={run} />;
}

function Shown({ sync, run }: { sync: Sync; run: Run | null }) {
  const isFollowed = run?.status === 'running' && run.live === true;
  return (
    <Stack gap="md">
      <SimpleGrid component="dl" cols={{ base: 1, sm: 3 }} spacing="md" m={0}>
        <Figure label="Lag" {...lagFigure(sync, isFollowed)} />
        <Figure label="Log kept at the source" {...keptFigure(sync)} />
        <Figure label="Streams" {...streamsFigure(sync, isFollowed ? run : null)} />
      </SimpleGrid>
      {run && run.streams.length > 0 && <LiveStreams sync={sync} run={run} isFollowed={isFollowed} />}
      <LagChart sync={sync} />
    </Stack>
  );
}

interface Shape {
  value: string;
  note: string;
  color?: string;
}

const YEAR = 365 * 86_400;

/** More than this is too far behind to be called in sync. */
const MUCH = 300;

function lagFigure({ lag, status }: Sync, isFollowed: boolean): Shape {
  if (!lag) return { value: '–', note: 'Known as soon as a stream is live' };
  const shown = {
    value: lag.seconds < 1 ? 'Up to date' : formatLong(lag.seconds),
    ...(lag.seconds > MUCH && { color: 'var(--status-warning)' }),
  };
  if (isFollowed) return { ...shown, note: 'From the commit at the source to the commit at the target' };
  return {
    ...shown,
    note: `${status === 'paused' ? 'Paused' : 'Not followed at the moment'}: ${lagWords(lag.seconds)}, growing since ${formatClock(lag.at)}`,
  };
}

function keptFigure({ retained, max_retained }: Sync): Shape {
  if (retained?.bytes == null) return { value: '–', note: `Not known yet; ${max_retained} at most` };
  const { bytes, max, lasts_seconds } = retained;
  const lasts =
    lasts_seconds === null
      ? ''
      : `, enough for an outage of ${lasts_seconds > YEAR ? 'more than a year' : formatLong(lasts_seconds)} at the present rate`;
  return { value: formatBytes(bytes), note: `${max_retained} at most${lasts}`, ...(bytes > max / 2 && { color: 'var(--status-warning)' }) };
}

function streamsFigure({ streams }: Sync, run: Run | null): Shape {
  const count = (state: string): number => run?.streams.filter(({ live }) => live === state).length ?? 0;
  const [live, loading, stopped] = [count('live'), count('loading'), count('stopped')];
  const others = [
    loading > 0 ? `${plural(loading, 'stream is', 'streams are')} being loaded` : '',
    stopped > 0 ? `${plural(stopped, 'stream has', 'streams have')} stopped` : '',
  ].filter((words) => words !== '');
  return {
    value: `${live} of ${streams.length} live`,
    note:
      others.length > 0 ? others.join(', ') : live === streams.length ? 'All of them follow the source' : 'None is followed at the moment',
    ...(stopped > 0 && { color: 'var(--status-warning)' }),
  };
}
