import type { PlainClient } from './plain-client.ts';

/** How a system spells what the kit does in it. */
export interface KitDialect {
  readonly types: { readonly time: string; readonly decimal: string; readonly text: string };
  /** The words before an insert that leaves rows alone whose key is there, and those behind it. */
  readonly insertNew: readonly [before: string, behind: string];
  /** A text as it stands in a statement. */
  quote(text: string): string;
  /** What begins a transaction in which something is written. */
  readonly begin: string;
  /** The time of a change, as it stands in a statement: never earlier than that of the change before. */
  now(): string;
}

/** One of the two databases that the kit makes, and removes in the end. */
export interface KitEnd {
  /** The type of the source that it is to the service. */
  readonly type: string;
  readonly config: object;
  /** Such as "PostgreSQL 15.14 at db.example.com, database syncline_prove_source". */
  readonly title: string;
  readonly dialect: KitDialect;
  /** Whether several may write at the same time. */
  readonly manyWriters: boolean;
  /** How a table is called in the definition of a stream. */
  named(table: string): string;
  connect(): Promise<PlainClient>;
  /** Why its log cannot be followed; undefined when it can. */
  cannotFollow(): Promise<string | undefined>;
  /** Removes the database with all that is in it. The service is gone by then. */
  remove(): Promise<void>;
}
