import { type CanonicalType, comparable, isCanonical, type Value } from '../../connectors/canonical.ts';
import type { Field, Filter } from '../../connectors/contract.ts';
import { castOf, quoted } from '../values/cast.ts';
import { Decimal } from '../values/decimal.ts';
import { compareTexts } from '../expression/operators.ts';

// The filters of a stream whose source cannot apply them itself. They mean what SQL means: numbers compare as numbers,
// texts by their bytes, and a null matches nothing but `is_null`.

/** Tests one value of a field. */
export type ValueTest = (value: Value) => boolean;
type Order = (a: string, b: string) => number;

/** What is wrong with a filter of this field, or undefined. */
export function filterFault(field: Pick<Field, 'name' | 'type'>, filter: Filter): string | undefined {
  if (filter.op === 'is_null' || filter.op === 'not_null') return filter.value === undefined ? undefined : `${filter.op} takes no value`;
  if (filter.op === 'in' ? !Array.isArray(filter.value) : typeof filter.value !== 'string') {
    return filter.op === 'in' ? 'in needs a list of values' : `${filter.op} needs a value`;
  }
  const wrong = valuesOf(filter).find((value) => canonicalOf(field.type, value) === undefined);
  return wrong === undefined ? undefined : `${quoted(wrong)} is no ${field.type}, which ${field.name} is`;
}

export function compileFilter(field: Pick<Field, 'name' | 'type'>, filter: Filter): ValueTest {
  const fault = filterFault(field, filter);
  if (fault !== undefined) throw new Error(`the filter of ${field.name} cannot be used: ${fault}`);
  const values = valuesOf(filter).map((value) => canonicalOf(field.type, value) as string);
  const [value = ''] = values;
  const order = ORDERS[field.type] ?? compareTexts;
  switch (filter.op) {
    case 'is_null':
      return (found) => found === null;
    case 'not_null':
      return (found) => found !== null;
    case '=':
      return (found) => found !== null && (found === value || order(found, value) === 0);
    case '!=':
      return (found) => found !== null && found !== value && order(found, value) !== 0;
    case '<':
      return (found) => found !== null && order(found, value) < 0;
    case '<=':
      return (found) => found !== null && order(found, value) <= 0;
    case '>':
      return (found) => found !== null && order(found, value) > 0;
    case '>=':
      return (found) => found !== null && order(found, value) >= 0;
    default:
      return membership(field.type, values);
  }
}

function membership(type: CanonicalType, values: readonly string[]): ValueTest {
  const key = isNumeric(type) ? numericKey : (value: string) => comparable(type, value);
  const members = new Set(values.map(key));
  return (found) => found !== null && members.has(key(found));
}

function valuesOf(filter: Filter): readonly string[] {
  if (filter.value === undefined) return [];
  return typeof filter.value === 'string' ? [filter.value] : filter.value;
}

function isNumeric(type: CanonicalType): boolean {
  return type === 'int64' || type === 'decimal' || type === 'float64';
}

/** A whole number may be compared with 1.5, as in SQL. Everything else is of the field's own type. */
function canonicalOf(type: CanonicalType, value: string): string | undefined {
  if (isCanonical(type, value)) return value;
  const converted = castOf('text', isNumeric(type) ? 'decimal' : type)?.convert(value);
  return typeof converted === 'string' ? converted : undefined;
}

/** Where a number is among those that are none: PostgreSQL's order. */
const BEYOND: Readonly<Record<string, number>> = { '-Infinity': -1, Infinity: 1, NaN: 2 };

function compareNumbers(a: string, b: string): number {
  // Up to fifteen digits different numbers are different doubles, and those compare much faster.
  if (a.length <= 15 && b.length <= 15) {
    const difference = Number(a) - Number(b);
    if (!Number.isNaN(difference)) return difference;
  }
  const [left, right] = [numberOf(a), numberOf(b)];
  if (left && right) return left.compare(right);
  return (BEYOND[a] ?? 0) - (BEYOND[b] ?? 0);
}

function numberOf(text: string): Decimal | undefined {
  return Decimal.parseScientific(text);
}

function numericKey(text: string): string {
  return numberOf(text)?.trimmed().toString() ?? text;
}

/** Spells a moment so that its text sorts as it does: before Christ the years go backwards. */
function momentKey(text: string): string {
  if (text === 'infinity') return '2';
  if (text === '-infinity') return '';
  const isBefore = text.endsWith(' BC');
  const dash = text.indexOf('-', 1);
  const year = Number(text.slice(0, dash));
  const rest = text
    .slice(dash)
    .replace(/(?:\+00)?(?: BC)?$/, '')
    .replace(/\.(\d*?)0*$/, (_, digits: string) => (digits === '' ? '' : `.${digits}`));
  return `${isBefore ? 0 : 1}${String(isBefore ? 9_999_999 - year : year).padStart(7, '0')}${rest}`;
}

function compareMoments(a: string, b: string): number {
  const [left, right] = [momentKey(a), momentKey(b)];
  return left < right ? -1 : left > right ? 1 : 0;
}

function compareTimes(a: string, b: string): number {
  const [left, right] = [comparable('time', a) as string, comparable('time', b) as string];
  return left < right ? -1 : left > right ? 1 : 0;
}

const ORDERS: Partial<Record<CanonicalType, Order>> = {
  int64: compareNumbers,
  decimal: compareNumbers,
  float64: compareNumbers,
  date: compareMoments,
  timestamp: compareMoments,
  timestamptz: compareMoments,
  time: compareTimes,
  json: (a, b) => {
    const [left, right] = [comparable('json', a) as string, comparable('json', b) as string];
    return left < right ? -1 : left > right ? 1 : 0;
  },
};
