import type { Value } from '../../connectors/canonical.ts';
import type { Field } from '../../connectors/contract.ts';
import { compileProgram } from './compile.ts';
import { ExpressionFault } from './term.ts';
import { ExpressionError, nameOf } from './values.ts';

/** An expression that says of a row whether it is meant. */
export interface Condition {
  /** Null is no. It throws ExpressionError where there is no answer: a text compared with a number, too much work. */
  readonly holds: (row: readonly Value[]) => boolean;
}

/** Throws ExpressionFault. */
export function compileCondition(expression: string, fields: readonly Field[]): Condition {
  const { kind, evaluate } = compileProgram(expression, fields);
  if (kind !== 'bool' && kind !== 'dyn') throw new ExpressionFault(0, `it must be true or false, not ${nameOf(kind)}`);
  return {
    holds: (row) => {
      const value = evaluate(row) ?? false;
      if (typeof value !== 'boolean') throw new ExpressionError('it is neither true nor false');
      return value;
    },
  };
}

/** What is wrong with a condition, if anything is. */
export function conditionFault(expression: string, fields: readonly Field[]): string | undefined {
  try {
    compileCondition(expression, fields);
    return undefined;
  } catch (error) {
    if (error instanceof ExpressionFault) return error.message;
    throw error;
  }
}
