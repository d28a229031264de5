import type { DatabaseSync } from 'node:sqlite';
import { type CanonicalType, comparable } from '../../canonical.ts';
import type { Filter } from '../../contract.ts';
import { OutsideError } from '../../../outside/errors.ts';
import { readerOf, type StoredValue } from '../database/from-sqlite.ts';
import { quote } from '../database/open.ts';
import { type Bound, binderOf } from '../database/to-sqlite.ts';

export interface Condition {
  readonly sql: string;
  readonly values: readonly Bound[];
}

// Of these types SQLite compares the stored values as they are meant. Others it would compare as texts, however they are spelled.
const NATIVE: ReadonlySet<CanonicalType> = new Set(['text', 'int64', 'float64', 'binary']);

export function conditionOf({ field, op, value }: Filter, type: CanonicalType): Condition {
  const column = quote(field);
  if (op === 'is_null') return { sql: `${column} is null`, values: [] };
  if (op === 'not_null') return { sql: `${column} is not null`, values: [] };
  const given = typeof value === 'string' ? [value] : (value ?? []);
  const isNative = NATIVE.has(type);
  const values = given.map((one) => {
    const bound = binderOf(type, 'blob')(one);
    if (bound === undefined)
      throw new OutsideError('config', 'FILTER_INVALID', `The filter on "${field}" has a value that is not of the type ${type}.`);
    return isNative ? bound : one;
  });
  if (op === 'in') {
    const tests = values.map(() => (isNative ? `${column} = ?` : `syncline_compare('${type}', ${column}, ?) = 0`));
    return { sql: tests.length > 0 ? `(${tests.join(' or ')})` : 'false', values };
  }
  return { sql: isNative ? `${column} ${op} ?` : `syncline_compare('${type}', ${column}, ?) ${op} 0`, values };
}

/** Teaches a connection to compare values by what they mean. */
export function teachComparing(database: DatabaseSync): void {
  database.function('syncline_compare', { deterministic: true, directOnly: true, useBigIntArguments: true }, (type, stored, wanted) => {
    const kind = type as CanonicalType;
    const value = stored as StoredValue;
    const left = value === null ? undefined : readerOf(kind)(value);
    return left === undefined ? null : compare(kind, left, wanted as string);
  });
}

function compare(type: CanonicalType, left: string, right: string): number {
  const [a, b] = [comparable(type, left) ?? '', comparable(type, right) ?? ''];
  if (a === b) return 0;
  if (type !== 'decimal') return a < b ? -1 : 1;
  if (Number(a) !== Number(b)) return Number(a) < Number(b) ? -1 : 1;
  // Beyond what a double tells apart.
  const places = Math.max(fraction(a).length, fraction(b).length);
  return scaled(a, places) < scaled(b, places) ? -1 : 1;
}

function fraction(text: string): string {
  return text.split('.')[1] ?? '';
}

function scaled(text: string, places: number): bigint {
  return BigInt(text.replace(/\..*/, '') + fraction(text).padEnd(places, '0'));
}
