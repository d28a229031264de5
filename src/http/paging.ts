import { invalidParam } from '../lib/errors.ts';

export interface PageQuery {
  limit?: number;
  offset?: number;
  cursor?: string;
}

export interface Page {
  limit: number;
  offset: number;
  /** The sort key of the last item of the page before. */
  after: string | undefined;
}

/** Reads the paging parameters that every list takes; `isKey` knows the sort keys of this list. */
export function pageOf({ limit = 50, offset, cursor }: PageQuery, isKey: (key: string) => boolean): Page {
  if (cursor === undefined) return { limit, offset: offset ?? 0, after: undefined };
  if (offset !== undefined) throw invalidParam('cursor', 'cannot be combined with offset');
  return { limit, offset: 0, after: readCursor(cursor, isKey) };
}

/** A cursor is opaque to its user: what is inside may change. */
export function cursorOf(key: string): string {
  return Buffer.from(`1:${key}`).toString('base64url');
}

function readCursor(cursor: string, isKey: (key: string) => boolean): string {
  const text = Buffer.from(cursor, 'base64url').toString();
  if (!text.startsWith('1:') || cursorOf(text.slice(2)) !== cursor || !isKey(text.slice(2)))
    throw invalidParam('cursor', 'is not a cursor of this list');
  return text.slice(2);
}
