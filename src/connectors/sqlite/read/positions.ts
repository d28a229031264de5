import { CANONICAL_TYPES, type CanonicalType } from '../../canonical.ts';
import { OutsideError } from '../../../outside/errors.ts';
import type { StoredValue } from '../database/from-sqlite.ts';

/** Where a read goes on: behind these values of the columns it is ordered by, or after so many rows of a view without a key. */
export interface SqlitePosition {
  readonly values: readonly StoredValue[];
  readonly offset: number;
  /** As what the fields are read: a read that goes on reads them as it began. */
  readonly types: readonly CanonicalType[];
}

/** A stored value with its kind, because 1, 1.0 and '1' are three different values to SQLite. */
type Spelled = readonly ['i' | 'r' | 't' | 'b', string] | null;

export function positionOf({ values, offset, types }: SqlitePosition): string {
  return JSON.stringify({ values: values.map(spell), offset, types: types.map((type) => CANONICAL_TYPES.indexOf(type)) });
}

export function placeOf(position: string, columns: number, fields: number): SqlitePosition {
  try {
    const { values, offset, types } = JSON.parse(position) as { values: Spelled[]; offset: number; types: number[] };
    const named = types.map((type) => CANONICAL_TYPES[type]);
    if (values.length === columns && named.length === fields && named.every((type) => type !== undefined) && Number.isSafeInteger(offset)) {
      return { values: values.map(unspell), offset, types: named };
    }
  } catch {
    // Not one of ours: answered below.
  }
  throw new OutsideError('config', 'POSITION_INVALID', 'The position does not belong to this stream.', { hint: 'Start the read anew.' });
}

function spell(value: StoredValue): Spelled {
  if (value === null) return null;
  if (typeof value === 'bigint') return ['i', String(value)];
  if (typeof value === 'number') return ['r', String(value)];
  return typeof value === 'string' ? ['t', value] : ['b', Buffer.from(value).toString('hex')];
}

function unspell(spelled: Spelled): StoredValue {
  if (spelled === null) return null;
  const [kind, text] = spelled;
  if (typeof text !== 'string') throw new TypeError();
  if (kind === 'i') return BigInt(text);
  if (kind === 'r') return Number(text);
  return kind === 't' ? text : Buffer.from(text, 'hex');
}
