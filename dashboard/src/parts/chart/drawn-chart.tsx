import { type KeyboardEvent, useRef, useState } from 'react';
import { Link } from 'wouter';
import { useRoom } from '../page/use-room.ts';
import { ChartAxes } from './chart-axes.tsx';
import { Areas, Bars } from './chart-marks.tsx';
import type { DrawnChartProps } from './chart-props.ts';
import { ChartNote, ChartTable, Legend, valueWords } from './chart-words.tsx';
import { heightsOf, type Plot, plotOf } from './scale.ts';
import './chart.css';

/** A chart as a drawing in as many pixels as there are, with what it says as a table beside it. */
export function DrawnChart(chart: DrawnChartProps) {
  const { data, series, height, kind } = chart;
  const [ref, width] = useRoom<HTMLDivElement>();
  const [pointedAt, setPointedAt] = useState<number>();
  const plot = plotOf(chart, width);
  return (
    <>
      <div ref={ref} className="chart" style={{ height }} onPointerLeave={() => setPointedAt(undefined)}>
        {width > 0 && (
          // Where bars lead somewhere they are links; otherwise the drawing is for the eye alone.
          <svg width={width} height={height} {...(chart.href ? { role: 'group', 'aria-label': chart.label } : { 'aria-hidden': true })}>
            <ChartAxes chart={chart} plot={plot} />
            {kind === 'area' && <Areas chart={chart} plot={plot} />}
            <Columns chart={chart} plot={plot} pointedAt={pointedAt} onPoint={setPointedAt} />
          </svg>
        )}
        {pointedAt !== undefined && (
          <ChartNote
            {...chart}
            place={pointedAt}
            x={plot.left + plot.band * (pointedAt + 0.5)}
            width={width}
            leads={chart.href !== undefined && (heightsOf(chart)[pointedAt] ?? 0) > 0}
          />
        )}
      </div>
      {series.length > 1 && <Legend series={series} />}
      <ChartTable {...chart} data={data} />
    </>
  );
}

interface ColumnsProps {
  chart: DrawnChartProps;
  plot: Plot;
  pointedAt: number | undefined;
  onPoint: (place: number | undefined) => void;
}

/** A column for each point: what is drawn there, and the place to point at. The links are one stop of the tab key; arrows go from bar to bar. */
function Columns({ chart, plot, pointedAt, onPoint }: ColumnsProps) {
  const { data, series, kind, format, href } = chart;
  const group = useRef<SVGGElement>(null);
  const leading = heightsOf(chart).flatMap((tall, place) => (href && tall > 0 ? [place] : []));
  const [chosen, setChosen] = useState<number>();
  const stop = chosen !== undefined && leading.includes(chosen) ? chosen : leading.at(-1);
  const goOn = (event: KeyboardEvent, place: number): void => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const next = leading[leading.indexOf(place) + step];
    group.current?.querySelector<SVGAElement>(`[data-place="${next}"]`)?.focus();
  };
  return (
    <g ref={group}>
      {data.map((point, place) => {
        const shown = (
          <>
            <rect
              className="chart-column"
              x={plot.left + plot.band * place}
              y={plot.top}
              width={plot.band}
              height={plot.height}
              {...(place === pointedAt && { 'data-pointed': true })}
            />
            {kind === 'bar' && <Bars chart={chart} plot={plot} place={place} />}
          </>
        );
        const onPointerEnter = (): void => onPoint(place);
        if (!href || !leading.includes(place)) {
          return (
            <g key={point.at} onPointerEnter={onPointerEnter}>
              {shown}
            </g>
          );
        }
        const said = series.map(({ name, label }) => `${label} ${valueWords(point[name], format)}`).join(', ');
        return (
          <Link
            key={point.at}
            onPointerEnter={onPointerEnter}
            href={href(place)}
            className="chart-link"
            data-place={place}
            aria-label={`${point.at}: ${said}`}
            tabIndex={place === stop ? 0 : -1}
            onFocus={() => (setChosen(place), onPoint(place))}
            onBlur={() => onPoint(undefined)}
            onKeyDown={(event) => goOn(event, place)}
          >
            {shown}
          </Link>
        );
      })}
    </g>
  );
}
