import { TemplateError, TypeMismatch } from './failures.ts';
import { formatted } from './python-format.ts';
import { CalendarDelta, CalendarDay, Delta, isValid, Moment, plusMonths } from './moments.ts';
import { Float, isFloat, isInt, isNumeric, numberOf, Tuple, Undefined } from './values.ts';
import { spend, spendOnText } from './work.ts';

// The signs between two values: + - * / // % **

const MOST_BITS = 10_000;

export function computed(sign: string, left: unknown, right: unknown): unknown {
  if (left instanceof Undefined) {
    // A text with a % is formatted, whatever comes after it.
    left.use();
  }
  if (sign === '%' && typeof left === 'string') return formatted(left, right);
  if (right instanceof Undefined) right.use();
  if (isNumeric(left) && isNumeric(right)) return arithmetic(sign, left, right);
  const other =
    sign === '+' ? added(left, right) : sign === '-' ? subtracted(left, right) : sign === '*' ? repeated(left, right) : undefined;
  if (other === undefined) throw new TypeMismatch(`"${sign}" is not there for these two types`);
  return other;
}

type Numeric = number | bigint | Float | boolean;

function arithmetic(sign: string, left: Numeric, right: Numeric): unknown {
  if (sign === '/') return divided(numberOf(left), numberOf(right));
  if (isFloat(left) || isFloat(right)) return new Float(onFloats(sign, numberOf(left), numberOf(right)));
  return onInts(sign, left, right);
}

function divided(left: number, right: number): Float {
  if (right === 0) throw new TemplateError('A template divides by zero.');
  return new Float(left / right);
}

function onFloats(sign: string, left: number, right: number): number {
  if ((sign === '//' || sign === '%') && right === 0) throw new TemplateError('A template divides by zero.');
  switch (sign) {
    case '+':
      return left + right;
    case '-':
      return left - right;
    case '*':
      return left * right;
    case '//':
      return Math.floor(left / right);
    case '%':
      return left - Math.floor(left / right) * right;
    default:
      return left ** right;
  }
}

function onInts(sign: string, left: number | bigint | boolean, right: number | bigint | boolean): unknown {
  if (sign === '**') return power(BigInt(left), BigInt(right));
  const quick = typeof left === 'bigint' || typeof right === 'bigint' ? Number.NaN : onFloatsOrZero(sign, Number(left), Number(right));
  if (Number.isSafeInteger(quick)) return quick || 0;
  const [a, b] = [BigInt(left), BigInt(right)];
  if ((sign === '//' || sign === '%') && b === 0n) throw new TemplateError('A template divides by zero.');
  spend(10);
  return smallest(exactly(sign, a, b));
}

function onFloatsOrZero(sign: string, left: number, right: number): number {
  return right === 0 && (sign === '//' || sign === '%') ? Number.NaN : onFloats(sign, left, right);
}

function exactly(sign: string, a: bigint, b: bigint): bigint {
  if (sign === '+') return a + b;
  if (sign === '-') return a - b;
  if (sign === '*') return a * b;
  const rest = a % b;
  const isBelow = rest !== 0n && rest < 0n !== b < 0n;
  if (sign === '//') return a / b - (isBelow ? 1n : 0n);
  return isBelow ? rest + b : rest;
}

function power(base: bigint, exponent: bigint): unknown {
  if (exponent < 0n) return new Float(Number(base) ** Number(exponent));
  const bits = base.toString(2).length * Number(exponent);
  if (bits > MOST_BITS && base !== 0n && base !== 1n && base !== -1n)
    throw new TemplateError('A template makes a number that is too large.');
  spend(10);
  return smallest(base ** exponent);
}

function smallest(value: bigint): number | bigint {
  if (value >= BigInt(Number.MIN_SAFE_INTEGER) && value <= BigInt(Number.MAX_SAFE_INTEGER)) return Number(value);
  if (value.toString(16).length * 4 > MOST_BITS) throw new TemplateError('A template makes a number that is too large.');
  return value;
}

function added(left: unknown, right: unknown): unknown {
  if (typeof left === 'string' && typeof right === 'string') {
    spendOnText(left.length + right.length);
    return left + right;
  }
  if (Array.isArray(left) && Array.isArray(right) && left instanceof Tuple === right instanceof Tuple) {
    spend(left.length + right.length);
    return left instanceof Tuple ? Tuple.from([...left, ...right]) : [...left, ...right];
  }
  return addedTime(left, right) ?? addedTime(right, left);
}

function addedTime(time: unknown, delta: unknown): unknown {
  if (delta instanceof Delta) {
    if (time instanceof Moment) return within(time.plus(delta));
    if (time instanceof CalendarDay) return within(time.plusDays(delta.days));
    if (time instanceof Delta) return time.plus(delta);
  }
  if (!(delta instanceof CalendarDelta)) return undefined;
  if (time instanceof Moment) return within(Moment.of(plusMonths(time.fields, delta.months), time.offset).plus(delta.rest));
  if (time instanceof CalendarDay) {
    const { year, month, day } = plusMonths(
      { year: time.year, month: time.month, day: time.day, hour: 0, minute: 0, second: 0, micro: 0 },
      delta.months,
    );
    return within(new CalendarDay(year, month, day).plusDays(delta.rest.days));
  }
  if (time instanceof Delta) return new CalendarDelta(delta.months, delta.rest.plus(time));
  return time instanceof CalendarDelta ? new CalendarDelta(time.months + delta.months, time.rest.plus(delta.rest)) : undefined;
}

function within<T extends Moment | CalendarDay>(time: T): T {
  const day =
    time instanceof Moment ? time.fields : { year: time.year, month: time.month, day: time.day, hour: 0, minute: 0, second: 0, micro: 0 };
  if (!isValid(day)) throw new TemplateError('A template makes a date before the year 1 or after 9999.');
  return time;
}

function subtracted(left: unknown, right: unknown): unknown {
  if (right instanceof Delta) return addedTime(left, right.times(-1));
  if (right instanceof CalendarDelta) return addedTime(left, right.negated());
  if (left instanceof CalendarDay && right instanceof CalendarDay) return new Delta(left.days - right.days, 0, 0);
  if (!(left instanceof Moment && right instanceof Moment)) return undefined;
  if ((left.offset === undefined) !== (right.offset === undefined)) return undefined;
  return new Delta(0, left.seconds - (left.offset ?? 0) - (right.seconds - (right.offset ?? 0)), left.micro - right.micro);
}

function repeated(left: unknown, right: unknown): unknown {
  if (isInt(left) || typeof left === 'boolean') return isInt(right) || typeof right === 'boolean' ? undefined : repeated(right, left);
  if (left instanceof Delta && isNumeric(right)) return left.times(numberOf(right));
  if (!isInt(right) && typeof right !== 'boolean') return undefined;
  const times = Math.max(0, Number(right));
  if (typeof left === 'string') {
    spendOnText(left.length * times);
    return left.repeat(times);
  }
  if (!Array.isArray(left)) return undefined;
  spend(left.length * times);
  const items = Array.from({ length: left.length * times }, (_, i) => left[i % left.length] as unknown);
  return left instanceof Tuple ? Tuple.from(items) : items;
}
