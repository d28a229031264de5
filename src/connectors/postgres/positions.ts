import type { Position } from '../batch.ts';
import { ConnectorError } from '../errors.ts';

/** Which transactions are known to be over: those below `xmax` except the running ones, which are ranges of ids. */
export interface Snapshot {
  xmax: string;
  running: [from: string, to: string][];
}

/** Transactions that may still write rows below `at`. */
export interface Mark {
  at: string | null;
  /** Virtual ids of running transactions, which they have from the start, before they write anything. */
  virtual: string[];
  /** Ids of prepared transactions, which run on without a connection. */
  prepared: string[];
}

/** What an incremental read knows when it begins: it is whole up to here. */
export interface Progress {
  /** Which server told it, and which of its lives: `system/timeline`. Another one counts transactions anew. */
  server: string | null;
  /** Below it nothing will come any more. */
  low: string | null;
  /** What was seen already. */
  seen: Snapshot | null;
  mark: Mark | null;
}

/** An incremental read under way. */
export interface Leg {
  /** Rows of later transactions are left to the next read; null when they cannot be told apart. */
  until: Snapshot | null;
  next: Progress;
  order: string[];
  last: string[] | null;
  rows: number;
}

/** Of a read of everything: behind the row with this key, or behind so many rows as they were at a time. */
export type FullPosition = { v: 1; key: string[]; last: string[] } | { v: 1; rows: number; seen: Snapshot | null };

export interface IncrementalPosition {
  v: 1;
  cursor: string;
  progress: Progress;
  leg?: Leg;
}

export function positionInvalid(cause?: unknown): ConnectorError {
  return new ConnectorError('config', 'POSITION_INVALID', 'The position is none of a read like this one.', {
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
  if (!isObject(value) || !isTextOrNull(value['low']) || !isTextOrNull(value['server'])) return false;
  const { seen, mark } = value;
  const hasMark = mark === null || (isObject(mark) && isTextOrNull(mark['at']) && isTexts(mark['virtual']) && isTexts(mark['prepared']));
  return hasMark && (seen === null || isSnapshot(seen));
}

function isLeg(value: unknown): boolean {
  return (
    isObject(value) &&
    (value['until'] === null || isSnapshot(value['until'])) &&
    isProgress(value['next']) &&
    isTexts(value['order']) &&
    (value['last'] === null || isTexts(value['last'])) &&
    isNumber(value['rows'])
  );
}
