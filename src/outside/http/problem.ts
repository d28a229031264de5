import type { OutsideError } from '../errors.ts';

/** What can go wrong with a request, before the caller has put it into words. */
export type Problem =
  /** No answer came. `isReused`: on a connection that had been kept, which the other side may have closed meanwhile. */
  | { what: 'failed'; error: unknown; isReused: boolean }
  /** An answer began and broke off, or cannot be unpacked. */
  | { what: 'broken'; error: unknown }
  /** The answer did not begin within so many milliseconds. */
  | { what: 'mute'; milliseconds: number }
  /** It began, and nothing more came. */
  | { what: 'silent' }
  /** It comes drop by drop. */
  | { what: 'dripping' }
  /** It takes longer than so many milliseconds in all. */
  | { what: 'endless'; milliseconds: number }
  | { what: 'large'; bytes: number }
  /** Packed in a way that we do not know. */
  | { what: 'packed' }
  /** The other side leaves HTTP in the middle of a request. */
  | { what: 'other protocol' };

/** Puts a problem into words. Only the caller knows how its settings are called, so each has words of its own. */
export type Explain = (problem: Problem, url: URL) => OutsideError;
