import type { Value } from '../../canonical.ts';
import type { LoggedValue } from '../../changes.ts';
import { readExpression } from '../catalogue/column-types.ts';
import { quoteName } from '../catalogue/names.ts';
import type { PostgresColumn, Relation } from '../catalogue/relations.ts';
import type { Link } from '../wire/link.ts';

// Columns that the server computes are not in the log, but for stored ones from version 18 on. What they are computed of is: so the server is asked to do it once more, of
// the values in the log, and the result is that of this very row, not of what has become of it since.

export interface Computed {
  readonly columns: readonly ComputedColumn[];
  /** What they may be computed of, and where it is in a row. */
  readonly inputs: readonly { readonly name: string; readonly cast: string; readonly base: string; readonly at: number }[];
}

interface ComputedColumn {
  readonly name: string;
  readonly expression: string;
  readonly base: string;
}

/** Those of a table that are not in the log, or undefined when there are none. */
export async function computedColumns(
  link: Link,
  relation: Relation | undefined,
  logged: readonly PostgresColumn[],
): Promise<Computed | undefined> {
  const missing =
    relation?.columns.filter(({ name, generated }) => generated === 'stored' && !logged.some((one) => one.name === name)) ?? [];
  if (!relation || missing.length === 0) return undefined;
  const rows = await link.query(
    `select a.attname as name, pg_get_expr(d.adbin, d.adrelid) as expression from pg_catalog.pg_attribute a
       join pg_catalog.pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum where a.attrelid = $1::oid and a.attgenerated <> '' and not a.attisdropped`,
    [relation.oid],
  );
  const columns = rows.flatMap((row) => {
    const column = missing.find(({ name }) => name === row['name']);
    return column ? [{ name: column.name, expression: row['expression'] ?? 'null', base: column.base }] : [];
  });
  return { columns, inputs: [] };
}

/** Whether everything that the columns may be computed of is in the row. By the names that stand in an expression: rather too many than too few. */
export function canCompute({ columns, inputs }: Computed, row: readonly LoggedValue[]): boolean {
  return inputs.every(({ name, at }) => row[at] !== undefined || !columns.some(({ expression }) => expression.includes(name)));
}

/** The columns of these rows, in the order of `columns`. */
export async function compute(link: Link, { columns, inputs }: Computed, rows: readonly (readonly LoggedValue[])[]): Promise<Value[][]> {
  const given = inputs.map(({ name, cast, base }, index) => {
    const text = `(v->>${index})`;
    return `${base === 'money' ? `${text}::numeric::${cast}` : `${text}::${cast}`} as ${quoteName(name)}`;
  });
  const wanted = columns.map(({ expression, base }, index) => `${readExpression(`(${expression})`, base)} as c${index}`);
  const answers = await link.query(
    `select ${wanted.join(', ')} from (select _syncline_n, ${given.join(', ')} from json_array_elements($1::json) with ordinality e(v, _syncline_n)) t order by _syncline_n`,
    [JSON.stringify(rows.map((row) => inputs.map(({ at }) => row[at] ?? null)))],
  );
  return answers.map((answer) => columns.map((_, index) => answer[`c${index}`] ?? null));
}
