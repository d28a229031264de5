/** What streams have beside their fields and rows: defaults, keys, indexes, checks, comments, numbers that the system gives (`Abilities.structure`). */
export interface Structuring {
  /** What these streams have, by their names; those that have nothing of the kind are left out. Numbers of sequences are those of this moment. */
  describe(streams: readonly string[], signal?: AbortSignal): Promise<ReadonlyMap<string, StreamStructure>>;
  /**
   * Gives a stream that was made for it (`WriteRequest.structured`) what it is to have, once it is loaded: all but what ties it to other streams. Any other is left as it is.
   * It can be done again, and goes on where it was interrupted. The answer is what could not be made, in sentences.
   */
  complete(stream: StructuredStream, signal?: AbortSignal): Promise<readonly string[]>;
  /**
   * Ties streams to each other, as far as they are complete, and moves sequences forward to where those of the source are. The answer is what could not be made, in
   * sentences, by the names of the streams.
   */
  connect(streams: readonly StructuredStream[], signal?: AbortSignal): Promise<ReadonlyMap<string, readonly string[]>>;
}

/** What a stream has, twice: in the words of its system, and in those that all systems understand. */
export interface StreamStructure {
  /** Whose words `own` is in (`Abilities.structure`). */
  readonly language: string;
  /** All of it, with expressions as they are written there. Only those understand it that speak the language. */
  readonly own: unknown;
  readonly plain: PlainStructure;
}

/** What any system that has tables may have. */
export interface PlainStructure {
  readonly comment: string | null;
  readonly columns: readonly PlainColumn[];
  /** The primary key. */
  readonly key: readonly string[];
  /** Unique constraints are among them. */
  readonly indexes: readonly PlainIndex[];
  readonly references: readonly PlainReference[];
  /** What it has beside, and cannot be told in plain words; each begins a sentence, such as `The check "price_ok"`. */
  readonly others: readonly string[];
}

export interface PlainColumn {
  readonly name: string;
  readonly notNull: boolean;
  readonly default: PlainDefault | null;
  /** The system gives a new row the next number. */
  readonly isNumbered: boolean;
  /** The number that the next row gets; null where it is not known. */
  readonly next: string | null;
  /** The most characters of a text; null where it has no bound. */
  readonly maxLength: number | null;
  readonly comment: string | null;
}

/** A value that every system can write, or the moment at which the row is made. */
export type PlainDefault =
  | { readonly kind: 'number' | 'text'; readonly text: string }
  | { readonly kind: 'boolean'; readonly text: 't' | 'f' }
  | { readonly kind: 'now' };

export interface PlainIndex {
  /** Null where its system has not named it. */
  readonly name: string | null;
  readonly columns: readonly IndexedColumn[];
  readonly isUnique: boolean;
  /** Only the beginnings of texts are in it: whole ones may be too long for an index. */
  readonly isShortened?: true;
}

export interface IndexedColumn {
  readonly name: string;
  readonly isDescending: boolean;
}

export type ReferenceAction = 'no action' | 'restrict' | 'cascade' | 'set null' | 'set default';

export interface PlainReference {
  readonly name: string | null;
  readonly columns: readonly string[];
  /** The stream that it refers to, as the source calls it. */
  readonly to: string;
  readonly toColumns: readonly string[];
  readonly onDelete: ReferenceAction;
  readonly onUpdate: ReferenceAction;
}

/** Fields that are brought over as they are, and how each is called at the target; null for all, under their own names. */
export type FieldNames = ReadonlyMap<string, string> | null;

/** A stream of the target, and what that of the source has. */
export interface StructuredStream {
  readonly stream: string;
  /** How it is called at the source. */
  readonly source: string;
  /** Whose work it is, as in `WriteRequest`. */
  readonly owner: string;
  readonly fields: FieldNames;
  /** Whether it is tied to others in the end: `connect` follows. */
  readonly connects: boolean;
  /** All streams that are brought over with it, itself among them. */
  readonly peers: readonly StructurePeer[];
  /** What `describe` has answered; undefined when it has nothing of the kind. */
  readonly described: StreamStructure | undefined;
}

interface StructurePeer {
  readonly source: string;
  readonly stream: string;
  readonly fields: FieldNames;
}
