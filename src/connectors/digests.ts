import { createHash, hash } from 'node:crypto';
import { type CanonicalType, comparable, type Row, type Value } from './canonical.ts';
import type { Filter } from './contract.ts';

/** A field of rows that are digested, in the type that both ends have. */
export interface DigestField {
  readonly name: string;
  readonly type: CanonicalType;
}

/** Rows of a stream, told apart and ordered by a key. */
export interface DigestRows {
  readonly stream: string;
  /** In the order in which their values are digested. Those of the key are among them. */
  readonly fields: readonly DigestField[];
  /** Stretches are cut by the first of these alone; within one, rows are in the order of all of them. */
  readonly key: readonly [string, ...string[]];
  /** Rows from this value of the first field of the key on; from the first one on when it is missing. */
  readonly from?: string | undefined;
  readonly filters: readonly Filter[];
  readonly signal: AbortSignal;
}

export interface CutRequest extends DigestRows {
  /** So many rows are between two cuts. */
  readonly rows: number;
  /** No more cuts than these. */
  readonly most: number;
}

export interface DigestRequest extends DigestRows {
  /** Values of the first field of the key, ascending, no two the same, at which stretches begin that are digested apart. */
  readonly cuts: readonly string[];
  /** Rows below this value of the first field of the key; to the last one when it is missing. */
  readonly below?: string | undefined;
}

/** Some rows that follow each other in the order of their key. */
export interface StretchDigest {
  readonly rows: number;
  /** Hexadecimal. That of no rows is empty. */
  readonly digest: string;
}

/**
 * A system that digests rows itself, so that none of them has to travel. All that do so digest the same rows to the same bytes, those of `digestOf`: what a
 * system cannot spell just like that it does not digest.
 */
export interface Digesting {
  /**
   * The values of the first field of the key at which stretches of so many rows begin, behind the first one; undefined when these rows cannot be digested.
   * Where more rows have one value, it is there more than once.
   */
  cuts(request: CutRequest): Promise<readonly string[] | undefined>;
  /** The digests of the stretches in front of the cuts, between them, and behind: one more than there are cuts. */
  digest(request: DigestRequest): Promise<readonly StretchDigest[] | undefined>;
}

/** Values of these types are ordered alike by all systems that digest by them. */
const ORDERED_ALIKE: ReadonlySet<CanonicalType> = new Set(['int64', 'uuid', 'date', 'timestamp', 'timestamptz']);

/**
 * Whether rows with a key of these types can be digested. Texts are ordered by their bytes, whatever their collation, which a system has to be told: so they can
 * be behind the first field, by which rows are looked for.
 */
export function canCutBy([first, ...others]: readonly (CanonicalType | undefined)[]): boolean {
  const isOrdered = (type: CanonicalType | undefined): boolean => type !== undefined && ORDERED_ALIKE.has(type);
  return isOrdered(first) && others.every((type) => type === 'text' || isOrdered(type));
}

const NULL = '~;';

/**
 * A value as it is digested: equal texts for equal values of a type, and for no others. It tells where it ends, so that rows with other values are other texts.
 * A text has its length in bytes in front; other values have no semicolon in them. A double is its bits. JSON has no such form that systems could make.
 */
function digestText(type: CanonicalType, value: Value): string {
  if (value === null) return NULL;
  if (type === 'text') return `${Buffer.byteLength(value)}:${value}`;
  if (type === 'float64') return `${bitsOf(Number(value))};`;
  return `${comparable(type, value)};`;
}

function bitsOf(double: number): string {
  if (Number.isNaN(double)) return 'NaN';
  const bits = Buffer.alloc(8);
  // Zero has a sign, which is no difference.
  bits.writeDoubleBE(double === 0 ? 0 : double);
  return bits.toString('hex');
}

/**
 * The digest of rows in the order of their key: the SHA-256 of the SHA-256 of each. There is nothing that two equal rows, or two differences, could cancel
 * each other out in, and a row more or less is another digest. This is what every system that digests has to answer.
 */
export function digestOf(fields: readonly DigestField[], rows: readonly Row[]): StretchDigest {
  if (rows.length === 0) return { rows: 0, digest: '' };
  const all = createHash('sha256');
  for (const row of rows) all.update(hash('sha256', fields.map(({ type }, at) => digestText(type, row[at] ?? null)).join(''), 'buffer'));
  return { rows: rows.length, digest: all.digest('hex') };
}
