import { type KeyboardEvent, type RefObject, useLayoutEffect, useRef, useState } from 'react';

/** Pixels: every row is one line. The style sheet says the same. */
export const ROW_HEIGHT = 34;
const MOST_HEIGHT = 560;

// Few rows are all drawn, so that they are found by the search of the browser; of more, those around what is seen.
const DRAWN_AT_ONCE = 60;
const STEP = 10;
const SEEN = Math.ceil(MOST_HEIGHT / ROW_HEIGHT);

export interface Place {
  row: number;
  column: number;
}

/** Which rows are drawn: those that are seen, and some around them. */
export function useDrawnRows(count: number) {
  const [step, setStep] = useState(0);
  const isWindowed = count > DRAWN_AT_ONCE;
  const from = isWindowed ? Math.max(0, (step - 1) * STEP) : 0;
  const to = isWindowed ? Math.min(count, (step + 2) * STEP + SEEN) : count;
  const onScroll = (top: number): void => {
    if (isWindowed) setStep(Math.floor(top / ROW_HEIGHT / STEP));
  };
  return { from, to, onScroll };
}

interface Bounds {
  rows: number;
  columns: number;
}

/** Where a key leads to from a place; undefined when it leads nowhere. */
function placeAfter(key: string, { row, column }: Place, { rows, columns }: Bounds, isWhole: boolean): Place | undefined {
  const to: Record<string, Place> = {
    ArrowUp: { row: row - 1, column },
    ArrowDown: { row: row + 1, column },
    ArrowLeft: { row, column: column - 1 },
    ArrowRight: { row, column: column + 1 },
    PageUp: { row: row - SEEN + 2, column },
    PageDown: { row: row + SEEN - 2, column },
    Home: { row: isWhole ? 0 : row, column: 0 },
    End: { row: isWhole ? rows - 1 : row, column: columns - 1 },
  };
  const next = to[key];
  if (!next) return undefined;
  return { row: within(next.row, rows), column: within(next.column, columns) };
}

function within(place: number, count: number): number {
  return Math.min(Math.max(place, 0), count - 1);
}

/** The chosen cell: moved by keys, and brought into sight when it was moved. */
export function useGridPlace(
  frame: RefObject<HTMLElement | null>,
  bounds: Bounds,
  widths: readonly number[],
  idOf: (place: Place) => string,
) {
  const [chosen, choose] = useState<Place>();
  const movedByKey = useRef(false);
  const place = chosen && chosen.row < bounds.rows && chosen.column < bounds.columns ? chosen : undefined;
  const onKey = (event: KeyboardEvent): void => {
    if (event.altKey || event.shiftKey) return;
    const isWhole = event.ctrlKey || event.metaKey;
    const next = placeAfter(event.key, place ?? { row: 0, column: 0 }, bounds, isWhole);
    if (!next || (isWhole && event.key.startsWith('Arrow'))) return;
    event.preventDefault();
    movedByKey.current = true;
    scrollTo(frame.current, next, widths);
    choose(next);
  };
  const id = place && idOf(place);
  useLayoutEffect(() => {
    if (!movedByKey.current || id === undefined) return;
    movedByKey.current = false;
    // The page around it, too.
    document.getElementById(id)?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [id]);
  return { place, choose, onKey };
}

/** Rows that are not drawn cannot be asked where they are, so it is reckoned. */
function scrollTo(frame: HTMLElement | null, { row, column }: Place, widths: readonly number[]): void {
  if (!frame) return;
  const [top, height] = [row * ROW_HEIGHT, frame.clientHeight - 2 * ROW_HEIGHT];
  frame.scrollTop = Math.min(Math.max(frame.scrollTop, top - height), top);
  if (column === 0) return;
  const left = widths.slice(1, column).reduce((sum, width) => sum + width, 0);
  const room = frame.clientWidth - (widths[0] ?? 0) - (widths[column] ?? 0);
  frame.scrollLeft = Math.min(Math.max(frame.scrollLeft, left - room), left);
}
