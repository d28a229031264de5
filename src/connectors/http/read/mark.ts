import { createHash } from 'node:crypto';
import { type CanonicalType, comparable } from '../../canonical.ts';
import type { Incremental } from '../config/config.ts';

/** How far an incremental read has come. */
export interface CursorMark {
  /** The highest value of the cursor, in its canonical spelling. */
  readonly value: string;
  /** The same as the API wrote it. */
  readonly raw: string;
  /** Digests of the records that have this very value, or lie in the overlap: they are given again when asked for what is new since then. */
  readonly seen: readonly string[];
}

// More than this at one instant, and they are simply read again.
const MAX_SEEN = 1000;

export function digestOf(record: Buffer): string {
  return createHash('sha256').update(record).digest('base64url').slice(0, 16);
}

/** The mark after one more record. */
export class MarkKeeper {
  readonly #type: CanonicalType;
  readonly #overlap: number;
  #mark: Omit<CursorMark, 'seen'> | undefined;
  /** Each with its value; of those that an earlier read has seen, with the highest of that. */
  #seen: Map<string, string>;

  constructor(type: CanonicalType, mark: CursorMark | undefined, overlap = 0) {
    this.#type = type;
    this.#overlap = overlap;
    this.#mark = mark;
    this.#seen = new Map(mark?.seen.map((digest) => [digest, mark.value]));
  }

  add(value: string, raw: string, digest: string): void {
    const order = this.#mark === undefined ? 1 : compare(this.#type, value, this.#mark.value);
    if (order < 0 && this.#overlap === 0) return;
    if (order > 0) {
      this.#mark = { value, raw };
      if (this.#overlap === 0) this.#seen = new Map();
    }
    this.#seen.set(digest, value);
    if (this.#seen.size <= MAX_SEEN * 2) return;
    this.#seen = new Map(this.#recent().slice(-MAX_SEEN));
  }

  /** What will be given again: the values that are not below the overlap. */
  #recent(): [string, string][] {
    const top = this.#mark?.value ?? '';
    return [...this.#seen].filter(([, value]) => value === top || isNear(this.#type, value, top, this.#overlap));
  }

  get mark(): CursorMark | undefined {
    if (!this.#mark) return undefined;
    const { value, raw } = this.#mark;
    const seen = this.#recent().map(([digest]) => digest);
    return { value, raw, seen: this.#overlap === 0 ? seen.slice(0, MAX_SEEN) : seen.slice(-MAX_SEEN) };
  }
}

/** Whether a value lies in what is asked for again. A little more does no harm: it is known by what it holds. */
function isNear(type: CanonicalType, value: string, top: string, overlap: number): boolean {
  if (overlap === 0) return compare(type, value, top) === 0;
  if (type === 'int64') return BigInt(top) - BigInt(value) <= BigInt(overlap);
  const [a, b] = [value, top].map((text) => Date.parse(text.replace(' ', 'T').replace(/\+00$/, 'Z')));
  return b !== undefined && a !== undefined && (b - a) / 1000 <= overlap + (type === 'date' ? 86_400 : 1);
}

/** Below, at or above zero, by the order of the type. */
export function compare(type: CanonicalType, a: string, b: string): number {
  const [x, y] = [comparable(type, a) ?? '', comparable(type, b) ?? ''];
  if (x === y) return 0;
  if (type === 'int64') return BigInt(x) < BigInt(y) ? -1 : 1;
  if (type === 'decimal' || type === 'float64') {
    const difference = Number(x) - Number(y);
    return difference === 0 ? compareDigits(x, y) : difference;
  }
  return x < y ? -1 : 1;
}

/** Decimals that a double cannot tell apart. */
function compareDigits(x: string, y: string): number {
  const scale = Math.max(...[x, y].map((text) => text.split('.')[1]?.length ?? 0));
  const whole = (text: string): bigint => {
    const [digits = '', fraction = ''] = text.split('.');
    return BigInt(/^-?\d+$/.test(digits) ? digits + fraction.padEnd(scale, '0') : 0);
  };
  return whole(x) < whole(y) ? -1 : 1;
}

const TIME = /^(\d{4}-\d{2}-\d{2}) (\d{2}:\d{2}:\d{2})(\.\d+)?(\+00)?$/;

/** The value that asks the API for what is new since the mark. */
export function sinceValue(mark: CursorMark, type: CanonicalType, { format, overlap }: Incremental): string {
  if (type === 'int64') return (BigInt(mark.value) - BigInt(overlap)).toString();
  const time = TIME.exec(type === 'date' ? `${mark.value} 00:00:00` : mark.value);
  if (!time || (format === 'as_is' && overlap === 0)) return mark.raw;
  const [, date, clock, fraction = '', zone] = time;
  const seconds = Math.floor(Date.parse(`${date}T${clock}Z`) / 1000) - (type === 'date' ? Math.ceil(overlap / 86_400) * 86_400 : overlap);
  if (format === 'epoch_seconds') return String(seconds);
  if (format === 'epoch_millis') return String(seconds * 1000 + Number(fraction.slice(1, 4).padEnd(3, '0')));
  const iso = new Date(seconds * 1000).toISOString();
  if (type === 'date') return iso.slice(0, 10);
  return `${iso.slice(0, 19)}${fraction}${zone || format === 'iso' ? 'Z' : ''}`;
}
