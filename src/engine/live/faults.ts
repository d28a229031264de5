import type { Position } from '../../connectors/batch.ts';
import { OutsideError } from '../../outside/errors.ts';
import { asRunError, StreamFailure } from '../failure.ts';
import { ApprovalNeeded } from './guard.ts';

/** So often a stream is looked at again when it has changed meanwhile; then it is taken that it cannot be followed. */
export const MOST_LOOKS = 5;

/** Whether a table has lost a field since it was looked at. */
export function hasLostField(error: unknown): boolean {
  const cause = error instanceof Error && error.cause instanceof OutsideError ? error.cause : error;
  return cause instanceof OutsideError && cause.kind === 'config' && cause.code === 'FIELD_MISSING';
}

/** The gap that something has failed for, if that is why. */
export function gapIn(error: unknown): OutsideError | undefined {
  const cause = error instanceof Error && error.cause instanceof OutsideError ? error.cause : error;
  return cause instanceof OutsideError && cause.kind === 'gap' ? cause : undefined;
}

/** Whether the log has told something too early: what came since the last position is to be followed again. */
export function isTakenBack(error: unknown): boolean {
  const cause = error instanceof Error && error.cause instanceof OutsideError ? error.cause : error;
  return cause instanceof OutsideError && cause.code === 'TAKEN_BACK';
}

/** So often a transaction is given to a target again because it had to alter a table. */
const MOST_AGAIN = 20;

/**
 * Counts how often what lies behind a position was given to the target again. One that cannot alter a table within a transaction takes that back, and
 * wants it again; several tables may be altered in one, but not without end.
 */
export class GivenAgain {
  #front: Position | undefined;
  #times = 0;

  /** Whether what has failed behind this position is to be given again at once. */
  isDue(error: unknown, front: Position | undefined): boolean {
    const cause = error instanceof Error && error.cause instanceof OutsideError ? error.cause : error;
    if (!(cause instanceof OutsideError && cause.code === 'TABLE_CHANGED')) return false;
    this.#times = this.#front === front ? this.#times + 1 : 1;
    this.#front = front;
    return this.#times <= MOST_AGAIN;
  }
}

/** Those of some streams that something is wrong with, where the others can go on without them. */
export function concernedBy<Named extends { readonly name: string }>(error: unknown, streams: readonly Named[]): Named[] {
  const cause = error instanceof Error && error.cause instanceof OutsideError ? error.cause : error;
  return cause instanceof OutsideError && cause.kind === 'config' ? streams.filter(({ name }) => cause.streams?.includes(name)) : [];
}

/** Whether something says more than that it was told to stop. */
export function isFailure(error: unknown): boolean {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  return !(cause instanceof OutsideError && cause.code === 'ABORTED');
}

/** Whether it concerns one stream alone: others may go on. */
export function isOfStream(error: unknown): boolean {
  if (error instanceof ApprovalNeeded) return false;
  const { kind } = asRunError(error);
  return kind === 'config' || kind === 'data';
}

/** One of the ends cannot do this. */
export function unable(end: 'source' | 'target'): StreamFailure {
  return new StreamFailure({
    kind: 'config',
    code: 'NOT_LIVE',
    message: end === 'source' ? 'The source has no log that can be followed.' : 'The target takes no changes one by one.',
    hint: 'Choose another mode, such as mirror.',
  });
}
