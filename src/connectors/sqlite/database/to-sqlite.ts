import { type CanonicalType, isCanonical } from '../../canonical.ts';
import type { Affinity } from './declared.ts';

export type Bound = string | bigint | number | Uint8Array;

/** A canonical value as SQLite takes it; undefined when it is none, or would not come back as it is. Not for null. */
export type Binder = (value: string) => Bound | undefined;

/** How values of a type are put into a column, so that they come back as they were. */
export function binderOf(type: CanonicalType, affinity: Affinity): Binder {
  const bind = BINDERS[type];
  if (type === 'int64' && affinity === 'blob') return (value) => (bind(value) === undefined ? undefined : BigInt(value));
  if (type === 'int64' && affinity === 'text') return (value) => (bind(value) === undefined ? undefined : value);
  if (affinity === 'text' || affinity === 'blob') return type === 'boolean' && affinity === 'text' ? canonical(type) : bind;
  // A column of numbers makes numbers of all texts that look like one.
  if (type === 'decimal') return (value) => (bind(value) === undefined || !keepsDigits(value) ? undefined : value);
  if (type === 'int64' && affinity === 'real') return (value) => (isSafe(value) ? bind(value) : undefined);
  if (type === 'text' || type === 'json') {
    return (value) => (LOOKS_LIKE_NUMBER.test(value) && String(Number(value)) !== value ? undefined : bind(value));
  }
  return bind;
}

const LOOKS_LIKE_NUMBER = /^\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?\s*$/;

const BINDERS: Readonly<Record<CanonicalType, Binder>> = {
  text: (value) => value,
  // The column makes an integer of a number without a fraction: quicker than a BigInt, and up to 2^53 as exact.
  int64: (value) => shortInteger(value) ?? (isCanonical('int64', value) ? BigInt(value) : undefined),
  decimal: (value) => (isPlainNumber(value) || isCanonical('decimal', value) ? value : undefined),
  // NaN would become null.
  float64: (value) => {
    if (isPlainNumber(value)) return Number(value);
    const number = Number(value);
    return Number.isNaN(number) || value.trim() !== value || value === '' || /^[+-]?0[xob]/i.test(value) ? undefined : number;
  },
  boolean: (value) => (value === 't' ? 1 : value === 'f' ? 0 : undefined),
  date: canonical('date'),
  time: canonical('time'),
  timestamp: canonical('timestamp'),
  // SQLite's own functions know `+00:00`, not `+00`.
  timestamptz: (value) => (value.endsWith('+00') && isCanonical('timestamptz', value) ? `${value}:00` : canonical('timestamptz')(value)),
  uuid: canonical('uuid'),
  json: canonical('json'),
  binary: (value) => (isCanonical('binary', value) ? Buffer.from(value.slice(2), 'hex') : undefined),
};

function canonical(type: CanonicalType): Binder {
  return (value) => (isCanonical(type, value) ? value : undefined);
}

function shortInteger(text: string): number | undefined {
  const { length } = text;
  const isNegative = text.charCodeAt(0) === 45;
  const start = isNegative ? 1 : 0;
  if (length === start || length > 15) return undefined;
  let number = 0;
  for (let at = start; at < length; at++) {
    const digit = text.charCodeAt(at) - 48;
    if (!(digit >= 0 && digit <= 9)) return undefined;
    number = number * 10 + digit;
  }
  return isNegative ? -number : number;
}

/** Digits with at most one point between them; quicker to tell than by an expression. */
function isPlainNumber(text: string): boolean {
  const { length } = text;
  let points = 0;
  for (let at = text.charCodeAt(0) === 45 ? 1 : 0; at < length; at++) {
    const code = text.charCodeAt(at);
    if (code === 46 && at > 0) points++;
    else if (code < 48 || code > 57) return false;
  }
  const last = text.charCodeAt(length - 1);
  return length > 0 && points < 2 && last >= 48 && last <= 57;
}

/** Whether a number in a column of doubles and integers keeps all its digits. */
function keepsDigits(text: string): boolean {
  if (!/\d/.test(text)) return false;
  const digits = text.replace(/^[+-]?0*\.?0*/, '').replace('.', '');
  return (text.includes('.') ? digits.replace(/0+$/, '') : digits).length <= 15 || isCanonical('int64', text);
}

function isSafe(text: string): boolean {
  return Number.isSafeInteger(Number(text));
}
