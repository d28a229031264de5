import type { CanonicalType, Value } from './canonical.ts';

/** A value where people look at rows: as text, so that no digit is lost, but yes and no as JSON has them. */
export type ShownValue = string | boolean | null;

export function shownValue(type: CanonicalType, value: Value): ShownValue {
  return type === 'boolean' && value !== null ? value === 't' : value;
}

/** The way back: what a row that was shown holds, as it is read and written. */
export function valueOfShown(shown: unknown): Value {
  if (typeof shown === 'boolean') return shown ? 't' : 'f';
  return (shown as Value | undefined) ?? null;
}
