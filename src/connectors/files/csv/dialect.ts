import { MAX_FIELDS } from '../../field-limits.ts';

/** How a CSV file is written. Special characters are single bytes. */
export interface CsvDialect {
  readonly delimiter: number;
  /** -1 when nothing is quoted. */
  readonly quote: number;
  /** How a quote inside quotes is written: twice, or behind a backslash. */
  readonly escape: 'double' | 'backslash';
  /** Whether a carriage return alone ends a row, as old Macs wrote it. */
  readonly lonelyReturns: boolean;
  /** Whether the first row holds the names. */
  readonly header: boolean;
  /** Unquoted texts that mean null. */
  readonly nulls: readonly string[];
}

export const BACKSLASH = 0x5c;
export const TAB = 0x09;
export const LF = 0x0a;
export const CR = 0x0d;
const DELIMITERS: readonly number[] = [0x2c, 0x3b, TAB, 0x7c];

export interface Cell {
  text: string;
  quoted: boolean;
}

export interface CsvRecord {
  cells: Cell[];
  /** Where the next row begins. */
  next: number;
  /** How many line feeds (or lonely returns) it holds, its own end included. */
  lines: number;
  /** Whether something stands behind a closing quote. */
  stray: boolean;
  /** Whether its quote is still open where the bytes end. */
  open: boolean;
  /** Whether it ends with a line end rather than with the bytes. */
  ended: boolean;
}

/** What stands behind so many cells is passed over: nobody has that many columns. */
const MOST_CELLS = MAX_FIELDS + 1;

/** One row, read the plain way: for headers, samples and rows that were found bad. `lines.ts` is the quick way. */
export function splitRecord(bytes: Buffer, from: number, to: number, dialect: CsvDialect): CsvRecord {
  const { delimiter, quote, lonelyReturns } = dialect;
  const cells: Cell[] = [];
  let at = from;
  let lines = 0;
  let stray = false;
  for (;;) {
    const parts: Buffer[] = [];
    const quoted = quote !== -1 && bytes[at] === quote && at < to;
    if (quoted) {
      const inside = quotedPart(bytes, at + 1, to, dialect);
      parts.push(...inside.parts);
      lines += inside.lines;
      if (inside.end >= to) {
        cells.push({ text: textOf(parts), quoted });
        return { cells, next: to, lines, stray, open: true, ended: false };
      }
      at = inside.end + 1;
    }
    const start = at;
    while (at < to && bytes[at] !== delimiter && !endsRow(bytes, at, to, lonelyReturns)) at++;
    if (quoted && at > start) stray = true;
    parts.push(bytes.subarray(start, at));
    if (cells.length < MOST_CELLS) cells.push({ text: textOf(parts), quoted });
    if (at >= to) return { cells, next: to, lines, stray, open: false, ended: false };
    if (bytes[at] === delimiter) {
      at++;
      continue;
    }
    const next = bytes[at] === CR && bytes[at + 1] === LF && at + 1 < to ? at + 2 : at + 1;
    return { cells, next, lines: lines + 1, stray, open: false, ended: true };
  }
}

/** What stands between quotes, from behind the opening one; `end` is where the closing one is, or where the bytes end. */
function quotedPart(
  bytes: Buffer,
  from: number,
  to: number,
  { quote, escape, lonelyReturns }: CsvDialect,
): { parts: Buffer[]; lines: number; end: number } {
  const parts: Buffer[] = [];
  let lines = 0;
  let start = from;
  let at = from;
  for (; at < to; at++) {
    const byte = bytes[at];
    const next = at + 1 < to ? bytes[at + 1] : undefined;
    if (byte === LF || (lonelyReturns && byte === CR)) lines++;
    if (escape === 'backslash' && byte === BACKSLASH && (next === quote || next === BACKSLASH)) {
      parts.push(bytes.subarray(start, at));
      start = ++at;
    } else if (byte === quote) {
      if (escape === 'backslash' || next !== quote) break;
      parts.push(bytes.subarray(start, at + 1));
      start = ++at + 1;
    }
  }
  parts.push(bytes.subarray(start, at));
  return { parts, lines, end: at };
}

