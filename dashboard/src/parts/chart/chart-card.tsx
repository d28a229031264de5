import { Grid } from '@mantine/core';
import type { ReactNode } from 'react';
import { Section } from '../page/section.tsx';
import type { TimeChartProps } from './chart-props.ts';
import { TimeChart } from './time-chart.tsx';

interface ChartCardProps extends TimeChartProps {
  title: string;
  about?: ReactNode;
  actions?: ReactNode;
  /** Of the twelve columns of the `Grid` around it; on a phone it has all. */
  span?: number;
}

/** A chart in a card of its own. Those beside each other end on one line, also where one has nothing to draw. */
export function ChartCard({ title, about, actions, span = 6, ...chart }: ChartCardProps) {
  return (
    <Grid.Col span={{ base: 12, md: span }}>
      <div className="level">
        <Section title={title} about={about} actions={actions}>
          <TimeChart {...chart} />
        </Section>
      </div>
    </Grid.Col>
  );
}
