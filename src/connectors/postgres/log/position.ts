import type { Position } from '../../batch.ts';
import { OutsideError } from '../../../outside/errors.ts';

/** Where in the log of which server. A number alone would mean something in any other server, too. */
export interface WalPosition {
  /** What a server is called that was not copied. */
  readonly system: string;
  /** Grows when a standby becomes the primary, and when a backup is put back. */
  readonly timeline: number;
  /** Behind the end of a commit. */
  readonly lsn: bigint;
}

/** `1/16B3748`, as the server spells it. */
export function lsnText(lsn: bigint): string {
  return `${(lsn >> 32n).toString(16).toUpperCase()}/${(lsn & 0xffffffffn).toString(16).toUpperCase()}`;
}

export function parseLsn(text: string): bigint {
  const [, high, low] = /^([0-9A-F]{1,8})\/([0-9A-F]{1,8})$/i.exec(text) ?? [];
  if (high === undefined || low === undefined)
    throw new OutsideError('bug', 'UNEXPECTED', `"${text}" is no place in the log of PostgreSQL.`);
  return (BigInt(`0x${high}`) << 32n) | BigInt(`0x${low}`);
}

export function positionText({ system, timeline, lsn }: WalPosition): Position {
  return `${system}:${timeline}:${lsnText(lsn)}`;
}

export function parsePosition(position: Position): WalPosition {
  const [, system, timeline, lsn] = /^(\d{1,20}):(\d{1,10}):([0-9A-F]{1,8}\/[0-9A-F]{1,8})$/.exec(position) ?? [];
  if (system === undefined || timeline === undefined || lsn === undefined)
    throw new OutsideError('config', 'POSITION_INVALID', 'The position is not one of the log of PostgreSQL.', {
      hint: 'Reset the synchronization: its streams are then loaded anew.',
    });
  return { system, timeline: Number(timeline), lsn: parseLsn(lsn) };
}

const PAGE = 8192n;
/** The log has a header on each page, and a longer one on the first of a file. */
const HEADERS: ReadonlySet<bigint> = new Set([24n, 40n]);

/**
 * The end of the last record. The server says where the next one begins, which is behind the header when a page is full. What is sent ends before it, and
 * would never get there as long as nothing is written.
 */
export function endOfRecord(insertLsn: bigint): bigint {
  return HEADERS.has(insertLsn % PAGE) ? insertLsn - (insertLsn % PAGE) : insertLsn;
}
