import { parseNamed } from '../lib/json-names.ts';

// Texts that are to be found nowhere any more, taken out of what has them. One in quotes is meant as a whole string of JSON.

/** What stands where one of them was. */
export const GONE = 'erased';

/** Names of members that we give. What comes from outside has capital letters, dots, spaces or an @ in it, or is no name. */
const OUR_NAME = /^[a-z][a-z0-9_]*$/;

export function textWithout(text: string, texts: readonly string[]): string {
  return texts.reduce((left, one) => left.replaceAll(one, one.startsWith('"') ? `"${GONE}"` : GONE), text);
}

/**
 * JSON stays JSON, with the members and the numbers that it had: whose number is 10000 is not every 10000, and who is called "price" must not take the prices along.
 * Digits stay as they were written.
 */
export function jsonWithout(json: string, texts: readonly string[]): string {
  const wholes = new Set(texts.filter((text) => text.startsWith('"')));
  const left = (text: string): string => (wholes.has(JSON.stringify(text)) ? GONE : textWithout(text, texts));
  const walk = (value: unknown): unknown => {
    if (typeof value === 'string') return left(value);
    if (typeof value !== 'object' || value === null || JSON.isRawJSON(value)) return value;
    if (Array.isArray(value)) return value.map(walk);
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [OUR_NAME.test(name) ? name : left(name), walk(member)]));
  };
  return JSON.stringify(walk(parseNamed(json, JSON.rawJSON)));
}
