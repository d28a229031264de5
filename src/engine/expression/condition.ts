import type { Field } from '../../connectors/contract.ts';
import { compileProgram } from './compile.ts';
import { ExpressionFault } from './term.ts';
import { nameOf } from './values.ts';

/** What is wrong with an expression that is to say of a row whether it is meant, if anything is. */
export function conditionFault(expression: string, fields: readonly Field[]): string | undefined {
  try {
    const { kind } = compileProgram(expression, fields);
    return kind === 'bool' || kind === 'dyn' ? undefined : `it must be true or false, not ${nameOf(kind)}`;
  } catch (error) {
    if (error instanceof ExpressionFault) return error.message;
    throw error;
  }
}
