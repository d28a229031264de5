import { hash } from 'node:crypto';
import { decodeRows, decodeValue, encodeRows, encodeValue } from '../../connectors/lines.ts';
import type { Row } from '../../connectors/canonical.ts';
import { type KeyMarks, WORDS } from './key-marks.ts';
import { digestOf, digestText, UNDER_WAY, wordIn, wordsOf } from './ledger-entries.ts';

const TAB = 0x09;
const LINE_END = 0x0a;
const BACKSLASH = 0x5c;
/** A longer key of several fields takes a slower way. */
const LONGEST_JOINED = 200;

/** How the lines of a stream are looked at, without making rows of them: most of what is read for a mirror is at the target already. */
export class LineKeys {
  readonly #places: readonly number[];
  readonly #seed: Int32Array;
  readonly #marks: KeyMarks;

  /** The names of the fields count as well: what is called otherwise is another thing to the target. */
  constructor(names: readonly string[], key: readonly string[], marks: KeyMarks) {
    this.#places = key.map((name) => names.indexOf(name));
    this.#seed = wordsOf(digestOf(JSON.stringify(names)));
    this.#marks = marks;
  }

  of(lines: Buffer): KeyedLines {
    return new KeyedLines(lines, this.#places, this.#seed, this.#marks);
  }

  ofRow(row: Row): KeyedLines {
    const lines = this.of(encodeRows([row]));
    lines.next();
    return lines;
  }
}

/** The lines of a batch, one after the other: `next` goes on to the next one, and the members tell of it. */
export class KeyedLines {
  index = -1;
  start = 0;
  /** Behind its end. */
  end = 0;
  /** Of all of the line. */
  readonly digest = new Int32Array(WORDS);
  readonly #lines: Buffer;
  readonly #places: readonly number[];
  readonly #seed: Int32Array;
  readonly #marks: KeyMarks;
  /** Several fields, one behind the other. */
  readonly #joined = Buffer.alloc(LONGEST_JOINED);

  constructor(lines: Buffer, places: readonly number[], seed: Int32Array, marks: KeyMarks) {
    this.#lines = lines;
    this.#places = places;
    this.#seed = seed;
    this.#marks = marks;
  }

  next(): boolean {
    this.start = this.end;
    if (this.start >= this.#lines.length) return false;
    this.end = this.#lines.indexOf(LINE_END, this.start) + 1;
    this.index++;
    const digest = hash('sha256', this.#lines.subarray(this.start, this.end), 'latin1');
    for (let word = 0; word < WORDS; word++) this.digest[word] = wordIn(digest, word) ^ (this.#seed[word] as number);
    if (this.digest[0] === UNDER_WAY) this.digest[0] = 0;
    return true;
  }

  /** The mark of its key. */
  get mark(): Int32Array {
    const places = this.#places;
    let size = 0;
    for (let part = 0; part < places.length; part++) {
      const start = this.#fieldStart(places[part] as number);
      const end = this.#plainEnd(start);
      // Most keys are one field that stands there as it is spelled.
      if (end >= 0 && places.length === 1) return this.#marks.ofBytes(this.#lines, start, end);
      if (end < 0 || size + end - start >= this.#joined.length) return this.#marks.ofKey(this.key);
      if (part > 0) this.#joined[size++] = TAB;
      size += this.#lines.copy(this.#joined, size, start, end);
    }
    return this.#marks.ofBytes(this.#joined, 0, size);
  }

  /** The key, as a string of bytes. */
  get key(): string {
    return this.#places
      .map((place) => {
        const start = this.#fieldStart(place);
        return plainly(this.#lines.toString('latin1', start, this.#fieldEnd(start)));
      })
      .join('\t');
  }

  /** The digest, as a string of bytes. */
  get digestText(): string {
    return digestText(this.digest);
  }

  get row(): Row {
    return decodeRows(this.#lines.subarray(this.start, this.end))[0] ?? [];
  }

  #fieldStart(place: number): number {
    let start = this.start;
    for (let before = 0; before < place; before++) start = this.#fieldEnd(start) + 1;
    return start;
  }

  #fieldEnd(start: number): number {
    let at = start;
    while (this.#lines[at] !== TAB && this.#lines[at] !== LINE_END) at++;
    return at;
  }

  /** The same, or -1 when something in it is spelled with a backslash. */
  #plainEnd(start: number): number {
    let at = start;
    for (; this.#lines[at] !== TAB && this.#lines[at] !== LINE_END; at++) if (this.#lines[at] === BACKSLASH) return -1;
    return at;
  }
}

/** Of several spellings of a value, ours. */
function plainly(field: string): string {
  return field.includes('\\') ? encodeValue(decodeValue(field)) : field;
}

/** A key that is given as values. */
export function keyOfRow(key: Row): string {
  return encodeRows([key]).toString('latin1').slice(0, -1);
}

/** The values of a key. */
export function rowOfKey(key: string): Row {
  return decodeRows(Buffer.from(`${key}\n`, 'latin1'))[0] ?? [];
}
