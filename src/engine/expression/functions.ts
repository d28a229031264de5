import { hash } from 'node:crypto';
import { castOf } from '../values/cast.ts';
import { Decimal } from '../values/decimal.ts';
import { bounded, compute, equal, int64, quotient, spendOnDigits, spendOnLength } from './operators.ts';
import { ExpressionError, type Item, type Kind, MAX_DIGITS, parseJson, toJson } from './values.ts';
import { datePart, epochOf, timestampOf } from './moments.ts';
import { spend } from './work.ts';
import { patternOf } from './pattern.ts';

/** What a parameter takes. */
export type ParameterKind = 'string' | 'int' | 'bool' | 'number' | 'list' | 'strings' | 'any';

export interface ExpressionFunction {
  readonly parameters: readonly ParameterKind[];
  /** How many of the parameters may be left out, from the end. */
  readonly optional?: number;
  /** Whether the last parameter may come again and again. */
  readonly repeats?: boolean;
  /** `same`: that of the first argument; `common`: one that holds all arguments. */
  readonly result: Kind | 'same' | 'common';
  /** Whether it looks at nulls itself. Others are not asked: a null in is a null out. */
  readonly takesNull?: boolean;
  /** By place: throws ExpressionError for a value that can never do. */
  readonly literals?: readonly (((literal: Item) => void) | undefined)[];
  /** Its arguments are checked against `parameters` before each call. */
  readonly run: (...args: never[]) => Item;
}

const MAX_SCALE = 100;

/** Every function of the language. Each can also be called on its first argument: `name.lower()`. */
export const FUNCTIONS: Readonly<Record<string, ExpressionFunction>> = {
  // Texts
  lower: text((value) => value.toLowerCase()),
  lowerAscii: text((value) => value.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())),
  upper: text((value) => value.toUpperCase()),
  upperAscii: text((value) => value.replace(/[a-z]+/g, (letters) => letters.toUpperCase())),
  trim: text((value) => value.trim()),
  sha256: text((value) => hash('sha256', value)),
  contains: question((value, part) => value.includes(part)),
  startsWith: question((value, part) => value.startsWith(part)),
  endsWith: question((value, part) => value.endsWith(part)),
  matches: {
    ...question((value, pattern) => patternOf(pattern)(value)),
    literals: [undefined, (pattern) => typeof pattern === 'string' && patternOf(pattern)],
  },
  replace: { parameters: ['string', 'string', 'string'], result: 'string', run: replaceAll },
  split: {
    parameters: ['string', 'string'],
    result: 'strings',
    run: (value: string, separator: string) => (separator === '' ? charactersOf(value) : value.split(separator)),
  },
  join: {
    parameters: ['strings', 'string'],
    optional: 1,
    result: 'string',
    run: (parts: readonly string[], separator = '') =>
      bounded(parts.reduce((sum, part) => sum + part.length + separator.length, 0)) && parts.join(separator),
  },
  substring: { parameters: ['string', 'int', 'int'], optional: 1, result: 'string', run: substring },
  indexOf: { parameters: ['string', 'string'], result: 'int', run: indexOf },
  padStart: {
    parameters: ['string', 'int', 'string'],
    result: 'string',
    run: (value: string, length: bigint, filler: string) => bounded(Number(length)) && value.padStart(Number(length), filler),
  },
  // Numbers
  round: { parameters: ['number', 'int'], optional: 1, result: 'same', run: round },
  floor: { parameters: ['number'], result: 'same', run: (value: bigint | number | Decimal) => toWhole(value, -1) },
  ceil: { parameters: ['number'], result: 'same', run: (value: bigint | number | Decimal) => toWhole(value, 1) },
  abs: { parameters: ['number'], result: 'same', run: absolute },
  div: { parameters: ['number', 'number', 'int'], result: 'decimal', run: divide },
  sum: { parameters: ['list'], result: 'dyn', run: (items: readonly Item[]) => items.reduce(addUp, 0n) },
  // From one kind to another
  string: { parameters: ['any'], result: 'string', run: textFrom },
  int: { parameters: ['any'], result: 'int', run: intFrom },
  decimal: { parameters: ['any'], result: 'decimal', run: decimalFrom },
  double: { parameters: ['any'], result: 'double', run: doubleFrom },
  bool: { parameters: ['any'], result: 'bool', run: boolFrom },
  dyn: { parameters: ['any'], result: 'dyn', takesNull: true, run: (value: Item) => value },
  json: { parameters: ['any'], result: 'string', takesNull: true, run: written },
  parseJson: { parameters: ['string'], result: 'dyn', run: read },
  // Nulls
  coalesce: {
    parameters: ['any'],
    repeats: true,
    result: 'common',
    takesNull: true,
    run: (...values: Item[]) => values.find((value) => value !== null) ?? null,
  },
  nullIf: {
    parameters: ['any', 'any'],
    result: 'same',
    takesNull: true,
    run: (value: Item, other: Item) => (equal(value, other) ? null : value),
  },
  // Lists and objects
  size: { parameters: ['any'], result: 'int', run: size },
  // Dates and times
  year: part('year'),
  month: part('month'),
  day: part('day'),
  hour: part('hour'),
  minute: part('minute'),
  second: part('second'),
  weekday: part('weekday'),
  date: text((value) => viaCast('timestamptz', value).slice(0, 10)),
  epoch: { parameters: ['string'], result: 'decimal', run: secondsOf },
  timestamp: { parameters: ['number'], result: 'string', run: (seconds: Item) => timestampOf(decimalFrom(seconds)) },
};

function text(run: (value: string) => string): ExpressionFunction {
  return { parameters: ['string'], result: 'string', run };
}

function question(run: (value: string, other: string) => boolean): ExpressionFunction {
  return { parameters: ['string', 'string'], result: 'bool', run };
}

