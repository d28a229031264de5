import { codeOf, OutsideError, type ErrorKind, fenced, networkError } from '../../../outside/errors.ts';

/** Where a failed statement was sent to. */
export interface Address {
  host: string;
  port: number;
}

/** What the server says, in its own parts. */
export interface ServerError extends Error {
  code: string;
  severity: string;
  /** Holds values of the row. */
  detail?: string;
  column?: string;
  constraint?: string;
  where?: string;
}

/** What our own statement raises when another worker has the checkpoint. No server has such a state. */
export const FENCED_STATE = 'SL001';

const TLS_UNTRUSTED = /^(SELF_SIGNED|DEPTH_ZERO|UNABLE_TO|CERT_|ERR_TLS_CERT|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE)/;
const LOST = /terminated|not queryable|connection error|Connection ended|socket/i;

/** What a failure means, by its SQLSTATE or by what the network said. */
export function toOutsideError(error: unknown, { host, port }: Address): OutsideError {
  if (error instanceof OutsideError) return error;
  if (isServerError(error)) return fromServer(error);
  const cause = error;
  const code = codeOf(error) ?? '';
  const message = error instanceof Error ? error.message : String(error);
  if (TLS_UNTRUSTED.test(code))
    return new OutsideError('config', 'TLS_UNTRUSTED', `The certificate of ${host}:${port} is not trusted (${code}).`, {
      field: 'ssl',
      hint: 'Give the certificate of its authority in "ca", check that the host is spelled as in the certificate, or choose a mode that verifies less.',
      cause,
    });
  if (message.includes('does not support SSL'))
    return new OutsideError('config', 'TLS_REFUSED', `${host}:${port} does not offer TLS.`, {
      field: 'ssl',
      hint: 'Switch TLS on in the server (ssl = on), or choose the mode "prefer" or "disable".',
      cause,
    });
  if (code === 'EPROTO' || code.startsWith('ERR_SSL') || code.startsWith('ERR_OSSL') || message.includes('SSL'))
    return new OutsideError('config', 'TLS_REFUSED', `${host}:${port} and Syncline could not agree on TLS.`, {
      field: 'ssl',
      hint: 'Check the certificates, and that the port is that of PostgreSQL.',
      cause,
    });
  if (message.startsWith('SASL'))
    return new OutsideError('auth', 'PASSWORD_WRONG', 'The server asks for a password, and none that fits was given.', {
      field: 'password',
      hint: 'Check user and password.',
      cause,
    });
  const network = networkError(error, host, port);
  if (network) return network;
  if (message.includes('timeout')) return networkError(Object.assign(new Error(message), { code: 'TIMEOUT' }), host, port) as OutsideError;
  if (LOST.test(message))
    return new OutsideError('transient', 'CONNECTION_LOST', `The connection to ${host}:${port} was lost.`, {
      hint: 'Check that the server is running, and its log.',
      cause,
    });
  return new OutsideError('bug', 'UNEXPECTED', `Something unexpected happened with ${host}:${port}.`, { cause });
}

/** The same while a connection is made: whatever cannot be understood then is no PostgreSQL. */
export function toConnectError(error: unknown, address: Address): OutsideError {
  const known = toOutsideError(error, address);
  if (known.code !== 'UNEXPECTED') return known;
  return new OutsideError('config', 'NOT_POSTGRES', `What answers at ${address.host}:${address.port} is not PostgreSQL.`, {
    field: 'port',
    hint: 'Check the port; that of PostgreSQL is usually 5432.',
    cause: error,
  });
}

/** What the server called it, when it was the server. */
export function sqlState(error: unknown): string | undefined {
  return codeOf((error as { cause?: unknown } | undefined)?.cause);
}

/** What the server said, when it was the server. */
export function serverErrorOf(error: unknown): ServerError | undefined {
  const cause = (error as { cause?: unknown } | undefined)?.cause;
  return isServerError(cause) ? cause : undefined;
}

function isServerError(error: unknown): error is ServerError {
  return error instanceof Error && 'severity' in error && /^[0-9A-Z]{5}$/.test(codeOf(error) ?? '');
}

/** What is told of a failure whose SQLSTATE fits. */
interface Rule {
  state: RegExp;
  kind: ErrorKind;
  code: string;
  hint?: string;
  field?: string;
}

