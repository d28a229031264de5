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

/**
 * One step of the schema. Most steps expand: they only add tables, indexes, and columns that may be null or have a default, so
 * nodes that do not know them yet go on beside those that do. A step that contracts takes away what is no longer used.
 */
export interface Migration {
  number: number;
  name: string;
  /** Of a step that contracts: the schema from which on programs do without what it takes away. Older ones cannot go on. */
  needs?: number;
  statements: (type: ColumnTypes, engine: Engine) => string[];
}
