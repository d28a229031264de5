import type { ReactNode } from 'react';

export type Tone = 'good' | 'busy' | 'waiting' | 'warning' | 'bad';
export type Shape = 'check' | 'cross' | 'triangle' | 'half' | 'dot' | 'ring' | 'clock' | 'pause' | 'slash' | 'arrow' | 'back';

const RING = <circle cx="8" cy="8" r="6" fill="none" stroke="currentColor" strokeWidth="1.75" />;
const DISC = <circle cx="8" cy="8" r="7" fill="currentColor" />;

/** Strokes within a shape that is filled: in the colour of what is behind it. */
function cut(path: string): ReactNode {
  return <path d={path} fill="none" className="status-cut" strokeWidth="1.75" strokeLinecap="round" strokeLinejoin="round" />;
}

function stroke(path: string): ReactNode {
  return <path d={path} fill="none" stroke="currentColor" strokeWidth="1.75" strokeLinecap="round" />;
}

const SHAPES: Record<Shape, ReactNode> = {
  check: (
    <>
      {DISC}
      {cut('M4.900 8.300l2.200 2.200 4-4.700')}
    </>
  ),
  cross: (
    <>
      <path d="M5.100 1h5.800L15 5.100v5.800L10.900 15H5.100L1 10.900V5.100z" fill="currentColor" />
      {cut('M5.700 5.700l4.600 4.600M10.300 5.700l-4.600 4.600')}
    </>
  ),
  triangle: (
    <>
      <path d="M8 1.200L15.300 14.200H.7z" fill="currentColor" stroke="currentColor" strokeWidth="1" strokeLinejoin="round" />
      {cut('M8 6v3.400M8 11.700v.1')}
    </>
  ),
  half: (
    <>
      {RING}
      <path d="M8 2a6 6 0 0 1 0 12z" fill="currentColor" />
    </>
  ),
  dot: (
    <>
      {RING}
      <circle cx="8" cy="8" r="2.400" fill="currentColor" />
    </>
  ),
  ring: RING,
  clock: (
    <>
      {RING}
      {stroke('M8 5v3.200l2 1.300')}
    </>
  ),
  pause: (
    <>
      {RING}
      {stroke('M6.500 6v4M9.500 6v4')}
    </>
  ),
  slash: (
    <>
      {RING}
      {stroke('M4.200 11.800l7.600-7.600')}
    </>
  ),
  arrow: (
    <>
      {DISC}
      {cut('M4.600 8h6.400M8.600 5.400L11.200 8l-2.600 2.600')}
    </>
  ),
  back: (
    <>
      {RING}
      {stroke('M10.700 8H5.600M7.400 6.200L5.600 8l1.800 1.800')}
    </>
  ),
};

interface StatusShapeProps {
  shape: Shape;
  tone: Tone;
  size?: number;
  moving?: boolean;
}

/** A state told by its shape and by its colour. The word beside it says it to everybody. */
export function StatusShape({ shape, tone, size = 14, moving = false }: StatusShapeProps) {
  return (
    <svg
      className="status-shape"
      width={size}
      height={size}
      viewBox="0 0 16 16"
      aria-hidden="true"
      data-shape={shape}
      style={{ color: `var(--status-${tone})` }}
      {...(moving && { 'data-moving': true })}
    >
      {SHAPES[shape]}
    </svg>
  );
}
