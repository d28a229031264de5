import { TemplateError } from './failures.ts';

// What one template may cost, counted in steps of some ten nanoseconds, so that it is the same on every machine. A thread
// computes one template at a time: one account is enough.

const MOST_STEPS = 3_000_000;
/** The longest text that a template may make, whether in the end or on the way. */
export const LONGEST_TEXT = 8 * 1024 * 1024;
/** Of a text, so many characters are a step. */
const CHARACTERS = 16;

let left = MOST_STEPS;

/** A template begins: it has all of its steps. */
export function beginTemplate(): void {
  left = MOST_STEPS;
}

/** Throws when the template has had its share. */
export function spend(steps: number): void {
  left -= steps;
  if (left < 0) throw new TemplateError('A template takes too much work.', 'Make its loops shorter and its texts smaller.');
}

/** For making or looking at a text as a whole. */
export function spendOnText(length: number): void {
  if (length > LONGEST_TEXT)
    throw new TemplateError(
      `A template makes a text of more than ${LONGEST_TEXT} characters.`,
      'Make its loops shorter and its texts smaller.',
    );
  spend(1 + length / CHARACTERS);
}
