import { TemplateError, TypeMismatch } from './failures.ts';
import { intArgument, textArgument } from './parameters.ts';
import { formattedByBraces } from './python-format.ts';
import { type Arguments, Dict, isDict, isInt, Tuple, Undefined } from './values.ts';
import { spend, spendOnText } from './work.ts';
import { itemsOf } from './written.ts';

// What texts of Python can do. Positions count characters, not halves of them.

type Method = (text: string, args: readonly unknown[], named: Arguments) => unknown;

const SPACES = /\s/;

/** Texts are cut by characters; most have none that JavaScript counts as two. */
export function charactersOf(text: string): readonly string[] | string {
  return /[\ud800-\udfff]/.test(text) ? Array.from(text) : text;
}

function stripped(text: string, characters: unknown, atStart: boolean, atEnd: boolean): string {
  const given = characters === undefined || characters === null ? undefined : textArgument('strip', characters);
  const isStripped = (character: string): boolean => (given === undefined ? SPACES.test(character) : given.includes(character));
  let [start, end] = [0, text.length];
  if (atStart) while (start < end && isStripped(text[start] as string)) start++;
  if (atEnd) while (end > start && isStripped(text[end - 1] as string)) end--;
  return text.slice(start, end);
}

function split(text: string, args: readonly unknown[], named: Arguments, fromEnd: boolean): string[] {
  const separator = args[0] ?? named.get('sep') ?? null;
  const most = intArgument('split', args[1] ?? named.get('maxsplit'), -1);
  spendOnText(text.length * 4);
  const parts = separator === null ? splitBySpace(text) : splitBy(text, textArgument('split', separator));
  if (most < 0 || parts.length <= most + 1) return parts;
  if (separator === null) return splitBySpaceAtMost(text, most, fromEnd);
  const mark = separator as string;
  if (fromEnd) return [parts.slice(0, parts.length - most).join(mark), ...parts.slice(parts.length - most)];
  return [...parts.slice(0, most), parts.slice(most).join(mark)];
}

function splitBy(text: string, separator: string): string[] {
  if (separator === '') throw new TemplateError('A template splits a text by nothing.', 'Give split() a separator.');
  const parts = text.split(separator);
  spend(parts.length);
  return parts;
}

function splitBySpace(text: string): string[] {
  const parts = stripped(text, undefined, true, true).split(/\s+/);
  spend(parts.length);
  return parts.length === 1 && parts[0] === '' ? [] : parts;
}

function splitBySpaceAtMost(text: string, most: number, fromEnd: boolean): string[] {
  const parts: string[] = [];
  let rest = stripped(text, undefined, true, true);
  while (parts.length < most) {
    const at = fromEnd ? rest.search(/\s\S*$/) : rest.search(/\s/);
    if (at === -1) break;
    parts.push(fromEnd ? rest.slice(at + 1) : rest.slice(0, at));
    rest = fromEnd ? rest.slice(0, at).trimEnd() : rest.slice(at).trimStart();
  }
  return fromEnd ? [rest, ...parts.toReversed()] : [...parts, rest];
}

function found(text: string, args: readonly unknown[], fromEnd: boolean): number {
  const part = textArgument('find', args[0]);
  const [start, end] = bounds(text, args);
  spendOnText(text.length);
  const at = fromEnd ? text.slice(start, end).lastIndexOf(part) : text.slice(start, end).indexOf(part);
  return at === -1 ? -1 : at + start;
}

function bounds(text: string, args: readonly unknown[]): [number, number] {
  const place = (value: unknown, missing: number): number => {
    if (value === undefined || value === null) return missing;
    const at = intArgument('find', value);
    return Math.min(text.length, at < 0 ? Math.max(0, at + text.length) : at);
  };
  return [place(args[1], 0), place(args[2], text.length)];
}

function begins(text: string, args: readonly unknown[], test: (text: string, part: string) => boolean): boolean {
  const [start, end] = bounds(text, args);
  const parts: readonly unknown[] = args[0] instanceof Tuple ? args[0] : [args[0]];
  return parts.some((part) => test(text.slice(start, end), textArgument('startswith', part)));
}

function replaced(text: string, args: readonly unknown[]): string {
  const [from, to] = [textArgument('replace', args[0]), textArgument('replace', args[1])];
  const most = intArgument('replace', args[2], -1);
  spendOnText(text.length);
  const parts = from === '' ? ['', ...Array.from(text), ''] : text.split(from);
  spendOnText(text.length + (parts.length - 1) * to.length);
  if (most < 0 || parts.length <= most + 1) return parts.join(to);
  return parts.slice(0, most + 1).join(to) + from + parts.slice(most + 1).join(from);
}

function joined(text: string, value: unknown): string {
  const items = itemsOf(value).map((item) => (typeof item === 'string' ? item : textArgument('join', item)));
  spendOnText(items.reduce((sum, item) => sum + item.length + text.length, 0));
  return items.join(text);
}

