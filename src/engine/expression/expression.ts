import type { CanonicalType, Value } from '../../connectors/canonical.ts';
import type { Field } from '../../connectors/contract.ts';
import { castFault, castOf } from '../values/cast.ts';
import { compileProgram } from './compile.ts';
import { ExpressionFault } from './term.ts';
import { ExpressionError, kindOf, textOf, TYPE_OF_KIND } from './values.ts';

/** An expression that makes a field of the target out of the fields of a row. */
export interface CompiledExpression {
  readonly type: CanonicalType;
  /** The places of the fields that it looks at; of a row only these need be there. */
  readonly uses: readonly number[];
  /** It throws ExpressionError, whose message says why there is no value for this row. */
  readonly evaluate: (row: readonly Value[]) => Value;
}

/** The type that an expression gives when no other is asked for, or what is wrong with it. */
export function checkExpression(expression: string, fields: readonly Field[]): { type: CanonicalType } | { fault: string } {
  try {
    return { type: TYPE_OF_KIND[compileProgram(expression, fields).kind] };
  } catch (error) {
    if (error instanceof ExpressionFault) return { fault: error.message };
    throw error;
  }
}

/** Throws ExpressionFault for what `checkExpression` calls a fault. */
export function compileExpression(expression: string, fields: readonly Field[], type?: CanonicalType): CompiledExpression {
  const program = compileProgram(expression, fields);
  const to = type ?? TYPE_OF_KIND[program.kind];
  const evaluate = (row: readonly Value[]): Value => {
    const value = program.evaluate(row);
    if (value === null) return null;
    const from = TYPE_OF_KIND[kindOf(value)];
    const text = textOf(value);
    if (from === to) return text;
    const converted = castOf(from, to)?.convert(text);
    if (converted === undefined) throw new ExpressionError(castFault(text, from, to));
    return converted;
  };
  return { type: to, uses: program.uses, evaluate };
}
