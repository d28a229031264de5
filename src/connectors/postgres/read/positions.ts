import type { Position } from '../../batch.ts';
import { OutsideError } from '../../../outside/errors.ts';

/** Which transactions are known to be over: those below `xmax` except the running ones, which are ranges of ids. */
export interface TransactionSnapshot {
  xmax: string;
  running: [from: string, to: string][];
}

/** Transactions that are not over. */
export interface Running {
  /** Virtual ids of running transactions, which they have from the start, before they write anything. */
  virtual: string[];
  /** Ids of prepared transactions, which run on without a connection. */
  prepared: string[];
}

/** Transactions that may still write rows below `at`. */
export interface TransactionMark extends Running {
  at: string | null;
  /** A transaction that begins later writes no row at `at` itself, either. */
  edge?: 'closed';
}

/** What an incremental read knows when it begins: it is whole up to here. */
export interface IncrementalStart {
  /** Which server told it, and which of its lives: `system/timeline`. Another one counts transactions anew. */
  server: string | null;
  /** The number of its database; older positions do not know it. */
  database?: string;
  /** Below it nothing will come any more. */
  low: string | null;
  /**
   * What more is known where each row is to come once.
   * - `closed`: at `low` itself nothing will come any more, either.
   * - `whole`: and nothing above it was given yet, so that all of it is new, whichever transaction wrote it.
   */
  edge?: 'closed' | 'whole';
  /** What was seen already. */
  seen: TransactionSnapshot | null;
  mark: TransactionMark | null;
}

/** An incremental read under way. */
export interface Leg {
  /** Rows of later transactions are left to the next read; null when they cannot be told apart. */
  until: TransactionSnapshot | null;
  /** Rows above it are left to the next read, whichever transaction wrote them; then `until` does not count. */
  upTo?: string;
  next: IncrementalStart;
  order: string[];
  last: string[] | null;
  rows: number;
}

/** Of a read of everything: behind the row with this key, or behind so many rows as they were at a time. */
export type FullPosition = { v: 1; key: string[]; last: string[] } | { v: 1; rows: number; seen: TransactionSnapshot | null };

export interface IncrementalPosition {
  v: 1;
  cursor: string;
  progress: IncrementalStart;
  leg?: Leg;
}

export function positionInvalid(cause?: unknown): OutsideError {
  return new OutsideError('config', 'POSITION_INVALID', 'The position is none of a read like this one.', {
    hint: 'The stream, its key or its cursor has changed. Reset the stream so that it is read anew.',
    cause,
  });
}

export function parseFull(position: Position): FullPosition {
  const value = parse(position);
  if (isNumber(value['rows']) && (value['seen'] === null || isSnapshot(value['seen']))) return value as unknown as FullPosition;
  if (isTexts(value['key']) && isTexts(value['last']) && value['key'].length === value['last'].length)
    return value as unknown as FullPosition;
  throw positionInvalid();
}

export function parseIncremental(position: Position, cursor: string): IncrementalPosition {
  const value = parse(position);
  const isWhole = value['cursor'] === cursor && isProgress(value['progress']) && (value['leg'] === undefined || isLeg(value['leg']));
  if (!isWhole) throw positionInvalid();
  return value as unknown as IncrementalPosition;
}

function parse(position: Position): Record<string, unknown> {
  try {
    const value = JSON.parse(position) as unknown;
    if (isObject(value) && value['v'] === 1) return value;
  } catch (error) {
    throw positionInvalid(error);
  }
  throw positionInvalid();
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);
const isTexts = (value: unknown): value is string[] => Array.isArray(value) && value.every((one) => typeof one === 'string');
const isNumber = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;
const isId = (value: unknown): boolean => typeof value === 'string' && /^\d{1,20}$/.test(value);
const isTextOrMissing = (value: unknown): boolean => value === undefined || typeof value === 'string';
const isTextOrNull = (value: unknown): boolean => value === null || typeof value === 'string';

function isSnapshot(value: unknown): boolean {
  return (
    isObject(value) &&
    isId(value['xmax']) &&
    Array.isArray(value['running']) &&
    value['running'].every((range) => Array.isArray(range) && range.length === 2 && range.every(isId))
  );
}

function isProgress(value: unknown): boolean {
  if (!isObject(value) || !isTextOrNull(value['low']) || !isTextOrNull(value['server']) || !isTextOrMissing(value['database']))
    return false;
  const { seen, mark, edge } = value;
  const hasMark =
    mark === null ||
    (isObject(mark) &&
      isTextOrNull(mark['at']) &&
      isTexts(mark['virtual']) &&
      isTexts(mark['prepared']) &&
      [undefined, 'closed'].includes(mark['edge'] as undefined));
  return hasMark && [undefined, 'closed', 'whole'].includes(edge as undefined) && (seen === null || isSnapshot(seen));
}

function isLeg(value: unknown): boolean {
  return (
    isObject(value) &&
    (value['until'] === null || isSnapshot(value['until'])) &&
    isTextOrMissing(value['upTo']) &&
    isProgress(value['next']) &&
    isTexts(value['order']) &&
    (value['last'] === null || isTexts(value['last'])) &&
    isNumber(value['rows'])
  );
}
