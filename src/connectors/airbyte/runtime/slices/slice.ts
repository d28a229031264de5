import type { JsonObject } from '../../../../lib/exact-json.ts';
import { Facade } from '../../interpolation/values.ts';

/** A part of a stream that is asked for on its own: of which partition, and from when to when. */
export interface Slice {
  readonly partition: JsonObject;
  /** The boundaries, under the names that the manifest gives them. */
  readonly cursor: JsonObject;
  /** What expressions see besides. */
  readonly extra: JsonObject;
}

export const WHOLE: Slice = { partition: {}, cursor: {}, extra: {} };

/** A slice as expressions see it: its members, and its parts by name, which are none of its members. */
export function shownSlice({ partition, cursor, extra }: Slice): Facade {
  return new Facade({ ...partition, ...cursor }, { partition, cursor_slice: cursor, extra_fields: extra, _partition: partition });
}

/** What is known of the slice and the page when a request is made. */
export function sliceVariables(slice: Slice, token?: unknown): Record<string, unknown> {
  const next = token === undefined || token === null ? null : { next_page_token: token };
  return { ...slice.extra, stream_slice: shownSlice(slice), next_page_token: next };
}
