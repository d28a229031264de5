import type { PatternTree } from '../../lib/pattern-steps.ts';
import { ExpressionError } from './values.ts';

/** What a regular expression says. */
export type PatternNode = PatternTree<PatternSingle>;

export type PatternSingle =
  /** `cost` is about how many comparisons the test makes. */
  | { readonly kind: 'character'; readonly test: (point: number) => boolean; readonly cost: number }
  | { readonly kind: 'place'; readonly place: 'start' | 'end' | 'edge' | 'inside' };

type Test = (point: number) => boolean;

const MOST_REPEATS = 1000;
const MOST_GROUPS = 100;
const MOST_CHARACTERS = 1000;
/** What it costs to find the other case of a character, in comparisons. */
const CASELESS = 10;

const isDigit: Test = (point) => point >= 0x30 && point <= 0x39;
const isWord: Test = (point) => isDigit(point) || (point >= 0x41 && point <= 0x5a) || (point >= 0x61 && point <= 0x7a) || point === 0x5f;
const isSpace: Test = (point) => point === 0x20 || (point >= 0x09 && point <= 0x0d);
const not =
  (test: Test): Test =>
  (point) =>
    !test(point);
const CLASSES: Readonly<Record<string, Test>> = { d: isDigit, D: not(isDigit), w: isWord, W: not(isWord), s: isSpace, S: not(isSpace) };
const CONTROLS: Readonly<Record<string, number>> = { t: 0x09, n: 0x0a, r: 0x0d, f: 0x0c, v: 0x0b };

/** Reads the syntax that RE2 and JavaScript share; what only JavaScript has is refused by name. */
export function parsePattern(pattern: string, maxSteps: number): PatternNode {
  return new PatternParser(pattern, maxSteps).parse();
}

class PatternParser {
  readonly #pattern: string;
  readonly #points: readonly string[];
  readonly #maxSteps: number;
  #at = 0;
  #depth = 0;
  #ignoreCase = false;
  #dotAll = false;

  constructor(pattern: string, maxSteps: number) {
    this.#pattern = pattern;
    this.#points = Array.from(pattern);
    this.#maxSteps = maxSteps;
  }

