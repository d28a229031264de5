import { closest } from '../../../lib/closest.ts';
import { computed } from './compute.ts';
import { TemplateError, TypeMismatch } from './failures.ts';
import type { FilterGiven } from './filter.ts';
import { FILTERS } from './filters.ts';
import { GLOBALS } from './macros.ts';
import { madeList, memberOf } from './methods.ts';
import type { CallArguments, Expression } from './nodes.ts';
import { TESTS } from './tests.ts';
import { charactersOf } from './text-methods.ts';
import {
  Callable,
  entriesOf,
  Float,
  fromOutside,
  isDict,
  isInt,
  isNumeric,
  lookUp,
  Namespace,
  orMissing,
  Tuple,
  Undefined,
} from './values.ts';
import { spend, spendOnText } from './work.ts';
import { compare, contains, isEqual, isTruthy, itemsOf, newDict, textOf } from './written.ts';

/** Names that a template has given values, from the inside out. */
export interface Frame {
  readonly names: Map<string, unknown>;
  readonly parent: Frame | undefined;
  readonly context: Readonly<Record<string, unknown>>;
}

export function evaluate(node: Expression, frame: Frame): unknown {
  spend(1);
  switch (node.kind) {
    case 'const':
      return node.value;
    case 'name':
      return valueOf(node.name, frame);
    case 'list':
      return madeList(node.items.map((item) => evaluate(item, frame)));
    case 'tuple':
      return Tuple.from(node.items.map((item) => evaluate(item, frame)));
    case 'dict':
      return newDict(node.pairs.map(([key, value]) => [evaluate(key, frame), evaluate(value, frame)] as const));
    case 'choice':
      if (isTruthy(evaluate(node.test, frame))) return evaluate(node.chosen, frame);
      return node.otherwise ? evaluate(node.otherwise, frame) : new Undefined('the if has no else');
    case 'and': {
      const left = evaluate(node.left, frame);
      return isTruthy(left) ? evaluate(node.right, frame) : left;
    }
    case 'or': {
      const left = evaluate(node.left, frame);
      return isTruthy(left) ? left : evaluate(node.right, frame);
    }
    case 'not':
      return !isTruthy(evaluate(node.of, frame));
    case 'minus':
      return negated(evaluate(node.of, frame));
    case 'plus':
      return positive(evaluate(node.of, frame));
    case 'compare':
      return compared(node, frame);
    case 'compute':
      return computed(node.sign, evaluate(node.left, frame), evaluate(node.right, frame));
    case 'concat':
      return concatenated(node.parts.map((part) => textOf(evaluate(part, frame))));
    case 'attribute':
      return attributeOf(evaluate(node.of, frame), node.name);
    case 'item':
      return itemOf(evaluate(node.of, frame), evaluate(node.index, frame));
    case 'slice':
      return sliceOf(
        evaluate(node.of, frame),
        node.bounds.map((bound) => (bound ? evaluate(bound, frame) : null)),
      );
    case 'call':
      return called(evaluate(node.of, frame), node.given, frame);
    case 'filter':
      return filtered(node.name, evaluate(node.of, frame), node.given, frame);
    default:
      return tested(node.name, evaluate(node.of, frame), node.given, frame);
  }
}

/** The template itself, which has no parts to ask for. */
const SELF = {};

function valueOf(name: string, frame: Frame): unknown {
  for (let scope: Frame | undefined = frame; scope; scope = scope.parent) if (scope.names.has(name)) return scope.names.get(name);
  if (Object.hasOwn(frame.context, name)) return fromOutside(frame.context[name]);
  if (name === 'self') return SELF;
  return GLOBALS.get(name) ?? new Undefined(name);
}

function concatenated(parts: readonly string[]): string {
  spendOnText(parts.reduce((sum, part) => sum + part.length, 0));
  return parts.join('');
}

function negated(value: unknown): unknown {
  if (value instanceof Undefined) value.use();
  if (!isNumeric(value)) throw new TypeMismatch('only a number can be negative');
  if (value instanceof Float) return new Float(-value.value);
  return typeof value === 'bigint' ? -value : -Number(value) || 0;
}

function positive(value: unknown): unknown {
  if (value instanceof Undefined) value.use();
  if (!isNumeric(value)) throw new TypeMismatch('only a number can be positive');
  return typeof value === 'boolean' ? Number(value) : value;
}

function compared(node: Extract<Expression, { kind: 'compare' }>, frame: Frame): boolean {
  let left = evaluate(node.first, frame);
  for (const [sign, next] of node.rest) {
    const right = evaluate(next, frame);
    if (!holds(sign, left, right)) return false;
    left = right;
  }
  return true;
}

function holds(sign: string, left: unknown, right: unknown): boolean {
  switch (sign) {
    case '==':
      return isEqual(left, right);
    case '!=':
      return !isEqual(left, right);
    case 'in':
      return contains(right, left);
    case 'not in':
      return !contains(right, left);
    case '<':
      return compare(left, right, sign) < 0;
    case '<=':
      return compare(left, right, sign) <= 0;
    case '>':
      return compare(left, right, sign) > 0;
    default:
      return compare(left, right, sign) >= 0;
  }
}

