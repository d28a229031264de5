import { useState } from 'react';
import { useApi } from '../../api/queries.ts';
import type { Sync } from '../../api/resources.ts';
import { TimeChart } from '../../parts/chart/time-chart.tsx';
import { type Window, WINDOW_WORDS, WindowChoice } from '../../parts/filter/window-choice.tsx';
import { Loaded } from '../../parts/page/loaded.tsx';
import { Section } from '../../parts/page/section.tsx';
import { formatClock, formatDay } from '../../parts/words/format.ts';
import { formatLong } from './live-words.ts';

/** The finest points are a minute long. */
const LOOK_EVERY = 15_000;

/** How far it was behind its source over time. */
export function LagChart({ sync: { id } }: { sync: Sync }) {
  const [window, setWindow] = useState<Window>('1h');
  const metrics = useApi('GET /api/v1/datasync/metrics', { query: { window, sync_id: id } }, { every: LOOK_EVERY });
  const label = (at: string): string => (window === '1h' || window === '24h' ? formatClock(at) : `${formatDay(at)} ${formatClock(at)}`);
  return (
    <Section
      title="Lag over time"
      about="The furthest that it was behind in each stretch of time. Where nobody followed there is a gap."
      actions={<WindowChoice window={window} onChange={setWindow} />}
    >
      <Loaded query={metrics}>
        {({ data: { series } }) => {
          const isKnown = series.some(({ lag_seconds }) => lag_seconds !== null);
          return (
            <TimeChart
              kind="area"
              height={180}
              label={`Lag in ${WINDOW_WORDS[window]}`}
              data={series.map(({ at, lag_seconds }) => ({ at: label(at), lag: lag_seconds }))}
              series={[{ name: 'lag', label: 'Behind', color: 'indigo.5' }]}
              // On one line: the axis would break it at the space.
              format={(seconds) => formatLong(seconds).replaceAll(' ', '\u00a0')}
              empty={
                isKnown
                  ? { title: `It was up to date in ${WINDOW_WORDS[window]}.`, about: 'Every change was at the target within a moment.' }
                  : {
                      title: `Nothing is known of ${WINDOW_WORDS[window]}.`,
                      about: 'The first point is there soon after the first stream has gone live.',
                    }
              }
            />
          );
        }}
      </Loaded>
    </Section>
  );
}
