import type { Keeps, SelectorOptions } from './records/selector.ts';
import type { MutableRecord } from './records/transform.ts';
import type { Options } from './request/options.ts';
import type { Slice } from './slices/slice.ts';

/** Some records of a page. */
export interface PageChunk {
  readonly records: readonly MutableRecord[];
  /** What asked for the page; undefined for the first. */
  readonly token: unknown;
  /** Records of the page that came before these. */
  readonly before: number;
  /** The page has no more: what asks for the next one, or undefined when it was the last. */
  readonly end?: { readonly next: unknown };
  /** A read cannot be taken up within this page: the slice was cut otherwise than it is known. */
  readonly isOff?: true;
}

export interface Reading {
  readonly slice: Slice;
  /** Goes on with this page; the first without. */
  readonly token?: unknown;
  /** What the slices put into the requests. */
  readonly options: Options;
  /** Records that do not belong to what is read are left out. */
  readonly keeps?: Keeps | undefined;
  /** The same, of a feed: pages are asked for until one ends with a record that does not belong. */
  readonly feeds?: Keeps | undefined;
  /** What is left of the slice behind the records that were read, where pages cannot go on for ever. */
  readonly rest?: (slice: Slice, records: readonly MutableRecord[]) => Slice | undefined;
  /** Two halves of the slice, where the API wants less at a time. */
  readonly halves?: (slice: Slice, least: bigint) => readonly Slice[] | undefined;
  /** A page is asked for while the one before is worked with. */
  readonly isAhead?: boolean;
  /** The first page may be a part of the parent's record. */
  readonly isLazy?: boolean;
  readonly signal: AbortSignal;
}

/** Reads a slice page by page. */
export interface Retriever {
  read(reading: Reading): AsyncGenerator<PageChunk>;
}

export interface RetrieverOptions extends SelectorOptions {
  readonly isParent: boolean;
}
