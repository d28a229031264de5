import { OutsideError } from '../../../outside/errors.ts';
import { RefusedRow } from '../wire/server-errors.ts';
import type { ColumnWriting } from '../catalogue/columns.ts';

const [TAB, NEWLINE, BACKSLASH, QUOTE, COMMA] = [0x09, 0x0a, 0x5c, 0x27, 0x2c];
const CAPITAL_N = 0x4e;
/** No server takes packets that are much smaller. */
const PIECE = 128 * 1024;

const WRITINGS: readonly ColumnWriting[] = ['plain', 'boolean', 'timestamptz', 'hex', 'geometry', 'number', 'enum'];
const HEX = WRITINGS.indexOf('hex');

/** Turns COPY lines into what the server reads: the file of LOAD DATA, or the values of an INSERT. */
export class LineReader {
  readonly #kinds: Uint8Array;
  readonly #isPlain: boolean;
  /** The names of enums and sets. */
  readonly #members: readonly (ReadonlySet<string> | undefined)[];

  constructor(columns: readonly { writing: ColumnWriting; members?: ReadonlySet<string> }[]) {
    this.#kinds = Uint8Array.from(columns, ({ writing }) => WRITINGS.indexOf(writing));
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
    if (from === to || first < 0x30 || first > 0x39) return;
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
        const end = i === columns - 1 ? NEWLINE : TAB;
        const from = o;
        switch (kinds[i]) {
          case 1:
          case 5: {
            const byte = lines[at];
            if (byte === 0x74 || byte === 0x66) {
              out[o++] = byte === 0x74 ? 0x31 : 0x30;
              at++;
            }
            break;
          }
          case 3:
          case 4:
            if (lines[at] === BACKSLASH && lines[at + 1] === BACKSLASH && lines[at + 2] === 0x78) at += 3;
            else if (lines[at] !== BACKSLASH || lines[at + 1] !== CAPITAL_N) throw notBinary(i);
            break;
        }
        let byte = lines[at] as number;
        while (byte !== TAB && byte !== NEWLINE && at < length) {
          if (byte === BACKSLASH) {
            const next = lines[at + 1];
            if (next === 0x66 || next === 0x76) out[o++] = next === 0x66 ? 0x0c : 0x0b;
            else {
              out[o++] = BACKSLASH;
              out[o++] = next as number;
            }
            at += 2;
          } else {
            out[o++] = byte;
            at++;
          }
          byte = lines[at] as number;
        }
        if (byte !== end) throw uneven();
        if (kinds[i] === 2 && endsWithZone(out, from, o)) o -= 3;
        else if (kinds[i] === 6) this.#demandMember(i, out, from, o);
        out[o++] = byte;
        at++;
      }
    }
    return out.subarray(0, o);
  }

  /** One line as the values of an INSERT, in brackets. */
  values(lines: Buffer, start: number, end: number): Buffer {
    const kinds = this.#kinds;
    const out = Buffer.allocUnsafe((end - start) * 2 + kinds.length * 40 + 4);
    let o = 0;
    let at = start;
    out[o++] = 0x28;
    for (let i = 0; i < kinds.length; i++) {
      if (i > 0) out[o++] = COMMA;
      const kind = kinds[i] as number;
      let stop = at;
      const isLast = i === kinds.length - 1;
      const last = isLast ? NEWLINE : TAB;
      while (stop < end && lines[stop] !== TAB && lines[stop] !== NEWLINE) stop += lines[stop] === BACKSLASH ? 2 : 1;
      if (lines[stop] !== last) throw uneven();
      if (lines[at] === BACKSLASH && lines[at + 1] === CAPITAL_N && stop === at + 2) o += out.write('null', o);
      else if ((kind === 1 || kind === 5) && (lines[at] === 0x74 || lines[at] === 0x66) && stop === at + 1)
        out[o++] = lines[at] === 0x74 ? 0x31 : 0x30;
      else if (kind === HEX || kind === HEX + 1) {
        if (lines[at] !== BACKSLASH || lines[at + 2] !== 0x78) throw notBinary(i);
        if (kind !== HEX) o += out.write('st_geomfromwkb(', o);
        o += out.write("x'", o);
        o += lines.copy(out, o, at + 3, stop);
        out[o++] = QUOTE;
        if (kind !== HEX) out[o++] = 0x29;
      } else {
        if (kind === 6) this.#demandMember(i, lines, at, stop);
        if (kind === 5) o += out.write('cast(', o);
        out[o++] = QUOTE;
        const upTo = kind === 2 && endsWithZone(lines, at, stop) ? stop - 3 : stop;
        o = writeQuoted(lines, at, upTo, out, o);
        out[o++] = QUOTE;
        if (kind === 5) o += out.write(' as unsigned)', o);
      }
      at = stop + 1;
    }
    out[o++] = 0x29;
    return out.subarray(0, o);
  }
}

function writeQuoted(lines: Buffer, from: number, to: number, out: Buffer, start: number): number {
  let o = start;
  for (let at = from; at < to; at++) {
    const byte = lines[at] as number;
    if (byte === BACKSLASH) {
      const next = lines[++at] as number;
      if (next === 0x66 || next === 0x76) out[o++] = next === 0x66 ? 0x0c : 0x0b;
      else {
        out[o++] = BACKSLASH;
        out[o++] = next;
      }
    } else {
      if (byte === QUOTE) out[o++] = BACKSLASH;
      out[o++] = byte;
    }
  }
  return o;
}

function endsWithZone(bytes: Buffer, from: number, to: number): boolean {
  return to - from > 3 && bytes[to - 3] === 0x2b && bytes[to - 2] === 0x30 && bytes[to - 1] === 0x30;
}

function uneven(): OutsideError {
  return new OutsideError('bug', 'ROW_UNEVEN', 'A row has another number of values than the stream has fields.');
}

function notBinary(place: number): RefusedRow {
  return new RefusedRow('BAD_VALUE', 'the value is not written as \\x and hexadecimal digits', { place });
}
