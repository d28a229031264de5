import type { Filter } from '../../contract.ts';
import { OutsideError } from '../../../outside/errors.ts';
import type { PostgresColumn, Relation } from '../catalogue/relations.ts';
import type { Link } from '../wire/link.ts';
import { quoteName, quoteText, streamName } from '../catalogue/names.ts';

/** The column of a field; throws naming it when there is none. */
export function columnOf(relation: Relation, field: string): PostgresColumn {
  const column = relation.columns.find(({ name }) => name === field);
  if (column) return column;
  throw new OutsideError('config', 'FIELD_MISSING', `"${streamName(relation)}" has no field "${field}".`, {
    field,
    hint: 'It may have been dropped or renamed. Look at the streams of this source.',
  });
}

/** A value as a constant of a column's type. */
export function constant(column: PostgresColumn, value: string): string {
  return `${quoteText(value)}::${column.cast}`;
}

/** A place in an order, to be compared with rows. */
export function tuple(relation: Relation, order: readonly string[], values: readonly string[]): string {
  return `(${values.map((value, i) => constant(columnOf(relation, order[i] as string), value)).join(', ')})`;
}

const OPERATORS: Readonly<Record<string, string>> = { '=': '=', '!=': '<>', '<': '<', '<=': '<=', '>': '>', '>=': '>=' };

/** Filters as conditions. COPY takes no parameters, so the values are quoted. */
export function filterConditions(relation: Relation, filters: readonly Filter[]): string[] {
  return filters.map(({ field, op, value }) => {
    const column = columnOf(relation, field);
    const name = quoteName(field);
    if (op === 'is_null' || op === 'not_null') return `${name} is ${op === 'is_null' ? '' : 'not '}null`;
    if (op === 'in') {
      const values = Array.isArray(value) ? (value as string[]) : [String(value)];
      return values.length === 0 ? 'false' : `${name} in (${values.map((one) => constant(column, one)).join(', ')})`;
    }
    const operator = OPERATORS[op];
    if (operator === undefined || typeof value !== 'string')
      throw new OutsideError('config', 'FILTER_INVALID', `The filter on "${field}" cannot be understood.`, { field });
    return `${name} ${operator} ${constant(column, value)}`;
  });
}

/** Values that a definition or a position names, to be tried before they are used: a bad one is no fault of a row. */
export interface Trial {
  column: PostgresColumn;
  value: string;
  refuse: (cause: unknown) => OutsideError;
}

export async function tryValues(link: Link, trials: readonly Trial[]): Promise<void> {
  for (const { column, value, refuse } of trials) {
    try {
      await link.query(`select ${constant(column, value)}`);
    } catch (error) {
      throw error instanceof OutsideError && ['data', 'config'].includes(error.kind) ? refuse(error) : error;
    }
  }
}

export function filterTrials(relation: Relation, filters: readonly Filter[]): Trial[] {
  return filters.flatMap(({ field, value }) => {
    const column = columnOf(relation, field);
    const values = typeof value === 'string' ? [value] : (value ?? []);
    return values.map((one) => ({
      column,
      value: one,
      refuse: (cause: unknown) =>
        new OutsideError('config', 'FILTER_INVALID', `A value of the filter on "${field}" is not a ${column.native}.`, { field, cause }),
    }));
  });
}