// The first that fits counts.
const RULES: readonly Rule[] = [
  { state: /^28P01/, kind: 'auth', code: 'PASSWORD_WRONG', field: 'password', hint: 'Check user and password.' },
  {
    state: /^28/,
    kind: 'auth',
    code: 'LOGIN_REFUSED',
    field: 'user',
    hint: 'Check that the user exists and that pg_hba.conf of the server lets it in from here, with or without TLS.',
  },
  { state: /^3D000/, kind: 'config', code: 'DATABASE_MISSING', field: 'database', hint: 'Check the spelling; names are case-sensitive.' },
  { state: /^3F000/, kind: 'config', code: 'SCHEMA_MISSING', field: 'schemas', hint: 'Create the schema, or allow Syncline to.' },
  { state: /^42P01/, kind: 'config', code: 'STREAM_MISSING', hint: 'The table was dropped or renamed. Look at the streams again.' },
  { state: /^42703/, kind: 'config', code: 'FIELD_MISSING', hint: 'A column was dropped or renamed. Look at the streams again.' },
  { state: /^42501/, kind: 'auth', code: 'PERMISSION_MISSING', hint: 'Grant the user the right to this, or use another user.' },
  {
    state: /^25006/,
    kind: 'config',
    code: 'READ_ONLY',
    hint: 'The server or the user is set to reading only (a standby, or default_transaction_read_only). Write to the primary server.',
  },
  { state: /^53300|^57P03/, kind: 'transient', code: 'SERVER_BUSY', hint: 'The server takes no more connections at the moment.' },
  { state: /^53100/, kind: 'transient', code: 'DISK_FULL', hint: 'The disk of the server is full.' },
  { state: /^55P03/, kind: 'transient', code: 'LOCKED', hint: 'Another session holds a lock on it for longer than the lock timeout.' },
  { state: /^57014/, kind: 'transient', code: 'STATEMENT_TIMEOUT', hint: 'It took longer than the statement timeout allows.' },
  { state: /^(08|40|53|55|57|58|XX)/, kind: 'transient', code: 'SERVER_FAILED' },
  { state: /^(21|22|23|44|54|P0)/, kind: 'data', code: 'ROW_REFUSED' },
  { state: /^0A/, kind: 'config', code: 'NOT_SUPPORTED' },
];

function fromServer(error: ServerError): OutsideError {
  if (error.code === FENCED_STATE) return fenced(error);
  const rule: Rule = RULES.find(({ state }) => state.test(error.code)) ?? { state: /^/, kind: 'config', code: 'STATEMENT_REFUSED' };
  const message = rule.kind === 'data' ? dataMessage(error) : `PostgreSQL says: ${error.message} (${error.code}).`;
  const field = rule.kind === 'data' ? columnOf(error) : rule.field;
  return new OutsideError(rule.kind, rule.code, message, {
    ...(rule.hint && { hint: rule.hint }),
    ...(field && { field }),
    cause: error,
  });
}

/** What is wrong with a value, by the SQLSTATE. */
export const REASONS: Readonly<Record<string, string>> = {
  '22001': 'is too long for its column',
  '22003': 'is out of the range of its column',
  '22007': 'is not a date or time that the column can hold',
  '22008': 'is a date or time out of range',
  '22021': 'contains a character that the database cannot hold',
  '22P02': 'is not a value of the type of its column',
  '22P03': 'is not a value of the type of its column',
  '22P05': 'contains a character that the database cannot hold',
  '23502': 'may not be empty',
  '23503': 'refers to a row that is not there',
  '23505': 'is there already',
  '23514': 'breaks a rule of the table',
  '23P01': 'is in conflict with another row',
};

/** The server's own message would hold the row's values, which only its reject may. */
function dataMessage(error: ServerError): string {
  const column = columnOf(error);
  const what = column ? `The value of "${column}"` : 'The row';
  const constraint = error.constraint ? ` (constraint "${error.constraint}")` : '';
  return `${what} ${REASONS[error.code] ?? 'was refused'}${constraint}, says PostgreSQL (${error.code}).`;
}

/** The column that is to blame, where the server says. */
export function columnOf(error: ServerError): string | undefined {
  // COPY tells the column in its context: `COPY orders, line 3, column amount: "x"`.
  return error.column ?? /^COPY .*?, line \d+, column (.*?)(?:: ".*|: null input)?$/s.exec(error.where?.split('\n')[0] ?? '')?.[1];
}
