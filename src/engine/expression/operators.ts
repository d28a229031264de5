import { Decimal } from '../values/decimal.ts';
import { paid, spend, spendOn } from './work.ts';
import { ExpressionError, INT64_MAX, INT64_MIN, type Item, isMap, type ItemMap, kindOf, MAX_DIGITS, MAX_TEXT, nameOf } from './values.ts';

// What the operators do when an expression runs. Null in, null out, as in SQL; but nothing is less than null, so to compare
// with it is an error, and not a guess.

/** Decimals of a quotient; zeros at its end are dropped. */
const QUOTIENT_SCALE = 20;

export type Operator = '+' | '-' | '*' | '/' | '%';

export function compute(operator: Operator, a: Item, b: Item): Item {
  if (a === null || b === null) return null;
  if (typeof a === 'bigint' && typeof b === 'bigint') return onInts(operator, a, b);
  if (a instanceof Decimal || b instanceof Decimal) {
    const [left, right] = [toDecimal(a), toDecimal(b)];
    if (left && right) return onDecimals(operator, left, right);
  }
  if (typeof a === 'number' || typeof b === 'number') {
    const [left, right] = [toDouble(a), toDouble(b)];
    if (left !== undefined && right !== undefined) return onDoubles(operator, left, right);
  }
  if (operator === '+') {
    if (typeof a === 'string' && typeof b === 'string') return bounded(a.length + b.length) && paid(a + b);
    if (Array.isArray(a) && Array.isArray(b)) return bounded((a.length + b.length) * 8) && paid([...a, ...b]);
  }
  throw new ExpressionError(`${nameOf(kindOf(a))} ${operator} ${nameOf(kindOf(b))} cannot be computed`);
}

export function bounded(length: number): true {
  if (length > MAX_TEXT) throw new ExpressionError('the result is larger than 64 MiB');
  return true;
}

export function int64(value: bigint): bigint {
  if (value > INT64_MAX || value < INT64_MIN) throw new ExpressionError('a whole number is beyond 64 bits; use decimal(…)');
  return value;
}

function onInts(operator: Operator, a: bigint, b: bigint): bigint {
  switch (operator) {
    case '+':
      return int64(a + b);
    case '-':
      return int64(a - b);
    case '*':
      return int64(a * b);
    default:
      if (b === 0n) throw new ExpressionError('division by zero');
      return int64(operator === '/' ? a / b : a % b);
  }
}

function onDecimals(operator: Operator, a: Decimal, b: Decimal): Decimal {
  switch (operator) {
    case '+':
      spendOnDigits(a, b);
      return short(a.plus(b));
    case '-':
      spendOnDigits(a, b);
      return short(a.minus(b));
    case '*':
      spendOnDigits(a, b);
      return short(a.times(b));
    default:
      return operator === '/' ? quotient(a, b, Math.max(QUOTIENT_SCALE, a.scale)).trimmed() : remainder(a, b);
  }
}

function remainder(a: Decimal, b: Decimal): Decimal {
  if (b.units === 0n) throw new ExpressionError('division by zero');
  spendOnDigits(a, b);
  return a.remainder(b);
}

export function quotient(a: Decimal, b: Decimal, scale: number): Decimal {
  if (b.units === 0n) throw new ExpressionError('division by zero');
  spendOnDigits(a, b, scale + b.scale);
  return short(a.dividedBy(b, scale));
}

/**
 * To compute with decimals takes as long as their digits are many, when both have the same number of decimals; to multiply and divide them
 * takes the square of it.
 */
export function spendOnDigits(a: Decimal, b: Decimal, more = Math.abs(a.scale - b.scale)): void {
  spendOnLength(digitsOf(a) + digitsOf(b) + more);
}

/** For a number with so many digits that is read, written or computed with. */
export function spendOnLength(digits: number): void {
  spend(50 + digits + Math.floor(digits ** 2 / 1024));
}

/** About, as it has to be told quickly. */
function digitsOf({ units }: Decimal): number {
  const size = Math.abs(Number(units));
  return size < 1e18 ? 18 : Number.isFinite(size) ? Math.ceil(Math.log10(size)) : MAX_DIGITS;
}

/** Products of products, and quotients, grow without end; a column of a database ends long before this. */
function short(decimal: Decimal): Decimal {
  if (decimal.scale > MAX_DIGITS || decimal.units > LARGEST || -decimal.units > LARGEST) {
    throw new ExpressionError(`a decimal is longer than ${MAX_DIGITS} digits`);
  }
  return decimal;
}

