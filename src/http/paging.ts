import { invalidParam } from '../lib/errors.ts';

export interface PageQuery {
  limit?: number;
  offset?: number;
  cursor?: string;
}

export interface PageRequest {
  limit: number;
  offset: number;
  /** The sort key of the last item of the page before. */
  after: string | undefined;
}

/** Reads the paging parameters that every list takes; `isKey` knows the sort keys of this list. */
export function pageOf({ limit = 50, offset, cursor }: PageQuery, isKey: (key: string) => boolean): PageRequest {
  if (cursor === undefined) return { limit, offset: offset ?? 0, after: undefined };
  if (offset !== undefined) throw invalidParam('cursor', 'cannot be combined with offset');
  return { limit, offset: 0, after: readCursor(cursor, isKey) };
}

// Cursors pass through here, as asking for memory takes longer than the work itself. `MAX_CURSOR` fits in.
const scratch = Buffer.alloc(16_384);

/** The longest cursor there is: that of a list whose keys are long, such as the paths of files. */
export const MAX_CURSOR = 8192;

/** A cursor is opaque to its user: what is inside may change. */
export function cursorOf(key: string): string {
  return scratch.toString('base64url', 0, scratch.write(`1:${key}`));
}

function readCursor(cursor: string, isKey: (key: string) => boolean): string {
  const text = scratch.toString('utf8', 0, scratch.write(cursor, 'base64url'));
  const key = text.slice(2);
  // No key has a NUL in it, and PostgreSQL takes none.
  if (!text.startsWith('1:') || key.includes('\0') || cursorOf(key) !== cursor || !isKey(key))
    throw invalidParam('cursor', 'is not a cursor of this list');
  return key;
}

/** The answer for a page of `limit` items, of which one more was read to know whether more follow. */
export function pageAnswer<Item extends { id: string }>(items: readonly Item[], total: number, { limit }: Pick<PageRequest, 'limit'>) {
  const data = items.slice(0, limit);
  return { success: true as const, data, total, next_cursor: items.length > limit ? cursorOf(data.at(-1)?.id ?? '') : null };
}
