import { table } from './table.ts';

/** What a command was asked for, on standard output: fit to be read by programs. */
export function show(text: string): void {
  process.stdout.write(text);
}

/** What a person wants to know besides, on the other channel. */
export function explain(text: string): void {
  process.stderr.write(`${text}\n`);
}

export function pretty(data: unknown): string {
  return `${JSON.stringify(data, undefined, 2)}\n`;
}

interface Listed {
  json: boolean | undefined;
  found: readonly unknown[];
  headings: readonly string[];
  rows: readonly (readonly string[])[];
  /** What a person does next where there is nothing. */
  empty: string;
}

/** A list as JSON or as a table; where it is empty, a person is told how to go on. */
export function showList({ json, found, headings, rows, empty }: Listed): void {
  show(json ? pretty(found) : table(headings, rows));
  if (!json && found.length === 0) explain(empty);
}

/** Calls when nobody reads standard output any more, such as after `| head`: for what would go on for ever. */
export function whenUnread(end: () => void): void {
  process.stdout.once('error', end);
}
