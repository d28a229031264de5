import type { GridColumn } from './grid-column.ts';

export type RowValues = Readonly<Record<string, unknown>>;

/** A column for each field of rows that are told by field. */
export function columnsOf<Row>(names: readonly string[], valuesOf: (row: Row) => RowValues): GridColumn<Row>[] {
  return names.map((name) => ({ name, cell: (row) => ({ value: valuesOf(row)[name] }) }));
}

/** What a row is called by: the values of its key, where it has one. */
export function keyColumn<Row>(names: readonly string[], keyOf: (row: Row) => RowValues | null): GridColumn<Row> {
  return {
    name: `key of ${names.join(', ')}`,
    label: names.length === 0 ? 'Row' : names.join(', '),
    cell: (row) => {
      const values = Object.values(keyOf(row) ?? {});
      if (values.length === 0) return { value: null, none: 'without a key' };
      return { value: values.length === 1 ? values[0] : values.map(String).join(', ') };
    },
  };
}

/** The names of all fields of some rows, in the order in which they come up. */
export function namesIn(rows: readonly (RowValues | null | undefined)[]): string[] {
  return [...new Set(rows.flatMap((row) => Object.keys(row ?? {})))];
}
