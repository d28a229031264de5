import { OutsideError } from '../../../outside/errors.ts';
import type { HttpStreamConfig } from '../config/config.ts';
import type { CursorMark } from './mark.ts';
import { isPageStart, type PageStart } from './paging.ts';

/** Within what belongs to one record of another stream. */
export interface ChildPosition {
  /** A digest of that record: another one in its place is read from its beginning. */
  of: string;
  page?: PageStart | undefined;
  skip: number;
}

/** Where a read goes on. It is kept with the data, so it holds no secret. */
export interface HttpPosition {
  /** The page that comes next, or in which we are; none is the first. */
  page?: PageStart | undefined;
  /** How many records of that page are done. */
  skip: number;
  /** What this read asked for. */
  since?: CursorMark | undefined;
  /** How far it has come. */
  mark?: CursorMark | undefined;
  /** Of a stream whose records are asked for with those of another: how far it is with the one that comes next. */
  child?: ChildPosition | undefined;
  /** How far the stream is read that tells of deletions. */
  deletions?: string | undefined;
  /** The read came to its end. */
  isDone: boolean;
}

export function writePosition(stream: string, cursor: string | undefined, at: HttpPosition): string {
  return JSON.stringify({
    stream,
    cursor,
    page: at.page,
    skip: at.skip === 0 ? undefined : at.skip,
    since: at.since,
    mark: at.mark,
    child: at.child,
    deletions: at.deletions,
    done: at.isDone || undefined,
  });
}

/** `walked` is the stream whose pages are read: itself, or the one that it comes from. */
export function readPosition(
  text: string,
  { stream, walked }: { stream: HttpStreamConfig; walked: HttpStreamConfig },
  cursor: string | undefined,
  origin: string,
): HttpPosition {
  const given = parsed(text);
  const { page, skip = 0, since, mark, child, deletions, done = false } = given;
  const fits =
    given['stream'] === stream.name &&
    given['cursor'] === cursor &&
    (page === undefined || (walked.export ? typeof page === 'string' : isPageStart(walked.paging, page, origin))) &&
    (child === undefined || isChild(child, stream, origin)) &&
    (deletions === undefined || typeof deletions === 'string') &&
    Number.isSafeInteger(skip) &&
    (skip as number) >= 0 &&
    [since, mark].every((entry) => entry === undefined || isMark(entry)) &&
    typeof done === 'boolean';
  if (!fits) throw invalid();
  return {
    page: page as PageStart | undefined,
    skip: skip as number,
    since: since as CursorMark | undefined,
    mark: mark as CursorMark | undefined,
    child,
    deletions,
    isDone: done,
  };
}

function isChild(value: unknown, { paging }: HttpStreamConfig, origin: string): value is ChildPosition {
  const { of, page, skip } = (value ?? {}) as Partial<Record<keyof ChildPosition, unknown>>;
  return (
    typeof of === 'string' &&
    Number.isSafeInteger(skip) &&
    (skip as number) >= 0 &&
    (page === undefined || isPageStart(paging, page, origin))
  );
}

function isMark(value: unknown): value is CursorMark {
  const { value: text, raw, seen } = (value ?? {}) as Partial<Record<keyof CursorMark, unknown>>;
  return typeof text === 'string' && typeof raw === 'string' && Array.isArray(seen) && seen.every((entry) => typeof entry === 'string');
}

function parsed(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    // Told below.
  }
  throw invalid();
}

function invalid(): OutsideError {
  return new OutsideError(
    'config',
    'POSITION_INVALID',
    'The position to go on from does not belong to this stream as it is declared now.',
    {
      hint: 'Reset the synchronization, so that it reads from the beginning.',
    },
  );
}
