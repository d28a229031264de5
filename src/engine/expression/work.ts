import { OutsideError } from '../../outside/errors.ts';
import { Decimal } from '../values/decimal.ts';
import { ExpressionError, type Item } from './values.ts';

// What expressions cost is counted in steps of some nanoseconds, in loops, texts, lists and patterns alike, so that the same row
// costs the same on every machine. A thread computes one row at a time: one account is enough for all of its expressions.

/** What an expression may cost for one row. About half a second on a usual machine. */
const MOST_OF_ROW = 100_000_000;
/** One turn of a loop, apart from what it does: a million turns are all that a row has. */
const TURN = 100;
/** Of a text, so many characters are a step. */
const CHARACTERS = 3;
/** The clock is looked at after so many steps. */
const BETWEEN_LOOKS = 10_000_000;
/** How long the expressions of one batch may take, in milliseconds. */
const LONGEST = 60_000;

let mostOfRow = MOST_OF_ROW;
let left = MOST_OF_ROW;
let untilLook = BETWEEN_LOOKS;
let deadline = Number.POSITIVE_INFINITY;

/** From now on a row has fewer steps in this thread: where many wait for it, none may take half a second. */
export function rowsMayCost(steps: number): void {
  mostOfRow = steps;
}

/** A row begins: it has all of its steps. */
export function beginRow(): void {
  left = mostOfRow;
}

/** What the last row has cost so far. */
export function spentOnRow(): number {
  return mostOfRow - left;
}

/** A batch begins: it has all of its time. */
export function beginBatch(longest = LONGEST): void {
  deadline = performance.now() + longest;
}

/** Throws ExpressionError when the row has had its share, and OutsideError when the whole batch has. */
export function spend(steps: number): void {
  left -= steps;
  if (left < 0) throw new ExpressionError('it takes too much work for one row');
  untilLook -= steps;
  if (untilLook < 0) look();
}

export function spendTurn(parts: number): void {
  spend(TURN + parts);
}

/** For looking at a value as a whole. */
export function spendOn(value: Item): void {
  if (typeof value === 'string') spend(1 + (value.length >> CHARACTERS));
  else if (Array.isArray(value)) spend(1 + value.length);
  else if (typeof value === 'object' && value !== null && !(value instanceof Decimal)) spend(1 + Object.keys(value).length);
  else spend(1);
}

/** A value that is looked at or was made as a whole. */
export function paid(value: Item): Item {
  spendOn(value);
  return value;
}

/** For steps through a pattern, which are slower than others. */
export function spendOnPattern(steps: number): void {
  spend(steps * 4);
}

function look(): void {
  untilLook = BETWEEN_LOOKS;
  if (performance.now() < deadline) return;
  throw new OutsideError(
    'config',
    'EXPRESSION_SLOW',
    'The expressions of this stream take too long: more than a minute for one batch of rows.',
    {
      hint: 'Loops within loops and long patterns over long texts do that: make the expressions simpler, or leave them out.',
    },
  );
}
