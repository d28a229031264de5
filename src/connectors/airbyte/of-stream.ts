import { OutsideError } from '../../outside/errors.ts';

/** An error with the stream's name before it: a manifest has many. */
export function ofStream(error: unknown, name: string): unknown {
  // The only thing of an API that goes deeper than our stack.
  if (error instanceof RangeError)
    return new OutsideError('data', 'RECORD_TOO_DEEP', `Stream "${name}": a record is nested too deeply.`, {
      hint: 'Ask the makers of the API.',
      cause: error,
    });
  if (!(error instanceof OutsideError) || error.code === 'ABORTED' || error.message.startsWith('Stream "')) return error;
  const { kind, code, message, hint, field, retryAfter } = error;
  return new OutsideError(kind, code, `Stream "${name}": ${message}`, {
    ...(hint !== undefined && { hint }),
    ...(field !== undefined && { field }),
    ...(retryAfter !== undefined && { retryAfter }),
    cause: error.cause ?? error,
  });
}
