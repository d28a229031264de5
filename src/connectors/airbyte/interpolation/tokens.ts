import { TemplateError } from './failures.ts';
import { pythonEscapes } from './python-text.ts';
import { Float } from './values.ts';

/** A word, a sign or a value within `{{ }}` or `{% %}`. */
export type Token =
  | { readonly kind: 'name'; readonly text: string }
  | { readonly kind: 'sign'; readonly text: string }
  | { readonly kind: 'string'; readonly value: string }
  | { readonly kind: 'number'; readonly value: number | bigint | Float };

/** A piece of a template. */
export type Piece =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'output' | 'tag'; readonly tokens: readonly Token[] };

const LONGEST = 100_000;
const MOST_TOKENS = 20_000;
const OPENING = /\{[{%#][-+]?/g;
const RAW_BEGIN = /\{%[-+]?\s*raw\s*(-?)%\}/y;
const RAW_END = /\{%([-+]?)\s*endraw\s*([-+]?)%\}/g;
const SPACE = /\s+/y;
const FLOAT = /(?:\d+_)*\d+(?:(?:\.(?:\d+_)*\d+)?[eE][-+]?(?:\d+_)*\d+|\.(?:\d+_)*\d+)/y;
const INTEGER = /0[bB](?:_?[01])+|0[oO](?:_?[0-7])+|0[xX](?:_?[\da-fA-F])+|[1-9](?:_?\d)*|0(?:_?0)*/y;
const NAME = /[\p{L}_][\p{L}\p{N}_]*/uy;
const STRING = /'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"/sy;
const SIGN = /\/\/|\*\*|==|!=|<=|>=|[-+/*%~[\](){}<>=.:|,;]/y;
const CLOSING: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{' };

/** Cuts a template into texts, outputs and tags. */
export function piecesOf(template: string): readonly Piece[] {
  if (template.length > LONGEST) throw new TemplateError(`A template has more than ${LONGEST} characters.`, 'Make it shorter.');
  return new Cutter(template.replace(/\r\n?/g, '\n').replace(/\n$/, '')).cut();
}

class Cutter {
  readonly #source: string;
  readonly #pieces: Piece[] = [];
  #at = 0;
  /** A minus at the end of the tag before takes away the spaces that follow. */
  #trimNext = false;
  #tokens = 0;

  constructor(source: string) {
    this.#source = source;
  }

  cut(): readonly Piece[] {
    for (;;) {
      OPENING.lastIndex = this.#at;
      const found = OPENING.exec(this.#source);
      if (!found) break;
      this.#text(this.#source.slice(this.#at, found.index), found[0].endsWith('-'));
      this.#at = found.index;
      if (found[0][1] === '#') this.#comment();
      else if (!this.#raw()) this.#inside(found[0]);
    }
    this.#text(this.#source.slice(this.#at), false);
    return this.#pieces;
  }

  #text(text: string, trimEnd: boolean): void {
    const begun = this.#trimNext ? text.trimStart() : text;
    const kept = trimEnd ? begun.trimEnd() : begun;
    this.#trimNext = false;
    if (kept !== '') this.#pieces.push({ kind: 'text', text: kept });
  }

  #comment(): void {
    const end = this.#source.indexOf('#}', this.#at + 2);
    if (end === -1) throw this.#failed('a {# has no #}');
    this.#trimNext = this.#source[end - 1] === '-';
    this.#at = end + 2;
  }

  #raw(): boolean {
    RAW_BEGIN.lastIndex = this.#at;
    const begin = RAW_BEGIN.exec(this.#source);
    if (!begin) return false;
    RAW_END.lastIndex = RAW_BEGIN.lastIndex;
    const end = RAW_END.exec(this.#source);
    if (!end) throw this.#failed('{% raw %} has no {% endraw %}');
    this.#trimNext = begin[1] === '-';
    this.#text(this.#source.slice(this.#at + begin[0].length, end.index), end[1] === '-');
    this.#trimNext = end[2] === '-';
    this.#at = end.index + end[0].length;
    return true;
  }

  #inside(opening: string): void {
    const isTag = opening[1] === '%';
    const end = isTag ? '%}' : '}}';
    this.#at += opening.length;
    const tokens: Token[] = [];
    const open: string[] = [];
    for (;;) {
      this.#match(SPACE);
      const close = open.length > 0 ? undefined : this.#closing(end, isTag);
      if (close !== undefined) {
        this.#at += close.length;
        this.#trimNext = close.startsWith('-');
        break;
      }
      if (this.#at >= this.#source.length) throw this.#failed(`${opening} has no ${end}`);
      if (++this.#tokens > MOST_TOKENS) throw this.#failed(`it has more than ${MOST_TOKENS} words and signs`);
      const token = this.#token();
      if (token.kind === 'sign') this.#balance(open, token.text);
      tokens.push(token);
    }
    this.#pieces.push({ kind: isTag ? 'tag' : 'output', tokens });
  }

  #closing(end: string, isTag: boolean): string | undefined {
    const signs = isTag ? ['-', '+', ''] : ['-', ''];
    return signs.map((sign) => sign + end).find((close) => this.#source.startsWith(close, this.#at));
  }

  #balance(open: string[], sign: string): void {
    if (sign === '(' || sign === '[' || sign === '{') open.push(sign);
    const opening = CLOSING[sign];
    if (opening !== undefined && open.pop() !== opening) throw this.#failed(`"${sign}" closes what was not opened`);
  }

  #token(): Token {
    const float = this.#match(FLOAT);
    if (float !== undefined) return { kind: 'number', value: new Float(Number(float.replaceAll('_', ''))) };
    const integer = this.#match(INTEGER);
    if (integer !== undefined) {
      const value = BigInt(integer.replaceAll('_', '').replace(/^0+(?=\d)/, ''));
      return { kind: 'number', value: value > Number.MAX_SAFE_INTEGER ? value : Number(value) };
    }
    const name = this.#match(NAME);
    if (name !== undefined) return { kind: 'name', text: name };
    const string = this.#match(STRING);
    if (string !== undefined) return { kind: 'string', value: pythonEscapes(string.slice(1, -1)) ?? string.slice(1, -1) };
    const sign = this.#match(SIGN);
    if (sign !== undefined) return { kind: 'sign', text: sign };
    throw this.#failed(`${JSON.stringify(String.fromCodePoint(this.#source.codePointAt(this.#at) as number))} is not expected`);
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#source)?.[0];
    if (found !== undefined) this.#at += found.length;
    return found;
  }

  #failed(reason: string): TemplateError {
    return templateFailed(this.#source, reason);
  }
}

const SHOWN = 120;

export function templateFailed(template: string, reason: string): TemplateError {
  const shown = template.length > SHOWN ? `${template.slice(0, SHOWN)}…` : template;
  return new TemplateError(`The template ${JSON.stringify(shown)} cannot be used: ${reason}.`);
}
