import type { ColumnType } from '../../db/bulk.ts';

export interface BackupTable {
  name: string;
  columns: Readonly<Record<string, ColumnType>>;
  /** The columns of the primary key: the order in which the rows are read. */
  key: readonly string[];
}
