import { colorOf, type DrawnChartProps } from './chart-props.ts';
import type { Plot } from './scale.ts';

const WIDEST_BAR = 28;
/** What is there at all is seen, however small it is beside the others. */
const LOWEST = 2;

interface MarksProps {
  chart: DrawnChartProps;
  plot: Plot;
}

/** The bars of one point: on top of each other, or side by side. */
export function Bars({ chart: { data, series, stacked = false }, plot, place }: MarksProps & { place: number }) {
  const { left, top, height, band, rise } = plot;
  const whole = Math.min(WIDEST_BAR, band * 0.72);
  const each = stacked ? whole : whole / series.length;
  let foot = top + height;
  return series.map(({ name, color }, index) => {
    const value = Number(data[place]?.[name] ?? 0);
    if (value <= 0) return null;
    const tall = Math.max(LOWEST, rise(value));
    const x = left + band * (place + 0.5) - whole / 2 + (stacked ? 0 : each * index);
    const y = foot - tall;
    if (stacked) foot = y;
    return <rect key={name} x={x} y={y} width={each} height={tall} rx={Math.min(2, each / 3)} style={{ fill: colorOf(color) }} />;
  });
}

/** A line for each series with a tint below it; a gap where nothing is known. */
export function Areas({ chart: { data, series }, plot }: MarksProps) {
  const { left, top, height, band, rise } = plot;
  const base = top + height;
  return series.map(({ name, color }) => {
    const points = data.map((point, place) => {
      const value = point[name];
      return value == null ? undefined : { x: left + band * (place + 0.5), y: base - rise(Number(value)) };
    });
    return (
      <g key={name} style={{ color: colorOf(color) }}>
        {stretchesOf(points).map((stretch) => {
          const line = stretch.map(({ x, y }) => `${x.toFixed(1)},${y.toFixed(1)}`).join(' L');
          const [first, last] = [stretch[0], stretch.at(-1)];
          return (
            <g key={first?.x}>
              <path d={`M${first?.x},${base} L${line} L${last?.x},${base} Z`} fill="currentColor" opacity={0.14} />
              {/* A point between two gaps is seen too. */}
              <path d={`M${line}${stretch.length === 1 ? ' h0.1' : ''}`} className="chart-line" />
            </g>
          );
        })}
      </g>
    );
  });
}

/** The points between gaps. */
function stretchesOf<Known>(points: readonly (Known | undefined)[]): Known[][] {
  const stretches: Known[][] = [[]];
  for (const point of points) {
    if (point !== undefined) stretches.at(-1)?.push(point);
    else if (stretches.at(-1)?.length !== 0) stretches.push([]);
  }
  return stretches.filter(({ length }) => length > 0);
}
