import { OutsideError, type ErrorKind } from '../../../outside/errors.ts';

interface ErrorMeaning {
  kind: ErrorKind;
  code: string;
  /** For people; without it, the server's own words. */
  message?: string;
  hint?: string;
  field?: string;
}

/** The error of the server's number. The message of a data error never repeats the server's words: they hold values of the row. */
export function serverError(number: number, words: string): OutsideError {
  const meaning = MEANINGS.get(number) ?? ({ kind: 'config', code: `MYSQL_${number}` } satisfies ErrorMeaning);
  if (meaning.kind === 'data') {
    return new RefusedRow(meaning.code, meaning.message ?? 'the server refuses the value', {
      column: columnOf(words),
      words: words.replace(/ at row \d+$/, ''),
      cause: number,
    });
  }
  return new OutsideError(meaning.kind, meaning.code, meaning.message ?? `The server says: ${withoutValues(words)} (${number}).`, {
    ...(meaning.hint && { hint: meaning.hint }),
    ...(meaning.field && { field: meaning.field }),
    cause: number,
  });
}

/** A row that the server does not take, and which field is to blame. */
export class RefusedRow extends OutsideError {
  readonly column: string | undefined;
  /** Where the field is in the row, when that is what is known of it. */
  readonly place: number | undefined;
  /** What is wrong, without the field. */
  readonly fault: string;
  /** What the server said. It holds values of the row: only its reject may tell it. */
  readonly words: string;

  constructor(
    code: string,
    fault: string,
    { column, place, words = '', cause }: { column?: string | undefined; place?: number; words?: string; cause?: unknown },
  ) {
    super('data', code, `${column ? `Field "${column}": ` : ''}${fault}.`, { cause });
    this.column = column;
    this.place = place;
    this.fault = fault;
    this.words = words;
  }
}

/** The server's number of an error, when it came from there. */
export function numberOf(error: unknown): number | undefined {
  const cause = error instanceof OutsideError ? error.cause : undefined;
  return typeof cause === 'number' ? cause : undefined;
}

export function isDataError(error: unknown): error is OutsideError {
  return error instanceof OutsideError && error.kind === 'data';
}

const data = (code: string, message: string): ErrorMeaning => ({ kind: 'data', code, message });
const transient = (code: string, message?: string, hint?: string): ErrorMeaning => ({
  kind: 'transient',
  code,
  ...(message && { message }),
  ...(hint && { hint }),
});
const readOnly: ErrorMeaning = {
  kind: 'config',
  code: 'READ_ONLY',
  message: 'The server is read-only.',
  hint: 'It may be a replica: write to the primary server instead, or read only from this one.',
  field: 'host',
};
const denied: ErrorMeaning = {
  kind: 'auth',
  code: 'PERMISSION_MISSING',
  hint: 'Grant the user what is missing, such as: GRANT SELECT ON the database to read; also INSERT, UPDATE, DELETE, CREATE, ALTER, DROP, CREATE TEMPORARY TABLES to write.',
  field: 'user',
};
const badValue = data('BAD_VALUE', 'the value does not fit the type of the column');
const tooLong = data('VALUE_TOO_LONG', 'the value is too long or too exact for the column; nothing is cut off');

/** LOAD DATA LOCAL is switched off, or was a moment ago. */
export const NO_LOCAL: readonly number[] = [1148, 3948, 4166];

/** A check of a table refuses a row. */
export const CHECKS: readonly number[] = [3819, 4025];

