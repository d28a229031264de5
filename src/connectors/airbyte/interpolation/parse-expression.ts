import type { TemplateError } from './failures.ts';
import type { CallArguments, Expression, Target } from './nodes.ts';
import { templateFailed, type Token } from './tokens.ts';

const CONSTANTS: Readonly<Record<string, unknown>> = { true: true, True: true, false: false, False: false, none: null, None: null };
const COMPARISONS = new Set(['==', '!=', '<', '>', '<=', '>=']);
const DEEPEST = 100;
/** So many signs, members or filters may follow each other. */
const LONGEST_CHAIN = 500;
const NO_ARGUMENTS: CallArguments = { args: [], named: [], rest: undefined, more: undefined };

/** Reads the expressions of one tag or output, from the loosest sign to the tightest. */
export class ExpressionParser {
  readonly #template: string;
  readonly #tokens: readonly Token[];
  #at = 0;
  #depth = 0;

  constructor(template: string, tokens: readonly Token[]) {
    this.#template = template;
    this.#tokens = tokens;
  }

  get isOver(): boolean {
    return this.#at >= this.#tokens.length;
  }

  end(): void {
    if (!this.isOver) throw this.failed(`${shown(this.#tokens[this.#at])} is not expected`);
  }

  failed(reason: string): TemplateError {
    return templateFailed(this.#template, reason);
  }

  takeSign(sign: string): boolean {
    const token = this.#tokens[this.#at];
    if (token?.kind !== 'sign' || token.text !== sign) return false;
    this.#at++;
    return true;
  }

  takeName(name: string): boolean {
    if (!this.isName(name)) return false;
    this.#at++;
    return true;
  }

  isName(name: string): boolean {
    const token = this.#tokens[this.#at];
    return token?.kind === 'name' && token.text === name;
  }

  name(): string {
    const token = this.#tokens[this.#at++];
    if (token?.kind !== 'name') throw this.failed(`a name is expected where ${shown(token)} stands`);
    return token.text;
  }

  #sign(sign: string): void {
    if (!this.takeSign(sign)) throw this.failed(`"${sign}" is expected where ${shown(this.#tokens[this.#at])} stands`);
  }

