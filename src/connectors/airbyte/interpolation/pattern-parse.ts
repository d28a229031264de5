import type { PatternTree } from '../../../lib/pattern-steps.ts';
import { TemplateError } from './failures.ts';

type Test = (point: number) => boolean;

/** What a regular expression says. */
type PythonPatternNode = PatternTree<PythonPatternSingle>;

export type PythonPatternSingle =
  | { readonly kind: 'character'; readonly test: Test }
  | { readonly kind: 'place'; readonly place: 'start' | 'end' | 'line-start' | 'line-end' | 'last' | 'edge' | 'inside' };

export interface ParsedPattern {
  readonly node: PythonPatternNode;
  readonly groups: number;
  readonly names: ReadonlyMap<string, number>;
}

const MOST_CHARACTERS = 2000;
const MOST_REPEATS = 1000;
const DEEPEST = 50;
const isDigit: Test = (point) => /\p{Nd}/u.test(String.fromCodePoint(point));
const isWord: Test = (point) => /[\p{L}\p{N}_]/u.test(String.fromCodePoint(point));
const isSpace: Test = (point) => /\s/.test(String.fromCodePoint(point));
const not =
  (test: Test): Test =>
  (point) =>
    !test(point);
const CLASSES: Readonly<Record<string, Test>> = { d: isDigit, D: not(isDigit), w: isWord, W: not(isWord), s: isSpace, S: not(isSpace) };
const CONTROLS: Readonly<Record<string, number>> = { t: 9, n: 10, v: 11, f: 12, r: 13, a: 7, '0': 0 };
const PLACES: Readonly<Record<string, 'start' | 'last' | 'edge' | 'inside'>> = { A: 'start', Z: 'last', b: 'edge', B: 'inside' };

/** Reads a pattern of Python's; what cannot be matched in linear time is refused by name. */
export function parsePattern(pattern: string): ParsedPattern {
  return new PatternParser(pattern).parse();
}

class PatternParser {
  readonly #pattern: string;
  readonly #points: readonly string[];
  readonly #names = new Map<string, number>();
  #at = 0;
  #groups = 0;
  #depth = 0;
  #ignoreCase = false;
  #dotAll = false;
  #multiline = false;

  constructor(pattern: string) {
    this.#pattern = pattern;
    this.#points = Array.from(pattern);
  }

