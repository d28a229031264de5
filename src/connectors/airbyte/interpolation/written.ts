import { TypeMismatch } from './failures.ts';
import { CalendarDelta, CalendarDay, Delta, dayText, deltaText, Moment, momentText } from './moments.ts';
import {
  Callable,
  Dict,
  entriesOf,
  Float,
  fromOutside,
  isDict,
  isFloat,
  isInt,
  isNumeric,
  lookUp,
  numberOf,
  sizeOfDict,
  Tuple,
  Undefined,
} from './values.ts';
import { spend, spendOnText } from './work.ts';

// How Python writes, weighs and compares values.

const DEEPEST = 100;

/** The value as a text. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value instanceof Undefined) return '';
  if (value instanceof Moment) return momentText(value, ' ');
  if (value instanceof CalendarDay) return dayText(value);
  if (value instanceof Delta) return deltaText(value);
  return reprOf(value);
}

/** The value as it would be written in Python. */
export function reprOf(given: unknown, depth = 0): string {
  const value = fromOutside(given);
  spend(1);
  if (depth > DEEPEST) throw new TypeMismatch('a value is nested too deeply');
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value === 'string') return quoted(value);
  if (isInt(value)) return BigInt(value).toString();
  if (isFloat(value)) return floatText(value instanceof Float ? value.value : value);
  if (value instanceof Tuple) return value.length === 1 ? `(${reprOf(value[0], depth + 1)},)` : `(${listed(value, depth)})`;
  if (Array.isArray(value)) return `[${listed(value, depth)}]`;
  if (isDict(value)) {
    const entries = entriesOf(value).map(([key, member]) => `${reprOf(key, depth + 1)}: ${reprOf(member, depth + 1)}`);
    return joined(entries, '{', '}');
  }
  return reprOfOther(value);
}

function reprOfOther(value: unknown): string {
  if (value instanceof Undefined) return 'Undefined';
  if (value instanceof Callable) return `<function ${value.name}>`;
  if (value instanceof CalendarDay) return `datetime.date(${value.year}, ${value.month}, ${value.day})`;
  if (value instanceof Moment) return `datetime.datetime(${momentText(value, ' ')})`;
  if (value instanceof Delta) return `datetime.timedelta(days=${value.days}, seconds=${value.seconds})`;
  if (value instanceof CalendarDelta) return `${value.months} months, ${deltaText(value.rest)}`;
  return `<${(value as object).constructor.name}>`;
}

function listed(items: readonly unknown[], depth: number): string {
  return joined(
    items.map((item) => reprOf(item, depth + 1)),
    '',
    '',
  );
}

function joined(parts: readonly string[], before: string, after: string): string {
  spendOnText(parts.reduce((sum, part) => sum + part.length + 2, 0));
  return before + parts.join(', ') + after;
}

const UNPRINTABLE = /[\\\p{C}\p{Zl}\p{Zp}]|(?! )\p{Zs}/gu;
const SHORT: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };

function quoted(text: string): string {
  spendOnText(text.length);
  const mark = text.includes("'") && !text.includes('"') ? '"' : "'";
  const escaped = text.replace(UNPRINTABLE, (character) => {
    const code = character.codePointAt(0) as number;
    const digits = code.toString(16);
    if (code > 0xffff) return `\\U${digits.padStart(8, '0')}`;
    return SHORT[character] ?? (code > 0xff ? `\\u${digits.padStart(4, '0')}` : `\\x${digits.padStart(2, '0')}`);
  });
  return mark + (mark === "'" ? escaped.replaceAll("'", "\\'") : escaped) + mark;
}

export function floatText(value: number): string {
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return value < 0 ? '-inf' : 'inf';
  if (value === 0) return Object.is(value, -0) ? '-0.0' : '0.0';
  const [digits = '', exponent = ''] = value.toExponential().split('e');
  const power = Number(exponent);
  if (power < -4 || power >= 16) return `${digits}e${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`;
  // JavaScript writes such numbers without an exponent, but for the smallest.
  const plain = power < -6 ? value.toFixed(digits.replace(/[-.]/g, '').length - 1 - power) : String(value);
  return plain.includes('.') ? plain : `${plain}.0`;
}

/** What Python takes for true. */
export function isTruthy(value: unknown): boolean {
  if (value instanceof Float) return value.value !== 0;
  if (value instanceof Undefined) return false;
  if (Array.isArray(value)) return value.length > 0;
  if (isDict(value)) return sizeOfDict(value) > 0;
  if (value instanceof Delta) return value.totalSeconds !== 0;
  return typeof value === 'number' && Number.isNaN(value) ? true : Boolean(value);
}

