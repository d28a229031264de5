import { OutsideError } from '../../../outside/errors.ts';
import { RefusedRow } from '../wire/server-errors.ts';
import type { ColumnWriting } from '../catalogue/columns.ts';

const [TAB, NEWLINE, VERTICAL_TAB, FORM_FEED, BACKSLASH] = [0x09, 0x0a, 0x0b, 0x0c, 0x5c];
const [QUOTE, OPEN, CLOSE, PLUS, COMMA] = [0x27, 0x28, 0x29, 0x2b, 0x2c];
const [ZERO, ONE, NINE] = [0x30, 0x31, 0x39];
const [CAPITAL_N, LETTER_F, LETTER_T, LETTER_V, LETTER_X] = [0x4e, 0x66, 0x74, 0x76, 0x78];
/** No server takes packets that are much smaller. */
const PIECE = 128 * 1024;
/** `+00` at the end of a time in UTC. */
const ZONE_LENGTH = 3;
/** `\\x` in front of hexadecimal digits, as it stands in a line: the backslash is escaped. */
const HEX_MARK_LENGTH = 3;

// How columns are written, as numbers: a byte each, told apart without comparing texts.
const [PLAIN, BOOLEAN, TIMESTAMPTZ, HEX, GEOMETRY, NUMBER, ENUM] = [0, 1, 2, 3, 4, 5, 6];
const KINDS: Readonly<Record<ColumnWriting, number>> = {
  plain: PLAIN,
  boolean: BOOLEAN,
  timestamptz: TIMESTAMPTZ,
  hex: HEX,
  geometry: GEOMETRY,
  number: NUMBER,
  enum: ENUM,
};

/** Turns COPY lines into what the server reads: the file of LOAD DATA, or the values of an INSERT. */
export class LineReader {
  readonly #kinds: Uint8Array;
  readonly #isPlain: boolean;
  /** The names of enums and sets. */
  readonly #members: readonly (ReadonlySet<string> | undefined)[];

  constructor(columns: readonly { writing: ColumnWriting; members?: ReadonlySet<string> }[]) {
    this.#kinds = Uint8Array.from(columns, ({ writing }) => KINDS[writing]);
    this.#isPlain = columns.every(({ writing }) => writing === 'plain');
    this.#members = columns.map(({ members }) => members);
  }

  /** The lines as LOAD DATA reads them, piece by piece, so that the server works on one while the next is made. */
  *file(lines: Buffer): Generator<Buffer> {
    // The two formats differ in \f and \v alone.
    const isSame = this.#isPlain && !lines.includes('\\f') && !lines.includes('\\v');
    for (let at = 0; at < lines.length; ) {
      const last = at + PIECE < lines.length ? lines.lastIndexOf(NEWLINE, at + PIECE) : lines.length - 1;
      // A row may be longer than a piece.
      const end = last >= at ? last + 1 : lines.indexOf(NEWLINE, at + PIECE) + 1 || lines.length;
      const piece = lines.subarray(at, end);
      const file = isSame ? piece : this.#translate(piece);
      for (let from = 0; from < file.length; from += PIECE) yield file.subarray(from, from + PIECE);
      at = end;
    }
  }

  /** A number that is no name of an enum would be taken for a place in it. */
  #demandMember(column: number, bytes: Buffer, from: number, to: number): void {
    const first = bytes[from] as number;
    if (from === to || first < ZERO || first > NINE) return;
    const text = bytes.toString('utf8', from, to);
    if (/^\d+$/.test(text) && !this.#members[column]?.has(text))
      throw new RefusedRow('BAD_VALUE', 'the value is none of those that the enum or set has', { place: column });
  }