  parse(): ParsedPattern {
    if (this.#points.length > MOST_CHARACTERS) this.#fail(`it is longer than ${MOST_CHARACTERS} characters`);
    const flags = /^\(\?([aimsu]+)\)/.exec(this.#pattern);
    if (flags) {
      this.#ignoreCase = flags[0].includes('i');
      this.#dotAll = flags[0].includes('s');
      this.#multiline = flags[0].includes('m');
      this.#at = flags[0].length;
    }
    const node = this.#choice();
    if (this.#at < this.#points.length) this.#fail('a ) without a (');
    return { node, groups: this.#groups, names: this.#names };
  }

  #choice(): PythonPatternNode {
    const options = [this.#sequence()];
    while (this.#take('|')) options.push(this.#sequence());
    return options.length === 1 ? (options[0] as PythonPatternNode) : { kind: 'choice', options };
  }

  #sequence(): PythonPatternNode {
    const parts: PythonPatternNode[] = [];
    for (let next = this.#peek(); next !== undefined && next !== '|' && next !== ')'; next = this.#peek())
      parts.push(this.#repeated(this.#atom()));
    return { kind: 'sequence', parts };
  }

  #repeated(part: PythonPatternNode): PythonPatternNode {
    const times = this.#times();
    if (!times) return part;
    const isLazy = this.#take('?');
    if (this.#take('+')) this.#fail('possessive repeats are not supported');
    if (this.#times()) this.#fail('a repeat follows a repeat');
    return { kind: 'repeat', part, least: times[0], most: times[1], isLazy };
  }

  #times(): [number, number] | undefined {
    if (this.#take('*')) return [0, Number.POSITIVE_INFINITY];
    if (this.#take('+')) return [1, Number.POSITIVE_INFINITY];
    if (this.#take('?')) return [0, 1];
    if (this.#peek() !== '{') return undefined;
    const counted = /^\{(\d{0,4})(?:(,)(\d{0,4}))?\}/.exec(this.#points.slice(this.#at, this.#at + 12).join(''));
    if (!counted || (counted[1] === '' && counted[2] === undefined)) return undefined;
    this.#at += counted[0].length;
    const least = Number(counted[1]);
    const most = counted[2] === undefined ? least : counted[3] === '' ? Number.POSITIVE_INFINITY : Number(counted[3]);
    if (least > most || least > MOST_REPEATS || (Number.isFinite(most) && most > MOST_REPEATS))
      this.#fail(`${counted[0]} is no count of up to ${MOST_REPEATS}`);
    return [least, most];
  }

  #atom(): PythonPatternNode {
    const character = this.#next();
    switch (character) {
      case '(':
        return this.#group();
      case '[':
        return this.#class();
      case '.':
        return this.#character(this.#dotAll ? () => true : (point) => point !== 10);
      case '^':
        return { kind: 'place', place: this.#multiline ? 'line-start' : 'start' };
      case '$':
        return { kind: 'place', place: this.#multiline ? 'line-end' : 'end' };
      case '*':
      case '+':
      case '?':
        return this.#fail(`nothing stands before ${character}`);
      case '\\': {
        const place = PLACES[this.#peek() ?? ''];
        if (place) {
          this.#at++;
          return { kind: 'place', place };
        }
        return this.#character(asTest(this.#escape()));
      }
      default:
        return this.#character(only(character.codePointAt(0) as number));
    }
  }

  #group(): PythonPatternNode {
    if (++this.#depth > DEEPEST) this.#fail(`groups are nested deeper than ${DEEPEST}`);
    let index: number | undefined;
    if (this.#take('?')) {
      if (this.#take('P') && this.#take('<')) {
        index = ++this.#groups;
        let name = '';
        for (let letter = this.#next(); letter !== '>'; letter = this.#next()) name += letter;
        this.#names.set(name, index);
      } else if (!this.#take(':')) this.#fail('of groups with (? only (?:…) and (?P<name>…) are supported, and flags at the beginning');
    } else index = ++this.#groups;
    const part = this.#choice();
    if (!this.#take(')')) this.#fail('a ( without a )');
    this.#depth--;
    return index === undefined ? part : { kind: 'group', index, part };
  }

  #class(): PythonPatternNode {
    const isInverted = this.#take('^');
    const tests: Test[] = [];
    for (let isFirst = true; isFirst || this.#peek() !== ']'; isFirst = false) tests.push(this.#range());
    this.#at++;
    const any: Test = (point) => tests.some((test) => test(point));
    const cased: Test = this.#ignoreCase ? (point) => caseless(point).some(any) : any;
    return { kind: 'character', test: isInverted ? not(cased) : cased };
  }

  #range(): Test {
    const from = this.#classItem();
    const isRange = this.#peek() === '-' && this.#points[this.#at + 1] !== ']' && this.#points[this.#at + 1] !== undefined;
    if (!isRange) return asTest(from);
    this.#at++;
    const to = this.#classItem();
    if (typeof from !== 'number' || typeof to !== 'number' || from > to) return this.#fail('a range in [ ] is the wrong way round');
    return (point) => point >= from && point <= to;
  }

  #classItem(): number | Test {
    const character = this.#next();
    if (character !== '\\') return character.codePointAt(0) as number;
    return this.#take('b') ? 8 : this.#escape();
  }

  /** What a backslash makes of the next character. */
  #escape(): number | Test {
    const letter = this.#next();
    const known = CLASSES[letter];
    if (known) return known;
    const control = CONTROLS[letter];
    if (control !== undefined) return control;
    const length = letter === 'x' ? 2 : letter === 'u' ? 4 : 0;
    if (length > 0) {
      const digits = this.#points.slice(this.#at, this.#at + length).join('');
      if (!new RegExp(`^[\\da-fA-F]{${length}}$`).test(digits)) this.#fail(`\\${letter} needs ${length} digits`);
      this.#at += length;
      return Number.parseInt(digits, 16);
    }
    if (/[A-Za-z0-9]/.test(letter)) return this.#fail(`\\${letter} is not supported`);
    return letter.codePointAt(0) as number;
  }

  #character(test: Test): PythonPatternNode {
    return { kind: 'character', test: this.#ignoreCase ? (point) => caseless(point).some(test) : test };
  }

  #peek(): string | undefined {
    return this.#points[this.#at];
  }

  #next(): string {
    return this.#points[this.#at++] ?? this.#fail('it ends too early');
  }

  #take(character: string): boolean {
    if (this.#peek() !== character) return false;
    this.#at++;
    return true;
  }

  #fail(reason: string): never {
    throw new TemplateError(
      `The pattern ${JSON.stringify(this.#pattern.slice(0, 100))} cannot be used: ${reason}.`,
      'Write the pattern in another way.',
    );
  }
}

function only(wanted: number): Test {
  return (point) => point === wanted;
}

function asTest(item: number | Test): Test {
  return typeof item === 'number' ? only(item) : item;
}

function caseless(point: number): number[] {
  const character = String.fromCodePoint(point);
  return [point, character.toLowerCase().codePointAt(0) as number, character.toUpperCase().codePointAt(0) as number];
}
