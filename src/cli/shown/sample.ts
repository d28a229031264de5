import { table } from './table.ts';

export interface ShownSample {
  fields: { name: string; type: string }[];
  rows: Record<string, unknown>[];
  rejects: string[];
}

/** Rows under the names and types of their fields; long values are cut. */
export function sampleTable({ fields, rows }: ShownSample): string {
  return table(
    fields.map(({ name, type }) => `${name} (${type})`),
    rows.map((row) => fields.map(({ name }) => shorten(row[name]))),
  );
}

function shorten(value: unknown): string {
  if (value === null || value === undefined) return '∅';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > 40 ? `${text.slice(0, 39)}…` : text;
}