  parse(): PatternNode {
    if (this.#points.length > MOST_CHARACTERS) this.#fail(`it is longer than ${MOST_CHARACTERS} characters`);
    const flags = /^\(\?([is]+)\)/.exec(this.#pattern);
    if (flags) {
      this.#ignoreCase = flags[1]?.includes('i') ?? false;
      this.#dotAll = flags[1]?.includes('s') ?? false;
      this.#at = flags[0].length;
    }
    const node = this.#choice();
    if (this.#at < this.#points.length) this.#fail('a ) without a (');
    if (stepsOf(node) > this.#maxSteps) this.#fail(`it is too large: more than ${this.#maxSteps} steps`);
    return node;
  }

  #choice(): PatternNode {
    const options = [this.#sequence()];
    while (this.#take('|')) options.push(this.#sequence());
    return options.length === 1 ? (options[0] as PatternNode) : { kind: 'choice', options };
  }

  #sequence(): PatternNode {
    const parts: PatternNode[] = [];
    for (let next = this.#peek(); next !== undefined && next !== '|' && next !== ')'; next = this.#peek()) {
      parts.push(this.#repeated(this.#atom()));
    }
    return { kind: 'sequence', parts };
  }

  #repeated(part: PatternNode): PatternNode {
    let node = part;
    for (;;) {
      const times = this.#times();
      if (!times) return node;
      // Whether as few or as many as possible makes no difference to whether there is a match.
      this.#take('?');
      node = { kind: 'repeat', part: node, least: times[0], most: times[1] };
      if (stepsOf(node) > this.#maxSteps) this.#fail(`it is too large: more than ${this.#maxSteps} steps`);
    }
  }

  #times(): [number, number] | undefined {
    if (this.#take('*')) return [0, Number.POSITIVE_INFINITY];
    if (this.#take('+')) return [1, Number.POSITIVE_INFINITY];
    if (this.#take('?')) return [0, 1];
    if (this.#peek() !== '{') return undefined;
    const counted = /^\{(\d{1,4})(?:(,)(\d{1,4})?)?\}/.exec(this.#points.slice(this.#at, this.#at + 12).join(''));
    if (!counted) return undefined;
    this.#at += counted[0].length;
    const least = Number(counted[1]);
    const most = counted[2] === undefined ? least : counted[3] === undefined ? Number.POSITIVE_INFINITY : Number(counted[3]);
    if (least > most || least > MOST_REPEATS || (Number.isFinite(most) && most > MOST_REPEATS)) {
      this.#fail(`${counted[0]} is not a count of up to ${MOST_REPEATS}`);
    }
    return [least, most];
  }

  #atom(): PatternNode {
    const character = this.#next();
    switch (character) {
      case '(':
        return this.#group();
      case '[':
        return this.#class();
      case '.':
        return this.#character(this.#dotAll ? () => true : (point) => point !== 0x0a);
      case '^':
        return { kind: 'place', place: 'start' };
      case '$':
        return { kind: 'place', place: 'end' };
      case '*':
      case '+':
      case '?':
        return this.#fail(`nothing stands before ${character}`);
      case '\\':
        if (this.#take('b')) return { kind: 'place', place: 'edge' };
        if (this.#take('B')) return { kind: 'place', place: 'inside' };
        return this.#character(asTest(this.#escape()));
      default:
        return this.#character(only(character.codePointAt(0) as number));
    }
  }

  #group(): PatternNode {
    if (++this.#depth > MOST_GROUPS) this.#fail(`groups are nested deeper than ${MOST_GROUPS}`);
    if (this.#take('?') && !this.#take(':')) this.#fail('of groups with (? only (?:…) is supported, and (?i), (?s) at the beginning');
    const node = this.#choice();
    if (!this.#take(')')) this.#fail('a ( without a )');
    this.#depth--;
    return node;
  }

  #class(): PatternNode {
    const inverted = this.#take('^');
    const tests: Test[] = [];
    for (let first = true; first || this.#peek() !== ']'; first = false) tests.push(this.#range());
    this.#at++;
    const any: Test = this.#ignoreCase
      ? (point) => caseless(point).some((variant) => tests.some((test) => test(variant)))
      : (point) => tests.some((test) => test(point));
    // Upper and lower case are in it already.
    return { kind: 'character', test: inverted ? not(any) : any, cost: this.#ignoreCase ? (tests.length + CASELESS) * 3 : tests.length };
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
    return character === '\\' ? this.#escape() : (character.codePointAt(0) as number);
  }

  /** What a backslash makes of the next character. */
  #escape(): number | Test {
    const letter = this.#next();
    const known = CLASSES[letter];
    if (known) return known;
    const control = CONTROLS[letter];
    if (control !== undefined) return control;
    if (/[A-Za-z0-9]/.test(letter)) return this.#fail(`\\${letter} is not supported`);
    return letter.codePointAt(0) as number;
  }

  #character(test: Test): PatternNode {
    if (!this.#ignoreCase) return { kind: 'character', test, cost: 1 };
    return { kind: 'character', test: (point) => caseless(point).some(test), cost: CASELESS };
  }

  #peek(): string | undefined {
    return this.#points[this.#at];
  }

  #next(): string {
    const character = this.#points[this.#at++];
    return character ?? this.#fail('it ends too early');
  }

  #take(character: string): boolean {
    if (this.#peek() !== character) return false;
    this.#at++;
    return true;
  }

  #fail(reason: string): never {
    throw new ExpressionError(`the pattern ${JSON.stringify(this.#pattern.slice(0, 100))} cannot be used: ${reason}`);
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

function stepsOf(node: PatternNode): number {
  switch (node.kind) {
    case 'sequence':
      return node.parts.reduce((sum, part) => sum + stepsOf(part), 0);
    case 'choice':
      return node.options.reduce((sum, option) => sum + stepsOf(option) + 2, 0);
    case 'repeat': {
      const times = Number.isFinite(node.most) ? node.most : node.least + 1;
      return (stepsOf(node.part) + 2) * Math.max(times, 1);
    }
    default:
      return 1;
  }
}
