import type { FilterGiven, TemplateFilter } from './filter.ts';
import { CODE_FILTERS } from './filters-of-airbyte.ts';
import { TypeMismatch } from './failures.ts';
import { LIST_FILTERS } from './filters-of-lists.ts';
import { bound, intArgument, textArgument } from './parameters.ts';
import { formatted } from './python-format.ts';
import { capitalized, TEXT_METHODS } from './text-methods.ts';
import { entriesOf, Float, isDict, isFloat, isInt, isNumeric, numberOf, sizeOfDict, Tuple, Undefined } from './values.ts';
import { spend, spendOnText } from './work.ts';
import { isTruthy, textOf } from './written.ts';

function withDefault(value: unknown, given: FilterGiven): unknown {
  const [missing, alsoFalse] = bound('default', ['default_value', 'boolean'], given.args, given.named);
  const isMissing = value instanceof Undefined || (alsoFalse !== undefined && isTruthy(alsoFalse) && !isTruthy(value));
  return isMissing ? (missing === undefined ? '' : missing) : value;
}

function toInt(value: unknown, given: FilterGiven): unknown {
  const [missing, base] = bound('int', ['default', 'base'], given.args, given.named);
  if (value instanceof Undefined) value.use();
  if (isInt(value)) return value;
  if (isNumeric(value)) return Number.isFinite(numberOf(value)) ? Math.trunc(numberOf(value)) : missing === undefined ? 0 : missing;
  const whole = typeof value === 'string' ? wholeNumber(value.trim(), intArgument('int', base, 10)) : undefined;
  if (whole !== undefined) return whole;
  const float = typeof value === 'string' ? floatNumber(value) : undefined;
  return float !== undefined && Number.isFinite(float) ? Math.trunc(float) : missing === undefined ? 0 : missing;
}

function wholeNumber(text: string, base: number): number | bigint | undefined {
  if (base === 10) {
    if (!/^[-+]?\d+(?:_\d+)*$/.test(text) || text.length > 4300) return undefined;
    const value = BigInt(text.replace('+', '').replaceAll('_', ''));
    return value > Number.MAX_SAFE_INTEGER || value < Number.MIN_SAFE_INTEGER ? value : Number(value);
  }
  const digits = text.toLowerCase().replace(base === 16 ? /^0x/ : base === 8 ? /^0o/ : base === 2 ? /^0b/ : /^$/, '');
  const value = Number.parseInt(digits, base);
  return value.toString(base) === digits.replace(/^0+(?=.)/, '') ? value : undefined;
}

