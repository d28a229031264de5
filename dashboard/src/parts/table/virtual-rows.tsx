import './virtual-rows.css';
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react';

/** So many rows beyond what is seen are there as well: who scrolls sees no gap. */
const SPARE = 6;

interface VirtualRowsProps {
  /** What a screen reader calls it. */
  label: string;
  count: number;
  /** Pixels of a row. */
  height: number;
  /** Pixels of all that is seen at once, at most. */
  most: number;
  /** Names of the columns; `hidden` ones are heard only. */
  columns: readonly { readonly name: string; readonly hidden?: boolean }[];
  /** What tells one row from another, so that it keeps its state when others come and go. */
  keyOf: (place: number) => string;
  /** The cells of a row. What can be used in it is reached by Tab in the row that was used last alone. */
  renderRow: (place: number, tab: 0 | -1) => ReactNode;
}

/**
 * A grid of which only the rows that are seen exist: thousands cost no more than twenty. Up, Down, Page, Home and End go from row to row; Tab
 * goes on to what stands behind the grid.
 */
export function VirtualRows({ label, count, height, most, columns, keyOf, renderRow }: VirtualRowsProps) {
  const box = useRef<HTMLDivElement>(null);
  const [first, setFirst] = useState(0);
  const [used, setUsed] = useState(0);
  const active = Math.min(used, Math.max(0, count - 1));
  // The row that is to be used next may have to be made first.
  const wanted = useRef<number>(undefined);
  useEffect(() => {
    if (wanted.current === undefined) return;
    box.current
      ?.querySelector<HTMLElement>(`[data-place="${wanted.current}"] :is(input, button):not(:disabled)`)
      ?.focus({ preventScroll: true });
    wanted.current = undefined;
  });
  const seen = Math.ceil(most / height);
  const from = Math.max(0, Math.min(first, count - seen) - SPARE);
  const places = [...new Set([...range(from, Math.min(count, first + seen + SPARE)), ...(count > 0 ? [active] : [])])];

  const go = (place: number): void => {
    const next = Math.max(0, Math.min(count - 1, place));
    const element = box.current;
    if (element) {
      const [top, bottom] = [next * height, (next + 1) * height];
      if (top < element.scrollTop) element.scrollTop = top;
      else if (bottom > element.scrollTop + element.clientHeight) element.scrollTop = bottom - element.clientHeight;
      setFirst(Math.floor(element.scrollTop / height));
    }
    setUsed(next);
    wanted.current = next;
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const steps: Record<string, number> = {
      ArrowDown: active + 1,
      ArrowUp: active - 1,
      PageDown: active + seen - 1,
      PageUp: active - seen + 1,
      Home: 0,
      End: count - 1,
    };
    const step = steps[event.key];
    if (step === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    go(step);
  };
  return (
    <div
      role="grid"
      tabIndex={-1}
      onKeyDown={onKeyDown}
      aria-label={label}
      aria-rowcount={count + 1}
      className="virtual-rows"
      data-scrolls={count * height > most || undefined}
    >
      <div role="row" aria-rowindex={1} className="virtual-head virtual-row">
        {columns.map(({ name, hidden = false }) => (
          <div role="columnheader" key={name}>
            <span className={hidden ? 'only-heard' : undefined}>{name}</span>
          </div>
        ))}
      </div>
      <div
        ref={box}
        role="rowgroup"
        className="virtual-box"
        style={{ maxHeight: most }}
        onScroll={({ currentTarget }) => setFirst(Math.floor(currentTarget.scrollTop / height))}
      >
        <div role="presentation" style={{ height: count * height }} />
        {places.map((place) => (
          <div
            role="row"
            key={keyOf(place)}
            aria-rowindex={place + 2}
            data-place={place}
            className="virtual-row"
            style={{ height, top: place * height }}
            onFocus={() => setUsed(place)}
          >
            {renderRow(place, place === active ? 0 : -1)}
          </div>
        ))}
      </div>
    </div>
  );
}

function range(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from) }, (_, step) => from + step);
}
