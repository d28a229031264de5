import type { Position } from '../../batch.ts';
import { OutsideError } from '../../../outside/errors.ts';

type Raw = string | null;

/** Where a read goes on. Values are as the server wrote them; binary ones in hexadecimal digits. */
export type MysqlPosition =
  /** Behind the row of this key. */
  | { at: 'key'; key: Raw[] }
  /** Behind so many rows, where there is no key. */
  | { at: 'count'; rows: number }
  /** Behind the row of this cursor and key, or behind so many rows of this cursor where there is no key. */
  | ({ at: 'cursor'; cursor: Raw; key: Raw[]; rows?: number } & Doubt)
  /** Behind everything there was. */
  | ({ at: 'end'; cursor: Raw } & Doubt);

/** What others may commit late lies behind this; the next read begins there again. */
export interface Doubt {
  /** The cursor at which the read was first cut off. */
  low?: Raw;
  /** The server's time when the read began. */
  since?: string;
  /** How many seconds the oldest transaction had been running then. */
  age?: number;
}

export function toPosition(place: MysqlPosition): Position {
  return JSON.stringify(place);
}

/** The place that a position names; it has to be one of those that the request can have. */
export function fromPosition(
  position: Position,
  { places, keyLength }: { places: readonly MysqlPosition['at'][]; keyLength: number },
): MysqlPosition {
  const place = parsed(position);
  if (!place || !places.includes(place.at) || ('key' in place && place.key.length !== keyLength)) {
    throw new OutsideError('config', 'POSITION_INVALID', 'The position is not one of this stream, or its key has changed since.', {
      hint: 'Reset the synchronization to read from the beginning.',
    });
  }
  return place;
}

function parsed(position: Position): MysqlPosition | undefined {
  let value: Partial<Record<'at' | 'key' | 'rows' | 'cursor' | keyof Doubt, unknown>>;
  try {
    value = JSON.parse(position) as typeof value;
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  const isRaw = (raw: unknown): raw is Raw => raw === null || typeof raw === 'string';
  const isKey = Array.isArray(value.key) && value.key.every(isRaw);
  const isCount = (count: unknown): boolean => Number.isSafeInteger(count) && (count as number) >= 0;
  const isDoubt =
    (value.low === undefined || isRaw(value.low)) &&
    (value.since === undefined || typeof value.since === 'string') &&
    (value.age === undefined || isCount(value.age));
  if (value.at === 'key') return isKey ? (value as MysqlPosition) : undefined;
  if (value.at === 'count') return isCount(value.rows) ? (value as MysqlPosition) : undefined;
  if (value.at === 'cursor')
    return isKey && isDoubt && isRaw(value.cursor) && (value.rows === undefined || isCount(value.rows))
      ? (value as MysqlPosition)
      : undefined;
  if (value.at === 'end') return isDoubt && isRaw(value.cursor) ? (value as MysqlPosition) : undefined;
  return undefined;
}
