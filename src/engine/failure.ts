import { OutsideError } from '../outside/errors.ts';
import { AppError } from '../lib/errors.ts';
import type { RunError } from './run.ts';

/** Where a failure happened: words are read by people who have many sources. */
export interface FailedEnd {
  readonly role: 'source' | 'target';
  readonly name: string;
}

/** A failure with the end at which it happened. */
export class PlacedError extends Error {
  readonly place: FailedEnd;

  constructor(place: FailedEnd, cause: unknown) {
    super('A system at one end of the synchronization failed.', { cause });
    this.place = place;
  }
}

/** Runs something that concerns one end, and tells which one when it fails. */
export async function at<Result>(place: FailedEnd, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof PlacedError || error instanceof StreamFailure ? error : new PlacedError(place, error);
  }
}

/** What one end yields; when it fails, tells which one. */
export async function* from<Item>(place: FailedEnd, items: AsyncIterable<Item>): AsyncGenerator<Item> {
  try {
    yield* items;
  } catch (error) {
    throw new PlacedError(place, error);
  }
}

/** A stream that the engine itself gives up. */
export class StreamFailure extends Error {
  readonly error: RunError;

  constructor(error: RunError) {
    super(error.message);
    this.error = error;
  }
}

export function asRunError(thrown: unknown): RunError {
  if (thrown instanceof StreamFailure) return thrown.error;
  if (thrown instanceof PlacedError) {
    const { kind, message, ...error } = asRunError(thrown.cause);
    if (thrown.cause instanceof AppError) return { kind, message, ...error };
    const where = thrown.place.role === 'source' ? 'Source' : 'Target';
    const { role, name } = thrown.place;
    return { kind, message: kind === 'bug' ? message : `${where} "${name}": ${message}`, ...error, ...(kind !== 'bug' && { end: role }) };
  }
  if (thrown instanceof OutsideError && thrown.kind !== 'bug') {
    const { kind, code, message, hint, retryAfter } = thrown;
    return { kind, code, message, hint: hint ?? null, ...(retryAfter !== undefined && { retry_after: retryAfter }) };
  }
  if (thrown instanceof AppError && thrown.code === 'UNAVAILABLE')
    return { kind: 'transient', code: 'UNAVAILABLE', message: `Syncline's own database: ${thrown.message}`, hint: null };
  return {
    kind: 'bug',
    code: 'BUG',
    message: 'Syncline failed by a fault of its own.',
    hint: 'The log of the run tells more. Please report it.',
  };
}

/** What a developer needs, for our own log. */
export function traceOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown);
  return `${thrown.stack}${thrown.cause === undefined ? '' : `\ncaused by ${traceOf(thrown.cause)}`}`;
}
