import type { ASTNode } from '@marcbachmann/cel-js';
import { closest } from '../../lib/closest.ts';
import { type ExpressionFunction, FUNCTIONS, type ParameterKind } from './functions.ts';
import { accepts, acceptsItem, common } from './kinds.ts';
import type { Compiler, Term } from './term.ts';
import { paid } from './work.ts';
import { ExpressionError, type Item, type Kind, kindOf, nameOf } from './values.ts';

const NAMES: Readonly<Record<ParameterKind, string>> = {
  string: 'a text',
  int: 'a whole number',
  bool: 'true or false',
  number: 'a number',
  list: 'a list',
  strings: 'a list of texts',
  any: 'a value',
};

export function isFunction(name: string): boolean {
  return Object.hasOwn(FUNCTIONS, name);
}

/** For `name.lower`, where the parentheses were forgotten. */
export function nameOfFunctionLike(name: string): string {
  return isFunction(name) ? `; ${name} is a function: write ${name}(…)` : '';
}

/** A call of one of our functions; on a value, that is the first argument. */
export function compileCall(compiler: Compiler, node: ASTNode, name: string, argumentNodes: readonly ASTNode[]): Term {
  if (!isFunction(name)) {
    const near = closest(name, Object.keys(FUNCTIONS));
    return compiler.fail(node, `there is no function ${name}${near === undefined ? '' : `; did you mean ${near}?`}`);
  }
  const called = FUNCTIONS[name] as ExpressionFunction;
  checkCount(compiler, node, name, called, argumentNodes.length);
  const terms = argumentNodes.map((argument) => compiler.compile(argument));
  terms.forEach((term, i) => {
    const parameter = parameterAt(called, i);
    if (accepts(parameter, term.kind) !== 'no') return;
    compiler.fail(argumentNodes[i] as ASTNode, `${name}() needs ${NAMES[parameter]} here, not ${nameOf(term.kind)}`);
  });
  checkLiterals(compiler, argumentNodes, called, terms);
  const kind = resultKind(compiler, node, name, called, terms);
  return {
    kind,
    run: runner(
      name,
      called,
      terms.map((term) => (called.result === 'common' ? compiler.as(kind, term) : term)),
    ),
  };
}

function parameterAt(called: ExpressionFunction, i: number): ParameterKind {
  return called.parameters[Math.min(i, called.parameters.length - 1)] as ParameterKind;
}

function checkCount(compiler: Compiler, node: ASTNode, name: string, called: ExpressionFunction, count: number): void {
  const most = called.parameters.length;
  const least = most - (called.optional ?? 0);
  if (count >= least && (count <= most || called.repeats)) return;
  const wanted = called.repeats ? `at least ${least}` : least === most ? `${most}` : `${least} to ${most}`;
  compiler.fail(node, `${name}() needs ${wanted} value${wanted === '1' || wanted.endsWith(' 1') ? '' : 's'}, not ${count}`);
}

/** What stands in the expression itself is tried now, not with the first row. */
function checkLiterals(compiler: Compiler, nodes: readonly ASTNode[], called: ExpressionFunction, terms: readonly Term[]): void {
  terms.forEach((term, i) => {
    const check = called.literals?.[i];
    if (!check || term.literal === undefined || term.literal === null) return;
    try {
      check(term.literal);
    } catch (error) {
      if (!(error instanceof ExpressionError)) throw error;
      compiler.fail(nodes[i] as ASTNode, error.message);
    }
  });
}

function resultKind(compiler: Compiler, node: ASTNode, name: string, called: ExpressionFunction, terms: readonly Term[]): Kind {
  const first = (terms[0] as Term).kind;
  if (called.result === 'same') return first;
  if (called.result !== 'common') return called.result;
  return terms.reduce<Kind>((kind, term) => {
    const wider = common(kind, term.kind);
    return wider ?? compiler.fail(node, `${name}() is given ${nameOf(kind)} and ${nameOf(term.kind)}; make them alike`);
  }, first);
}

function runner(name: string, called: ExpressionFunction, terms: readonly Term[]): () => Item {
  const argumentsOf = terms.map((term, i) => checked(name, parameterAt(called, i), term));
  const run = called.run as (...values: Item[]) => Item;
  if (called.takesNull) return () => paid(run(...argumentsOf.map((argument) => paid(argument()))));
  const [first, second] = argumentsOf;
  if (first && argumentsOf.length === 1) {
    return () => {
      const a = first();
      return a === null ? null : paid(run(paid(a)));
    };
  }
  if (first && second && argumentsOf.length === 2) {
    return () => {
      const a = first();
      const b = second();
      return a === null || b === null ? null : paid(run(paid(a), paid(b)));
    };
  }
  return () => {
    const values = argumentsOf.map((argument) => argument());
    return values.includes(null) ? null : paid(run(...values.map(paid)));
  };
}

function checked(name: string, parameter: ParameterKind, term: Term): () => Item {
  if (accepts(parameter, term.kind) === 'yes') return term.run;
  return () => {
    const value = term.run();
    if (value === null || acceptsItem(parameter, value)) return value;
    throw new ExpressionError(`${name}() needs ${NAMES[parameter]}, not ${nameOf(kindOf(value))}`);
  };
}
