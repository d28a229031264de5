import type { IndexedColumn } from '../../structure.ts';

/** What a table has beside columns and rows, as its catalogue tells it. Names in expressions have their schema. */
export interface TableStructure {
  readonly schema: string;
  readonly name: string;
  readonly comment: string | null;
  readonly isPartitioned: boolean;
  readonly columns: readonly DescribedColumn[];
  /** Keys and constraints before the indexes that are not of one. */
  readonly objects: readonly DescribedObject[];
  readonly references: readonly DescribedReference[];
}

export interface DescribedColumn {
  readonly name: string;
  readonly notNull: boolean;
  /** An expression. */
  readonly default: string | null;
  /** It is computed by this expression. */
  readonly generated: string | null;
  /** GENERATED ALWAYS or BY DEFAULT AS IDENTITY. */
  readonly identity: 'a' | 'd' | null;
  /** Where the numbers of it come from. */
  readonly sequence: DescribedSequence | null;
  /** With its schema, where it is not that of the type. */
  readonly collation: string | null;
  readonly comment: string | null;
  /** The most characters of a text, where it has a bound. */
  readonly maxLength: number | null;
}

export interface DescribedSequence {
  readonly schema: string;
  readonly name: string;
  /** It goes with the column. */
  readonly isOwned: boolean;
  /** `AS integer START WITH 1 …` */
  readonly options: string;
  readonly isDescending: boolean;
  /** Null where it may not be seen. */
  readonly last: string | null;
  readonly isCalled: boolean;
}

/** A primary key, a unique or another constraint, or an index. */
export interface DescribedObject {
  readonly kind: 'primary' | 'constraint' | 'index';
  readonly name: string;
  /** Of a constraint as it is added to a table; of an index from USING on. Null where it could not be told apart. */
  readonly definition: string | null;
  readonly isUnique: boolean;
  /** Columns that it speaks of. */
  readonly columns: readonly string[];
  readonly comment: string | null;
  /** Its columns in their order, where it is a key or an index that any system could have. */
  readonly plain: readonly IndexedColumn[] | null;
  /** It has columns beside those that it sorts by. */
  readonly includes: boolean;
  readonly isDeferrable: boolean;
}

export interface DescribedReference {
  readonly name: string;
  readonly columns: readonly string[];
  readonly toSchema: string;
  readonly to: string;
  readonly toColumns: readonly string[];
  /** `ON DELETE CASCADE DEFERRABLE …`; null where it could not be told apart. */
  readonly rest: string | null;
  readonly comment: string | null;
  /** As pg_constraint spells them: `a`, `r`, `c`, `n`, `d`. */
  readonly onDelete: string;
  readonly onUpdate: string;
  readonly isDeferrable: boolean;
}
