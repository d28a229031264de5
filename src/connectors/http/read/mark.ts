import { createHash } from 'node:crypto';
import { type CanonicalType, comparable } from '../../canonical.ts';
import type { Incremental } from '../config/config.ts';

/** How far an incremental read has come. */
export interface CursorMark {
  /** The highest value of the cursor, in its canonical spelling. */
  readonly value: string;
  /** The same as the API wrote it. */
  readonly raw: string;
  /** Digests of the records that have this very value: most APIs give them again when asked for what is new since then. */
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
  #mark: CursorMark | undefined;
  #seen: Set<string>;

  constructor(type: CanonicalType, mark: CursorMark | undefined) {
    this.#type = type;
    this.#mark = mark;
    this.#seen = new Set(mark?.seen);
  }

  add(value: string, raw: string, digest: string): void {
    const order = this.#mark === undefined ? 1 : compare(this.#type, value, this.#mark.value);
    if (order < 0) return;
    if (order > 0) {
      this.#mark = { value, raw, seen: [] };
      this.#seen = new Set();
    }
    if (this.#seen.size < MAX_SEEN) this.#seen.add(digest);
  }

  get mark(): CursorMark | undefined {
    return this.#mark && { ...this.#mark, seen: [...this.#seen] };
  }
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
