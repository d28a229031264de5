import type { ReactNode } from 'react';

/** What stands in one cell. */
export interface GridValue {
  value: unknown;
  /** What it was before, where this is another value. `isMade`: of other values, so that no part of it is to blame. */
  before?: { value: unknown; isMade?: boolean };
  /** What it is compared with: the part that differs is marked. */
  against?: { value: unknown };
  /** It is to blame. */
  isCulprit?: boolean;
  /** There is nothing to say here; heard as this word. */
  none?: string;
  /** Drawn in place of the value: a badge, a time. */
  drawn?: ReactNode;
}

export interface GridColumn<Row> {
  /** Unlike those of the other columns. From outside, unless `label` is given. */
  name: string;
  label?: string;
  /** Of the field, where it is known. */
  type?: string | undefined;
  /** Pixels, where a column may be wider than most. */
  widest?: number;
  cell: (row: Row) => GridValue;
}
