/**
 * Why something failed, by what it takes to recover. The engine looks at nothing else to decide between trying again, rejecting a row
 * and stopping.
 *
 * - `config`: the definition is wrong; a person has to change it.
 * - `auth`: the system refuses who we are or what we may do; a person has to change rights or secrets.
 * - `transient`: may heal by itself; try again later.
 * - `data`: these rows cannot be read or written; others can.
 * - `gap`: changes are lost: the streams concerned have to be read anew.
 * - `fenced`: another worker has taken over this work; stop and write nothing more.
 * - `bug`: ours.
 */
export type ErrorKind = 'config' | 'auth' | 'transient' | 'data' | 'gap' | 'fenced' | 'bug';

export interface ErrorOptions {
  /** What to do next. */
  hint?: string;
  /** The member of the configuration that is to blame, such as `host`. */
  field?: string;
  /** Seconds after which the system wants to be asked again. */
  retryAfter?: number;
  /** The streams concerned, where it is not all of them: of a gap, those that have to be read anew; else, those that cannot be followed as they are. */
  streams?: readonly string[];
  cause?: unknown;
}

/** A failure of a connector, in words for a person. Neither message nor hint ever holds a secret or a row's values. */
export class OutsideError extends Error {
  override readonly name = 'OutsideError';
  readonly kind: ErrorKind;
  /** A word for programs, such as `HOST_UNKNOWN`. */
  readonly code: string;
  readonly hint: string | undefined;
  readonly field: string | undefined;
  readonly retryAfter: number | undefined;
  readonly streams: readonly string[] | undefined;

  constructor(kind: ErrorKind, code: string, message: string, { hint, field, retryAfter, streams, cause }: ErrorOptions = {}) {
    super(message, cause === undefined ? {} : { cause });
    this.kind = kind;
    this.code = code;
    this.hint = hint;
    this.field = field;
    this.retryAfter = retryAfter;
    this.streams = streams;
  }
}

const UNREACHABLE = new Set(['ECONNRESET', 'EPIPE', 'EHOSTUNREACH', 'ENETUNREACH', 'ECONNABORTED', 'EHOSTDOWN', 'ENETDOWN']);

/** What to do about a connection that was there and broke. */
export const LOST_HINT =
  'If it happens again and again, look whether the server restarts, and whether something in between, such as a firewall, cuts connections.';

/** What a failed connection means; undefined when it is nothing that the network says. */
export function networkError(error: unknown, host: string, port: number): OutsideError | undefined {
  if (error instanceof OutsideError) return error;
  const code = codeOf(error);
  const where = `${host}:${port}`;
  if (code === 'ENOTFOUND' || code === 'EAI_NONAME')
    return new OutsideError('config', 'HOST_UNKNOWN', `The host "${host}" is not known.`, {
      field: 'host',
      hint: 'Check the spelling of the host, and that the machine that runs Syncline can resolve it.',
      cause: error,
    });
  if (code === 'EAI_AGAIN')
    return new OutsideError('transient', 'DNS_FAILED', `The name server did not answer when asked for "${host}".`, {
      hint: 'Check the network and the name server of the machine that runs Syncline.',
      cause: error,
    });
  if (code === 'ECONNREFUSED')
    return new OutsideError('transient', 'PORT_CLOSED', `Nothing answers at ${where}: the connection was refused.`, {
      field: 'port',
      hint: 'Check the port, that the server is running, and that it listens on this address.',
      cause: error,
    });
  if (code === 'ETIMEDOUT' || code === 'TIMEOUT')
    return new OutsideError('transient', 'TIMEOUT', `${where} did not answer in time.`, {
      field: 'host',
      hint: 'Check the address and whether a firewall stands between.',
      cause: error,
    });
  if (UNREACHABLE.has(code ?? ''))
    return new OutsideError('transient', 'CONNECTION_LOST', `The connection to ${where} was lost (${code}).`, {
      hint: LOST_HINT,
      cause: error,
    });
  return undefined;
}

export function codeOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  // Several addresses were tried: what the last of them said tells most.
  if (error instanceof AggregateError) return codeOf(error.errors.at(-1));
  const code = (error as { code?: unknown }).code;
  return typeof code === 'string' ? code : undefined;
}

/** Thrown when another worker has raised the token of this work. Nothing is written after it. */
export function fenced(cause?: unknown): OutsideError {
  return new OutsideError('fenced', 'FENCED', 'Another worker has taken over this work.', {
    hint: 'This one has written nothing since. The other goes on where it stood.',
    cause,
  });
}

/** Thrown when a caller aborted. */
export function aborted(): OutsideError {
  return new OutsideError('transient', 'ABORTED', 'The work was stopped.');
}
