import type { DuckdbLink } from './open.ts';
import { OutsideError } from '../../../outside/errors.ts';
import type { Field, Stream } from '../../contract.ts';
import { isKept, ownTable } from '../../own-tables.ts';
import { meaningOf, sizeOf } from './column-values.ts';

export interface DuckdbColumn {
  readonly name: string;
  readonly declared: string;
  readonly isNullable: boolean;
}

export interface DuckdbTable {
  readonly name: string;
  readonly kind: 'table' | 'view';
  readonly columns: readonly DuckdbColumn[];
  readonly key: readonly string[];
  readonly rows: number | null;
}

/** The tables and views of the main schema, or those of these names. DuckDB does not tell upper from lower case. */
export async function tablesOf(connection: DuckdbLink, names?: readonly string[]): Promise<DuckdbTable[]> {
  const where = `database_name = current_database() and schema_name = 'main' and not internal`;
  const tables = await connection.rows(
    `select table_name, 'table', estimated_size from duckdb_tables() where ${where} union all select view_name, 'view', null from duckdb_views() where ${where} order by 1`,
  );
  const columns = await connection.rows(
    `select table_name, column_name, data_type, is_nullable from duckdb_columns() where ${where} order by table_name, column_index`,
  );
  const keys = await connection.rows(
    `select table_name, unnest(constraint_column_names) from duckdb_constraints() where database_name = current_database() and schema_name = 'main' and constraint_type = 'PRIMARY KEY'`,
  );
  const byTable = Map.groupBy(columns, ([table]) => String(table));
  const keysOf = Map.groupBy(keys, ([table]) => String(table));
  const wanted = names && new Set(names.map((name) => name.toLowerCase()));
  return tables
    .filter(([name]) => wanted === undefined || wanted.has(String(name).toLowerCase()))
    .map(([name, kind, size]) => ({
      name: String(name),
      kind: kind as DuckdbTable['kind'],
      columns: (byTable.get(String(name)) ?? []).map(([, column, declared, isNullable]) => ({
        name: String(column),
        declared: String(declared),
        isNullable: isNullable === true,
      })),
      key: (keysOf.get(String(name)) ?? []).map(([, column]) => String(column)),
      rows: size === null ? null : Number(size),
    }));
}

export async function tableNamed(connection: DuckdbLink, name: string): Promise<DuckdbTable> {
  if (isKept(name)) throw ownTable(name);
  const [found] = await tablesOf(connection, [name]);
  if (found) return found;
  throw new OutsideError('config', 'STREAM_MISSING', `There is no table or view "${name}".`, { field: 'stream', hint: 'Check its name.' });
}

export function columnNamed({ columns }: Pick<DuckdbTable, 'columns'>, name: string): DuckdbColumn | undefined {
  return columns.find((column) => column.name.toLowerCase() === name.toLowerCase());
}

export function streamOf({ name, kind, columns, key, rows }: DuckdbTable): Stream {
  const fields = columns.map(
    (column): Field => ({
      name: column.name,
      type: meaningOf(column.declared),
      nullable: column.isNullable,
      native: column.declared,
      ...(meaningOf(column.declared) === 'decimal' && sizeOf(column.declared)),
    }),
  );
  return { name, kind, fields, key, cursors: cursorsOf(fields, key), writable: kind === 'table', estimatedRows: rows };
}

const CHANGED = /upd|chang|modif|mtime/i;

/** Times of change first, then other times, then numbers that grow. */
function cursorsOf(fields: readonly Field[], key: readonly string[]): string[] {
  const rank = ({ name, type }: Field): number => {
    if (type === 'timestamp' || type === 'timestamptz') return CHANGED.test(name) ? 0 : 1;
    if (type === 'int64') return CHANGED.test(name) ? 2 : key.includes(name) ? 3 : 4;
    return type === 'date' ? 5 : 9;
  };
  return fields
    .filter((field) => rank(field) < 9)
    .sort((a, b) => rank(a) - rank(b))
    .map(({ name }) => name);
}
