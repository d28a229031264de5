import type { Position } from '../../batch.ts';
import { OutsideError } from '../../../outside/errors.ts';
import { domainsWithin, GtidSet, parseDomains } from './gtids.ts';

/** A place in the log of a server. */
export interface LogPlace {
  /** Which server: MySQL's UUID, MariaDB's number. */
  readonly server: string;
  readonly file: string;
  readonly at: number;
  /** When the file was begun, in seconds: another one of this name was numbered anew. */
  readonly made: number;
  /** What was committed up to here, where the server numbers transactions: by that, another server is gone on with. */
  readonly gtid?: string;
}

export function toLogPosition({ server, file, at, made, gtid }: LogPlace): Position {
  return JSON.stringify({ server, file, at, made, ...(gtid !== undefined && { gtid }) });
}

export function fromLogPosition(position: Position): LogPlace {
  let place: Partial<Record<keyof LogPlace, unknown>> = {};
  try {
    place = (JSON.parse(position) as typeof place | null) ?? {};
  } catch {
    // Not one of ours.
  }
  const { server, file, at, made, gtid } = place;
  const isPlace = typeof server === 'string' && typeof file === 'string' && Number.isSafeInteger(at) && Number.isSafeInteger(made);
  if (!isPlace || (gtid !== undefined && typeof gtid !== 'string'))
    throw new OutsideError('config', 'POSITION_INVALID', 'The position is none in a log of MySQL or MariaDB.', {
      hint: 'Reset the synchronization to read from the beginning.',
    });
  return place as unknown as LogPlace;
}

/** Files are numbered by what stands behind the last dot. */
export function numberOfFile(file: string): number {
  return Number(/\.(\d+)$/.exec(file)?.[1] ?? Number.NaN);
}

/** Whether one lies before another. In the log of one server the place tells; elsewhere, what was committed. */
export function isPlaceBefore(one: LogPlace, other: LogPlace): boolean {
  if (one.server === other.server) {
    const [first, second] = [numberOfFile(one.file), numberOfFile(other.file)];
    return first === second ? one.at < other.at : first < second;
  }
  if (one.gtid === undefined || other.gtid === undefined) return false;
  return isWithin(one.gtid, other.gtid) && !isWithin(other.gtid, one.gtid);
}

function isWithin(one: string, other: string): boolean {
  if (one.includes(':') || other.includes(':')) return GtidSet.parse(one).isWithin(GtidSet.parse(other));
  return domainsWithin(parseDomains(one), parseDomains(other));
}
