import { OutsideError, type ErrorKind } from '../outside/errors.ts';

/** A OutsideError as plain data, for the way from one thread to another. */
export interface PackedError {
  readonly kind: ErrorKind;
  readonly code: string;
  readonly message: string;
  readonly hint: string | undefined;
  readonly field: string | undefined;
  readonly retryAfter: number | undefined;
  readonly streams: readonly string[] | undefined;
  /** For our own log, when it is a bug. */
  readonly trace: string | undefined;
}

export function packError(error: unknown): PackedError {
  if (error instanceof OutsideError) {
    const { kind, code, message, hint, field, retryAfter, streams } = error;
    return { kind, code, message, hint, field, retryAfter, streams, trace: kind === 'bug' ? traceOf(error) : undefined };
  }
  const trace = traceOf(error);
  const nothing = { hint: undefined, field: undefined, retryAfter: undefined, streams: undefined };
  return { kind: 'bug', code: 'BUG', message: String(error), ...nothing, trace };
}

export function unpackError({ kind, code, message, hint, field, retryAfter, streams, trace }: PackedError): OutsideError {
  return new OutsideError(kind, code, message, {
    ...(hint !== undefined && { hint }),
    ...(field !== undefined && { field }),
    ...(retryAfter !== undefined && { retryAfter }),
    ...(streams !== undefined && { streams }),
    ...(trace !== undefined && { cause: trace }),
  });
}

function traceOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return `${error.stack}${error.cause === undefined ? '' : `\ncaused by ${traceOf(error.cause)}`}`;
}
