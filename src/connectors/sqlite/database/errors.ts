import { MAX_ROW_BYTES } from '../../contract.ts';
import { codeOf, OutsideError } from '../../../outside/errors.ts';
import { FULL_HINT } from '../../../outside/file-errors.ts';
import { sentence } from '../../../lib/sentence.ts';

// SQLite's own numbers: https://www.sqlite.org/rescode.html
const ERROR = 1;
const BUSY = 5;
const LOCKED = 6;
const READONLY = 8;
const IOERR = 10;
const CORRUPT = 11;
const FULL = 13;
const CANTOPEN = 14;
const TOOBIG = 18;
const CONSTRAINT = 19;
const MISMATCH = 20;
const AUTH = 23;
const NOTADB = 26;

/** What a failure of SQLite means, in words. `path` is the file as the user named it. */
export function sqliteError(error: unknown, path: string): OutsideError {
  if (error instanceof OutsideError) return error;
  const { errcode = 0, errstr = '' } = error as { errcode?: number; errstr?: string };
  const message = error instanceof Error ? error.message : String(error);
  const make = (kind: OutsideError['kind'], code: string, words: string, hint?: string): OutsideError =>
    new OutsideError(kind, code, words, { ...(hint !== undefined && { hint }), cause: error });
  if (codeOf(error) !== 'ERR_SQLITE_ERROR') return make('bug', 'UNEXPECTED', `"${path}": ${message}`);
  switch (errcode & 0xff) {
    case BUSY:
    case LOCKED:
      return make('transient', 'LOCKED', `"${path}" is locked by another program.`, 'It is tried again; or end what holds the lock.');
    case READONLY:
      return make(
        'auth',
        'READ_ONLY',
        `"${path}" may only be read.`,
        'Give the user that runs Syncline the right to write the file and its folder.',
      );
    case CANTOPEN:
      return make(
        'auth',
        'FILE_FORBIDDEN',
        `"${path}" cannot be opened.`,
        'Check the rights of the user that runs Syncline to the file and its folder.',
      );
    case NOTADB:
      return make(
        'config',
        'NOT_A_DATABASE',
        `"${path}" is not an SQLite database, or it is encrypted.`,
        'Name the file of an SQLite 3 database that is not encrypted.',
      );
    case CORRUPT:
      return make(
        'config',
        'CORRUPT',
        `"${path}" is damaged.`,
        'Restore it from a copy, or save what can be read with `sqlite3 file .recover`.',
      );
    case FULL:
      return make('transient', 'DISK_FULL', `The disk of "${path}" is full.`, FULL_HINT);
    case IOERR:
      return make(
        'transient',
        'FILE_FAILED',
        `"${path}" could not be read or written (${errstr}).`,
        'Look whether its disk is there and sound.',
      );
    case TOOBIG:
      return make(
        'data',
        'ROW_TOO_LARGE',
        `A row of "${path}" has more than ${MAX_ROW_BYTES / 1024 / 1024} MB.`,
        'Leave out the field that holds it, or filter the row out.',
      );
    case CONSTRAINT:
    case MISMATCH:
      return make('data', 'REFUSED', plainConstraint(message));
    case AUTH:
      return make(
        'config',
        'VIEW_REFUSED',
        `A view in "${path}" asks for something that Syncline does not run, such as a recursive query.`,
        'Read the tables instead, or keep the result of the view in a table.',
      );
    case ERROR: {
      const [, what, name = ''] = /^no such (table|column): (.*?)(?: - should this be.*)?$/.exec(message) ?? [];
      if (what === 'table') return make('config', 'STREAM_MISSING', `There is no table ${name} in "${path}".`);
      if (what === 'column') return make('config', 'FIELD_MISSING', `There is no column ${name} in "${path}".`);
      return make('config', 'SQL_REFUSED', sentence(`"${path}": ${message}`));
    }
    default:
      return make('transient', 'SQLITE_FAILED', sentence(`"${path}": ${errstr || message}`));
  }
}

/** SQLite names the constraint and the columns, never the values. */
function plainConstraint(message: string): string {
  return message === 'datatype mismatch' ? 'The key is not an integer.' : sentence(`The table refuses it: ${message}`);
}