/** Most cells are of one piece. */
function textOf(parts: readonly Buffer[]): string {
  return parts.length === 1 ? (parts[0] as Buffer).toString() : Buffer.concat(parts).toString();
}

function endsRow(bytes: Buffer, at: number, to: number, lonelyReturns: boolean): boolean {
  return bytes[at] === LF || (bytes[at] === CR && (lonelyReturns || (at + 1 < to && bytes[at + 1] === LF)));
}

export interface DialectWishes {
  readonly delimiter: string;
  readonly quote: string;
  readonly escape: 'auto' | 'double' | 'backslash';
  readonly header: 'auto' | 'yes' | 'no';
  readonly nulls: readonly string[];
}

const NAMED: Readonly<Record<string, number>> = { tab: TAB, none: -1, '\\t': TAB };

function byteOf(text: string): number {
  return NAMED[text] ?? text.charCodeAt(0);
}

/** Tells the dialect from the first bytes of a file, where the wishes leave it open; all but the header. */
export function detectDialect(sample: Buffer, wishes: DialectWishes, isWhole: boolean): CsvDialect {
  const quotes = wishes.quote === 'auto' ? quotesIn(sample) : [byteOf(wishes.quote)];
  const delimiters = wishes.delimiter === 'auto' ? DELIMITERS : [byteOf(wishes.delimiter)];
  const escapes = wishes.escape === 'auto' ? escapesIn(sample, quotes) : [wishes.escape];
  let best: CsvDialect | undefined;
  let most = Number.NEGATIVE_INFINITY;
  for (const quote of quotes) {
    for (const escape of escapes) {
      for (const delimiter of delimiters) {
        const dialect = { delimiter, quote, escape, lonelyReturns: false, header: true, nulls: wishes.nulls };
        const candidate = { ...dialect, lonelyReturns: hasLonelyReturns(sample, dialect) };
        const points = score(sample, candidate, isWhole);
        if (points > most) [most, best] = [points, candidate];
      }
    }
  }
  return best as CsvDialect;
}

function quotesIn(sample: Buffer): number[] {
  // An apostrophe is far more often a letter than a quote.
  if (sample.includes(0x22)) return [0x22];
  return /(^|[,;\t|\n])'[^'\n]*'($|[,;\t|\r\n])/.test(sample.toString('latin1')) ? [0x22, 0x27] : [0x22];
}

function escapesIn(sample: Buffer, quotes: readonly number[]): ('double' | 'backslash')[] {
  return quotes.some((quote) => sample.includes(Buffer.from([BACKSLASH, quote]))) ? ['double', 'backslash'] : ['double'];
}

function hasLonelyReturns(sample: Buffer, dialect: CsvDialect): boolean {
  if (!sample.includes(CR)) return false;
  let isQuoted = false;
  for (let at = 0; at < sample.length; at++) {
    const byte = sample[at];
    if (byte === dialect.quote) isQuoted = !isQuoted;
    else if (isQuoted) continue;
    else if (byte === LF) return false;
    else if (byte === CR) return at + 1 < sample.length && sample[at + 1] !== LF;
  }
  return false;
}

/** How well a dialect explains the sample: rows that have as many cells as most, and no loose ends. */
function score(sample: Buffer, dialect: CsvDialect, isWhole: boolean): number {
  const counts = new Map<number, number>();
  let rows = 0;
  let faults = 0;
  let quoted = 0;
  for (let at = 0; at < sample.length && rows < 200; ) {
    const record = splitRecord(sample, at, sample.length, dialect);
    at = record.next;
    if (!record.ended && !isWhole && rows > 0) break;
    if (record.open || record.stray) faults++;
    if (record.cells.some((cell) => cell.quoted)) quoted++;
    if (record.cells.length === 1 && record.cells[0]?.text === '') continue;
    rows++;
    counts.set(record.cells.length, (counts.get(record.cells.length) ?? 0) + 1);
  }
  if (rows === 0) return 0;
  const [width, usual] = [...counts].sort((a, b) => b[1] - a[1] || b[0] - a[0])[0] ?? [1, 0];
  const share = usual / rows;
  return (width > 1 ? 10 * share * share + Math.min(width, 50) / 100 : 0.5) + (quoted > 0 ? 0.2 : 0) - (20 * faults) / rows;
}