function padded(text: string, args: readonly unknown[], where: 'start' | 'end' | 'both'): string {
  const width = intArgument('just', args[0]);
  const fill = args[1] === undefined ? ' ' : textArgument('just', args[1]);
  if (Array.from(fill).length !== 1) throw new TypeMismatch('a text is filled with one character');
  spendOnText(width);
  const missing = width - text.length;
  if (missing <= 0) return text;
  const left = where === 'start' ? missing : where === 'end' ? 0 : Math.floor(missing / 2) + (missing & width & 1);
  return fill.repeat(left) + text + fill.repeat(missing - left);
}

export function capitalized(text: string): string {
  const [first = '', ...rest] = Array.from(text);
  return first.toUpperCase() + rest.join('').toLowerCase();
}

function partition(text: string, part: unknown, fromEnd: boolean): unknown[] {
  const mark = textArgument('partition', part);
  const at = fromEnd ? text.lastIndexOf(mark) : text.indexOf(mark);
  if (at === -1) return Tuple.from(fromEnd ? ['', '', text] : [text, '', '']);
  return Tuple.from([text.slice(0, at), mark, text.slice(at + mark.length)]);
}

function translated(text: string, table: unknown): string {
  if (!isDict(table)) throw new TypeMismatch('translate needs a dict');
  return Array.from(text, (character) => {
    const to = table instanceof Dict ? table.get(character.codePointAt(0)) : undefined;
    return to === undefined ? character : to === null ? '' : isInt(to) ? String.fromCodePoint(Number(to)) : textArgument('translate', to);
  }).join('');
}

const is =
  (pattern: RegExp): Method =>
  (text) =>
    pattern.test(text);

export const TEXT_METHODS: Readonly<Record<string, Method>> = {
  lower: (text) => text.toLowerCase(),
  upper: (text) => text.toUpperCase(),
  casefold: (text) => text.toLowerCase(),
  capitalize: capitalized,
  title: (text) => text.toLowerCase().replace(/\p{L}+/gu, capitalized),
  swapcase: (text) => text.replace(/\p{L}/gu, (letter) => (letter === letter.toUpperCase() ? letter.toLowerCase() : letter.toUpperCase())),
  strip: (text, [characters]) => stripped(text, characters, true, true),
  lstrip: (text, [characters]) => stripped(text, characters, true, false),
  rstrip: (text, [characters]) => stripped(text, characters, false, true),
  split: (text, args, named) => split(text, args, named, false),
  rsplit: (text, args, named) => split(text, args, named, true),
  splitlines: (text) => text.replace(/\r\n|[\n\r\v\f]$/, '').split(/\r\n|[\n\r\v\f]/),
  partition: (text, [part]) => partition(text, part, false),
  rpartition: (text, [part]) => partition(text, part, true),
  startswith: (text, args) => begins(text, args, (whole, part) => whole.startsWith(part)),
  endswith: (text, args) => begins(text, args, (whole, part) => whole.endsWith(part)),
  removeprefix: (text, [part]) => (text.startsWith(textArgument('removeprefix', part)) ? text.slice((part as string).length) : text),
  removesuffix: (text, [part]) =>
    part !== '' && text.endsWith(textArgument('removesuffix', part)) ? text.slice(0, text.length - (part as string).length) : text,
  replace: (text, args) => replaced(text, args),
  find: (text, args) => found(text, args, false),
  rfind: (text, args) => found(text, args, true),
  index: (text, args) => {
    const at = found(text, args, false);
    if (at === -1) throw new TemplateError('A template looks for a text that is not there.', 'Use find(), which answers -1.');
    return at;
  },
  count: (text, args) => text.split(textArgument('count', args[0])).length - 1,
  join: (text, [value]) => {
    if (value instanceof Undefined) return '';
    return joined(text, value);
  },
  format: (text, args, named) => formattedByBraces(text, args, named),
  zfill: (text, [width]) => {
    const size = intArgument('zfill', width);
    spendOnText(size);
    return text.replace(/^[-+]?/, (sign) => sign + '0'.repeat(Math.max(0, size - text.length)));
  },
  ljust: (text, args) => padded(text, args, 'end'),
  rjust: (text, args) => padded(text, args, 'start'),
  center: (text, args) => padded(text, args, 'both'),
  isdigit: is(/^\p{Nd}+$/u),
  isdecimal: is(/^\p{Nd}+$/u),
  isnumeric: is(/^\p{N}+$/u),
  isalpha: is(/^\p{L}+$/u),
  isalnum: is(/^[\p{L}\p{N}]+$/u),
  isspace: is(/^\s+$/),
  isupper: (text) => text !== text.toLowerCase() && text === text.toUpperCase(),
  islower: (text) => text !== text.toUpperCase() && text === text.toLowerCase(),
  istitle: (text) => /\p{L}/u.test(text) && text === text.toLowerCase().replace(/\p{L}+/gu, capitalized),
  isascii: (text) => !/[^\0-\x7f]/.test(text),
  translate: (text, [table]) => translated(text, table),
  encode: (text) => text,
  expandtabs: (text) => text.replaceAll('\t', '        '),
};
