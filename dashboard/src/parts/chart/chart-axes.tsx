import type { DrawnChartProps } from './chart-props.ts';
import { CHARACTER_WIDTH, labelEvery, type Plot } from './scale.ts';

/** The lines across, what they stand for, and the times below. */
export function ChartAxes({ chart: { data, format }, plot }: { chart: DrawnChartProps; plot: Plot }) {
  const { left, top, width, height, band, ticks, rise } = plot;
  const labels = data.map(({ at }) => at);
  const every = labelEvery(labels, band);
  return (
    <g aria-hidden="true" className="chart-axes">
      {ticks.map((tick) => {
        const y = top + height - rise(tick);
        return (
          <g key={tick}>
            <line x1={left} x2={left + width} y1={y} y2={y} {...(tick === 0 && { 'data-base': true })} />
            <text x={left - 8} y={y} dy="0.32em" textAnchor="end">
              {format(tick)}
            </text>
          </g>
        );
      })}
      {labels.map((label, place) => {
        if (place % every !== 0) return null;
        const half = (label.length * CHARACTER_WIDTH) / 2;
        // The first and the last one would hang out of the drawing.
        const x = Math.min(Math.max(left + band * (place + 0.5), half), left + width - half + 8);
        return (
          <text key={label} x={x} y={top + height + 18} textAnchor="middle">
            {label}
          </text>
        );
      })}
    </g>
  );
}
