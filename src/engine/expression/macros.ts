import type { ASTNode } from '@marcbachmann/cel-js';
import { elementOf } from './kinds.ts';
import { type Compiler, type Term, truth } from './term.ts';
import { spendTurn } from './work.ts';
import { ExpressionError, type Item, isMap, kindOf, nameOf } from './values.ts';

type Loop = 'all' | 'exists' | 'exists_one' | 'map' | 'filter';
const LOOPS: ReadonlySet<string> = new Set<Loop>(['all', 'exists', 'exists_one', 'map', 'filter']);

/** What looks like a function but is not one: `has`, loops over lists, and `cel.bind`. */
export function compileMacro(compiler: Compiler, node: Extract<ASTNode, { op: 'call' | 'rcall' }>): Term | undefined {
  if (node.op === 'call') return node.args[0] === 'has' ? compileHas(compiler, node, node.args[1]) : undefined;
  const [name, receiver, rest] = node.args;
  if (name === 'bind' && receiver.op === 'id' && receiver.args === 'cel') return compileBind(compiler, node, rest);
  return LOOPS.has(name) ? compileLoop(compiler, node, name as Loop, receiver, rest) : undefined;
}

/** `has(row.name)`: it is not null; `has(data.name)`: the JSON object has a member of this name. */
function compileHas(compiler: Compiler, node: ASTNode, [argument, ...more]: readonly ASTNode[]): Term {
  if (argument?.op !== '.' || more.length > 0) return compiler.fail(node, 'has() needs a member, such as has(data.name)');
  const index = compiler.rowField(argument);
  if (index !== undefined) {
    const field = compiler.field(index);
    return { kind: 'bool', run: () => field.run() !== null };
  }
  const [ofNode, name] = argument.args;
  const of = compiler.compile(ofNode);
  if (elementOf(of.kind) === undefined) return compiler.fail(node, `${nameOf(of.kind)} has no members`);
  const run = (): Item => {
    const value = of.run();
    return isMap(value) && Object.hasOwn(value, name);
  };
  return { kind: 'bool', run };
}

function compileBind(compiler: Compiler, node: ASTNode, [name, value, body]: readonly ASTNode[]): Term {
  if (name?.op !== 'id' || !value || !body) return compiler.fail(node, 'cel.bind() needs a name, a value and an expression');
  const bound = compiler.compile(value);
  return compiler.withVariable(name.args, bound.kind, (set) => {
    const term = compiler.compile(body);
    const run = (): Item => {
      set(bound.run());
      return term.run();
    };
    return { kind: term.kind, run };
  });
}

function compileLoop(compiler: Compiler, node: ASTNode, loop: Loop, over: ASTNode, args: readonly ASTNode[]): Term {
  const [variable, ...bodies] = args;
  const mayFilter = loop === 'map' && bodies.length === 2;
  if (variable?.op !== 'id' || (bodies.length !== 1 && !mayFilter)) {
    return compiler.fail(node, `${loop}() needs a name and an expression, such as items.${loop}(i, …)`);
  }
  const range = compiler.compile(over);
  const kind = range.kind === 'map' ? 'string' : elementOf(range.kind);
  if (kind === undefined) return compiler.fail(over, `${loop}() needs a list, not ${nameOf(range.kind)}`);
  return compiler.withVariable(variable.args, kind, (set) => {
    const before = compiler.terms;
    const terms = bodies.map((body) => compiler.compile(body));
    const size = compiler.terms - before;
    const body = terms.at(-1) as Term;
    if (loop !== 'map' && body.kind !== 'bool' && body.kind !== 'dyn') {
      return compiler.fail(bodies[0] as ASTNode, `${loop}() needs true or false here, not ${nameOf(body.kind)}`);
    }
    const condition = mayFilter ? (terms[0] as Term) : undefined;
    const visit = (item: Item): Item => {
      spendTurn(size);
      set(item);
      return body.run();
    };
    const wanted = (item: Item): boolean => {
      if (!condition) return true;
      spendTurn(size);
      set(item);
      return truth(condition.run());
    };
    return loopPart(loop, range, visit, wanted, body);
  });
}

function loopPart(loop: Loop, range: Term, visit: (item: Item) => Item, wanted: (item: Item) => boolean, body: Term): Term {
  switch (loop) {
    case 'map': {
      const run = (): Item => onItems(range, (items) => items.filter(wanted).map(visit));
      return { kind: body.kind === 'string' ? 'strings' : 'list', run };
    }
    case 'filter':
      return {
        kind: range.kind === 'strings' ? 'strings' : 'list',
        run: () => onItems(range, (items) => items.filter((item) => truth(visit(item)))),
      };
    case 'all':
      return { kind: 'bool', run: () => onItems(range, (items) => items.every((item) => truth(visit(item)))) };
    case 'exists':
      return { kind: 'bool', run: () => onItems(range, (items) => items.some((item) => truth(visit(item)))) };
    default:
      return { kind: 'bool', run: () => onItems(range, (items) => items.filter((item) => truth(visit(item))).length === 1) };
  }
}

/** Over the items of a list, or the names of an object; of null it is null. */
function onItems(range: Term, run: (items: readonly Item[]) => Item): Item {
  const value = range.run();
  if (value === null) return null;
  if (Array.isArray(value)) return run(value as readonly Item[]);
  if (isMap(value)) return run(Object.keys(value));
  throw new ExpressionError(`a list is needed, not ${nameOf(kindOf(value))}`);
}
