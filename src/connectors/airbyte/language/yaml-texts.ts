import type { YamlCursor } from './yaml-cursor.ts';

// The texts of YAML: plain, in quotation marks, and in blocks after `|` or `>`.

const ESCAPES: Readonly<Record<string, string>> = {
  '0': '\0',
  a: '\x07',
  b: '\b',
  t: '\t',
  '\t': '\t',
  n: '\n',
  v: '\v',
  f: '\f',
  r: '\r',
  e: '\x1b',
  ' ': ' ',
  '"': '"',
  '\\': '\\',
  '/': '/',
  N: '\x85',
  _: '\xa0',
  L: '\u2028',
  P: '\u2029',
};
const CODE_LENGTHS: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 };
/** Ends a part of a plain text, outside and inside of brackets. */
const PLAIN_END = /[\n\t ]|:(?=[\s]|$)/g;
const PLAIN_END_INSIDE = /[\n\t ,?[\]{}]|:(?=[\s,[\]{}]|$)/g;

/** A plain text that begins here. `indent` is the column of the collection around it. */
export function plainText(cursor: YamlCursor, indent: number, isInside: boolean): string {
  let text = '';
  let between = '';
  const pattern = isInside ? PLAIN_END_INSIDE : PLAIN_END;
  for (;;) {
    pattern.lastIndex = cursor.at;
    const found = pattern.exec(cursor.text);
    const end = found ? found.index : cursor.text.length;
    if (end === cursor.at || cursor.peek() === '#') break;
    text += between + cursor.text.slice(cursor.at, end);
    cursor.at = end;
    const place = cursor.place;
    between = foldedSpace(cursor);
    const isOver = between === '' || cursor.atEnd || cursor.peek() === '#' || cursor.isMarker();
    if (isOver || (!isInside && cursor.line > place.line && cursor.column <= indent)) {
      cursor.goTo(place);
      break;
    }
    pattern.lastIndex = cursor.at;
    const next = pattern.exec(cursor.text);
    if (next?.index === cursor.at) {
      cursor.goTo(place);
      break;
    }
  }
  return text;
}

/** Past spaces and line breaks, and what they become: one break is a space, more are one less. */
function foldedSpace(cursor: YamlCursor): string {
  const start = cursor.at;
  cursor.skipSpaces();
  if (cursor.peek() !== '\n') return cursor.text.slice(start, cursor.at);
  let breaks = 0;
  while (cursor.peek() === '\n') {
    cursor.newLine();
    breaks++;
    cursor.skipSpaces();
  }
  return breaks === 1 ? ' ' : '\n'.repeat(breaks - 1);
}

/** A text in quotation marks that begins here. */
export function quotedText(cursor: YamlCursor): string {
  const mark = cursor.peek();
  const began = cursor.line;
  cursor.at++;
  let text = '';
  for (;;) {
    const start = cursor.at;
    let character = cursor.peek();
    while (character !== mark && character !== '\\' && character !== '\n' && character !== ' ' && character !== '\t' && character !== '') {
      cursor.at++;
      character = cursor.peek();
    }
    text += cursor.text.slice(start, cursor.at);
    if (character === '') cursor.fail(`the text in ${mark} that begins in line ${began} has no end`);
    if (character === mark) {
      cursor.at++;
      if (mark === '"' || cursor.peek() !== mark) return text;
      cursor.at++;
      text += mark;
    } else if (character === '\\') {
      text += mark === '"' ? escaped(cursor) : '\\';
      if (mark === "'") cursor.at++;
    } else {
      text += foldedSpace(cursor);
      if (cursor.isMarker()) cursor.fail(`the text in ${mark} that begins in line ${began} has no end`);
    }
  }
}