export function isEqual(a: unknown, b: unknown, depth = 0): boolean {
  spend(1);
  if (depth > DEEPEST) throw new TypeMismatch('a value is nested too deeply');
  if (a === b) return true;
  if (typeof a === 'string' || typeof b === 'string' || a === null || b === null) return false;
  if (isNumeric(a) && isNumeric(b)) return typeof a === 'bigint' || typeof b === 'bigint' ? isSameInt(a, b) : numberOf(a) === numberOf(b);
  if (Array.isArray(a) && Array.isArray(b)) {
    return a instanceof Tuple === b instanceof Tuple && a.length === b.length && a.every((item, i) => isEqual(item, b[i], depth + 1));
  }
  if (isDict(a) && isDict(b))
    return sizeOfDict(a) === sizeOfDict(b) && entriesOf(a).every(([key, value]) => isSameMember(b, key, value, depth + 1));
  if (a instanceof Undefined && b instanceof Undefined) return true;
  return isSameTime(a, b);
}

function isSameMember(dict: Parameters<typeof lookUp>[0], key: unknown, value: unknown, depth: number): boolean {
  const found = lookUp(dict, key);
  return found !== undefined && isEqual(value, found, depth);
}

function isSameInt(a: number | bigint | Float | boolean, b: number | bigint | Float | boolean): boolean {
  // biome-ignore lint/suspicious/noDoubleEquals: a bigint and a number are equal when their values are.
  return (a instanceof Float ? a.value : a) == (b instanceof Float ? b.value : b);
}

function isSameTime(a: unknown, b: unknown): boolean {
  if (a instanceof Moment && b instanceof Moment)
    return (a.offset === undefined) === (b.offset === undefined) && a.timestamp === b.timestamp;
  if (a instanceof CalendarDay && b instanceof CalendarDay) return a.days === b.days;
  return a instanceof Delta && b instanceof Delta && a.totalSeconds === b.totalSeconds;
}

/** Below zero when the first is less; the two must be of a kind. */
export function compare(a: unknown, b: unknown, sign: string, depth = 0): number {
  spend(1);
  if (depth > DEEPEST) throw new TypeMismatch('a value is nested too deeply');
  if (a instanceof Undefined) a.use();
  if (b instanceof Undefined) b.use();
  if (isNumeric(a) && isNumeric(b)) return numberOf(a) - numberOf(b);
  if (typeof a === 'string' && typeof b === 'string') return compareTexts(a, b);
  if (Array.isArray(a) && Array.isArray(b) && a instanceof Tuple === b instanceof Tuple) {
    for (let i = 0; i < a.length && i < b.length; i++) if (!isEqual(a[i], b[i])) return compare(a[i], b[i], sign, depth + 1);
    return a.length - b.length;
  }
  if (a instanceof Moment && b instanceof Moment && (a.offset === undefined) === (b.offset === undefined)) return a.timestamp - b.timestamp;
  if (a instanceof CalendarDay && b instanceof CalendarDay) return a.days - b.days;
  if (a instanceof Delta && b instanceof Delta) return a.totalSeconds - b.totalSeconds;
  throw new TypeMismatch(`'${sign}' is not there for these two types`);
}

/** By characters, which JavaScript's own order is not where they are beyond the first 65,536. */
function compareTexts(a: string, b: string): number {
  spendOnText(Math.min(a.length, b.length));
  if (a === b) return 0;
  let i = 0;
  while (i < a.length && i < b.length && a[i] === b[i]) i++;
  if (i > 0 && /[\udc00-\udfff]/.test(a[i] ?? b[i] ?? '')) i--;
  return (a.codePointAt(i) ?? -1) - (b.codePointAt(i) ?? -1);
}

/** Whether a list, a dict or a text has it. */
export function contains(whole: unknown, part: unknown): boolean {
  if (typeof whole === 'string') {
    if (part instanceof Undefined) throw new TypeMismatch('an undefined value in a text');
    if (typeof part !== 'string') throw new TypeMismatch('only a text can be in a text');
    spendOnText(whole.length);
    return whole.includes(part);
  }
  if (Array.isArray(whole)) return whole.some((item) => isEqual(item, part));
  if (isDict(whole)) return lookUp(whole, part) !== undefined;
  if (whole instanceof Undefined) return false;
  throw new TypeMismatch('nothing can be in this value');
}

/** What a loop goes through. */
export function itemsOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value.some((item) => typeof item === 'object' || item === undefined) ? value.map(fromOutside) : value;
  if (typeof value === 'string') {
    spendOnText(value.length * 16);
    return Array.from(value);
  }
  if (isDict(value)) return entriesOf(value).map(([key]) => key);
  if (value instanceof Undefined) return [];
  throw new TypeMismatch('this value cannot be looped over');
}

export function newDict(entries: Iterable<readonly [unknown, unknown]> = []): Dict {
  const dict = new Dict();
  for (const [key, value] of entries) dict.set(key, value);
  return dict;
}