function floatNumber(text: string): number | undefined {
  const plain = text.trim().replace(/(?<=\d)_(?=\d)/g, '');
  if (/^[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?$/.test(plain)) return Number(plain);
  const special = /^([-+])?(?:inf|infinity|(nan))$/i.exec(plain);
  if (!special) return undefined;
  return special[2] ? Number.NaN : special[1] === '-' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
}

function toFloat(value: unknown, given: FilterGiven): unknown {
  const [missing] = bound('float', ['default'], given.args, given.named);
  if (value instanceof Undefined) value.use();
  if (isNumeric(value)) return new Float(numberOf(value));
  const number = typeof value === 'string' ? floatNumber(value) : undefined;
  return number === undefined ? (missing === undefined ? new Float(0) : missing) : new Float(number);
}

function rounded(value: unknown, given: FilterGiven): unknown {
  const [precision, method] = bound('round', ['precision', 'method'], given.args, given.named);
  if (!isNumeric(value)) throw new TypeMismatch('only a number can be rounded');
  const places = intArgument('round', precision, 0);
  const factor = 10 ** places;
  const number = numberOf(value);
  if (method === 'ceil') return new Float(Math.ceil(number * factor) / factor);
  if (method === 'floor') return new Float(Math.floor(number * factor) / factor);
  if (isInt(value)) return value;
  if (places > 0) return new Float(Number(number.toFixed(Math.min(places, 100))));
  // Halves go to the even neighbour.
  const scaled = number * factor;
  const nearest = Math.abs(scaled % 1) === 0.5 ? 2 * Math.round(scaled / 2) : Math.round(scaled);
  return new Float(nearest / factor);
}

function length(value: unknown): number {
  if (typeof value === 'string') return /[\ud800-\udfff]/.test(value) ? Array.from(value).length : value.length;
  if (Array.isArray(value)) return value.length;
  if (value instanceof Undefined) return 0;
  if (isDict(value)) return sizeOfDict(value);
  throw new TypeMismatch('this value has no length');
}

/** Without tags and comments, and with one space where there were several. */
function withoutTags(text: string): string {
  let kept = '';
  let at = 0;
  for (let start = text.indexOf('<'); start !== -1; start = text.indexOf('<', at)) {
    const end = text.startsWith('<!--', start) ? text.indexOf('-->', start) + 2 : text.indexOf('>', start);
    if (end < start) break;
    kept += text.slice(at, start);
    at = end + 1;
    spend(1);
  }
  return (kept + text.slice(at)).split(/\s+/).filter(Boolean).join(' ');
}

const HTML: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', "'": '&#39;', '"': '&#34;' };

function escaped(value: unknown): string {
  return textOf(value).replace(/[&<>'"]/g, (sign) => HTML[sign] as string);
}

function urlEncoded(value: unknown): string {
  const quote = (part: unknown, safe: RegExp): string =>
    encodeURIComponent(textOf(part).toWellFormed())
      .replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)
      .replace(safe, '/');
  if (typeof value === 'string' || isNumeric(value) || value === null || value instanceof Undefined) return quote(value, /%2F/g);
  const pairs = isDict(value) ? entriesOf(value) : Array.isArray(value) ? (value as [unknown, unknown][]) : [];
  return pairs.map(([key, member]) => [key, member].map((part) => quote(part, /(?!)/).replaceAll('%20', '+')).join('=')).join('&');
}

function truncated(value: unknown, given: FilterGiven): string {
  const [size, killWords, end, leeway] = bound('truncate', ['length', 'killwords', 'end', 'leeway'], given.args, given.named);
  const text = textOf(value);
  const most = intArgument('truncate', size, 255);
  const ending = end === undefined ? '...' : textArgument('truncate', end);
  if (text.length <= most + intArgument('truncate', leeway, 5)) return text;
  const cut = text.slice(0, most - ending.length);
  if (killWords === true) return cut + ending;
  const space = cut.lastIndexOf(' ');
  return (space === -1 ? cut : cut.slice(0, space)) + ending;
}

function indented(value: unknown, given: FilterGiven): string {
  const [width, first, blank] = bound('indent', ['width', 'first', 'blank'], given.args, given.named);
  const margin = typeof width === 'string' ? width : ' '.repeat(Math.min(intArgument('indent', width, 4), 1000));
  const lines = textOf(value).split('\n');
  spendOnText(lines.length * margin.length);
  return lines.map((line, i) => ((i === 0 && first !== true) || (line === '' && blank !== true) ? line : margin + line)).join('\n');
}

const text =
  (method: string): TemplateFilter =>
  (value, { args, named }) =>
    (TEXT_METHODS[method] as (typeof TEXT_METHODS)[string])(textOf(value), args, named);

const TEXT_FILTERS: Readonly<Record<string, TemplateFilter>> = {
  lower: text('lower'),
  upper: text('upper'),
  capitalize: (value) => capitalized(textOf(value)),
  title: (value) => textOf(value).replace(/[^-\s([{<]+/g, (word) => capitalized(word)),
  trim: (value, { args, named }) => text('strip')(value, { args: bound('trim', ['chars'], args, named) } as unknown as FilterGiven),
  replace: (value, { args, named }) => {
    const [old, fresh, count] = bound('replace', ['old', 'new', 'count'], args, named);
    const most = count === null ? undefined : count;
    return (TEXT_METHODS.replace as (typeof TEXT_METHODS)[string])(textOf(value), [textOf(old), textOf(fresh), most], new Map());
  },
  center: (value, { args }) => (TEXT_METHODS.center as (typeof TEXT_METHODS)[string])(textOf(value), [args[0] ?? 80], new Map()),
  format: (value, { args, named }) => formatted(textOf(value), named.size > 0 ? Object.fromEntries(named) : Tuple.from(args)),
  wordcount: (value) => textOf(value).match(/\w+/g)?.length ?? 0,
  striptags: (value) => withoutTags(textOf(value)),
  truncate: truncated,
  indent: indented,
  escape: escaped,
  e: escaped,
  forceescape: escaped,
  safe: (value) => textOf(value),
  urlencode: urlEncoded,
};

const VALUE_FILTERS: Readonly<Record<string, TemplateFilter>> = {
  default: withDefault,
  d: withDefault,
  int: toInt,
  float: toFloat,
  round: rounded,
  abs: (value) => {
    if (!isNumeric(value)) throw new TypeMismatch('only a number has a size');
    return isFloat(value)
      ? new Float(Math.abs(numberOf(value)))
      : typeof value === 'bigint' && value < 0n
        ? -value
        : Math.abs(Number(value));
  },
  length,
  count: length,
};

export const FILTERS: ReadonlyMap<string, TemplateFilter> = new Map(
  Object.entries({ ...VALUE_FILTERS, ...TEXT_FILTERS, ...LIST_FILTERS, ...CODE_FILTERS }),
);
