import { OutsideError } from '../../../outside/errors.ts';
import type { TypedColumn } from '../catalogue/columns.ts';
import { textLiteral } from '../catalogue/literals.ts';

type Raw = string | null;

/**
 * The condition for rows behind these values in the order of these columns. Servers use no index for `(a, b) > (1, 2)`, so it is
 * spelled out, with a bound on the first column alone in front. Nulls come first.
 */
export function behind(columns: readonly TypedColumn[], values: readonly Raw[]): string {
  const alternatives = columns.map((column, i) => {
    const equal = columns.slice(0, i).map((before, j) => `${before.order} <=> ${rawLiteral(before, values[j] ?? null)}`);
    const value = values[i] ?? null;
    return [...equal, value === null ? `${column.order} is not null` : `${column.order} > ${rawLiteral(column, value)}`].join(' and ');
  });
  const [first] = columns;
  const bound =
    first && columns.length > 1 && (values[0] ?? null) !== null ? `${first.order} >= ${rawLiteral(first, values[0] ?? null)} and ` : '';
  return `${bound}(${alternatives.join(' or ')})`;
}

export function orderBy(columns: readonly TypedColumn[]): string {
  return columns.length === 0 ? '' : ` order by ${columns.map((column) => column.order).join(', ')}`;
}

/** A value as the server wrote it, to compare its column with. It comes from a position, so it is looked at first. */
export function rawLiteral(column: TypedColumn, value: Raw): string {
  if (value === null) return 'null';
  const { type } = column.field;
  if (type === 'int64' || type === 'decimal' || type === 'float64' || type === 'boolean') {
    if (!/^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(value)) throw invalid();
    return type === 'float64' && !/e/i.test(value) ? `${value}e0` : value;
  }
  if (column.reading === 'binary') {
    if (!/^([0-9a-f]{2})*$/.test(value)) throw invalid();
    return `x'${value}'`;
  }
  return textLiteral(value);
}

function invalid(): OutsideError {
  return new OutsideError('config', 'POSITION_INVALID', 'The position is not one of this stream.', {
    hint: 'Reset the synchronization to read from the beginning.',
  });
}
