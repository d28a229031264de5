import type { Batch } from '../../batch.ts';
import type { Row, Value } from '../../canonical.ts';
import { decodeValue } from '../../lines.ts';

const BACKSLASH = '\\';
const NEWLINE = 0x0a;
// Longer texts would be kept apart by V8 and live until its next great collection.
const PIECE = 32 * 1024;

/**
 * Shows the rows of a batch one after the other. Of lines, the values are cut out when their row's turn comes, into an array
 * that is used again for the next: a batch never stands in memory as objects.
 */
export function eachRow(batch: Batch, width: number, visit: (row: Row, index: number) => void): void {
  if (!batch.hasLines) {
    for (const [index, row] of batch.rows.entries()) visit(row, index);
    return;
  }
  const row: Value[] = Array.from({ length: width }, () => null);
  let index = 0;
  for (const text of pieces(batch.lines)) {
    let escape = next(text, 0);
    for (let start = 0; start < text.length; index++) {
      for (let at = 0; at < width; at++) {
        const end = text.indexOf(at === width - 1 ? '\n' : '\t', start);
        if (end <= escape) row[at] = text.slice(start, end);
        else {
          row[at] = decodeValue(text.slice(start, end));
          escape = next(text, end);
        }
        start = end + 1;
      }
      visit(row, index);
    }
  }
}

/** Where the next value with an escape is. */
function next(text: string, from: number): number {
  const at = text.indexOf(BACKSLASH, from);
  return at === -1 ? Infinity : at;
}

/** Whole lines, a few at a time. */
function* pieces(lines: Buffer): Generator<string> {
  for (let start = 0; start < lines.length; ) {
    const last = start + PIECE >= lines.length ? lines.length - 1 : lines.lastIndexOf(NEWLINE, start + PIECE);
    const end = (last >= start ? last : lines.indexOf(NEWLINE, start + PIECE)) + 1;
    yield lines.toString('utf8', start, end);
    start = end;
  }
}