function escaped(cursor: YamlCursor): string {
  const letter = cursor.peek(1);
  cursor.at += 2;
  if (letter === '\n') {
    // The end of the line is left out, and so are the spaces that begin the next.
    cursor.at--;
    cursor.newLine();
    let breaks = '';
    cursor.skipSpaces();
    while (cursor.peek() === '\n') {
      cursor.newLine();
      breaks += '\n';
      cursor.skipSpaces();
    }
    return breaks;
  }
  const known = ESCAPES[letter];
  if (known !== undefined) return known;
  const length = CODE_LENGTHS[letter];
  const digits = length === undefined ? '' : cursor.text.slice(cursor.at, cursor.at + length);
  const code = Number.parseInt(digits, 16);
  if (digits.length !== length || !/^[0-9a-fA-F]+$/.test(digits) || code > 0x10ffff)
    cursor.fail(`"\\${letter}" is not known in a text in quotation marks`, 'Write \\\\ for a backslash, or use single quotation marks.');
  cursor.at += digits.length;
  return code > 0xffff ? String.fromCodePoint(code) : String.fromCharCode(code);
}

/** A text in a block, which begins here with `|` or `>`. `indent` is the column of the collection around it. */
export function blockText(cursor: YamlCursor, indent: number): string {
  const isFolded = cursor.peek() === '>';
  cursor.at++;
  const header = /[-+0-9]{0,2}/y;
  header.lastIndex = cursor.at;
  const signs = header.exec(cursor.text)?.[0] ?? '';
  cursor.at += signs.length;
  const digit = /[1-9]/.exec(signs)?.[0];
  cursor.skipSpaces();
  if (cursor.peek() === '#') cursor.skipLine();
  if (!cursor.atEnd && cursor.peek() !== '\n') cursor.fail('only +, - or a digit may follow | or > on its line');
  if (!cursor.atEnd) cursor.newLine();
  const least = Math.max(indent + 1, 1);
  const first = digit === undefined ? leadingBreaks(cursor) : { breaks: '', widest: 0 };
  const margin = digit === undefined ? Math.max(least, first.widest) : least + Number(digit) - 1;
  let breaks = first.breaks + marginBreaks(cursor, margin);
  let text = '';
  let ending = '';
  while (cursor.column === margin && !cursor.atEnd) {
    text += breaks;
    const isText = !/[ \t]/.test(cursor.peek());
    const start = cursor.at;
    cursor.skipLine();
    text += cursor.text.slice(start, cursor.at);
    ending = cursor.atEnd ? '' : '\n';
    if (!cursor.atEnd) cursor.newLine();
    breaks = marginBreaks(cursor, margin);
    if (cursor.column !== margin || cursor.atEnd) break;
    if (!isFolded || !isText || /[ \t]/.test(cursor.peek())) text += ending;
    else if (breaks === '') text += ' ';
  }
  if (!signs.includes('-')) text += ending;
  if (signs.includes('+')) text += breaks;
  stepBack(cursor);
  return text;
}

/** Empty lines before the text, and the widest indentation among them and the first line. */
function leadingBreaks(cursor: YamlCursor): { breaks: string; widest: number } {
  let breaks = '';
  let widest = 0;
  for (;;) {
    while (cursor.peek() === ' ') cursor.at++;
    widest = Math.max(widest, cursor.column);
    if (cursor.peek() !== '\n') return { breaks, widest };
    cursor.newLine();
    breaks += '\n';
  }
}

function marginBreaks(cursor: YamlCursor, margin: number): string {
  let breaks = '';
  for (;;) {
    while (cursor.column < margin && cursor.peek() === ' ') cursor.at++;
    if (cursor.peek() !== '\n') return breaks;
    cursor.newLine();
    breaks += '\n';
  }
}

/** To the end of the line before, so that the reader sees that a line has ended. */
function stepBack(cursor: YamlCursor): void {
  if (cursor.atEnd && cursor.column > 0) return;
  const { at, line, lineStart } = cursor.place;
  if (lineStart === 0) return;
  const before = lineStart - 1;
  cursor.goTo({ at: before, line: line - 1, lineStart: at === before ? lineStart : cursor.text.lastIndexOf('\n', before - 1) + 1 });
}
