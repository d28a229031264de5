import type { Recycle } from '../../batch.ts';
import type { CanonicalType } from '../../canonical.ts';
import { Recycler } from '../../recycler.ts';

const [TAB, NEWLINE, RETURN, SPACE, PLUS, MINUS, POINT, ZERO, NINE, COLON, SEMICOLON, BACKSLASH] = [
  0x09, 0x0a, 0x0d, 0x20, 0x2b, 0x2d, 0x2e, 0x30, 0x39, 0x3a, 0x3b, 0x5c,
] as const;
const [LETTER_F, LETTER_N, LETTER_T, LETTER_X] = [0x66, 0x4e, 0x74, 0x78] as const;
/** A value takes at most twice its bytes in a line, and never less than this is left for one. */
const ROOM = 64;
const NOT_CERTAIN = -1;
const NULL = -2;

/** What stands behind a backslash in a line, by the byte that it is for. */
const ESCAPES = new Uint8Array(256);
for (const [byte, letter] of [
  [BACKSLASH, '\\'],
  [TAB, 't'],
  [NEWLINE, 'n'],
  [RETURN, 'r'],
] as const)
  ESCAPES[byte] = letter.charCodeAt(0);

const MONTH_DAYS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Puts one value into the line; answers the place behind it in the page, or that it is not certain. */
type PutValue = (lines: PageLines, place: number) => number;

const PUT: Readonly<Record<Exclude<CanonicalType, 'json'>, PutValue>> = {
  text: (lines, place) => lines.putEscaped(place),
  int64: (lines, place) => lines.putWhole(place),
  boolean: (lines, place) => lines.putBoolean(place),
  binary: (lines, place) => lines.putBinary(place),
  float64: (lines, place) => lines.putNumber(place, false),
  decimal: (lines, place) => lines.putNumber(place, true),
  date: (lines, place) => lines.putChecked(place, isDate),
  time: (lines, place) => lines.putChecked(place, (page, from, to) => isTime(page, from, to)),
  timestamp: (lines, place) => lines.putChecked(place, isMoment),
  timestamptz: (lines, place) => lines.putMomentInUtc(place),
  uuid: (lines, place) => lines.putChecked(place, isUuid),
};

/** Makes lines of pages as `rowSql` spells them. It may call good values uncertain, but lets no bad one through. */
export class PageLines {
  readonly #columns: readonly PutValue[];
  readonly #recycler: Recycler;
  readonly #size: number;
  #page: Buffer = Buffer.alloc(0);
  #out: Buffer = Buffer.alloc(0);
  #at = 0;
  /** Where the text at hand begins. */
  #from = 0;

  /** `size`: about how many bytes a page has. */
  constructor(types: readonly CanonicalType[], size: number) {
    this.#size = size + (size >> 2) + ROOM;
    this.#recycler = new Recycler(this.#size);
    this.#columns = types.map((type) => PUT[type as Exclude<CanonicalType, 'json'>]);
  }

  /** Takes the memory of lines back. */
  get recycle(): Recycle {
    return this.#recycler.giveBack;
  }

  /** The lines of a page; undefined where a value is not certain to be one of its type. */
  make(page: Buffer, rows: number): Buffer | undefined {
    this.#page = page;
    this.#out = page.length < this.#size ? this.#recycler.take() : Buffer.allocUnsafeSlow(page.length + (page.length >> 2) + ROOM);
    this.#at = 0;
    let place = 0;
    for (let row = 0; row < rows; row++) {
      for (const put of this.#columns) {
        place = put(this, place);
        if (place < 0) return undefined;
        this.#out[this.#at++] = TAB;
      }
      this.#out[this.#at - 1] = NEWLINE;
    }
    return place === page.length ? this.#out.subarray(0, this.#at) : undefined;
  }

