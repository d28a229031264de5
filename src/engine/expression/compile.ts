import { type ASTNode, Environment, ParseError } from '@marcbachmann/cel-js';
import type { Value } from '../../connectors/canonical.ts';
import type { Field } from '../../connectors/contract.ts';
import { closest } from '../../lib/closest.ts';
import { Decimal } from '../values/decimal.ts';
import { compileCall, isFunction, nameOfFunctionLike } from './calls.ts';
import { canCompare, canEqual, common, elementOf, isNumber, resultOf } from './kinds.ts';
import { compileMacro } from './macros.ts';
import { type Compiler, ExpressionFault, type Term, truth } from './term.ts';
import { compare, compute, equal, isIn, member, negate, type Operator } from './operators.ts';
import { beginBatch, beginRow } from './work.ts';
import { ExpressionError, INT64_MAX, type Item, itemReader, type Kind, KIND_OF_TYPE, kindOf, nameOf } from './values.ts';

/** An expression that can run. */
export interface Program {
  readonly kind: Kind;
  /** The places of the fields that it looks at. */
  readonly uses: readonly number[];
  /** Of a row only the fields of `uses` are looked at. It throws ExpressionError. */
  readonly evaluate: (row: readonly Value[]) => Item;
}

const MAX_LENGTH = 4096;
const IDENTIFIER = /^[A-Za-z_]\w*$/;

// Only its parser is used: the expressions are checked and computed here, with nulls and exact decimals, and no way to
// anything but the row.
const parser = new Environment({ limits: { maxDepth: 100, maxAstNodes: 2000, maxListElements: 1000, maxMapEntries: 1000 } });

export function compileProgram(expression: string, fields: readonly Field[]): Program {
  if (expression.length > MAX_LENGTH) throw new ExpressionFault(MAX_LENGTH, `an expression has at most ${MAX_LENGTH} characters`);
  // What stands in an expression is tried when it is compiled, and has steps and time of its own.
  beginBatch();
  beginRow();
  const compiler = new ExpressionCompiler(expression, fields);
  const term = compiler.compile(parsed(expression));
  return { kind: term.kind, uses: [...compiler.uses].sort((a, b) => a - b), evaluate: (row) => compiler.evaluate(term, row) };
}

function parsed(expression: string): ASTNode {
  try {
    return parser.parse(expression).ast;
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    const reason = error.summary.replace(/^Unexpected token: EOF$/, 'the expression ends too early');
    throw new ExpressionFault(error.range?.start ?? 0, reason);
  }
}

class ExpressionCompiler implements Compiler {
  readonly uses = new Set<number>();
  readonly #expression: string;
  readonly #fields: readonly Field[];
  readonly #scopes: { name: string; kind: Kind; local: number }[] = [];
  readonly #locals: Item[] = [];
  #row: readonly Value[] = [];
  #terms = 0;

  constructor(expression: string, fields: readonly Field[]) {
    this.#expression = expression;
    this.#fields = fields;
  }

  evaluate(term: Term, row: readonly Value[]): Item {
    this.#row = row;
    beginRow();
    try {
      return term.run();
    } catch (error) {
      // The stack or the longest string: the value is nested too deeply or grew too large.
      if (error instanceof RangeError) throw new ExpressionError('the value is too large or nested too deeply');
      throw error;
    }
  }

  fail(node: ASTNode, reason: string): never {
    throw new ExpressionFault(node.start, reason);
  }

  get terms(): number {
    return this.#terms;
  }

  withVariable(name: string, kind: Kind, compile: (set: (value: Item) => void) => Term): Term {
    const local = this.#scopes.length;
    this.#scopes.push({ name, kind, local });
    const term = compile((value) => {
      this.#locals[local] = value;
    });
    this.#scopes.pop();
    return term;
  }

  compile(node: ASTNode): Term {
    this.#terms++;
    switch (node.op) {
      case 'value':
        return this.#literal(node, node.args);
      case 'id':
        return this.#name(node, node.args);
      case '.':
      case '[]':
        return this.#member(node);
      case 'call':
        return compileMacro(this, node) ?? compileCall(this, node, node.args[0], node.args[1]);
      case 'rcall':
        return compileMacro(this, node) ?? compileCall(this, node, node.args[0], [node.args[1], ...node.args[2]]);
      case 'list':
        return this.#list(node.args);
      case 'map':
        return this.#map(node.args);
      case '?:':
        return this.#choice(node, node.args);
      case '!_':
        return this.#not(node.args);
      case '-_':
        return this.#negative(node.args);
      case '||':
      case '&&':
        return this.#logical(node.op, node.args);
      case '.?':
      case '[?]':
        return this.fail(node, 'optional members are not supported; a missing member is null');
      default:
        return this.#binary(node, node.op, node.args);
    }
  }

