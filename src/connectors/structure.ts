/**
 * What a stream has beside its fields and rows: defaults, keys, indexes, checks, comments, sequences. It is told in the language of a system (`Abilities.structure`), which
 * only those understand that speak it.
 */
export interface Structuring {
  /** What these streams have, by their names; those that have nothing of the kind are left out. Numbers of sequences are those of this moment. */
  describe(streams: readonly string[], signal?: AbortSignal): Promise<ReadonlyMap<string, unknown>>;
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

/** A stream of the target, and what that of the source has. */
export interface StructuredStream {
  readonly stream: string;
  /** Whose work it is, as in `WriteRequest`. */
  readonly owner: string;
  /** Fields that are brought over as they are, and how each is called at the target; null for all, under their own names. */
  readonly fields: ReadonlyMap<string, string> | null;
  /** Whether it is tied to others in the end: `connect` follows. */
  readonly connects: boolean;
  /** What `describe` has answered; undefined when it has nothing of the kind. */
  readonly described: unknown;
}
