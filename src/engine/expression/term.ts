import type { ASTNode } from '@marcbachmann/cel-js';
import { ExpressionError, type Item, type Kind, kindOf, nameOf } from './values.ts';

/** A term: an expression or a piece of one: what is known of it, and how to compute it for the row at hand. */
export interface Term {
  readonly kind: Kind;
  readonly run: () => Item;
  /** Its value, when it stands in the expression itself. */
  readonly literal?: Item;
}

/** What is wrong with an expression, and where. */
export class ExpressionFault extends Error {
  constructor(at: number, reason: string) {
    super(`at character ${at + 1}: ${reason}`);
  }
}

/** What calls and loops need of the compiler that they belong to. */
export interface Compiler {
  compile(node: ASTNode): Term;
  /** Throws ExpressionFault. */
  fail(node: ASTNode, reason: string): never;
  /** A term as one of the kind that it shares with others. */
  as(kind: Kind, part: Term): Term;
  /** Compiles a term in which a name stands for a value that `set` gives it. */
  withVariable(name: string, kind: Kind, compile: (set: (value: Item) => void) => Term): Term;
  /** How many terms were compiled so far. */
  readonly terms: number;
  /** The place of the field that `row.name` or `row["name"]` stands for. */
  rowField(node: ASTNode): number | undefined;
  field(index: number): Term;
}

export function truth(value: Item): boolean {
  if (typeof value === 'boolean') return value;
  const hint = value === null ? '; test it with == null first, or use coalesce(…)' : '';
  throw new ExpressionError(`true or false is needed, not ${nameOf(kindOf(value))}${hint}`);
}
