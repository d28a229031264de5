import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { Sync } from '../../api/resources.ts';
import { statusWord } from '../../parts/status/status.tsx';
import { visible } from '../../parts/words/visible.ts';
import { MAP, type MapPlan } from './map-layout.ts';
import './map.css';

/** What is written into a box may be so long, in characters. */
const LONGEST = 30;

const MIDDLE = (MAP.width - MAP.box) / 2;
const RIGHT = MAP.width - MAP.box;

export interface MapWords {
  nameOf: (sourceId: string) => string;
  typeOf: (sourceId: string) => string;
  /** How much flows, and how late it is: a few words. */
  flowOf: (sync: Sync) => string;
  /** From 0 to 1: how much flows beside the others. */
  shareOf: (sync: Sync) => number;
  toneOf: (sync: Sync) => string;
}

/** Sources at the left, targets at the right, and what goes between them. Every box is a link. */
export function MapPicture({ plan, words }: { plan: MapPlan; words: MapWords }) {
  const { nameOf, typeOf, flowOf, toneOf } = words;
  return (
    <svg className="map" viewBox={`0 0 ${MAP.width} ${plan.height}`} role="group" aria-label="Sources, synchronizations and targets">
      <Flows plan={plan} words={words} />
      <g role="group" aria-label="Sources">
        {plan.sources.map(({ id, y }) => (
          <MapBox key={`from ${id}`} x={0} y={y} href={`/sources/${id}`} name={nameOf(id)} note={typeOf(id)} />
        ))}
      </g>
      <g role="group" aria-label="Synchronizations">
        {plan.syncs.map(({ id, y, sync }) => (
          <MapBox
            key={id}
            x={MIDDLE}
            y={y}
            href={`/syncs/${id}`}
            name={sync.name}
            note={`${statusWord(sync.health)} · ${flowOf(sync)}`}
            tone={toneOf(sync)}
          />
        ))}
      </g>
      <g role="group" aria-label="Targets">
        {plan.targets.map(({ id, y }) => (
          <MapBox key={`to ${id}`} x={RIGHT} y={y} href={`/sources/${id}`} name={nameOf(id)} note={typeOf(id)} />
        ))}
      </g>
    </svg>
  );
}

function Flows({ plan: { sources, syncs, targets }, words: { toneOf, shareOf } }: { plan: MapPlan; words: MapWords }) {
  const middleOf = (nodes: MapPlan['sources'], id: string): number => (nodes.find((node) => node.id === id)?.y ?? 0) + MAP.height / 2;
  return (
    <g aria-hidden="true">
      {syncs.map(({ id, y, sync }) => {
        const own = y + MAP.height / 2;
        const line = {
          className: 'map-flow',
          'data-moves': sync.current_run?.status === 'running',
          style: { color: toneOf(sync), strokeWidth: 1.5 + 6 * shareOf(sync) },
        };
        return (
          <g key={id}>
            <path {...line} d={curve(MAP.box, middleOf(sources, sync.source_id), MIDDLE, own)} />
            <path {...line} d={curve(MIDDLE + MAP.box, own, RIGHT, middleOf(targets, sync.target_id))} />
          </g>
        );
      })}
    </g>
  );
}

function curve(fromX: number, fromY: number, toX: number, toY: number): string {
  const half = (fromX + toX) / 2;
  return `M${fromX},${fromY} C${half},${fromY} ${half},${toY} ${toX},${toY}`;
}

interface MapBoxProps {
  x: number;
  y: number;
  href: string;
  name: string;
  note: string;
  tone?: string;
}

function MapBox({ x, y, href, name, note, tone }: MapBoxProps): ReactNode {
  return (
    <Link href={href} className="map-box">
      <rect x={x} y={y} width={MAP.box} height={MAP.height} rx={10} />
      {tone !== undefined && (
        <rect x={x} y={y + 10} width={4} height={MAP.height - 20} rx={2} className="map-tone" style={{ fill: tone }} />
      )}
      <text x={x + 16} y={y + 22} className="map-name">
        {short(name)}{' '}
      </text>
      <text x={x + 16} y={y + 40} className="map-note">
        {short(note, LONGEST + 8)}
      </text>
    </Link>
  );
}

function short(text: string, most = LONGEST): string {
  const shown = visible(text);
  return shown.length > most ? `${shown.slice(0, most - 1)}…` : shown;
}