  #translate(lines: Buffer): Buffer {
    const kinds = this.#kinds;
    const columns = kinds.length;
    const length = lines.length;
    // Nothing becomes longer.
    const out = Buffer.allocUnsafeSlow(length);
    let o = 0;
    let at = 0;
    while (at < length) {
      for (let i = 0; i < columns; i++) {
        const kind = kinds[i] as number;
        const from = o;
        if (takesBooleans(kind) && isBoolean(lines[at])) out[o++] = digitOf(lines[at++]);
        else if (isBinary(kind)) at += hexMark(lines, at, i);
        let byte = lines[at] as number;
        while (byte !== TAB && byte !== NEWLINE && at < length) {
          if (byte === BACKSLASH) {
            o = writeEscape(lines[at + 1] as number, out, o);
            at += 2;
          } else {
            out[o++] = byte;
            at++;
          }
          byte = lines[at] as number;
        }
        if (byte !== (i === columns - 1 ? NEWLINE : TAB)) throw uneven();
        if (kind === TIMESTAMPTZ && endsWithZone(out, from, o)) o -= ZONE_LENGTH;
        else if (kind === ENUM) this.#demandMember(i, out, from, o);
        out[o++] = byte;
        at++;
      }
    }
    return out.subarray(0, o);
  }

  /** One line as the values of an INSERT, in brackets. */
  values(lines: Buffer, start: number, end: number): Buffer {
    const columns = this.#kinds.length;
    const out = Buffer.allocUnsafe((end - start) * 2 + columns * 40 + 4);
    let o = 0;
    let at = start;
    out[o++] = OPEN;
    for (let i = 0; i < columns; i++) {
      if (i > 0) out[o++] = COMMA;
      const stop = endOfValue(lines, at, end);
      if (lines[stop] !== (i === columns - 1 ? NEWLINE : TAB)) throw uneven();
      o = this.#writeValue(i, lines, at, stop, out, o);
      at = stop + 1;
    }
    out[o++] = CLOSE;
    return out.subarray(0, o);
  }

  /** Writes a value as an INSERT has it; answers the end of it. */
  #writeValue(column: number, lines: Buffer, from: number, to: number, out: Buffer, start: number): number {
    const kind = this.#kinds[column] as number;
    let o = start;
    if (isNull(lines, from, to)) return o + out.write('null', o);
    if (takesBooleans(kind) && isBoolean(lines[from]) && to === from + 1) {
      out[o] = digitOf(lines[from]);
      return o + 1;
    }
    if (isBinary(kind)) {
      const digits = from + hexMark(lines, from, column);
      o += out.write(kind === GEOMETRY ? "st_geomfromwkb(x'" : "x'", o);
      o += lines.copy(out, o, digits, to);
      out[o++] = QUOTE;
      if (kind === GEOMETRY) out[o++] = CLOSE;
      return o;
    }
    if (kind === ENUM) this.#demandMember(column, lines, from, to);
    if (kind === NUMBER) o += out.write('cast(', o);
    out[o++] = QUOTE;
    o = writeQuoted(lines, from, kind === TIMESTAMPTZ && endsWithZone(lines, from, to) ? to - ZONE_LENGTH : to, out, o);
    out[o++] = QUOTE;
    if (kind === NUMBER) o += out.write(' as unsigned)', o);
    return o;
  }
}

/** A boolean may also go into a column of numbers. */
function takesBooleans(kind: number): boolean {
  return kind === BOOLEAN || kind === NUMBER;
}

function isBinary(kind: number): boolean {
  return kind === HEX || kind === GEOMETRY;
}

function isBoolean(byte: number | undefined): boolean {
  return byte === LETTER_T || byte === LETTER_F;
}

function digitOf(boolean: number | undefined): number {
  return boolean === LETTER_T ? ONE : ZERO;
}

function isNull(lines: Buffer, from: number, to: number): boolean {
  return lines[from] === BACKSLASH && lines[from + 1] === CAPITAL_N && to === from + 2;
}

/** How long the mark is that stands before hexadecimal digits; a null has none. */
function hexMark(lines: Buffer, at: number, column: number): number {
  if (lines[at] === BACKSLASH && lines[at + 1] === BACKSLASH && lines[at + 2] === LETTER_X) return HEX_MARK_LENGTH;
  if (lines[at] === BACKSLASH && lines[at + 1] === CAPITAL_N) return 0;
  throw notBinary(column);
}

/** Where the tab or the newline is that ends the value which begins here. */
function endOfValue(lines: Buffer, from: number, end: number): number {
  let at = from;
  while (at < end && lines[at] !== TAB && lines[at] !== NEWLINE) at += lines[at] === BACKSLASH ? 2 : 1;
  return at;
}

/** What stands behind a backslash, as the server reads it: it knows neither \f nor \v. */
function writeEscape(letter: number, out: Buffer, at: number): number {
  if (letter === LETTER_F || letter === LETTER_V) {
    out[at] = letter === LETTER_F ? FORM_FEED : VERTICAL_TAB;
    return at + 1;
  }
  out[at] = BACKSLASH;
  out[at + 1] = letter;
  return at + 2;
}

function writeQuoted(lines: Buffer, from: number, to: number, out: Buffer, start: number): number {
  let o = start;
  for (let at = from; at < to; at++) {
    const byte = lines[at] as number;
    if (byte === BACKSLASH) o = writeEscape(lines[++at] as number, out, o);
    else {
      if (byte === QUOTE) out[o++] = BACKSLASH;
      out[o++] = byte;
    }
  }
  return o;
}

function endsWithZone(bytes: Buffer, from: number, to: number): boolean {
  return to - from > ZONE_LENGTH && bytes[to - 3] === PLUS && bytes[to - 2] === ZERO && bytes[to - 1] === ZERO;
}

function uneven(): OutsideError {
  return new OutsideError('bug', 'ROW_UNEVEN', 'A row has another number of values than the stream has fields.');
}

function notBinary(place: number): RefusedRow {
  return new RefusedRow('BAD_VALUE', 'the value is not written as \\x and hexadecimal digits', { place });
}