const LARGEST = 10n ** BigInt(MAX_DIGITS);

function onDoubles(operator: Operator, a: number, b: number): number {
  switch (operator) {
    case '+':
      return a + b;
    case '-':
      return a - b;
    case '*':
      return a * b;
    case '/':
      return a / b;
    default:
      return a % b;
  }
}

function toDecimal(value: Item): Decimal | undefined {
  if (value instanceof Decimal) return value;
  return typeof value === 'bigint' ? new Decimal(value, 0) : undefined;
}

function toDouble(value: Item): number | undefined {
  if (typeof value === 'number') return value;
  if (typeof value !== 'bigint') return undefined;
  const double = Number(value);
  if (BigInt(double) !== value) throw new ExpressionError(`${value} is no double; use decimal(…)`);
  return double;
}

export function negate(value: Item): Item {
  if (typeof value === 'bigint') return int64(-value);
  if (typeof value === 'number') return -value;
  if (value instanceof Decimal) return value.negated();
  if (value === null) return null;
  throw new ExpressionError(`${nameOf(kindOf(value))} has no sign`);
}

/** Negative, zero or positive; NaN when one of them is NaN. */
export function compare(a: Item, b: Item): number {
  if (typeof a === 'string' && typeof b === 'string') return compareTexts(a, b);
  if ((typeof a === 'bigint' && typeof b === 'bigint') || (typeof a === 'boolean' && typeof b === 'boolean')) {
    return a < b ? -1 : a > b ? 1 : 0;
  }
  const numbers = compareNumbers(a, b);
  if (numbers !== undefined) return numbers;
  const names = `${nameOf(kindOf(a))} with ${nameOf(kindOf(b))}`;
  const hint = a === null || b === null ? '; test it with == null first, or use coalesce(…)' : '';
  throw new ExpressionError(`cannot compare ${names}${hint}`);
}

function compareNumbers(a: Item, b: Item): number | undefined {
  const [left, right] = [exact(a), exact(b)];
  if (left === undefined || right === undefined) return undefined;
  if (typeof left !== 'number' && typeof right !== 'number') {
    spendOnDigits(left, right);
    return left.compare(right);
  }
  // NaN or infinite: no decimal, but a double can tell.
  const [x, y] = [Number(left), Number(right)];
  return x < y ? -1 : x > y ? 1 : x === y ? 0 : Number.NaN;
}

function exact(value: Item): Decimal | number | undefined {
  if (typeof value === 'number') return Decimal.parseScientific(String(value)) ?? value;
  return toDecimal(value);
}

/** By code points, which is also the order of their UTF-8 bytes; JavaScript's own is that of UTF-16. */
export function compareTexts(a: string, b: string): number {
  if (a === b) return 0;
  const length = Math.min(a.length, b.length);
  spend(length);
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x !== y) return above(x) - above(y);
  }
  return a.length - b.length;
}

/** Moves surrogates, which stand for the highest code points, behind all other units. */
function above(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}

export function equal(a: Item, b: Item): boolean {
  spend(5);
  spendOn(typeof a === 'string' && typeof b === 'string' && a.length !== b.length ? null : a);
  if (a === b) return true;
  if (a === null || b === null) return false;
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((item, i) => equal(item as Item, b[i] as Item));
  if (isMap(a) && isMap(b)) return equalMaps(a, b);
  return compareNumbers(a, b) === 0;
}

function equalMaps(a: ItemMap, b: ItemMap): boolean {
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => Object.hasOwn(b, name) && equal(a[name] as Item, b[name] as Item));
}

export function isIn(item: Item, range: Item): Item {
  if (range === null) return null;
  if (Array.isArray(range)) return range.some((other) => equal(item, other as Item));
  if (isMap(range)) return typeof item === 'string' && Object.hasOwn(range, item);
  throw new ExpressionError(`${nameOf(kindOf(range))} has no members to look in`);
}

/** A member by name or place. What is not there is null, as with SQL's `->`. */
export function member(of: Item, at: Item): Item {
  if (of === null || at === null) return null;
  if (Array.isArray(of)) {
    if (typeof at === 'bigint') return (of[Number(at)] as Item | undefined) ?? null;
  } else if (isMap(of) && typeof at === 'string') {
    // Only its own: `constructor` and the like are no members of data.
    return Object.hasOwn(of, at) ? (of[at] as Item) : null;
  }
  throw new ExpressionError(`${nameOf(kindOf(of))} has no member ${typeof at === 'string' ? `"${at}"` : nameOf(kindOf(at))}`);
}