function part(name: Parameters<typeof datePart>[0]): ExpressionFunction {
  return { parameters: ['string'], result: 'int', run: (value: string) => datePart(name, value) };
}

function viaCast(to: 'int64' | 'decimal' | 'float64' | 'boolean' | 'timestamptz', value: string): string {
  spend(50);
  spendOnLength(value.length);
  const converted = castOf('text', to)?.convert(value);
  if (typeof converted !== 'string') throw new ExpressionError(`${JSON.stringify(value.slice(0, 100))} is no ${to}`);
  return converted;
}

/** To read a moment takes longer than other texts of its length. */
function secondsOf(value: string): Decimal {
  spend(1_500);
  return epochOf(value);
}

function read(json: string): Item {
  spend(json.length * 5);
  return parseJson(json);
}

function written(value: Item): string {
  const json = toJson(value);
  spend(json.length);
  return json;
}

function replaceAll(value: string, search: string, by: string): string {
  const parts = value.split(search);
  return bounded(value.length + parts.length * by.length) && parts.join(by);
}

/** Characters, not UTF-16 units: an emoji counts as one. Ends beyond the text are cut to it. */
function substring(value: string, start: bigint, end?: bigint): string {
  const [from, to] = [Math.max(0, Number(start)), end === undefined ? undefined : Math.max(0, Number(end))];
  return HAS_PAIRS.test(value) ? charactersOf(value).slice(from, to).join('') : value.slice(from, to);
}

function indexOf(value: string, part: string): bigint {
  const at = value.indexOf(part);
  return BigInt(at <= 0 || !HAS_PAIRS.test(value) ? at : charactersOf(value.slice(0, at)).length);
}

/** One by one, which takes its time. */
function charactersOf(value: string): string[] {
  spend(value.length * 4);
  return Array.from(value);
}

const HAS_PAIRS = /[\ud800-\udfff]/;

function size(value: Item): bigint {
  if (typeof value === 'string') return BigInt(HAS_PAIRS.test(value) ? charactersOf(value).length : value.length);
  if (Array.isArray(value)) return BigInt(value.length);
  if (typeof value === 'object' && value !== null && !(value instanceof Decimal)) return BigInt(Object.keys(value).length);
  throw new ExpressionError('size() takes a text, a list or an object');
}

function scaleOf(value: bigint): number {
  if (value < 0n || value > MAX_SCALE) throw new ExpressionError(`a number has 0 to ${MAX_SCALE} decimals, not ${value}`);
  return Number(value);
}

function round(value: bigint | number | Decimal, decimals = 0n): Item {
  const scale = scaleOf(decimals);
  if (typeof value === 'bigint') return value;
  if (value instanceof Decimal) {
    spendOnDigits(value, ONE, Math.abs(value.scale - scale));
    return value.rounded(scale);
  }
  return Decimal.parseScientific(String(value))?.rounded(scale).toNumber() ?? value;
}

function toWhole(value: bigint | number | Decimal, direction: 1 | -1): Item {
  if (typeof value === 'bigint') return value;
  if (typeof value === 'number') return direction > 0 ? Math.ceil(value) : Math.floor(value);
  spendOnDigits(value, ONE);
  const rest = value.remainder(ONE).units;
  const cut = value.minus(value.remainder(ONE)).rounded(0);
  return direction > 0 === rest > 0n && rest !== 0n ? cut.plus(new Decimal(BigInt(direction), 0)) : cut;
}

const ONE = new Decimal(1n, 0);

function absolute(value: bigint | number | Decimal): Item {
  if (typeof value === 'number') return Math.abs(value);
  if (value instanceof Decimal) return value.units < 0n ? value.negated() : value;
  return int64(value < 0n ? -value : value);
}

function divide(a: Item, b: Item, decimals: bigint): Decimal {
  return quotient(decimalFrom(a), decimalFrom(b), scaleOf(decimals));
}

function addUp(sum: Item, item: Item): Item {
  return item === null ? sum : compute('+', sum, item);
}

function textFrom(value: Item): string {
  return typeof value === 'string' ? value : typeof value === 'bigint' || typeof value === 'number' ? String(value) : written(value);
}

function intFrom(value: Item): bigint {
  if (typeof value === 'bigint') return value;
  if (typeof value === 'boolean') return value ? 1n : 0n;
  if (typeof value === 'string') return BigInt(viaCast('int64', value));
  const cut = toWhole(decimalFrom(value), decimalFrom(value).units < 0n ? 1 : -1) as Decimal;
  return int64(cut.units);
}

function decimalFrom(value: Item): Decimal {
  if (value instanceof Decimal) return value;
  if (typeof value === 'bigint') return new Decimal(value, 0);
  const spelled = typeof value === 'string' ? viaCast('decimal', value) : typeof value === 'number' ? String(value) : '';
  const decimal = spelled.length > MAX_DIGITS ? undefined : Decimal.parseScientific(spelled);
  if (!decimal) throw new ExpressionError(`${toJsonOrName(value)} is no number`);
  return decimal;
}

function doubleFrom(value: Item): number {
  if (typeof value === 'number') return value;
  if (typeof value === 'string') return Number(viaCast('float64', value));
  const decimal = decimalFrom(value);
  spendOnDigits(decimal, ONE);
  return decimal.toNumber();
}

function boolFrom(value: Item): boolean {
  if (typeof value === 'boolean') return value;
  if (typeof value === 'string') return viaCast('boolean', value) === 't';
  if (value === 1n || value === 0n) return value === 1n;
  throw new ExpressionError(`${toJsonOrName(value)} is neither true nor false`);
}

function toJsonOrName(value: Item): string {
  return typeof value === 'number' ? String(value) : toJson(value).slice(0, 100);
}
