import type { MysqlTableText } from './table-text.ts';

/** What a table has, as the server writes it. */
export interface MysqlStructure {
  readonly text: MysqlTableText;
}
