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

/** Of a column, in pixels: what it gets where there is little room, and what it would take to show all that it holds. */
export interface ColumnWidth {
  least: number;
  whole: number;
}

/** How wide each column is: by what it holds, within limits. */
export function widthsOf<Row>(columns: readonly GridColumn<Row>[], kinds: readonly ValueKind[], rows: readonly Row[]): ColumnWidth[] {
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
    const whole = Math.max(head, widest, NARROWEST - AROUND);
    return { least: Math.ceil(Math.min(whole, limit) + AROUND), whole: Math.ceil(whole + AROUND) };
  });
}

/** The first column stays in sight while the others are scrolled: on a phone it must leave room for them. No room is not measured yet. */
export function firstWithin(widths: readonly ColumnWidth[], room: number): readonly ColumnWidth[] {
  const [first, ...others] = widths;
  if (!first || room === 0) return widths;
  const most = Math.max(96, room * 0.42);
  return [{ least: Math.min(first.least, most), whole: Math.min(first.whole, most) }, ...others];
}

/** The room that is left goes to the columns that would be cut, from the first one on. */
export function fillRoom(widths: readonly ColumnWidth[], room: number): number[] {
  let left = Math.max(0, room - widths.reduce((sum, { least }) => sum + least, 0));
  return widths.map(({ least, whole }) => {
    const more = Math.min(left, whole - least);
    left -= more;
    return least + more;
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