/** `value.name`: what values of its type can do, or a member of a dict. */
function attributeOf(value: unknown, name: string): unknown {
  if (value instanceof Undefined) value.use();
  if (value instanceof Namespace) return orMissing(value.members.get(name), name);
  const member = memberOf(value, name);
  if (member !== undefined) return member;
  return orMissing(isDict(value) ? lookUp(value, name) : undefined, name);
}

/** `value[index]`: a member of a dict or an item of a list, or what values of its type can do. */
function itemOf(value: unknown, index: unknown): unknown {
  if (value instanceof Undefined) value.use();
  if (isDict(value)) {
    const found = Array.isArray(index) && !(index instanceof Tuple) ? undefined : lookUp(value, index);
    if (found !== undefined) return found;
  } else if (isInt(index) || typeof index === 'boolean') {
    const characters = typeof value === 'string' ? charactersOf(value) : Array.isArray(value) ? value : undefined;
    const found: unknown = characters?.at(Number(index));
    return found === undefined ? new Undefined(textOf(index)) : fromOutside(found);
  }
  if (typeof index !== 'string') return new Undefined(textOf(index));
  return orMissing(memberOf(value, index), index);
}

function sliceOf(value: unknown, bounds: readonly unknown[]): unknown {
  if (value instanceof Undefined) value.use();
  const source = typeof value === 'string' ? charactersOf(value) : value;
  if (typeof source !== 'string' && !Array.isArray(source)) throw new TypeMismatch('this value cannot be cut');
  const [start, stop, step] = bounds.map((bound) => {
    if (bound === null || bound === undefined) return undefined;
    if (!isInt(bound) && typeof bound !== 'boolean') throw new TypeMismatch('a place in a list is a whole number');
    return Number(bound);
  });
  const picked = places(source.length, start, stop, step ?? 1).map((at) => fromOutside(source[at]));
  spend(picked.length);
  if (typeof value === 'string') return picked.join('');
  return value instanceof Tuple ? Tuple.from(picked) : madeList(picked);
}

function places(length: number, start: number | undefined, stop: number | undefined, step: number): number[] {
  if (step === 0) throw new TemplateError('A template cuts a list in steps of zero.');
  const [least, most] = step > 0 ? [0, length] : [-1, length - 1];
  const place = (bound: number | undefined, missing: number): number => {
    if (bound === undefined) return missing;
    return Math.min(most, Math.max(least, bound < 0 ? bound + length : bound));
  };
  const [first, end] = step > 0 ? [place(start, 0), place(stop, length)] : [place(start, length - 1), place(stop, -1)];
  const found: number[] = [];
  for (let at = first; step > 0 ? at < end : at > end; at += step) found.push(at);
  return found;
}

function argumentsOf(given: CallArguments, frame: Frame): { args: unknown[]; named: Map<string, unknown> } {
  const args = given.args.map((arg) => evaluate(arg, frame));
  if (given.rest) args.push(...itemsOf(evaluate(given.rest, frame)));
  const named = new Map(given.named.map(([name, value]) => [name, evaluate(value, frame)]));
  const more = given.more ? evaluate(given.more, frame) : undefined;
  if (isDict(more)) for (const [name, value] of entriesOf(more)) named.set(textOf(name), value);
  return { args, named };
}

function called(value: unknown, given: CallArguments, frame: Frame): unknown {
  if (value instanceof Undefined) value.use();
  if (!(value instanceof Callable)) throw new TypeMismatch('this value cannot be called');
  const { args, named } = argumentsOf(given, frame);
  spend(5);
  return value.call(args, named) ?? null;
}

function filtered(name: string, value: unknown, given: CallArguments, frame: Frame): unknown {
  const { args, named } = argumentsOf(given, frame);
  spend(5);
  return applyFilter(name, value, args, named);
}

function applyFilter(name: string, value: unknown, args: readonly unknown[], named: FilterGiven['named']): unknown {
  const filter = FILTERS.get(name);
  if (!filter) throw unknown('filter', name, FILTERS.keys());
  return filter(value, { args, named, filter: applyFilter, test: applyTest });
}

function tested(name: string, value: unknown, given: CallArguments, frame: Frame): boolean {
  const { args } = argumentsOf(given, frame);
  return applyTest(name, value, args);
}

function applyTest(name: string, value: unknown, args: readonly unknown[]): boolean {
  spend(2);
  const test = TESTS.get(name);
  if (!test) throw unknown('test', name, TESTS.keys());
  return test(value, args);
}

function unknown(kind: string, name: string, names: Iterable<string>): TemplateError {
  const near = closest(name, names);
  return new TemplateError(`Templates have no ${kind} "${name}".`, near === undefined ? `Use another ${kind}.` : `Did you mean "${near}"?`);
}
