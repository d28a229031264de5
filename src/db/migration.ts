import type { Engine } from './sql.ts';

/** The engines' names for the kinds of columns we use. */
export interface ColumnTypes {
  /** Text that compares byte by byte. */
  text: string;
  /** Exact decimals. */
  money: string;
  /** JSON, kept as it was written. */
  json: string;
  /** A number that is the primary key. */
  sequence: string;
  /** What follows a table whose rows are to lie in the order of their key. */
  clustered: string;
}

/** One step of the schema. */
export interface Migration {
  number: number;
  name: string;
  statements: (type: ColumnTypes, engine: Engine) => string[];
}
