import { Grid } from '@mantine/core';
import type { Run, Sync } from '../../api/resources.ts';
import { ChartCard } from '../../parts/chart/chart-card.tsx';
import { formatClock, formatCompact, formatDay, formatDuration } from '../../parts/words/format.ts';
import { Loaded } from '../../parts/page/loaded.tsx';
import { useLastRuns } from './last-runs.ts';

/** Labels of an axis are short of room: a break between number and unit would make two lines of one. */
const NO_BREAK = '\u00a0';
const EMPTY = { title: 'No run has ended yet.', about: 'Runs that have ended are drawn here, one beside the other.' };
const NOTHING_READ = { title: 'These runs read no rows.', about: 'There was nothing new at the source, or they failed before.' };

/** How long the last runs took, and how fast they were. */
export function RunCharts({ sync: { id } }: { sync: Sync }) {
  const runs = useLastRuns(id);
  return (
    <Loaded query={runs}>
      {({ data }) => {
        const ended = endedOf(data);
        const points = pointsOf(ended);
        const hrefOf = (place: number): string => `/runs/${ended[place]?.id ?? ''}`;
        const about =
          points.length === 0 ? undefined : `The last ${points.length === 1 ? 'run' : `${points.length} runs`} that ended, previews aside`;
        const shared = { kind: 'bar', about, height: 180, data: points, href: hrefOf } as const;
        return (
          <Grid gap="md">
            <ChartCard
              {...shared}
              title="Duration"
              label="How long the last runs took"
              series={[{ name: 'took', label: 'Took', color: 'indigo.5' }]}
              format={(value) => formatDuration(value).replaceAll(' ', NO_BREAK)}
              empty={EMPTY}
            />
            <ChartCard
              {...shared}
              title="Rows per second"
              label="How many rows the last runs read each second"
              series={[{ name: 'rate', label: 'Rows/s', color: 'indigo.5' }]}
              format={formatCompact}
              empty={points.length === 0 ? EMPTY : NOTHING_READ}
            />
          </Grid>
        );
      }}
    </Loaded>
  );
}

/** Oldest first. */
function endedOf(runs: readonly Run[]): readonly Run[] {
  return runs
    .filter(({ mode, finished_at, duration_ms }) => mode !== 'preview' && finished_at !== null && duration_ms !== null)
    .toReversed();
}

/** Each has a label of its own, also when two ran within a minute. */
function pointsOf(ended: readonly Run[]) {
  const seen = new Map<string, number>();
  return ended.map(({ started_at, created_at, duration_ms, totals }) => {
    const time = started_at ?? created_at;
    const label = `${formatDay(time)} ${formatClock(time)}`;
    const count = (seen.get(label) ?? 0) + 1;
    seen.set(label, count);
    const took = duration_ms ?? 0;
    return { at: count === 1 ? label : `${label} (${count})`, took, rate: took === 0 ? 0 : (totals.read * 1000) / took };
  });
}
