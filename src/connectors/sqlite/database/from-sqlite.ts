import { type CanonicalType, isCanonical } from '../../canonical.ts';
import { fromText } from '../../json-values.ts';

/** A value as it is stored: what kind it is belongs to the value, not to the column. */
export type StoredValue = string | bigint | number | Uint8Array | null;

/** A stored value as a canonical one of the type; undefined when it is none. Not for null. */
export type ValueReader = (value: Exclude<StoredValue, null>) => string | undefined;

const readers: Readonly<Record<CanonicalType, ValueReader>> = {
  text: (value) => (typeof value === 'string' ? value : typeof value === 'object' ? undefined : String(value)),
  int64: (value) => (typeof value === 'bigint' ? String(value) : undefined),
  float64: (value) => (typeof value === 'number' || typeof value === 'bigint' ? String(value) : undefined),
  decimal: (value) => {
    if (typeof value === 'bigint') return String(value);
    if (typeof value === 'object') return undefined;
    const text = String(value);
    return isCanonical('decimal', text) ? text : fromText('decimal', text);
  },
  boolean: (value) => {
    if (value === 1n || value === 1) return 't';
    if (value === 0n || value === 0) return 'f';
    return typeof value === 'string' ? fromText('boolean', value) : undefined;
  },
  date: written('date'),
  time: written('time'),
  timestamp: written('timestamp', (text) => (/^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text} 00:00:00` : undefined)),
  timestamptz: written('timestamptz'),
  uuid: written('uuid'),
  json: (value) => (typeof value === 'string' && isCanonical('json', value) ? value : undefined),
  binary: (value) =>
    typeof value === 'object' ? `\\x${Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('hex')}` : undefined,
};

export function readerOf(type: CanonicalType): ValueReader {
  return readers[type];
}

function written(type: CanonicalType, otherwise: (text: string) => string | undefined = () => undefined): ValueReader {
  return (value) => {
    if (typeof value !== 'string') return undefined;
    return isCanonical(type, value) ? value : (fromText(type, value) ?? otherwise(value));
  };
}

/** The type of a column: what was promised when all values keep to it, else what holds them all. */
export function typeOfValues(promised: CanonicalType | undefined, values: Iterable<StoredValue>): CanonicalType {
  const fits = promised === undefined ? undefined : readers[promised];
  const zoned = promised === 'timestamp' ? readers.timestamptz : undefined;
  let [isKept, isZoned, isAny] = [fits !== undefined, zoned !== undefined, false];
  const kinds = new Set<string>();
  for (const value of values) {
    if (value === null) continue;
    isAny = true;
    kinds.add(typeof value);
    if (isKept && fits?.(value) === undefined) isKept = false;
    if (isZoned && zoned?.(value) === undefined) isZoned = false;
  }
  if (isKept || !isAny) return promised ?? 'text';
  if (isZoned) return 'timestamptz';
  if (kinds.has('string')) return 'text';
  if (kinds.has('object')) return kinds.size === 1 ? 'binary' : 'text';
  return kinds.has('number') ? 'float64' : 'int64';
}
