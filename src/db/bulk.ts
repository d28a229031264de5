import { bigintArray, textArray } from './postgres-arrays.ts';
import { byEngine, type EngineSql, join, raw, type Sql, sql } from './sql.ts';

export type ColumnType = 'text' | 'bigint' | 'numeric' | 'json';
type BoundValue = string | number | null;

// Rows of bound values are three times as fast as JSON in SQLite, but need a statement of their own for every number of
// rows. So the number is rounded up to a power of two, and the rows that are too many stay null and are left out.
const MAX_BOUND_VALUES = 30_000;

/**
 * Many rows as one relation: PostgreSQL takes an array for each column, SQLite bound values or, for very many, a JSON
 * document. It stands where a table may stand: `select id from ${bulk(columns, rows)} as input`. The first column is
 * never null.
 */
export function bulk(columns: Readonly<Record<string, ColumnType>>, rows: readonly (readonly BoundValue[])[]): EngineSql {
  const names = Object.keys(columns);
  return byEngine((engine) => {
    if (engine === 'postgres') return unnested(columns, rows);
    const room = 2 ** Math.ceil(Math.log2(Math.max(1, rows.length)));
    if (room * names.length > MAX_BOUND_VALUES) {
      const fields = names.map((name, index) => `value->>${index} as ${name}`);
      return sql`(select ${raw(fields.join(', '))} from json_each(${JSON.stringify(rows)}))`;
    }
    return { text: boundRows(names, room), values: paddedTo(room * names.length, rows) };
  });
}

/** Decimals and JSON travel as text, and become what they are in the database. */
function unnested(columns: Readonly<Record<string, ColumnType>>, rows: readonly (readonly BoundValue[])[]): Sql {
  const names = Object.keys(columns);
  const arrays = names.map((name, index) => {
    const values = rows.map((row) => row[index] ?? null);
    return columns[name] === 'bigint' ? sql`${bigintArray(values)}::bigint[]` : sql`${textArray(values)}::text[]`;
  });
  const fields = names.map((name) => (isCast(columns[name]) ? `${name}::${columns[name]} as ${name}` : name));
  return sql`(select ${raw(fields.join(', '))} from unnest(${join(arrays, ', ')}) as t(${raw(names.join(', '))}))`;
}

function isCast(type: ColumnType | undefined): boolean {
  return type === 'numeric' || type === 'json';
}

const texts = new Map<string, string>();

function boundRows(names: readonly string[], room: number): string {
  const key = `${room} ${names.join(' ')}`;
  let text = texts.get(key);
  if (text === undefined) {
    const fields = names.map((name, index) => `column${index + 1} as ${name}`).join(', ');
    const row = `(${names.map(() => '?').join(', ')})`;
    text = `(select ${fields} from (values ${Array.from({ length: room }, () => row).join(', ')}) where column1 is not null)`;
    texts.set(key, text);
  }
  return text;
}

function paddedTo(length: number, rows: readonly (readonly BoundValue[])[]): BoundValue[] {
  const values: BoundValue[] = [];
  for (const row of rows) for (const value of row) values.push(value);
  while (values.length < length) values.push(null);
  return values;
}

/** A list of texts as a relation, for `in ${list(ids)}`. */
export function list(values: readonly string[]): EngineSql {
  return byEngine((engine) =>
    engine === 'sqlite'
      ? sql`(select value from json_each(${JSON.stringify(values)}))`
      : sql`(select unnest(${textArray(values)}::text[]))`,
  );
}
