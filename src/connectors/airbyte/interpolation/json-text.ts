import { TypeMismatch } from './failures.ts';
import { entriesOf, Float, fromOutside, isDict, isFloat, isInt } from './values.ts';
import { spend, spendOnText } from './work.ts';
import { floatText, textOf } from './written.ts';

interface JsonStyle {
  readonly indent?: number | undefined;
  readonly sorted?: boolean;
}

const DEEPEST = 100;

/** JSON as Python writes it: with spaces after commas and colons, and in ASCII. */
export function jsonText(value: unknown, style: JsonStyle = {}): string {
  const text = written(value, style, 0);
  spendOnText(text.length);
  return text;
}

function written(given: unknown, style: JsonStyle, depth: number): string {
  spend(1);
  const value = fromOutside(given);
  if (depth > DEEPEST) throw new TypeMismatch('a value is nested too deeply');
  if (value === null || typeof value === 'boolean') return String(value);
  if (typeof value === 'string') return ascii(value);
  if (isInt(value)) return BigInt(value).toString();
  if (isFloat(value))
    return floatText(value instanceof Float ? value.value : value)
      .replace('nan', 'NaN')
      .replace('inf', 'Infinity');
  if (Array.isArray(value)) {
    return enclosed(
      value.map((item) => written(item, style, depth + 1)),
      '[',
      ']',
      style,
      depth,
    );
  }
  if (!isDict(value)) throw new TypeMismatch('this value cannot be written as JSON');
  const entries = style.sorted ? entriesOf(value).toSorted(([a], [b]) => (textOf(a) < textOf(b) ? -1 : 1)) : entriesOf(value);
  return enclosed(
    entries.map(([key, member]) => `${ascii(keyText(key))}: ${written(member, style, depth + 1)}`),
    '{',
    '}',
    style,
    depth,
  );
}

function enclosed(parts: readonly string[], open: string, close: string, { indent }: JsonStyle, depth: number): string {
  spendOnText(parts.reduce((sum, part) => sum + part.length, 0));
  if (indent === undefined || parts.length === 0) return open + parts.join(', ') + close;
  const margin = (level: number): string => `\n${' '.repeat(Math.min(indent, 20) * level)}`;
  return open + margin(depth + 1) + parts.join(`,${margin(depth + 1)}`) + margin(depth) + close;
}

function keyText(key: unknown): string {
  return typeof key === 'boolean' || key === null ? String(key) : textOf(key);
}

function ascii(text: string): string {
  spendOnText(text.length);
  return JSON.stringify(text).replace(/[^\0-\x7e]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
