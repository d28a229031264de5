import type { DatabaseSync } from 'node:sqlite';
import type { CanonicalType } from '../../canonical.ts';
import { OutsideError } from '../../../outside/errors.ts';
import { demandNotKept, isKept } from '../../own-tables.ts';
import { promisedType } from './declared.ts';
import { type StoredValue, typeOfValues } from './from-sqlite.ts';
import { quote } from './open.ts';

export interface SqliteColumn {
  readonly name: string;
  readonly declared: string;
  readonly isNullable: boolean;
  /** Computed by SQLite: can be read, not written. */
  readonly isGenerated: boolean;
}

export interface SqliteTable {
  readonly name: string;
  readonly kind: 'table' | 'view';
  readonly columns: readonly SqliteColumn[];
  readonly key: readonly string[];
  /** The name by which its rows' own numbers can be asked for; undefined for views and tables without them. */
  readonly rowid: string | undefined;
}

interface ColumnRow {
  table_name: string;
  table_type: string;
  without_rowid: number;
  name: string;
  type: string;
  notnull: number;
  pk: number;
  hidden: number;
}

const COLUMNS = `
  select t.name as table_name, t.type as table_type, t.wr as without_rowid, c.name, c.type, c."notnull", c.pk, c.hidden
  from pragma_table_list as t join pragma_table_xinfo(t.name) as c
  where t.schema = 'main' and t.type in ('table', 'view') and t.name not like 'sqlite\\_%' escape '\\' and c.hidden <> 1`;

/** All tables and views, or the one of that name. */
export function tablesOf(database: DatabaseSync, name?: string): SqliteTable[] {
  const tables = new Map<string, ColumnRow[]>();
  for (const row of columnRows(database, name)) {
    if (isKept(row.table_name)) continue;
    const columns = tables.get(row.table_name);
    if (columns) columns.push(row);
    else tables.set(row.table_name, [row]);
  }
  return [...tables].map(([table, columns]) => tableOf(database, table, columns));
}

function columnRows(database: DatabaseSync, name: string | undefined): ColumnRow[] {
  const one = database.prepare(`${COLUMNS} and t.name = ? order by c.cid`);
  if (name !== undefined) return one.all(name) as unknown as ColumnRow[];
  try {
    return database.prepare(`${COLUMNS} order by t.name, c.cid`).all() as unknown as ColumnRow[];
  } catch {
    // Some view is broken, or asks for what is not run. It must not hide the others.
    const names = database.prepare(`select name from sqlite_schema where type in ('table', 'view') order by name`).all() as {
      name: string;
    }[];
    return names.flatMap(({ name: other }) => {
      try {
        return one.all(other) as unknown as ColumnRow[];
      } catch {
        return [];
      }
    });
  }
}

export function tableNamed(database: DatabaseSync, name: string): SqliteTable {
  demandNotKept(name);
  const [table] = tablesOf(database, name);
  if (!table) throw new OutsideError('config', 'STREAM_MISSING', `There is no table or view "${name}".`);
  return table;
}

function tableOf(database: DatabaseSync, name: string, rows: readonly ColumnRow[]): SqliteTable {
  const isTable = rows[0]?.table_type === 'table';
  const keyRows = rows.filter((row) => row.pk > 0).sort((a, b) => a.pk - b.pk);
  const hasRowid = isTable && rows[0]?.without_rowid === 0;
  // The only key that is never null by itself is an alias of the row's number.
  const isAlias = hasRowid && keyRows.length === 1 && keyRows[0]?.type.toUpperCase() === 'INTEGER';
  const columns = rows.map(
    (row): SqliteColumn => ({
      name: row.name,
      declared: row.type,
      isNullable: row.notnull === 0 && !(row.pk > 0 && (isAlias || !hasRowid)),
      isGenerated: row.hidden > 1,
    }),
  );
  const taken = new Set(rows.map((row) => row.name.toLowerCase()));
  return {
    name,
    kind: isTable ? 'table' : 'view',
    columns,
    key: keyRows.length > 0 || !isTable ? keyRows.map((row) => row.name) : uniqueKey(database, name, columns),
    rowid: hasRowid ? ['rowid', '_rowid_', 'oid'].find((alias) => !taken.has(alias)) : undefined,
  };
}

const UNIQUE = `
  select l.name as index_name, i.name
  from pragma_index_list(?) as l join pragma_index_info(l.name) as i
  where l."unique" = 1 and l.partial = 0 order by l.seq, i.seqno`;

/** Without a primary key, the first unique index whose columns are never null. */
function uniqueKey(database: DatabaseSync, table: string, columns: readonly SqliteColumn[]): string[] {
  const indexes = new Map<string, (string | null)[]>();
  for (const row of database.prepare(UNIQUE).all(table) as { index_name: string; name: string | null }[]) {
    indexes.set(row.index_name, [...(indexes.get(row.index_name) ?? []), row.name]);
  }
  const solid = new Set(columns.filter((column) => !column.isNullable).map((column) => column.name));
  return ([...indexes.values()].find((names) => names.every((name) => name !== null && solid.has(name))) ?? []) as string[];
}

const SAMPLE_ROWS = 100;
const SAMPLE_CELLS = 20_000;
// A longer value says no more of its type, but takes its time.
const SAMPLE_BYTES = 100_000;

/** The types of these columns: what is declared, held against the first and the last rows. */
export function typesOf(database: DatabaseSync, table: SqliteTable, columns: readonly SqliteColumn[]): CanonicalType[] {
  const rows = Math.max(10, Math.min(SAMPLE_ROWS, Math.floor(SAMPLE_CELLS / columns.length)));
  const list = columns.map(({ name }) => `iif(octet_length(${quote(name)}) < ${SAMPLE_BYTES}, ${quote(name)}, null)`).join(', ');
  const from = `select ${list} from main.${quote(table.name)}`;
  const found = sample(database, `${from} limit ${rows}`);
  if (table.rowid && found.length === rows) found.push(...sample(database, `${from} order by ${table.rowid} desc limit ${rows}`));
  return columns.map((column, at) =>
    typeOfValues(
      promisedType(column.declared),
      found.map((row) => row[at] ?? null),
    ),
  );
}

function sample(database: DatabaseSync, sql: string): StoredValue[][] {
  const statement = database.prepare(sql);
  statement.setReturnArrays(true);
  statement.setReadBigInts(true);
  return statement.all() as unknown as StoredValue[][];
}
