import type { CanonicalType } from '../../canonical.ts';
import type { Field } from '../../contract.ts';

const CANONICAL: Readonly<Record<string, CanonicalType>> = {
  int2: 'int64',
  int4: 'int64',
  int8: 'int64',
  oid: 'int64',
  numeric: 'decimal',
  money: 'decimal',
  float4: 'float64',
  float8: 'float64',
  bool: 'boolean',
  date: 'date',
  time: 'time',
  timestamp: 'timestamp',
  timestamptz: 'timestamptz',
  uuid: 'uuid',
  json: 'json',
  jsonb: 'json',
  bytea: 'binary',
};

/** The canonical type of one of PostgreSQL's own; everything else is text: arrays, ranges, enums, intervals, addresses… */
export function canonicalOf(base: string): CanonicalType {
  return CANONICAL[base] ?? 'text';
}

/** How a column is read so that it comes in canonical spelling. */
export function readExpression(column: string, base: string): string {
  // Money is written with the signs of a country.
  return base === 'money' ? `${column}::numeric` : column;
}

const COLUMN_TYPE: Readonly<Record<CanonicalType, string>> = {
  text: 'text',
  int64: 'int8',
  decimal: 'numeric',
  float64: 'float8',
  boolean: 'boolean',
  date: 'date',
  time: 'time without time zone',
  timestamp: 'timestamp without time zone',
  timestamptz: 'timestamp with time zone',
  uuid: 'uuid',
  // Not jsonb, which changes the order of members and knows no \u0000.
  json: 'json',
  binary: 'bytea',
};

/** The type of a new column for a field whose own type means nothing to PostgreSQL. */
export function columnTypeOf({ type, precision, scale }: Field): string {
  if (
    type === 'decimal' &&
    precision !== undefined &&
    precision >= 1 &&
    precision <= 1000 &&
    (scale ?? 0) >= 0 &&
    (scale ?? 0) <= precision
  )
    return `numeric(${precision},${scale ?? 0})`;
  return COLUMN_TYPE[type];
}

// Each of these holds every value of those before it.
const LADDERS: readonly (readonly string[])[] = [
  ['int2', 'int4', 'int8', 'numeric'],
  ['float4', 'float8'],
  ['character varying', 'text'],
];

/** Whether a column of one type can become the other without losing anything; both as `native` spells them. */
export function isWidening(from: string, to: string): boolean {
  const [a, b] = [partsOf(from), partsOf(to)];
  if (from === to) return false;
  for (const ladder of LADDERS) {
    const [i, j] = [ladder.indexOf(a.name), ladder.indexOf(b.name)];
    if (i === -1 || j === -1) continue;
    if (i < j) return b.modifiers.length === 0 || b.name !== 'numeric' ? true : (b.modifiers[0] ?? 0) - (b.modifiers[1] ?? 0) >= DIGITS[i]!;
    if (i === j) return isLarger(a.name, a.modifiers, b.modifiers);
  }
  return false;
}

const DIGITS = [5, 10, 19, 0];

function isLarger(name: string, from: readonly number[], to: readonly number[]): boolean {
  if (from.length === 0) return false;
  if (to.length === 0) return true;
  const [p = 0, s = 0] = from;
  const [q = 0, t = 0] = to;
  if (name === 'numeric') return q - t >= p - s && t >= s && (q !== p || t !== s);
  return name === 'character varying' && q > p;
}

function partsOf(native: string): { name: string; modifiers: number[] } {
  const [, name = native, modifiers = ''] = /^(.*?)(?:\(([\d,-]+)\))?$/.exec(native) ?? [];
  return { name, modifiers: modifiers === '' ? [] : modifiers.split(',').map(Number) };
}

// Types whose `=` tells values apart as well as their text does. Others are compared as text, among them those that have no `=`.
const COMPARED_DIRECTLY = new Set([
  'int2',
  'int4',
  'int8',
  'oid',
  'numeric',
  'money',
  'float4',
  'float8',
  'bool',
  'date',
  'time',
  'timetz',
  'timestamp',
  'timestamptz',
  'uuid',
  'jsonb',
  'bytea',
  'text',
  'varchar',
  'bpchar',
  'inet',
  'cidr',
  'macaddr',
]);

export function comparedExpression(column: string, base: string): string {
  return COMPARED_DIRECTLY.has(base) ? column : `${column}::text collate "C"`;
}
