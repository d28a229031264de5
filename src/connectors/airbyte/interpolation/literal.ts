import { pythonEscapes } from './python-text.ts';
import { Dict, Float, Tuple } from './values.ts';
import { spend } from './work.ts';

// A rendered text that is written like a value of Python is that value: "12" is a number, "['a']" a list. Anything else
// stays the text that it is.

const DEEPEST = 60;
const FLOAT = /(?:(?:\d+(?:_\d+)*)?\.\d+(?:_\d+)*|\d+(?:_\d+)*\.?)[eE][-+]?\d+(?:_\d+)*|(?:\d+(?:_\d+)*)?\.\d+(?:_\d+)*|\d+(?:_\d+)*\./y;
const INTEGER = /0[xX](?:_?[\da-fA-F])+|0[oO](?:_?[0-7])+|0[bB](?:_?[01])+|[1-9](?:_?\d)*|0(?:_?0)*/y;
const STRING =
  /([uU]|[rR])?("""(?:[^\\]|\\[\s\S])*?"""|'''(?:[^\\]|\\[\s\S])*?'''|"[^"\\\n]*(?:\\[\s\S][^"\\\n]*)*"|'[^'\\\n]*(?:\\[\s\S][^'\\\n]*)*')/y;
const WORD = /[\p{L}_][\p{L}\p{N}_]*/uy;
/** The only characters with which a literal can begin, so that most texts are done with at once. */
const BEGINNING = /^[ \t\n\f]*[-+.\d'"[({TFNrRuUs#]/;
/** Python refuses ints with more digits. */
const MOST_DIGITS = 4300;
/** Longer texts stay texts. */
const LONGEST = 4 * 1024 * 1024;

/** No literal: thrown and caught in this file only. */
const NONE = Symbol('no literal');

/** The value that a text is written as; undefined when it is none. */
export function literalOf(text: string): unknown {
  if (text.length > LONGEST || !BEGINNING.test(text) || text.includes('\0')) return undefined;
  try {
    return new LiteralReader(text.replace(/^[ \t]+/, '')).read();
  } catch (error) {
    if (error === NONE) return undefined;
    throw error;
  }
}

class LiteralReader {
  readonly #text: string;
  #at = 0;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
  }

  read(): unknown {
    // Empty lines may come first, but no indented one.
    while (/[\n#]/.test(this.#text[this.#at] ?? '')) this.#line();
    if (/[ \t]/.test(this.#text[this.#at] ?? '') && this.#at > 0) throw NONE;
    const value = this.#items(false);
    for (this.#spaces(); this.#at < this.#text.length; this.#spaces()) {
      if (!/[\n#]/.test(this.#text[this.#at] as string)) throw NONE;
      this.#line();
    }
    return value;
  }

  /** Past a comment and the end of its line. */
  #line(): void {
    const end = this.#text.indexOf('\n', this.#at);
    this.#at = end === -1 ? this.#text.length : end + 1;
  }

  #spaces(): void {
    for (let code = this.#text.charCodeAt(this.#at); code === 32 || code === 9 || code === 12; code = this.#text.charCodeAt(this.#at))
      this.#at++;
    if (this.#text.startsWith('\\\n', this.#at)) {
      this.#at += 2;
      this.#spaces();
    }
  }

  /** Within brackets lines may end anywhere. */
  #skip(isInside: boolean): void {
    this.#spaces();
    if (!isInside) return;
    for (let sign = this.#text[this.#at]; sign === '\n' || sign === '#'; sign = this.#text[this.#at]) {
      this.#line();
      this.#spaces();
    }
  }

  /** One value, or a tuple when commas follow. */
  #items(isInside: boolean): unknown {
    const first = this.#value(isInside);
    this.#skip(isInside);
    if (this.#text[this.#at] !== ',') return first;
    const items: unknown[] = [first];
    while (this.#take(',')) {
      this.#skip(isInside);
      if (!this.#beginsValue()) break;
      items.push(this.#value(isInside));
      this.#skip(isInside);
    }
    return Tuple.from(items);
  }

  #beginsValue(): boolean {
    const next = this.#text[this.#at];
    return next !== undefined && !/[)\n#]/.test(next);
  }

  #value(isInside: boolean): unknown {
    spend(2);
    this.#skip(isInside);
    const sign = this.#text[this.#at] ?? '';
    if (sign === '-' || sign === '+') return this.#signed(sign);
    if (/[.\d]/.test(sign)) return this.#number();
    if (sign === '[') return this.#bracket(']', () => this.#list(']'));
    if (sign === '(') return this.#bracket(')', () => this.#tuple());
    if (sign === '{') return this.#bracket('}', () => this.#braces());
    return this.#strings(isInside) ?? this.#word();
  }

  #signed(sign: string): unknown {
    this.#at++;
    this.#spaces();
    if (this.#text[this.#at] === '(') {
      return this.#bracket(')', () => {
        this.#skip(true);
        return sign === '-' ? negated(this.#number()) : this.#number();
      });
    }
    const value = this.#number();
    return sign === '-' ? negated(value) : value;
  }

  #number(): number | bigint | Float {
    const float = this.#match(FLOAT);
    const digits = float === undefined ? this.#match(INTEGER) : undefined;
    if ((float === undefined && digits === undefined) || /[\p{L}\p{N}_.]/u.test(this.#text[this.#at] ?? '')) throw NONE;
    if (float !== undefined) return finite(Number(float.replaceAll('_', '')));
    const plain = (digits as string).replaceAll('_', '');
    if (plain.length > MOST_DIGITS) throw NONE;
    const value = BigInt(plain.replace(/^0+(?=\d)/, ''));
    return value > Number.MAX_SAFE_INTEGER ? value : Number(value);
  }

  #bracket<T>(end: string, inside: () => T): T {
    if (++this.#depth > DEEPEST) throw NONE;
    this.#at++;
    const value = inside();
    this.#skip(true);
    if (!this.#take(end)) throw NONE;
    this.#depth--;
    return value;
  }

  #tuple(): unknown {
    this.#skip(true);
    return this.#text[this.#at] === ')' ? new Tuple() : this.#items(true);
  }

  #list(end: string): unknown[] {
    const items: unknown[] = [];
    for (this.#skip(true); this.#text[this.#at] !== end; this.#skip(true)) {
      items.push(this.#value(true));
      this.#skip(true);
      if (!this.#take(',') && this.#text[this.#at] !== end) throw NONE;
    }
    return items;
  }

  /** A dict, or a set, which is a list to us. */
  #braces(): unknown {
    this.#skip(true);
    if (this.#text[this.#at] === '}') return new Dict();
    const first = this.#value(true);
    this.#skip(true);
    if (this.#text[this.#at] !== ':') return this.#set(first);
    const dict = new Dict();
    let key = first;
    for (;;) {
      if (!this.#take(':')) throw NONE;
      setMember(dict, key, this.#value(true));
      this.#skip(true);
      if (!this.#take(',')) return dict;
      this.#skip(true);
      if (this.#text[this.#at] === '}') return dict;
      key = this.#value(true);
      this.#skip(true);
    }
  }

  #set(first: unknown): unknown[] {
    const items = [first];
    while (this.#take(',')) {
      this.#skip(true);
      if (this.#text[this.#at] === '}') break;
      items.push(this.#value(true));
      this.#skip(true);
    }
    if (items.some((item) => (Array.isArray(item) && !(item instanceof Tuple)) || item instanceof Dict)) throw NONE;
    return [...new Set(items)];
  }

  /** Texts that follow each other are one. */
  #strings(isInside: boolean): string | undefined {
    let whole: string | undefined;
    for (;;) {
      STRING.lastIndex = this.#at;
      const found = STRING.exec(this.#text);
      if (!found) return whole;
      this.#at += found[0].length;
      const quoted = found[2] as string;
      const marks = /^("""|''')/.test(quoted) ? 3 : 1;
      const inner = quoted.slice(marks, -marks);
      const text = /r/i.test(found[1] ?? '') ? inner : pythonEscapes(inner);
      if (text === undefined) throw NONE;
      whole = (whole ?? '') + text;
      this.#skip(isInside);
    }
  }

  #word(): unknown {
    const word = this.#match(WORD);
    if (word === 'True') return true;
    if (word === 'False') return false;
    if (word === 'None') return null;
    if (word === 'set' && /^\s*\(\s*\)/.test(this.#text.slice(this.#at, this.#at + 20))) {
      this.#at = this.#text.indexOf(')', this.#at) + 1;
      return [];
    }
    throw NONE;
  }

  #take(sign: string): boolean {
    if (this.#text[this.#at] !== sign) return false;
    this.#at++;
    return true;
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    if (found !== undefined) this.#at += found.length;
    return found;
  }
}

/** JSON has no infinity: such a text stays one. */
function finite(value: number): Float {
  if (!Number.isFinite(value)) throw NONE;
  return new Float(value);
}

function setMember(dict: Dict, key: unknown, value: unknown): void {
  if ((Array.isArray(key) && !(key instanceof Tuple)) || key instanceof Dict) throw NONE;
  dict.set(key, value);
}

function negated(value: number | bigint | Float): number | bigint | Float {
  return value instanceof Float ? new Float(-value.value) : value === 0 ? 0 : -value;
}
