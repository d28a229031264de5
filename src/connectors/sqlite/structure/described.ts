import type { WrittenTable } from './table-text.ts';

/** What a table has, as the file keeps it. */
export interface SqliteStructure {
  readonly name: string;
  /** The statement that made it. */
  readonly sql: string;
  readonly written: WrittenTable;
  /** Those that were made by a statement of their own. */
  readonly indexes: readonly { readonly name: string; readonly sql: string }[];
}
