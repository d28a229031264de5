import { byEngine, type EngineSql, raw, sql } from './sql.ts';

export type ColumnType = 'text' | 'bigint' | 'numeric' | 'json';
type Value = string | number | null;

// Rows of bound values are three times as fast as JSON in SQLite, but need a statement of their own for every number of
// rows. So the number is rounded up to a power of two, and the rows that are too many stay null and are left out.
const MAX_BOUND_VALUES = 30_000;

/**
 * Many rows as one relation: PostgreSQL takes one JSON document, SQLite bound values or, for very many, a JSON document too.
 * It stands where a table may stand: `select id from ${bulk(columns, rows)} as input`. The first
 * column is never null, and a JSON column holds a document or nothing: a JSON `null` counts as nothing.
 */
export function bulk(columns: Readonly<Record<string, ColumnType>>, rows: readonly (readonly Value[])[]): EngineSql {
  const names = Object.keys(columns);
  return byEngine((engine) => {
    if (engine === 'postgres') {
      const fields = names.map((name) => `${name} ${columns[name]}`).join(', ');
      return sql`(select * from json_to_recordset(${recordsOf(columns, rows)}::json) as t(${raw(fields)}))`;
    }
    const room = 2 ** Math.ceil(Math.log2(Math.max(1, rows.length)));
    if (room * names.length > MAX_BOUND_VALUES) {
      const fields = names.map((name, index) => `value->>${index} as ${name}`);
      return sql`(select ${raw(fields.join(', '))} from json_each(${JSON.stringify(rows)}))`;
    }
    return { text: boundRows(names, room), values: paddedTo(room * names.length, rows) };
  });
}

/** The rows as JSON objects. Decimals and JSON are the text of a JSON value already, and arrive as they were written. */
function recordsOf(columns: Readonly<Record<string, ColumnType>>, rows: readonly (readonly Value[])[]): string {
  const heads = Object.keys(columns).map((name, index) => `${index === 0 ? '{' : ','}"${name}":`);
  const verbatim = Object.values(columns).map((type) => type === 'json' || type === 'numeric');
  let text = '';
  for (const row of rows) {
    text += text === '' ? '[' : ',';
    for (let i = 0; i < heads.length; i++) {
      const value = row[i];
      text += heads[i] + (verbatim[i] && value !== null ? String(value) : JSON.stringify(value));
    }
    text += '}';
  }
  return text === '' ? '[]' : `${text}]`;
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

function paddedTo(length: number, rows: readonly (readonly Value[])[]): Value[] {
  const values: Value[] = [];
  for (const row of rows) for (const value of row) values.push(value);
  while (values.length < length) values.push(null);
  return values;
}

/** A list of texts as a relation, for `in ${list(ids)}`. */
export function list(values: readonly string[]): EngineSql {
  return byEngine((engine) =>
    engine === 'sqlite' ? sql`(select value from json_each(${JSON.stringify(values)}))` : sql`(select unnest(${values}::text[]))`,
  );
}
