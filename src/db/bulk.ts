import { byEngine, type EngineSql, join, raw, sql } from './sql.ts';

export type ColumnType = 'text' | 'bigint' | 'numeric' | 'json';
type Value = string | number | null;

/**
 * Many rows as one relation with one statement text, whatever their number: PostgreSQL takes an array a column, SQLite
 * one JSON document. It stands where a table may stand: `select id from ${bulk(columns, rows)} as input`.
 */
export function bulk(columns: Readonly<Record<string, ColumnType>>, rows: readonly (readonly Value[])[]): EngineSql {
  const names = Object.keys(columns);
  return byEngine((engine) => {
    if (engine === 'sqlite') {
      const fields = names.map((name, index) => `value->>${index} as ${name}`);
      return sql`(select ${raw(fields.join(', '))} from json_each(${JSON.stringify(rows)}))`;
    }
    const arrays = names.map((name, index) => sql`${rows.map((row) => row[index])}::${raw(`${columns[name]}[]`)}`);
    return sql`(select * from unnest(${join(arrays, ', ')}) as t(${raw(names.join(', '))}))`;
  });
}

/** A list of texts as a relation, for `in ${list(ids)}`. */
export function list(values: readonly string[]): EngineSql {
  return byEngine((engine) =>
    engine === 'sqlite' ? sql`(select value from json_each(${JSON.stringify(values)}))` : sql`(select unnest(${values}::text[]))`,
  );
}
