import { AppError, unavailable } from '../lib/errors.ts';
import { LostRace } from './database.ts';

// SQLite's primary result codes (sqlite.org/rescode.html) that say "not now", not "never".
const SQLITE_UNAVAILABLE = new Map<number, { words: string; until?: string }>([
  [5, { words: 'it is locked by another program' }],
  [6, { words: 'it is locked' }],
  [10, { words: 'reading or writing its file failed' }],
  [13, { words: 'the disk is full', until: 'there is room on the disk' }],
  [14, { words: 'its file cannot be opened', until: 'the operator has looked after the file' }],
  [8, { words: 'its file is read-only', until: 'the operator has made the file writable' }],
]);

// PostgreSQL: connection lost or refused, shutting down, out of resources, read-only, cancelled by a timeout, ended while this node slept.
const POSTGRES_UNAVAILABLE = /^(08|53|57P|25006|25P03|57014|55P03)/;
const NETWORK_UNAVAILABLE = /^(ECONN|ETIMEDOUT|EPIPE|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH)/;
const CLIENT_UNAVAILABLE = /timeout|Connection terminated|Client has encountered a connection error|not queryable|Cannot use a pool/i;
const POSTGRES_DUPLICATE = '23505';
const SQLITE_DUPLICATE_KEY = 1555;
// Serialization failure, deadlock, and division by zero, by which a premise fails that does not hold any more (`premise.ts`): the transaction left nothing behind and
// may simply run again.
const POSTGRES_RETRY = /^(40001|40P01|22012)$/;

interface DatabaseFault {
  code?: string;
  errcode?: number;
  message: string;
}

/** Turns "the database cannot be reached now" into a 503; leaves every other error as it is. */
export function asUnavailable(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof AppError) return error;
  const { code = '', errcode, message } = error as DatabaseFault;
  const sqlite = errcode === undefined ? undefined : SQLITE_UNAVAILABLE.get(errcode & 0xff);
  if (sqlite) {
    const { words, until } = sqlite;
    return unavailable(`The database cannot be used at the moment: ${words}.`, { cause: error, ...(until !== undefined && { until }) });
  }
  const gone = POSTGRES_UNAVAILABLE.test(code) || NETWORK_UNAVAILABLE.test(code) || (code === '' && CLIENT_UNAVAILABLE.test(message));
  return gone ? unavailable('The database cannot be reached at the moment.', { cause: error }) : error;
}

/** Whether the whole transaction is worth another try at once. */
export function isLostRace(error: unknown): boolean {
  return error instanceof LostRace || (error instanceof Error && POSTGRES_RETRY.test((error as DatabaseFault).code ?? ''));
}

/** Whether a newer node has added columns to what a prepared statement reads: it has to be prepared anew, on another connection. */
export function isStalePlan(error: unknown): boolean {
  const { code, message } = error as Partial<DatabaseFault>;
  return code === '0A000' && message === 'cached plan must not change result type';
}

/** Whether a row was refused because its key is there already. */
export function isDuplicate(error: unknown): boolean {
  const { code, errcode } = error as Partial<DatabaseFault>;
  return code === POSTGRES_DUPLICATE || errcode === SQLITE_DUPLICATE_KEY;
}

/** An error as plain data, for the way from one thread to another. */
export function packError(error: unknown) {
  if (error instanceof AppError) {
    return { app: true as const, code: error.code, message: error.message, details: error.details, headers: { ...error.headers } };
  }
  const { message, stack, code, errcode } =
    error instanceof Error ? (error as Error & DatabaseFault) : (new Error(String(error)) as Error & DatabaseFault);
  return { app: false as const, message, stack, code, errcode };
}

export function unpackError(packed: ReturnType<typeof packError>): Error {
  if (packed.app) return new AppError(packed.code, packed.message, packed.details, packed.headers);
  return Object.assign(new Error(packed.message), { stack: packed.stack, code: packed.code, errcode: packed.errcode });
}