  rowField(node: ASTNode): number | undefined {
    if ((node.op !== '.' && node.op !== '[]') || !this.#isRow(node.args[0])) return undefined;
    const name = node.op === '.' ? node.args[1] : node.args[1].op === 'value' ? node.args[1].args : undefined;
    if (typeof name !== 'string') return this.fail(node, 'write the field as row["name"], with its name in quotes');
    const index = this.#fields.findIndex((field) => field.name === name);
    return index >= 0 ? index : this.fail(node, this.#unknown(name));
  }

  #isRow(node: ASTNode): boolean {
    return node.op === 'id' && node.args === 'row' && !this.#scopes.some(({ name }) => name === 'row');
  }

  as(kind: Kind, term: Term): Term {
    // The other kinds of numbers mix as they are.
    if (kind !== 'double' || term.kind === 'double') return term;
    const run = (): Item => {
      const value = term.run();
      return typeof value === 'bigint' || value instanceof Decimal ? Number(value) : value;
    };
    return { kind, run };
  }

  #literal(node: ASTNode, value: unknown): Term {
    if (value === null || typeof value === 'string' || typeof value === 'boolean') return constant(value);
    if (typeof value === 'bigint')
      return value <= INT64_MAX ? constant(value) : this.fail(node, `${value} is beyond 64 bits; write it as decimal("${value}")`);
    if (typeof value !== 'number') return this.fail(node, 'byte strings and unsigned numbers are not supported');
    // From its own digits, so that it is exact.
    const decimal = Decimal.parseScientific(this.#expression.slice(node.start, node.end));
    return decimal ? constant(decimal) : this.fail(node, 'this number cannot be read');
  }

  #name(node: ASTNode, name: string): Term {
    const scope = this.#scopes.findLast((candidate) => candidate.name === name);
    if (scope) return { kind: scope.kind, run: () => this.#locals[scope.local] as Item };
    if (name === 'row') return this.#wholeRow();
    const index = this.#fields.findIndex((field) => field.name === name);
    return index >= 0 ? this.field(index) : this.fail(node, this.#unknown(name));
  }

  field(index: number): Term {
    const { name, type } = this.#fields[index] as Field;
    this.uses.add(index);
    const read = itemReader(type, name);
    const run = (): Item => {
      const text = this.#row[index] as Value;
      return text === null ? null : read(text);
    };
    return { kind: KIND_OF_TYPE[type], run };
  }

  #wholeRow(): Term {
    const members = this.#fields.map((field, index) => ({ name: field.name, term: this.field(index) }));
    return { kind: 'map', run: () => mapOf(members.map(({ name, term }) => [name, term.run()])) };
  }

  #unknown(name: string): string {
    const names = this.#fields.map((field) => field.name);
    const near = closest(name, names);
    if (near !== undefined) return `there is no field "${name}"; did you mean ${IDENTIFIER.test(near) ? near : `row["${near}"]`}?`;
    if (isFunction(name)) return `${name} is a function: write ${name}(…)`;
    return `there is no field "${name}"; there are ${names.slice(0, 20).join(', ')}${names.length > 20 ? ', …' : ''}`;
  }

