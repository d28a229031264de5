import type { CanonicalType, Row } from '../canonical.ts';
import type { Context, Field } from '../contract.ts';
import type { Connector } from '../session.ts';

/**
 * What a connector gives to be held to the contract. Only `connector` and `start` are needed; the rest tells how its system
 * differs from one that can do everything.
 */
export interface Harness<Config = never> {
  readonly connector: Connector<Config>;
  /** Brings the real system up, empty. Called once. */
  start(): Promise<System<Config>>;
  /** What most cases use as their stream. Needed where the system's streams cannot be chosen freely. */
  readonly shape?: StreamShape;
  /** The type as which a field that was created comes back; itself unless the system has no such type. */
  typeOf?(field: Field): CanonicalType;
  /** Values that the system cannot hold. Writing one has to be a reject; all others have to come back as they were. */
  lacks?(type: CanonicalType, value: string): boolean;
  readonly limits?: {
    /** The most fields of a stream; 1,600 unless the system has less. */
    readonly columns?: number;
    /** The size of the largest value that is tried; 10 MB unless the system has less. */
    readonly valueBytes?: number;
    /** The smallest size of batches that the connector keeps to; 4,096 unless said otherwise. */
    readonly batchBytes?: number;
  };
  /** Reading on by cursor after the end may give rows again that were read before (an overlap window). */
  readonly overlaps?: boolean;
  /** Rows that are written as they already are count as `unchanged`; true unless the system cannot tell. */
  readonly countsUnchanged?: boolean;
  /** Discovery tells the key of a stream that was created with one; true unless the system has no keys. */
  readonly knowsKeys?: boolean;
  /** The system keeps its log for nobody in particular: nothing is lost when an owner lets go of it. */
  readonly keepsNoLog?: true;
  /** The system cannot tell the followers of an owner apart. */
  readonly manyFollowers?: true;
  /** Milliseconds that all of it may take; five minutes unless the system is slow. */
  readonly patience?: number;
  /** Why a hook of the system is not given. A hook that would apply and has neither itself nor a reason is a failure. */
  readonly cannot?: Readonly<Partial<Record<Hook, string>>>;
}

export type Hook = 'change' | 'outOfOrder' | 'cut' | 'breakCommit' | 'connections' | 'transact';

/** The real system, running. The hooks go around the connector where they can. */
export interface System<Config = never> {
  /** Asked for whenever a session is opened; it fits the schema and has its defaults. */
  readonly config: Config;
  /** What the connector needs of its context beyond the usual. */
  readonly context?: Partial<Context>;
  /** The name by which the connector knows a stream of this plain name, such as `public.orders` for `orders`. */
  nameOf?(plain: string): string;
  /** Makes the stream with these rows, in place of one of the same name. Without it, the connector's own writer does. */
  create?(stream: NewStream): Promise<void>;
  /**
   * Puts rows (new ones, or in place of those with the same key) and removes rows by key. `stream.rows` are still those that it was made with.
   * Without it, the writer does.
   */
  change?(stream: NewStream, changes: { put?: readonly Row[]; remove?: readonly Row[] }): Promise<void>;
  /** All rows that the system holds, with these fields. Without it, the connector reads them. */
  contents?(stream: Pick<NewStream, 'name' | 'fields'>): Promise<readonly Row[]>;
  /** Has the system look how large a stream is, where it does so from time to time only. */
  analyze?(stream: NewStream): Promise<void>;
  /** Writes `early` in a transaction, then `late` in another, and commits `late` only. The answer commits `early`. */
  outOfOrder?(stream: NewStream, early: Row, late: Row): Promise<() => Promise<void>>;
  /** Makes these changes in one transaction. A `truncate` is always alone. */
  transact?(changes: readonly SourceChange[]): Promise<void>;
  /** Cuts all connections that the connector has now. */
  cut?(): Promise<void>;
  /** Makes the next commit of a write fail: before the system did it, or after, when the answer gets lost. Once. */
  breakCommit?(moment: 'before' | 'after'): Promise<void>;
  /** How many connections, handles or the like the connector holds now. */
  connections?(): Promise<number>;
  close?(): Promise<void>;
}

export interface NewStream {
  readonly name: string;
  readonly fields: readonly Field[];
  readonly key: readonly string[];
  readonly cursor?: string;
  readonly rows: readonly Row[];
}

/** A change that a case makes at the source. `key` is that of the row before. */
export type SourceChange =
  | { readonly op: 'insert'; readonly stream: NewStream; readonly row: Row }
  | { readonly op: 'update'; readonly stream: NewStream; readonly key: Row; readonly row: Row }
  | { readonly op: 'delete'; readonly stream: NewStream; readonly key: Row }
  | { readonly op: 'truncate'; readonly stream: NewStream };

/** A stream of which any number of rows can be made. */
export interface StreamShape {
  /** The only stream there is to write to; without it, every case makes its own. */
  readonly stream?: string;
  readonly fields: readonly Field[];
  readonly key: readonly string[];
  /** Grows with `n` and with `version`; two rows may have the same. */
  readonly cursor?: string;
  /** Rows are only ever added: none changes or goes, and no two have the same cursor. */
  readonly onlyAdds?: true;
  /** A field that holds any text, can be null, and is neither key nor cursor. */
  readonly text: string;
  /** The row of this number, of at least 100 bytes; another version has the same key and other values. */
  row(n: number, version?: number): Row;
  /** Rows that the target has to refuse, one by one, among good ones. None where nothing is written. */
  readonly bad: readonly Row[];
}
