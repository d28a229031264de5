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
