import type { Value } from '../../connectors/canonical.ts';
import type { LoggedRow, LoggedValue } from '../../connectors/changes.ts';
import type { Field } from '../../connectors/contract.ts';
import { type MappedColumn, type RowTest, valueOf } from '../mapping/columns.ts';
import { compileColumn, compileTest } from '../mapping/mapping.ts';
import type { StreamPlan } from '../plan/plan.ts';

/** The row does not pass the filter. */
export const LEFT_OUT = Symbol('left out');
/** The log has left out what the mapping has to look at. */
export const INCOMPLETE = Symbol('incomplete');

export interface RowMapperOptions {
  readonly plan: StreamPlan;
  /** The fields of the rows, as the log has told them. */
  readonly told: readonly Field[];
  /** The fields of the target, in the order in which it takes them. One that the log does not tell of stays as it is. */
  readonly written: readonly Field[];
}

/** Turns rows and keys of a log into those of the target. What cannot be turned throws a FieldFault. */
export class RowMapper {
  /** Whether the rows that are told have a part that is not wanted. */
  readonly filters: boolean;
  readonly #columns: readonly (MappedColumn | undefined)[];
  readonly #tests: readonly RowTest[];
  readonly #keyColumns: readonly MappedColumn[];
  readonly #isSame: boolean;
  readonly #keyIsSame: boolean;

  constructor({ plan, told, written }: RowMapperOptions) {
    const placeOf = (name: string | undefined): number => told.findIndex((field) => field.name === name);
    const outputs = plan.outputs.map((output) =>
      output.from === undefined ? output : { ...output, from: placeOf(plan.sourceFields[output.from]?.name) },
    );
    this.#columns = written.map(({ name }) => {
      const output = outputs.find(({ to }) => to === name);
      return output && output.from !== -1 ? compileColumn(told, output) : undefined;
    });
    this.#tests = plan.definition.filter.map((filter) => compileTest(told, filter));
    this.filters = this.#tests.length > 0;
    const keyFields = plan.read.key.map((name) => told[placeOf(name)] as Field);
    this.#keyColumns = keyFields.map((field, from) => {
      const output = outputs.find((candidate) => candidate.from === placeOf(field.name));
      if (!output) throw new Error(`the field ${field.name} of the key is not written`);
      return compileColumn(keyFields, { to: output.to, type: output.type, from });
    });
    const isPlain = (column: MappedColumn | undefined, at: number): boolean =>
      column?.from === at && column.sameUpTo === Number.POSITIVE_INFINITY;
    this.#isSame = this.#columns.length === told.length && this.#columns.every(isPlain);
    this.#keyIsSame = this.#keyColumns.every(isPlain);
  }

  /** Whether all rows pass as they are. */
  get passesLines(): boolean {
    return this.#isSame && !this.filters;
  }

  /** A row as the target takes it. What the log has left out stays left out. */
  row(row: LoggedRow): LoggedRow | typeof LEFT_OUT | typeof INCOMPLETE {
    for (const { index, test } of this.#tests) {
      const value = row[index];
      if (value === undefined) return INCOMPLETE;
      if (!test(value)) return LEFT_OUT;
    }
    if (this.#isSame) return row;
    const mapped: LoggedValue[] = [];
    for (const column of this.#columns) {
      if (column === undefined) mapped.push(undefined);
      else if (column.uses.some((place) => row[place] === undefined)) {
        if (column.from === undefined) return INCOMPLETE;
        mapped.push(undefined);
      } else mapped.push(valueOf(column, row as readonly Value[]));
    }
    return mapped;
  }

  key(key: readonly Value[]): readonly Value[] {
    return this.#keyIsSame ? key : this.#keyColumns.map((column) => valueOf(column, key));
  }
}
