import type { SliceCursor, Window } from './cursor/cursor.ts';
import type { Options } from './request/options.ts';
import type { Retriever } from './retriever.ts';
import type { AirbyteSession } from './session.ts';
import type { Router } from './slices/router.ts';
import type { Slice } from './slices/slice.ts';

/** A stream of a manifest, ready to be read. */
export interface OpenStream {
  readonly session: AirbyteSession;
  readonly name: string;
  readonly router: Router | undefined;
  readonly retriever: Retriever;
  cursor(window?: Window): SliceCursor | undefined;
  /** What the cursor puts into requests. */
  cursorOptions(slice: Slice): Options;
  /** Newest first: it is read until a record is too old. */
  readonly isFeed: boolean;
  /** The API gives more than was asked for. */
  readonly isFiltered: boolean;
  readonly usesGlobalState: boolean;
  /** Fetches what has to be known before the first record. */
  prepare(signal: AbortSignal): Promise<void>;
}
