import type { JsonObject } from '../../../../lib/exact-json.ts';

/** How far a stream has been read, in a way that can be compared. */
export type Mark = bigint | number;

/** A value of a cursor as it stands in a state. */
export type KeptValue = string | number;

/** Where a run of a cursor begins and ends, fixed for all of it, as it is kept in a position. */
export interface Window {
  readonly start: string;
  readonly end: string;
}

/** Reads what is new by a field that grows. Values are kept as the manifest writes them. */
export interface SliceCursor {
  /** The field of the records. */
  readonly field: string;
  readonly window: Window;
  /** The value of a field, or one that was kept; undefined when it is none. */
  markOf(value: unknown): Mark | undefined;
  /** A value of a record as it is kept and sent. */
  kept(value: unknown): KeptValue | undefined;
  /** From where to read when this value was reached before, as a mark and as it is kept. */
  startOf(value: unknown): Mark;
  keptStart(value: unknown): KeptValue;
  /** The slices from there to the end. `lookback`: seconds more to look back. */
  slices(value: unknown, lookback: number): Iterable<JsonObject>;
  /** Whether a record with this value belongs to what is read from there on. */
  includes(mark: Mark, value: unknown, lookback: number): boolean;
  /** Two halves of a slice; undefined when it cannot be halved, or has no more than so many microseconds. */
  halves(slice: JsonObject, least?: bigint): readonly JsonObject[] | undefined;
}
