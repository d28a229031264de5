import { parseNamed } from '../../lib/json-names.ts';
import type { CanonicalType } from '../../connectors/canonical.ts';
import { Decimal } from '../values/decimal.ts';

/** A value inside an expression. */
export type Item = null | boolean | string | bigint | number | Decimal | readonly Item[] | ItemMap;
export interface ItemMap {
  readonly [name: string]: Item;
}

/** What an expression can be said to be before it runs; `dyn` is known only when it runs. Any of them may be null. */
export type Kind = 'string' | 'int' | 'decimal' | 'double' | 'bool' | 'null' | 'strings' | 'list' | 'map' | 'dyn';

/** What went wrong with one row; the message is shown to people. */
export class ExpressionError extends Error {}

/** Everything longer than the largest row is refused before it is made. */
export const MAX_TEXT = 64 * 1024 * 1024;

/** Of a decimal. Longer ones are no amounts but an attack, or a mistake. */
export const MAX_DIGITS = 1000;

export const INT64_MAX = 2n ** 63n - 1n;
export const INT64_MIN = -(2n ** 63n);

/** The kind of a field's values. Dates and times stay text: their spelling sorts as they do. */
export const KIND_OF_TYPE: Readonly<Record<CanonicalType, Kind>> = {
  text: 'string',
  int64: 'int',
  decimal: 'decimal',
  float64: 'double',
  boolean: 'bool',
  date: 'string',
  time: 'string',
  timestamp: 'string',
  timestamptz: 'string',
  uuid: 'string',
  json: 'dyn',
  binary: 'string',
};

/** The type that is written when no other is asked for. */
export const TYPE_OF_KIND: Readonly<Record<Kind, CanonicalType>> = {
  string: 'text',
  int: 'int64',
  decimal: 'decimal',
  double: 'float64',
  bool: 'boolean',
  null: 'text',
  strings: 'json',
  list: 'json',
  map: 'json',
  dyn: 'text',
};

const NAMES: Readonly<Record<Kind, string>> = {
  string: 'a text',
  int: 'a whole number',
  decimal: 'a decimal',
  double: 'a double',
  bool: 'true or false',
  null: 'null',
  strings: 'a list of texts',
  list: 'a list',
  map: 'an object',
  dyn: 'a JSON value',
};

export function nameOf(kind: Kind): string {
  return NAMES[kind];
}

export function kindOf(value: Item): Kind {
  switch (typeof value) {
    case 'string':
      return 'string';
    case 'bigint':
      return 'int';
    case 'number':
      return 'double';
    case 'boolean':
      return 'bool';
    default:
      if (value === null) return 'null';
      if (value instanceof Decimal) return 'decimal';
      return Array.isArray(value) ? 'list' : 'map';
  }
}

export function isMap(value: Item): value is ItemMap {
  return kindOf(value) === 'map';
}

/** Makes the value of an expression from the canonical text of a field. */
export function itemReader(type: CanonicalType, name: string): (text: string) => Item {
  switch (type) {
    case 'int64':
      return BigInt;
    case 'float64':
      return Number;
    case 'boolean':
      return (text) => text === 't';
    case 'decimal':
      return remembering((text) => decimalOf(text, name));
    case 'json':
      return remembering(parseJson);
    default:
      return (text) => text;
  }
}

/** An expression often names a field twice; it is read once. */
function remembering(read: (text: string) => Item): (text: string) => Item {
  let lastText: string | undefined;
  let lastItem: Item = null;
  return (text) => {
    if (text !== lastText) {
      lastItem = read(text);
      lastText = text;
    }
    return lastItem;
  };
}

function decimalOf(text: string, name: string): Decimal {
  const decimal = text.length > MAX_DIGITS ? undefined : Decimal.parse(text);
  if (!decimal) throw new ExpressionError(`${name} is ${text.slice(0, 20)}, with which nothing can be computed`);
  return decimal;
}

/** JSON with every number exact: whole ones as int, others as decimal. */
export function parseJson(text: string): Item {
  try {
    return parseNamed(text, exactNumber) as Item;
  } catch (error) {
    if (error instanceof SyntaxError) throw new ExpressionError('the text is not JSON');
    throw error;
  }
}

function exactNumber(source: string): bigint | Decimal {
  if (/^-?\d{1,18}$/.test(source)) return BigInt(source);
  const decimal = source.length > MAX_DIGITS ? undefined : Decimal.parseScientific(source);
  if (!decimal) throw new ExpressionError(`a JSON number is beyond ${MAX_DIGITS} digits`);
  return decimal;
}

export function toJson(value: Item): string {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return JSON.stringify(value);
    case 'bigint':
      return value.toString();
    case 'number':
      if (!Number.isFinite(value)) throw new ExpressionError(`JSON has no ${value}`);
      return String(value);
    default:
      if (value === null) return 'null';
      if (value instanceof Decimal) return value.toString();
      if (Array.isArray(value)) return `[${(value as readonly Item[]).map(toJson).join(',')}]`;
      return `{${Object.entries(value as ItemMap)
        .map(([name, member]) => `${JSON.stringify(name)}:${toJson(member)}`)
        .join(',')}}`;
  }
}

/** A value as the canonical text of the type of its kind. */
export function textOf(value: Exclude<Item, null>): string {
  switch (typeof value) {
    case 'string':
      if (!value.isWellFormed()) throw new ExpressionError('the text contains half of a surrogate pair');
      return value;
    case 'boolean':
      return value ? 't' : 'f';
    case 'object':
      return value instanceof Decimal ? value.toString() : toJson(value);
    default:
      return String(value);
  }
}
