import { hash } from 'node:crypto';
import { type CanonicalType, comparable, type Row, type Value } from '../../connectors/canonical.ts';
import type { Field } from '../../connectors/contract.ts';
import { decodeRows, decodeValue, encodeValue } from '../../connectors/lines.ts';

/** Of the digest of a row. Two of a thousand million rows are alike once in many million million years. */
export const DIGEST_BYTES = 16;
/** Of the digest of a key, by which a row is found. */
export const KEY_BYTES = 12;

/** A row in the form in which equal rows are equal texts: its key, and all of it. */
export interface RowMarks {
  readonly key: string;
  readonly row: string;
}

/** What rows look like at both ends, once they are mapped: the same fields in the same order. */
export class ProofShape {
  readonly fields: readonly Field[];
  /** The places of the key; empty where rows have none, and are told apart by all that they have. */
  readonly keyPlaces: readonly number[];

  constructor(fields: readonly Field[], key: readonly string[]) {
    this.fields = fields;
    this.keyPlaces = key.map((name) => fields.findIndex((field) => field.name === name));
  }

  get hasKey(): boolean {
    return this.keyPlaces.length > 0;
  }

  /** The digests by which a row is found and compared; of one without a key both are the same. */
  marksOf(row: Row): RowMarks {
    const values = this.fields.map(({ type }, place) => plainly(type, row[place] ?? null));
    const whole = digestOf(textOf(values));
    const key = this.hasKey ? digestOf(textOf(this.keyPlaces.map((place) => values[place] ?? null))) : whole;
    return { key: key.slice(0, KEY_BYTES), row: whole };
  }

  /** The digest of a key that is given as values. */
  keyMark(key: Row): string {
    return digestOf(textOf(this.keyPlaces.map((place, at) => plainly(this.#typeAt(place), key[at] ?? null)))).slice(0, KEY_BYTES);
  }

  keyOf(row: Row): Row {
    return this.keyPlaces.map((place) => row[place] ?? null);
  }

  /** Whether two fields, as they stand in lines, have the same value. */
  isSameField(place: number, one: Buffer, other: Buffer): boolean {
    const type = this.#typeAt(place);
    // Bytes are as good as letters, but for what is parsed.
    const encoding = type === 'json' ? 'utf8' : 'latin1';
    const [left, right] = [decodeValue(one.toString(encoding)), decodeValue(other.toString(encoding))];
    return left === right || (left !== null && right !== null && plainly(type, left) === plainly(type, right));
  }

  /** Whether rows that differ in this field are two rows, and not one that is different. */
  tellsApart(place: number): boolean {
    return !this.hasKey || this.keyPlaces.includes(place);
  }

  /** The names of the fields in which two rows differ. */
  differences(one: Row, other: Row): string[] {
    return this.fields.flatMap(({ name }, place) => (this.#isSameAt(place, one, other) ? [] : [name]));
  }

  #isSameAt(place: number, one: Row, other: Row): boolean {
    const [left, right] = [one[place] ?? null, other[place] ?? null];
    if (left === right) return true;
    const type = this.#typeAt(place);
    return left !== null && right !== null && plainly(type, left) === plainly(type, right);
  }

  #typeAt(place: number): CanonicalType {
    return this.fields[place]?.type ?? 'text';
  }
}

export function rowOfLine(line: Buffer): Row {
  return decodeRows(line)[0] ?? [];
}

/** Values end where the next begins, and null is no text: rows with other values are other texts. */
function textOf(values: readonly Value[]): string {
  let text = '';
  for (const value of values) text += `${encodeValue(value)}\t`;
  return text;
}

function digestOf(text: string): string {
  return hash('sha256', text, 'latin1').slice(0, DIGEST_BYTES);
}

const PLAIN_INT = /^(?:0|-?[1-9]\d*)$/;
const PLAIN_DECIMAL = /^(?:0|-?[1-9]\d*|-?(?:0|[1-9]\d*)\.\d*[1-9])$/;

/** As `comparable`, and quick where a value is spelled plainly already, as most are. */
function plainly(type: CanonicalType, value: Value): Value {
  if (value === null) return null;
  switch (type) {
    case 'text':
    case 'boolean':
    case 'date':
    case 'uuid':
    case 'binary':
      return value;
    case 'int64':
      return PLAIN_INT.test(value) ? value : comparable(type, value);
    case 'decimal':
      return PLAIN_DECIMAL.test(value) ? value : comparable(type, value);
    case 'time':
    case 'timestamp':
    case 'timestamptz':
      return value.includes('.') ? comparable(type, value) : value;
    case 'json':
      return plainJson(value);
    default:
      return comparable(type, value);
  }
}

/** A target may hold what is no JSON, where a field of it is text. */
function plainJson(value: string): Value {
  try {
    return comparable('json', value);
  } catch {
    return value;
  }
}
