import { decodeRows, decodeValue, encodeRows, encodeValue } from '../../connectors/lines.ts';
import type { Row } from '../../connectors/canonical.ts';
import { digestOf } from './ledger-entries.ts';

const TAB = 0x09;
const LINE_END = 0x0a;

/** A line of a batch: its key, and the digest of all of it. */
export interface KeyedLine {
  readonly index: number;
  readonly start: number;
  /** Behind its end. */
  readonly end: number;
  readonly key: string;
  readonly digest: string;
}

/** Looks at the lines of batches without making rows of them: most of what is read for a mirror is at the target already. */
export class LineKeys {
  readonly #places: readonly number[];
  readonly #last: number;
  readonly #seed: string;

  /** The names of the fields count as well: what is called otherwise is another thing to the target. */
  constructor(names: readonly string[], key: readonly string[]) {
    this.#places = key.map((name) => names.indexOf(name));
    this.#last = Math.max(...this.#places);
    this.#seed = digestOf(JSON.stringify(names));
  }

  *of(lines: Buffer): Generator<KeyedLine> {
    for (let start = 0, index = 0; start < lines.length; index++) {
      const end = lines.indexOf(LINE_END, start) + 1;
      yield { index, start, end, key: this.#keyIn(lines, start, end - 1), digest: mixed(digestOf(lines.subarray(start, end)), this.#seed) };
      start = end;
    }
  }

  ofRow(row: Row): KeyedLine {
    for (const line of this.of(encodeRows([row]))) return line;
    throw new Error('A row is one line.');
  }

  #keyIn(lines: Buffer, start: number, end: number): string {
    if (this.#last === 0) return plainly(lines.toString('latin1', start, tabIn(lines, start, end)));
    const fields: string[] = [];
    for (let place = 0, at = start; place <= this.#last; place++) {
      const tab = tabIn(lines, at, end);
      if (this.#places.includes(place)) fields[this.#places.indexOf(place)] = plainly(lines.toString('latin1', at, tab));
      at = tab + 1;
    }
    return fields.join('\t');
  }
}

/** Where a field ends. */
function tabIn(lines: Buffer, start: number, end: number): number {
  const tab = lines.indexOf(TAB, start);
  return tab < 0 || tab > end ? end : tab;
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

function mixed(digest: string, seed: string): string {
  let both = '';
  for (let at = 0; at < digest.length; at++) both += String.fromCharCode(digest.charCodeAt(at) ^ seed.charCodeAt(at));
  return both;
}
