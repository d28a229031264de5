import { Grid } from '@mantine/core';
import type { Run, Sync } from '../../api/resources.ts';
import { formatClock, formatCompact, formatDay, formatDuration } from '../../parts/words/format.ts';
import { Loaded } from '../../parts/page/loaded.tsx';
import { Section } from '../../parts/page/section.tsx';
import { useLastRuns } from './last-runs.ts';
import { TimeChart } from '../../parts/chart/time-chart.tsx';

/** Labels of an axis are short of room: a break between number and unit would make two lines of one. */
const NO_BREAK = '\u00a0';
const EMPTY = { title: 'No run has ended yet.', about: 'Runs that have ended are drawn here, one beside the other.' };

/** How long the last runs took, and how fast they were. */
export function RunCharts({ sync: { id } }: { sync: Sync }) {
  const runs = useLastRuns(id);
  return (
    <Loaded query={runs}>
      {({ data }) => {
        const ended = endedOf(data);
        const points = pointsOf(ended);
        const hrefOf = (place: number): string => `/runs/${ended[place]?.id ?? ''}`;
        const about = `The last ${points.length === 1 ? 'run' : `${points.length} runs`} that ended, previews aside`;
        return (
          <Grid gap="md">
            <Grid.Col span={{ base: 12, md: 6 }}>
              <div className="level">
                <Section title="Duration" about={points.length === 0 ? undefined : about}>
                  <TimeChart
                    kind="bar"
                    height={180}
                    label="How long the last runs took"
                    data={points}
                    href={hrefOf}
                    series={[{ name: 'took', label: 'Took', color: 'indigo.5' }]}
                    format={(value) => formatDuration(value).replaceAll(' ', NO_BREAK)}
                    empty={EMPTY}
                  />
                </Section>
              </div>
            </Grid.Col>
            <Grid.Col span={{ base: 12, md: 6 }}>
              <div className="level">
                <Section title="Rows per second" about={points.length === 0 ? undefined : about}>
                  <TimeChart
                    kind="bar"
                    height={180}
                    label="How many rows the last runs read each second"
                    data={points}
                    href={hrefOf}
                    series={[{ name: 'rate', label: 'Rows/s', color: 'teal.6' }]}
                    format={formatCompact}
                    empty={
                      points.length === 0
                        ? EMPTY
                        : { title: 'These runs read no rows.', about: 'There was nothing new at the source, or they failed before.' }
                    }
                  />
                </Section>
              </div>
            </Grid.Col>
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