  /** A text as it is, but for the bytes that mean something in a line. */
  putEscaped(place: number): number {
    const to = this.#textEnd(place);
    if (to < 0) return this.#unlessNull(to, place);
    const [page, out] = [this.#page, this.#out];
    let at = this.#at;
    for (let from = this.#from; from < to; from++) {
      const byte = page[from] as number;
      if (byte <= BACKSLASH && ESCAPES[byte] !== 0) {
        out[at++] = BACKSLASH;
        out[at++] = ESCAPES[byte] as number;
      } else out[at++] = byte;
    }
    this.#at = at;
    return to;
  }

  /** A text that has no such bytes when the test holds. */
  putChecked(place: number, test: (page: Buffer, from: number, to: number) => boolean): number {
    const to = this.#textEnd(place);
    if (to < 0) return this.#unlessNull(to, place);
    return test(this.#page, this.#from, to) ? this.#copy(this.#from, to, to) : NOT_CERTAIN;
  }

  /** `+00:00` becomes `+00`. */
  putMomentInUtc(place: number): number {
    const to = this.#textEnd(place);
    if (to < 0) return this.#unlessNull(to, place);
    const [page, zone] = [this.#page, to - 6];
    const isUtc =
      page[zone] === PLUS &&
      page[zone + 1] === ZERO &&
      page[zone + 2] === ZERO &&
      page[zone + 3] === COLON &&
      page[zone + 4] === ZERO &&
      page[zone + 5] === ZERO;
    return isUtc && isMoment(page, this.#from, zone) ? this.#copy(this.#from, zone + 3, to) : NOT_CERTAIN;
  }

  /** Up to the semicolon, a minus and digits. */
  putWhole(place: number): number {
    const end = this.#numberEnd(place);
    return end === place ? this.#putNull(place + 1) : isWhole(this.#page, place, end) ? this.#copy(place, end, end + 1) : NOT_CERTAIN;
  }

  putBoolean(place: number): number {
    const digit = this.#page[place];
    if (digit === SEMICOLON) return this.#putNull(place + 1);
    if ((digit !== ZERO && digit !== ZERO + 1) || this.#page[place + 1] !== SEMICOLON) return NOT_CERTAIN;
    this.#out[this.#at++] = digit === ZERO ? LETTER_F : LETTER_T;
    return place + 2;
  }

  /** `x` and what SQLite says in hexadecimal. */
  putBinary(place: number): number {
    if (this.#page[place] === SEMICOLON) return this.#putNull(place + 1);
    if (this.#page[place] !== LETTER_X) return NOT_CERTAIN;
    const end = this.#numberEnd(place);
    this.#demand(2 * (end - place));
    this.#out[this.#at++] = BACKSLASH;
    this.#out[this.#at++] = BACKSLASH;
    return this.#copy(place, end, end + 1);
  }

  /** A whole number, a double with all of its digits, or, of a decimal, a text. */
  putNumber(place: number, isDecimal: boolean): number {
    const end = this.#numberEnd(place);
    if (end === place) return this.#putNull(place + 1);
    if (this.#page[end] === COLON) return isDecimal ? this.putChecked(place, isDecimalText) : NOT_CERTAIN;
    if (isWhole(this.#page, place, end)) return this.#copy(place, end, end + 1);
    const number = Number(this.#page.toString('latin1', place, end));
    const text = String(number);
    // What is beyond a double, and an exponent in a decimal, is looked at with care.
    if (!Number.isFinite(number) || (isDecimal && text.includes('e'))) return NOT_CERTAIN;
    this.#demand(text.length);
    for (let sign = 0; sign < text.length; sign++) this.#out[this.#at++] = text.charCodeAt(sign);
    return end + 1;
  }

  /** Behind the text that begins here; or that there is none, or that it is null. */
  #textEnd(place: number): number {
    const page = this.#page;
    let [at, length] = [place, 0];
    for (let digit = page[at] as number; digit >= ZERO && digit <= NINE; digit = page[++at] as number) length = length * 10 + digit - ZERO;
    if (page[at] !== COLON) return NOT_CERTAIN;
    if (at === place) return NULL;
    this.#from = at + 1;
    const end = this.#from + length;
    if (end > page.length) return NOT_CERTAIN;
    this.#demand(2 * length);
    return end;
  }

  #unlessNull(found: number, place: number): number {
    return found === NULL ? this.#putNull(place + 1) : NOT_CERTAIN;
  }

  /** The next semicolon or colon. */
  #numberEnd(place: number): number {
    const page = this.#page;
    let at = place;
    while (at < page.length && page[at] !== SEMICOLON && page[at] !== COLON) at++;
    return at;
  }

  #putNull(behind: number): number {
    this.#demand(0);
    this.#out[this.#at++] = BACKSLASH;
    this.#out[this.#at++] = LETTER_N;
    return behind;
  }

  #copy(from: number, to: number, behind: number): number {
    this.#demand(to - from);
    const [page, out] = [this.#page, this.#out];
    let at = this.#at;
    for (let place = from; place < to; place++) out[at++] = page[place] as number;
    this.#at = at;
    return behind;
  }

  /** Sees to it that so many bytes have room, and what stands around them. */
  #demand(bytes: number): void {
    if (this.#at + bytes + ROOM <= this.#out.length) return;
    const larger = Buffer.allocUnsafeSlow(this.#at + Math.max(this.#out.length, bytes) + ROOM);
    this.#out.copy(larger, 0, 0, this.#at);
    this.#out = larger;
  }
}

const isDigit = (byte: number | undefined): boolean => byte !== undefined && byte >= ZERO && byte <= NINE;

/** The number that two digits are; NaN when they are none. */
function two(page: Buffer, at: number): number {
  const [tens, ones] = [page[at], page[at + 1]];
  return isDigit(tens) && isDigit(ones) ? (tens as number) * 10 + (ones as number) - 11 * ZERO : Number.NaN;
}

function isWhole(page: Buffer, from: number, to: number): boolean {
  const first = page[from] === MINUS ? from + 1 : from;
  for (let at = first; at < to; at++) if (!isDigit(page[at])) return false;
  return to > first;
}

/** Digits, in front of them a minus, among them a point. */
function isDecimalText(page: Buffer, from: number, to: number): boolean {
  let points = 0;
  for (let at = page[from] === MINUS ? from + 1 : from; at < to; at++) {
    if (page[at] === POINT) points++;
    else if (!isDigit(page[at])) return false;
  }
  return points <= 1 && to > from && isDigit(page[to - 1]);
}

function isDate(page: Buffer, from: number, to: number): boolean {
  if (to - from !== 10 || page[from + 4] !== MINUS || page[from + 7] !== MINUS) return false;
  const year = two(page, from) * 100 + two(page, from + 2);
  const [month, day] = [two(page, from + 5), two(page, from + 8)];
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  return year > 0 && day >= 1 && day <= (MONTH_DAYS[month - 1] ?? 0) && (month !== 2 || day < 29 || isLeap);
}

/** Hours, minutes, seconds, and up to six digits behind a point. */
function isTime(page: Buffer, from: number, to: number): boolean {
  if (to - from < 8 || page[from + 2] !== COLON || page[from + 5] !== COLON) return false;
  if (!(two(page, from) < 24 && two(page, from + 3) < 60 && two(page, from + 6) < 60)) return false;
  if (to - from === 8) return true;
  if (page[from + 8] !== POINT || to - from < 10 || to - from > 15) return false;
  for (let at = from + 9; at < to; at++) if (!isDigit(page[at])) return false;
  return true;
}

function isMoment(page: Buffer, from: number, to: number): boolean {
  return page[from + 10] === SPACE && isDate(page, from, from + 10) && isTime(page, from + 11, to);
}

function isUuid(page: Buffer, from: number, to: number): boolean {
  if (to - from !== 36) return false;
  for (let at = from; at < to; at++) {
    const [byte, place] = [page[at] as number, at - from];
    const isHyphen = place === 8 || place === 13 || place === 18 || place === 23;
    if (isHyphen ? byte !== MINUS : !isDigit(byte) && (byte < 0x61 || byte > LETTER_F)) return false;
  }
  return true;
}