  /** One expression, or several with commas between, which are a tuple. */
  tuple(withChoice = true): Expression {
    const first = withChoice ? this.expression() : this.#or();
    if (!this.#isSign(',')) return first;
    const items = [first];
    while (this.takeSign(',')) {
      if (this.isOver || this.#isSign(')') || this.#isSign('=')) break;
      items.push(withChoice ? this.expression() : this.#or());
    }
    return { kind: 'tuple', items };
  }

  target(): Target {
    const targets: Target[] = [];
    let isList = false;
    do {
      if (targets.length > 0 && (this.isOver || this.isName('in') || this.#isSign('=') || this.#isSign(')'))) break;
      targets.push(this.oneTarget());
      isList ||= this.#isSign(',');
    } while (this.takeSign(','));
    return isList ? { kind: 'names', targets } : (targets[0] as Target);
  }

  oneTarget(): Target {
    if (this.takeSign('(')) {
      const target = this.target();
      this.#sign(')');
      return target;
    }
    const name = this.name();
    if (name in CONSTANTS) throw this.failed(`${name} cannot be given another value`);
    return this.takeSign('.') ? { kind: 'member', name, member: this.name() } : { kind: 'name', name };
  }

  expression(): Expression {
    if (++this.#depth > DEEPEST) throw this.failed(`it is nested deeper than ${DEEPEST}`);
    let value = this.#or();
    for (let length = 1; this.takeName('if'); length++) {
      this.#notTooLong(length);
      const test = this.#or();
      const otherwise = this.takeName('else') ? this.expression() : undefined;
      value = { kind: 'choice', test, chosen: value, otherwise };
    }
    this.#depth--;
    return value;
  }

  #or(): Expression {
    let left = this.#and();
    for (let length = 1; this.takeName('or'); length++) {
      this.#notTooLong(length);
      left = { kind: 'or', left, right: this.#and() };
    }
    return left;
  }

  #and(): Expression {
    let left = this.#not();
    for (let length = 1; this.takeName('and'); length++) {
      this.#notTooLong(length);
      left = { kind: 'and', left, right: this.#not() };
    }
    return left;
  }

  #not(): Expression {
    if (!this.takeName('not')) return this.#compare();
    this.#deeper();
    const of = this.#not();
    this.#depth--;
    return { kind: 'not', of };
  }

  #compare(): Expression {
    const first = this.#sum();
    const rest: (readonly [string, Expression])[] = [];
    for (;;) {
      const token = this.#tokens[this.#at];
      if (token?.kind === 'sign' && COMPARISONS.has(token.text)) {
        this.#at++;
        rest.push([token.text, this.#sum()]);
      } else if (this.takeName('in')) rest.push(['in', this.#sum()]);
      else if (this.isName('not') && isNamed(this.#tokens[this.#at + 1], 'in')) {
        this.#at += 2;
        rest.push(['not in', this.#sum()]);
      } else return rest.length === 0 ? first : { kind: 'compare', first, rest };
    }
  }

  #sum(): Expression {
    return this.#computed(['+', '-'], () => this.#concat());
  }

  #concat(): Expression {
    const parts = [this.#product()];
    while (this.takeSign('~')) parts.push(this.#product());
    return parts.length === 1 ? (parts[0] as Expression) : { kind: 'concat', parts };
  }

  #product(): Expression {
    return this.#computed(['*', '/', '//', '%'], () => this.#power());
  }

  #power(): Expression {
    return this.#computed(['**'], () => this.#unary(true));
  }

  #computed(signs: readonly string[], part: () => Expression): Expression {
    let left = part();
    for (let length = 0; ; length++) {
      this.#notTooLong(length);
      const sign = signs.find((candidate) => this.takeSign(candidate));
      if (sign === undefined) return left;
      left = { kind: 'compute', sign, left, right: part() };
    }
  }

  #unary(withFilters: boolean): Expression {
    this.#deeper();
    let value: Expression;
    if (this.takeSign('-')) value = { kind: 'minus', of: this.#unary(false) };
    else if (this.takeSign('+')) value = { kind: 'plus', of: this.#unary(false) };
    else value = this.#primary();
    value = this.#postfix(value);
    if (withFilters) value = this.filters(value);
    this.#depth--;
    return value;
  }

  #primary(): Expression {
    const token = this.#tokens[this.#at++];
    if (token === undefined) throw this.failed('it ends too early');
    if (token.kind === 'number') return { kind: 'const', value: token.value };
    if (token.kind === 'string') {
      let { value } = token;
      for (let next = this.#tokens[this.#at]; next?.kind === 'string'; next = this.#tokens[++this.#at]) value += next.value;
      return { kind: 'const', value };
    }
    if (token.kind === 'name')
      return token.text in CONSTANTS ? { kind: 'const', value: CONSTANTS[token.text] } : { kind: 'name', name: token.text };
    if (token.text === '(') return this.#parentheses();
    if (token.text === '[') return { kind: 'list', items: this.#items(']') };
    if (token.text === '{') return this.#dict();
    throw this.failed(`${shown(token)} is not expected`);
  }

  #parentheses(): Expression {
    if (this.takeSign(')')) return { kind: 'tuple', items: [] };
    const value = this.tuple();
    this.#sign(')');
    return value;
  }

  #items(end: string): Expression[] {
    const items: Expression[] = [];
    while (!this.takeSign(end)) {
      if (items.length > 0) {
        this.#sign(',');
        if (this.takeSign(end)) break;
      }
      items.push(this.expression());
    }
    return items;
  }

  #dict(): Expression {
    const pairs: (readonly [Expression, Expression])[] = [];
    while (!this.takeSign('}')) {
      if (pairs.length > 0) {
        this.#sign(',');
        if (this.takeSign('}')) break;
      }
      const key = this.expression();
      this.#sign(':');
      pairs.push([key, this.expression()]);
    }
    return { kind: 'dict', pairs };
  }

  #postfix(start: Expression): Expression {
    let value = start;
    for (let length = 0; ; length++) {
      this.#notTooLong(length);
      if (this.takeSign('.')) value = this.#attribute(value);
      else if (this.takeSign('[')) value = this.#subscript(value);
      else if (this.#isSign('(')) value = { kind: 'call', of: value, given: this.#call() };
      else return value;
    }
  }

  #attribute(of: Expression): Expression {
    const token = this.#tokens[this.#at++];
    if (token?.kind === 'name') return { kind: 'attribute', of, name: token.text };
    if (token?.kind === 'number') return { kind: 'item', of, index: { kind: 'const', value: token.value } };
    throw this.failed(`a name is expected after "." where ${shown(token)} stands`);
  }

  #subscript(of: Expression): Expression {
    const bounds: (Expression | undefined)[] = [];
    let isSlice = false;
    let bound: Expression | undefined;
    const items: Expression[] = [];
    for (;;) {
      if (this.takeSign(':')) {
        isSlice = true;
        bounds.push(bound);
        bound = undefined;
      } else if (this.takeSign(']')) break;
      else if (this.takeSign(',')) {
        if (bound) items.push(bound);
        bound = undefined;
      } else if (bound) throw this.failed('"]" is missing');
      else bound = this.expression();
    }
    if (isSlice) return { kind: 'slice', of, bounds: [...bounds, bound] };
    if (bound && items.length === 0) return { kind: 'item', of, index: bound };
    if (bound) items.push(bound);
    if (items.length === 0) throw this.failed('nothing stands in [ ]');
    return { kind: 'item', of, index: { kind: 'tuple', items } };
  }

  #call(): CallArguments {
    this.#sign('(');
    const args: Expression[] = [];
    const named: (readonly [string, Expression])[] = [];
    let rest: Expression | undefined;
    let more: Expression | undefined;
    for (let isFirst = true; !this.takeSign(')'); isFirst = false) {
      if (!isFirst) {
        this.#sign(',');
        if (this.takeSign(')')) break;
      }
      const token = this.#tokens[this.#at];
      const next = this.#tokens[this.#at + 1];
      if (this.takeSign('**')) more = this.expression();
      else if (this.takeSign('*')) rest = this.expression();
      else if (token?.kind === 'name' && next?.kind === 'sign' && next.text === '=') {
        this.#at += 2;
        named.push([token.text, this.expression()]);
      } else args.push(this.expression());
    }
    return { args, named, rest, more };
  }

  /** Filters, tests and calls that follow a value. */
  filters(start: Expression): Expression {
    let value = start;
    for (let length = 0; ; length++) {
      this.#notTooLong(length);
      if (this.takeSign('|')) value = this.filter(value);
      else if (this.takeName('is')) value = this.#test(value);
      else if (this.#isSign('(')) value = { kind: 'call', of: value, given: this.#call() };
      else return value;
    }
  }

  filter(of: Expression): Expression {
    const name = this.#dotted();
    return { kind: 'filter', name, of, given: this.#isSign('(') ? this.#call() : NO_ARGUMENTS };
  }

  #test(of: Expression): Expression {
    const isNegated = this.takeName('not');
    const name = this.#dotted();
    const token = this.#tokens[this.#at];
    let given = NO_ARGUMENTS;
    if (this.#isSign('(')) given = this.#call();
    else if (token && beginsValue(token)) {
      if (token.kind === 'name' && token.text === 'is') throw this.failed('a test follows a test; put the first in ( )');
      given = { ...NO_ARGUMENTS, args: [this.#postfix(this.#primary())] };
    }
    const test: Expression = { kind: 'test', name, of, given };
    return isNegated ? { kind: 'not', of: test } : test;
  }

  #dotted(): string {
    let name = this.name();
    while (this.takeSign('.')) name += `.${this.name()}`;
    return name;
  }

  #isSign(sign: string): boolean {
    const token = this.#tokens[this.#at];
    return token?.kind === 'sign' && token.text === sign;
  }

  #notTooLong(length: number): void {
    if (length > LONGEST_CHAIN) throw this.failed(`more than ${LONGEST_CHAIN} parts follow each other`);
  }

  #deeper(): void {
    if (++this.#depth > DEEPEST) throw this.failed(`it is nested deeper than ${DEEPEST}`);
  }
}

const NO_VALUE = new Set(['else', 'or', 'and', 'if', 'in', 'not']);

/** Whether an argument of a test that is written without brackets begins here. */
function beginsValue(token: Token): boolean {
  if (token.kind === 'name') return !NO_VALUE.has(token.text);
  return token.kind !== 'sign' || token.text === '[' || token.text === '{';
}

function isNamed(token: Token | undefined, name: string): boolean {
  return token?.kind === 'name' && token.text === name;
}

function shown(token: Token | undefined): string {
  if (token === undefined) return 'the end';
  if (token.kind === 'number') return 'a number';
  return JSON.stringify(token.kind === 'string' ? token.value : token.text);
}