  #member(node: Extract<ASTNode, { op: '.' | '[]' }>): Term {
    const index = this.rowField(node);
    if (index !== undefined) return this.field(index);
    const of = this.compile(node.args[0]);
    const at = node.op === '.' ? constant(node.args[1]) : this.compile(node.args[1]);
    const kind = elementOf(of.kind);
    if (kind === undefined) {
      const hint = node.op === '.' ? nameOfFunctionLike(node.args[1]) : '';
      return this.fail(node, `${nameOf(of.kind)} has no members${hint}`);
    }
    return { kind, run: () => member(of.run(), at.run()) };
  }

  #list(nodes: readonly ASTNode[]): Term {
    const terms = nodes.map((node) => this.compile(node));
    const kind = terms.length > 0 && terms.every((term) => term.kind === 'string') ? 'strings' : 'list';
    if (terms.every((term) => term.literal !== undefined)) return { kind, run: always(terms.map((term) => term.run())) };
    return { kind, run: () => terms.map((term) => term.run()) };
  }

  #map(entries: readonly [ASTNode, ASTNode][]): Term {
    const terms = entries.map(([nameNode, valueNode]) => {
      const name = this.compile(nameNode);
      if (name.kind !== 'string') this.fail(nameNode, 'the names in an object are texts, in quotes');
      return { name, value: this.compile(valueNode) };
    });
    return { kind: 'map', run: () => mapOf(terms.map(({ name, value }) => [memberName(name.run()), value.run()])) };
  }

  #choice(node: ASTNode, [whether, yes, no]: readonly [ASTNode, ASTNode, ASTNode]): Term {
    const condition = this.#truth(whether);
    const [first, second] = [this.compile(yes), this.compile(no)];
    const kind = common(first.kind, second.kind);
    if (!kind) return this.fail(node, `the two results are ${nameOf(first.kind)} and ${nameOf(second.kind)}; make them alike`);
    const [then, otherwise] = [this.as(kind, first), this.as(kind, second)];
    return { kind, run: () => (truth(condition.run()) ? then.run() : otherwise.run()) };
  }

  #truth(node: ASTNode): Term {
    const term = this.compile(node);
    return term.kind === 'bool' || term.kind === 'dyn' ? term : this.fail(node, `true or false is needed here, not ${nameOf(term.kind)}`);
  }

  #not(node: ASTNode): Term {
    const term = this.#truth(node);
    return { kind: 'bool', run: () => !truth(term.run()) };
  }

  #negative(node: ASTNode): Term {
    // The smallest int has no positive counterpart.
    if (node.op === 'value' && node.args === INT64_MAX + 1n) return constant(-(INT64_MAX + 1n));
    const term = this.compile(node);
    if (!isNumber(term.kind) && term.kind !== 'dyn') return this.fail(node, `${nameOf(term.kind)} has no sign`);
    if (term.literal !== undefined) return constant(negate(term.literal));
    return { kind: term.kind, run: () => negate(term.run()) };
  }

  /** As CEL has it: when one side decides, the other may fail. */
  #logical(operator: '||' | '&&', [leftNode, rightNode]: readonly [ASTNode, ASTNode]): Term {
    const [left, right] = [this.#truth(leftNode), this.#truth(rightNode)];
    const decisive = operator === '||';
    const run = (): Item => {
      const first = attempt(left);
      if (first === decisive) return decisive;
      const second = right.run();
      if (second === decisive) return decisive;
      if (first instanceof ExpressionError) throw first;
      return truth(first) && truth(second);
    };
    return { kind: 'bool', run };
  }

  #binary(node: ASTNode, operator: string, [leftNode, rightNode]: readonly [ASTNode, ASTNode]): Term {
    const [a, b] = asDoublesWhereLiteral(this.compile(leftNode), this.compile(rightNode));
    const kinds = `${nameOf(a.kind)} ${operator} ${nameOf(b.kind)}`;
    switch (operator) {
      case '==':
      case '!=': {
        if (!canEqual(a.kind, b.kind)) return this.fail(node, `${kinds}: these are never equal`);
        return operator === '==' ? bool(() => equal(a.run(), b.run())) : bool(() => !equal(a.run(), b.run()));
      }
      case 'in':
        if (elementOf(b.kind) === undefined) return this.fail(rightNode, `"in" needs a list or an object, not ${nameOf(b.kind)}`);
        return bool(() => isIn(a.run(), b.run()));
      case '<':
      case '<=':
      case '>':
      case '>=':
        if (!canCompare(a.kind, b.kind)) return this.fail(node, `${kinds} cannot be compared`);
        return comparison(operator, a, b);
      default: {
        const kind = resultOf(operator, a.kind, b.kind);
        if (!kind) return this.fail(node, `${kinds} cannot be computed${hintFor(a.kind, b.kind)}`);
        return { kind, run: () => compute(operator as Operator, a.run(), b.run()) };
      }
    }
  }
}

function hintFor(a: Kind, b: Kind): string {
  if (a === 'string' || b === 'string') return '; use string(…) to make a text, or int(…), decimal(…) to make a number';
  return isNumber(a) && isNumber(b) ? '; use decimal(…) or double(…) to say which' : '';
}

/** A number that stands in the expression is exact, but follows a double that it meets. */
function asDoublesWhereLiteral(a: Term, b: Term): [Term, Term] {
  const follows = (term: Term, other: Term): Term =>
    other.kind === 'double' && term.literal instanceof Decimal ? constant(term.literal.toNumber()) : term;
  return [follows(a, b), follows(b, a)];
}

function comparison(operator: '<' | '<=' | '>' | '>=', a: Term, b: Term): Term {
  switch (operator) {
    case '<':
      return bool(() => compare(a.run(), b.run()) < 0);
    case '<=':
      return bool(() => compare(a.run(), b.run()) <= 0);
    case '>':
      return bool(() => compare(a.run(), b.run()) > 0);
    default:
      return bool(() => compare(a.run(), b.run()) >= 0);
  }
}

function bool(run: () => Item): Term {
  return { kind: 'bool', run };
}

function always(value: Item): () => Item {
  return () => value;
}

function constant(value: Item): Term {
  return { kind: kindOf(value), run: always(value), literal: value };
}

function memberName(name: Item): string {
  if (typeof name !== 'string') throw new ExpressionError('the name of a member is null');
  return name;
}

function mapOf(entries: readonly (readonly [string, Item])[]): Item {
  // Without a prototype, so that every name is a name like any other.
  const map = Object.create(null) as Record<string, Item>;
  for (const [name, value] of entries) map[name] = value;
  return map;
}

function attempt(term: Term): Item | ExpressionError {
  try {
    return term.run();
  } catch (error) {
    if (error instanceof ExpressionError) return error;
    throw error;
  }
}
