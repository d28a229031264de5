// V8 tells of some texts where they stop being JSON, and of others not. A sender with a line of a million characters wants to know the place.

/** Where a text stops being JSON, and what is wrong there. */
export interface JsonFault {
  /** How many characters come before it. */
  at: number;
  /** Such as `unexpected "x", where a value has to be`. */
  what: string;
}

const SPACES = new Set([' ', '\t', '\n', '\r']);
const ESCAPES = new Set('"\\/bfnrt');
const LITERALS = ['true', 'false', 'null'];
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const HEX = /[0-9a-fA-F]/;

/** What has to come next. */
type Due = 'value' | 'value or ]' | 'name' | 'name or }' | 'colon' | 'comma' | 'end';

const DUE_WORDS: Readonly<Record<Due, string>> = {
  value: 'a value has to be',
  'value or ]': 'a value or ] has to be',
  name: 'the name of a member, in quotation marks, has to be',
  'name or }': 'the name of a member, in quotation marks, or } has to be',
  colon: 'a colon has to be',
  comma: 'a comma or the end of the object or array has to be',
  end: 'the text has to end',
};

/** The first fault of a text that is not JSON; undefined when it is JSON. */
export function jsonFault(text: string): JsonFault | undefined {
  const open: ('{' | '[')[] = [];
  let due: Due = 'value';
  let at = 0;
  const behindValue = (): Due => (open.length === 0 ? 'end' : 'comma');
  for (;;) {
    while (SPACES.has(text.charAt(at))) at++;
    if (at >= text.length) return due === 'end' ? undefined : { at, what: `the text ends where ${DUE_WORDS[due]}` };
    const sign = text.charAt(at);
    const isValueDue: boolean = due === 'value' || due === 'value or ]';
    if ((due === 'name or }' || due === 'comma') && sign === '}' && open.at(-1) === '{') {
      open.pop();
      due = behindValue();
      at++;
    } else if ((due === 'value or ]' || due === 'comma') && sign === ']' && open.at(-1) === '[') {
      open.pop();
      due = behindValue();
      at++;
    } else if (due === 'comma' && sign === ',') {
      due = open.at(-1) === '{' ? 'name' : 'value';
      at++;
    } else if (due === 'colon' && sign === ':') {
      due = 'value';
      at++;
    } else if (sign === '"' && (isValueDue || due === 'name' || due === 'name or }')) {
      const end = endOfString(text, at);
      if (typeof end !== 'number') return end;
      due = isValueDue ? behindValue() : 'colon';
      at = end;
    } else if (isValueDue && (sign === '{' || sign === '[')) {
      open.push(sign);
      due = sign === '{' ? 'name or }' : 'value or ]';
      at++;
    } else if (isValueDue) {
      const end = endOfScalar(text, at);
      if (typeof end !== 'number') return end ?? { at, what: unexpected(text, at, DUE_WORDS[due]) };
      due = behindValue();
      at = end;
    } else return { at, what: unexpected(text, at, DUE_WORDS[due]) };
  }
}

/** The place behind a string that begins here. */
function endOfString(text: string, start: number): number | JsonFault {
  for (let at = start + 1; at < text.length; at++) {
    const sign = text.charAt(at);
    if (sign === '"') return at + 1;
    if (sign < ' ') return { at, what: `a character (${hexOf(sign)}) that has to be written as an escape within a text` };
    if (sign !== '\\') continue;
    at++;
    if (text.charAt(at) === 'u') {
      for (let n = 0; n < 4; n++) {
        at++;
        if (at < text.length && !HEX.test(text.charAt(at))) return { at, what: unexpected(text, at, 'four hexadecimal digits have to be') };
      }
    } else if (at < text.length && !ESCAPES.has(text.charAt(at))) return { at, what: unexpected(text, at, 'an escape has to be') };
  }
  return { at: text.length, what: 'the text ends within a string' };
}

/** The place behind a number, true, false or null that begins here; undefined when none does. */
function endOfScalar(text: string, start: number): number | JsonFault | undefined {
  for (const literal of LITERALS) {
    let length = 0;
    while (length < literal.length && text.charAt(start + length) === literal.charAt(length)) length++;
    if (length === literal.length) return start + length;
    if (length > 0) return broken(text, start + length, literal);
  }
  NUMBER.lastIndex = start;
  const number = NUMBER.exec(text)?.[0];
  if (number === undefined) return text.charAt(start) === '-' ? broken(text, start + 1, 'a number') : undefined;
  // A point or an exponent without digits is none of the number.
  const rest = /^(?:\.|[eE][+-]?)/.exec(text.slice(start + number.length, start + number.length + 2))?.[0] ?? '';
  const hasMore = rest === '.' ? !/[.eE]/.test(number) : rest !== '' && !/[eE]/.test(number);
  return hasMore ? broken(text, start + number.length + rest.length, 'a number') : start + number.length;
}

function broken(text: string, at: number, what: string): JsonFault {
  return { at, what: at >= text.length ? `the text ends within ${what}` : `unexpected ${shown(text, at)} within ${what}` };
}

function unexpected(text: string, at: number, where: string): string {
  return `unexpected ${shown(text, at)}, where ${where}`;
}

/** A character as it can be read in an error. */
function shown(text: string, at: number): string {
  const sign = String.fromCodePoint(text.codePointAt(at) ?? 0);
  return /^[\p{L}\p{N}\p{P}\p{S}]$/u.test(sign) ? `"${sign}"` : hexOf(sign);
}

function hexOf(sign: string): string {
  return `U+${(sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}
