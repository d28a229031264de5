import { printable } from '../../lib/check.ts';

/** Rows under their headings, in columns wide enough for their longest entry. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [headings, ...rows.map((row) => row.map(printable))];
  const widths = headings.map((_, column) => Math.max(...lines.map((line) => lengthOf(line[column] ?? ''))));
  return lines
    .map((line) => line.map((entry, column) => entry + ' '.repeat((widths[column] ?? 0) - lengthOf(entry))).join('  '))
    .map((line) => `${line.trimEnd()}\n`)
    .join('');
}

function lengthOf(text: string): number {
  return Array.from(text).length;
}
