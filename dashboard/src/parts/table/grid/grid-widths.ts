import type { GridColumn } from './grid-column.ts';
import { lineOf, textOf, type ValueKind } from './grid-values.ts';

const NARROWEST = 64;
const WIDEST = 320;
const WIDEST_CHANGE = 440;
/** Around what a cell holds, and what marks of a change take. */
const AROUND = 26;
const ARROW = 60;
/** Widths are chosen by the first rows: looking at all of many would take longer than drawing them. */
const LOOKED_AT = 100;

/** How wide each column is, in pixels: by what it holds, within limits. */
export function widthsOf<Row>(columns: readonly GridColumn<Row>[], kinds: readonly ValueKind[], rows: readonly Row[]): number[] {
  const measure = measurer();
  return columns.map(({ name, label, type, widest: most, cell }, place) => {
    const kind = kinds[place] ?? 'text';
    const head = measure(label ?? name, true) + (label === undefined && type !== undefined ? measure(type, false) + 8 : 0);
    const shown = rows.slice(0, LOOKED_AT).map(cell);
    const limit = most ?? (shown.some(({ before }) => before) ? WIDEST_CHANGE : WIDEST);
    const widest = shown.reduce((wide, { value, before, none }) => {
      if (none !== undefined) return wide;
      const widthOf = (one: unknown): number => measure(lineOf(kind, textOf(one) ?? 'null'), kind === 'code');
      return Math.max(wide, before ? widthOf(before.value) + widthOf(value) + ARROW : widthOf(value) + (kind === 'boolean' ? 20 : 0));
    }, 0);
    return Math.ceil(Math.min(Math.max(head, widest, NARROWEST - AROUND), limit) + AROUND);
  });
}

type Measure = (text: string, isWide: boolean) => number;

/** In the letters of the page; `isWide` are bold ones and those of code. */
function measurer(): Measure {
  const context = document.createElement('canvas').getContext('2d');
  const { fontFamily } = getComputedStyle(document.body);
  return (text, isWide) => {
    if (!context) return text.length * 8;
    context.font = `13px ${fontFamily}`;
    // What is longer is cut in any case.
    return context.measureText(text.slice(0, 120)).width * (isWide ? 1.12 : 1);
  };
}