const MEANINGS: ReadonlyMap<number, ErrorMeaning> = new Map<number, ErrorMeaning>([
  // The row.
  [1048, data('NULL_REFUSED', 'the column does not take null')],
  [1263, data('NULL_REFUSED', 'the column does not take null')],
  [1364, data('VALUE_MISSING', 'the column has no default and no value was given')],
  [1062, data('DUPLICATE', 'another row has this value in a unique index')],
  [1586, data('DUPLICATE', 'another row has this value in a unique index')],
  [1264, data('OUT_OF_RANGE', 'the value is out of the range of the column')],
  [1690, data('OUT_OF_RANGE', 'the value is out of the range of the column')],
  [1265, tooLong],
  [1406, tooLong],
  [1292, badValue],
  [1366, badValue],
  [1367, badValue],
  [1411, badValue],
  [1416, badValue],
  [3140, data('BAD_JSON', 'the value is not valid JSON')],
  [3141, data('BAD_JSON', 'the value is not valid JSON')],
  [1451, data('FOREIGN_KEY', 'another table refers to this row')],
  [1452, data('FOREIGN_KEY', 'it refers to a row that is not there')],
  [3819, data('CHECK_FAILED', 'a check of the table refuses the row')],
  [4025, data('CHECK_FAILED', 'a check of the table refuses the row')],
  [1526, data('NO_PARTITION', 'no partition of the table takes the row')],
  [1118, data('ROW_TOO_LARGE', 'the row has more bytes than a row of this server may have')],
  [1153, data('ROW_TOO_LARGE', 'the row is larger than max_allowed_packet of the server')],
  [1301, data('ROW_TOO_LARGE', 'the value is larger than max_allowed_packet of the server')],
  [1644, data('REFUSED', 'a trigger of the table refuses the row')],
  // Who we are.
  [
    1045,
    {
      kind: 'auth',
      code: 'PASSWORD_WRONG',
      message: 'The server refuses this user or password.',
      hint: 'Check user and password, and that the user may sign in from this machine.',
      field: 'password',
    },
  ],
  [
    1698,
    {
      kind: 'auth',
      code: 'PASSWORD_WRONG',
      message: 'The server does not let this user sign in with a password.',
      hint: 'Use another user, or give this one a password.',
      field: 'user',
    },
  ],
  [
    1130,
    {
      kind: 'auth',
      code: 'HOST_REFUSED',
      message: 'The server does not take connections from this machine.',
      hint: "Create the user for this machine's address, or for any ('%').",
      field: 'user',
    },
  ],
  [
    1129,
    {
      kind: 'auth',
      code: 'HOST_REFUSED',
      message: 'The server has blocked this machine after many failed connections.',
      hint: 'Run FLUSH HOSTS on the server.',
      field: 'host',
    },
  ],
  [1820, { kind: 'auth', code: 'PASSWORD_EXPIRED', message: 'The password of this user has expired.', field: 'password' }],
  [1862, { kind: 'auth', code: 'PASSWORD_EXPIRED', message: 'The password of this user has expired.', field: 'password' }],
  [3118, { kind: 'auth', code: 'USER_LOCKED', message: 'This user is locked.', field: 'user' }],
  [4151, { kind: 'auth', code: 'USER_LOCKED', message: 'This user is locked.', field: 'user' }],
  [
    3159,
    {
      kind: 'config',
      code: 'TLS_REQUIRED',
      message: 'The server takes encrypted connections only.',
      hint: 'Set tls to require or verify.',
      field: 'tls',
    },
  ],
  [1044, { ...denied, message: 'The user may not use this database.', field: 'database' }],
  ...[1142, 1143, 1227, 1370, 1410, 1221].map((number): [number, ErrorMeaning] => [number, denied]),
  // What was asked for.
  [
    1049,
    {
      kind: 'config',
      code: 'DATABASE_MISSING',
      message: 'There is no such database on this server.',
      hint: 'Check the name; on many systems capital letters matter.',
      field: 'database',
    },
  ],
  [1146, { kind: 'config', code: 'STREAM_MISSING' }],
  [1054, { kind: 'config', code: 'FIELD_MISSING' }],
  [1356, { kind: 'config', code: 'VIEW_BROKEN', hint: 'The view refers to something that is gone or forbidden: create it anew.' }],
  [1290, readOnly],
  [1792, readOnly],
  [1836, readOnly],
  [
    1071,
    {
      kind: 'config',
      code: 'KEY_TOO_LONG',
      message: 'The fields of the key are longer together than an index of this server may be.',
      hint: 'Choose a shorter key.',
    },
  ],
  [
    1117,
    {
      kind: 'config',
      code: 'TOO_MANY_FIELDS',
      message: 'A table of this server cannot have so many columns (1,017 in InnoDB).',
      hint: 'Choose fewer fields.',
    },
  ],
  [1113, { kind: 'config', code: 'NO_FIELDS' }],
  [
    3750,
    {
      kind: 'config',
      code: 'KEY_MISSING',
      message: 'The server wants every table to have a primary key (sql_require_primary_key).',
      hint: 'Give the stream a key.',
    },
  ],
  ...NO_LOCAL.map((number): [number, ErrorMeaning] => [
    number,
    { kind: 'config', code: 'LOCAL_REFUSED', message: 'The server does not take LOAD DATA LOCAL.' },
  ]),
  [1166, { kind: 'config', code: 'NAME_REFUSED' }],
  [1300, { kind: 'config', code: 'NAME_REFUSED' }],
  [1064, { kind: 'bug', code: 'SYNTAX' }],
  // What may heal.
  [1213, transient('DEADLOCK', 'Another transaction was in the way (deadlock).')],
  [1205, transient('LOCK_TIMEOUT', 'Another transaction held a lock for too long.')],
  [1020, transient('CONFLICT', 'Another transaction changed the same rows.')],
  [1412, transient('SCHEMA_CHANGED', 'The table was altered meanwhile.')],
  [1040, transient('TOO_MANY_CONNECTIONS', 'The server has no connection left.', 'Raise max_connections, or wait.')],
  [1203, transient('TOO_MANY_CONNECTIONS', 'The user has no connection left.', 'Raise max_user_connections, or wait.')],
  [1226, transient('TOO_MANY_CONNECTIONS', 'The user has used up what it may.', 'Raise the limits of the user, or wait.')],
  [1021, transient('DISK_FULL', 'The disk of the server is full.')],
  [1114, transient('DISK_FULL', 'The table or the disk of the server is full.')],
  [1317, transient('INTERRUPTED', 'The statement was interrupted on the server.')],
  [1927, transient('CONNECTION_LOST', 'The connection was ended on the server.')],
  [1053, transient('SHUTTING_DOWN', 'The server is shutting down.')],
  [1969, transient('TIMEOUT', 'The server gave up a statement that took too long.')],
  [3024, transient('TIMEOUT', 'The server gave up a statement that took too long.')],
  ...[1037, 1038, 1041, 1077, 1079, 1152, 1158, 1159, 1160, 1161, 1180, 1184, 4031].map((number): [number, ErrorMeaning] => [
    number,
    transient('SERVER_BUSY'),
  ]),
]);

function columnOf(words: string): string | undefined {
  const found = /[Cc]olumn (?:`(?:[^`]|``)*`\.){0,2}(?:`((?:[^`]|``)+)`|'((?:[^']|'')+)')/.exec(words);
  const name = (found?.[1] ?? found?.[2])?.replaceAll('``', '`').replaceAll("''", "'");
  // Of JSON alone MySQL writes the table in front.
  return words.startsWith('Invalid JSON text') ? name?.slice(name.indexOf('.') + 1) : name;
}

/** Values stand between quotes behind an equals sign or `value`; names may stay. */
function withoutValues(words: string): string {
  return words.replaceAll(/(value|entry|near)(:?) '.*'/gis, "$1$2 '…'").slice(0, 300);
}
