import type { Value } from '../../connectors/canonical.ts';
import { ExpressionError } from '../expression/values.ts';
import type { ValueTest } from './row-filter.ts';

/** How one field of the target is made. */
export interface MappedColumn {
  /** Its name, for rejects. */
  readonly to: string;
  /** The place in the row that is read; undefined for one that is computed. */
  readonly from: number | undefined;
  /** Values of up to so many characters are taken as they are spelled; -1: every value has to be looked at. */
  readonly sameUpTo: number;
  /** The places in the row that `value` looks at. */
  readonly uses: readonly number[];
  /** Throws FieldFault or ExpressionError when the row has no such value. */
  readonly value: (row: readonly Value[]) => Value;
}

/** A test that a row has to pass. */
export interface RowTest {
  readonly index: number;
  readonly test: ValueTest;
}

/** Why a row cannot be mapped, and which field of the target is to blame. */
export class FieldFault extends Error {
  readonly field: string;

  constructor(field: string, reason: string) {
    super(reason);
    this.field = field;
  }
}

/** Throws FieldFault when the row has no such value. */
export function valueOf(column: MappedColumn, row: readonly Value[]): Value {
  try {
    return column.value(row);
  } catch (error) {
    throw error instanceof ExpressionError ? new FieldFault(column.to, error.message) : error;
  }
}

/** A row as rejects show it. */
export function rowByField(names: readonly string[], row: readonly Value[]): Record<string, Value> {
  return Object.fromEntries(names.map((name, i) => [name, row[i] ?? null]));
}
