import type { Reject } from '../../batch.ts';

// What is shown of a bad row; the file still has the rest.
const MAX_SHOWN = 64 * 1024;

/** A row that could not be read, with its cells by name, and its line. */
export function rejectOf(line: number, cells: readonly (readonly [string, string])[], reason: string, field?: string): Reject {
  const size = cells.reduce((sum, [, text]) => sum + text.length, 0);
  const share = size > MAX_SHOWN ? Math.max(16, Math.floor(MAX_SHOWN / cells.length)) : MAX_SHOWN;
  const row: Record<string, string> = Object.create(null) as Record<string, string>;
  for (const [name, text] of cells) row[name] = text.length > share ? `${text.slice(0, share)}…` : text;
  const what = field === undefined ? 'the row' : `"${field}"`;
  return { row: { ...row }, reason: `Line ${line}: ${what} ${reason}.`, ...(field !== undefined && { field }) };
}
