import { formatMoment } from '../../words/format.ts';
import { visible } from '../../words/visible.ts';

/** How the values of a column are shown. */
export type ValueKind = 'text' | 'number' | 'boolean' | 'moment' | 'json' | 'code';

const KINDS: Readonly<Record<string, ValueKind>> = {
  int64: 'number',
  decimal: 'number',
  float64: 'number',
  boolean: 'boolean',
  timestamptz: 'moment',
  json: 'json',
  uuid: 'code',
  binary: 'code',
};

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const MOMENT = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d(?::?\d\d)?)$/;
const JSON_START = /^\s*[[{]/;

/** By the type of the field where it is known. Where values are told as text alone, by what all of them look like. */
export function kindOf(type: string | undefined, values: readonly unknown[]): ValueKind {
  if (type !== undefined) return KINDS[type] ?? 'text';
  const there = values.filter((value) => value !== null && value !== undefined);
  if (there.length === 0) return 'text';
  if (there.every((value) => typeof value === 'boolean')) return 'boolean';
  if (there.every((value) => typeof value === 'object')) return 'json';
  const texts = there.map((value) => textOf(value) ?? '');
  if (texts.every((text) => NUMBER.test(text))) return 'number';
  if (texts.every((text) => MOMENT.test(text))) return 'moment';
  return texts.every((text) => JSON_START.test(text) && isJson(text)) ? 'json' : 'text';
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** The value itself, with all its digits; null where there is none. */
export function textOf(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

// Nobody can read more in a line; the whole is shown when it is opened.
const LONGEST = 300;

/** A value in one line: times by the clock of this browser, JSON without its white space, breaks and outer spaces as marks. */
export function lineOf(kind: ValueKind, text: string): string {
  if (kind === 'moment') return localTime(text) ?? visible(text);
  const line = kind === 'json' ? withoutSpace(text.slice(0, LONGEST * 4)) : text;
  const cut = line.length > LONGEST ? `${line.slice(0, LONGEST).toWellFormed()}…` : line;
  return inOneLine(cut.replace(/^ +| +$/g, dots));
}

/** A part of a text: what breaks lines is written as a mark. */
export function inOneLine(text: string): string {
  return visible(text.replaceAll('\r\n', '↵').replaceAll('\n', '↵').replaceAll('\t', '⇥'));
}

function dots(spaces: string): string {
  return '·'.repeat(spaces.length);
}

/** By the clock of this browser; undefined when it is no time. */
export function localTime(text: string): string | undefined {
  if (!MOMENT.test(text)) return undefined;
  const spelled = text.replace(' ', 'T').replace(/([+-]\d\d)$/, '$1:00');
  return Number.isNaN(Date.parse(spelled)) ? undefined : formatMoment(spelled);
}

/** Done on the text: parsing it would round large numbers. */
function withoutSpace(json: string): string {
  return json.replace(/("(?:[^"\\]|\\.)*"?)|\s+/g, (_, inQuotes: string | undefined) => inQuotes ?? '');
}

/** Two texts by what they have in common at both ends and what they have not. */
export interface Difference {
  start: string;
  one: string;
  other: string;
  end: string;
}

export function differenceOf(one: string, other: string): Difference {
  const [left, right] = [Array.from(one), Array.from(other)];
  const most = Math.min(left.length, right.length);
  let start = 0;
  while (start < most && left[start] === right[start]) start++;
  let end = 0;
  while (end < most - start && left.at(-1 - end) === right.at(-1 - end)) end++;
  const middle = (text: readonly string[]): string => text.slice(start, text.length - end).join('');
  return { start: left.slice(0, start).join(''), one: middle(left), other: middle(right), end: left.slice(left.length - end).join('') };
}
