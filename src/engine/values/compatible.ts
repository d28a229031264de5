import type { CanonicalType } from '../../connectors/canonical.ts';

// What becomes of a value by itself must be the same value. Everything else is a cast that a person writes down.
const HOLDS_ALSO: Readonly<Partial<Record<CanonicalType, readonly CanonicalType[]>>> = {
  text: ['int64', 'decimal', 'float64', 'boolean', 'date', 'time', 'timestamp', 'timestamptz', 'uuid', 'json'],
  decimal: ['int64'],
  timestamp: ['date'],
};

/** Whether every value of one type is, as it is, a value of the other. */
export function holds(column: CanonicalType, type: CanonicalType): boolean {
  return column === type || (HOLDS_ALSO[column]?.includes(type) ?? false);
}
