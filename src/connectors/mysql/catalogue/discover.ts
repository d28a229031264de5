import type { Stream } from '../../contract.ts';
import { OutsideError } from '../../../outside/errors.ts';
import { demandNotKept, isKept } from '../../own-tables.ts';
import { type MysqlColumn, typed, type TypedColumn } from './columns.ts';
import { quote, textLiteral } from './literals.ts';
import type { MysqlConfig } from '../manifest.ts';
import type { Wire } from '../wire/connection.ts';

/** A table or view with what reading and writing need to know of it. */
export interface MysqlTable {
  readonly name: string;
  readonly kind: 'table' | 'view';
  readonly columns: readonly TypedColumn[];
  /** The columns of every unique index without nulls, the primary key first. */
  readonly uniqueKeys: readonly (readonly string[])[];
  /** The columns that some index begins with. */
  readonly indexed: ReadonlySet<string>;
  readonly estimatedRows: number | null;
  readonly estimatedBytes: number | null;
}

/** More tables than this are not opened one by one. */
const MANY = 500;

/** Where more of them are missing they are to be made, and nobody is just altering them. */
const MOST_UNSURE = 50;

/** The tables of the database, or those of these names. A few statements, however many tables there are. */
export async function findTables(wire: Wire, config: MysqlConfig, names?: readonly string[]): Promise<MysqlTable[]> {
  if (names?.length === 0) return [];
  const found = await lookFor(wire, config, names);
  if (!wire.isMariaDb || !names) return found;
  // MariaDB does not show a table, or shows a part of it, in the moment in which an ALTER puts another in its place.
  const isWhole = ({ kind, columns, uniqueKeys: keys }: MysqlTable): boolean => columns.length > 0 && (kind === 'view' || keys.length > 0);
  const whole = new Set(found.filter(isWhole).map(({ name }) => name.toLowerCase()));
  const unsure = names.filter((name) => !whole.has(name.toLowerCase()));
  if (unsure.length === 0 || unsure.length > MOST_UNSURE) return found;
  const [[isWithin] = []] = await wire.rows('select @@in_transaction');
  if (isWithin === '0') await wire.run('start transaction');
  try {
    if (!(await holdSome(wire, unsure))) return found;
    const again = await lookFor(wire, config, unsure);
    return [...found.filter(({ name }) => whole.has(name.toLowerCase())), ...again];
  } finally {
    if (isWithin === '0') await wire.run('commit');
  }
}

/** Whether some of these tables are there. Nobody alters them then until the transaction is over; an ALTER that is under way is waited for. */
export async function holdSome(wire: Wire, names: readonly string[]): Promise<boolean> {
  let areThere = false;
  for (const name of names)
    await wire.rows(`select 1 from ${quote(name)} limit 0`).then(
      () => (areThere = true),
      (error: unknown) => {
        if (!(error instanceof OutsideError) || error.kind === 'transient') throw error;
      },
    );
  return areThere;
}

async function lookFor(wire: Wire, config: MysqlConfig, names: readonly string[] | undefined): Promise<MysqlTable[]> {
  const only = (column: string): string => (names === undefined ? '' : ` and ${column} in (${names.map(textLiteral).join(', ')})`);
  const of = (view: string): string => `from information_schema.${view} where table_schema = database()${only('table_name')}`;
  const tables = await wire.rows(
    `select table_name, table_type ${of('tables')} and table_type in ('BASE TABLE', 'VIEW', 'SYSTEM VERSIONED') order by table_name`,
  );
  const columns = await wire.rows(
    `select table_name, column_name, data_type, column_type, is_nullable, character_set_name, collation_name, column_comment, extra, (column_default is not null and column_default <> 'NULL') ${of('columns')} order by table_name, ordinal_position`,
  );
  const indexes = await wire.rows(
    `select table_name, index_name, column_name, nullable, sub_part, non_unique ${of('statistics')} order by table_name, index_name <> 'PRIMARY', index_name, seq_in_index`,
  );
  const json = await jsonColumns(wire, only);
  const guesses = new Map((await sizeGuesses(wire, of('tables'), tables.length)).map(([table, ...guess]) => [table, guess]));
  const guess = (table: string | null | undefined, type: string | null | undefined, place: 0 | 1): number | null => {
    const found = type === 'VIEW' ? null : guesses.get(table ?? '')?.[place];
    return found == null ? null : Number(found);
  };

  const columnsOf = grouped(
    columns,
    (row): MysqlColumn => ({
      name: row[1] ?? '',
      dataType: (row[2] ?? '').toLowerCase(),
      columnType: row[3] ?? '',
      nullable: row[4] === 'YES',
      characterSet: row[5] ?? null,
      collation: row[6] ?? null,
      comment: row[7] ?? '',
      extra: row[8] ?? '',
      // What may not be null is empty at least.
      isFilled: row[9] === '1' || row[4] !== 'YES' || /generated|auto_increment/i.test(row[8] ?? ''),
      isJson: json.has(`${row[0]}\n${row[1]}`) || row[2] === 'json',
    }),
  );
  const firstOf = (rows: readonly (readonly (string | null)[])[]): Set<string> =>
    new Set(rows.filter((row, i) => row[1] !== rows[i - 1]?.[1]).map((row) => row[2] ?? ''));
  const indexesOf = grouped(indexes, (row) => row);
  return tables
    .filter(([table]) => !isKept(table ?? ''))
    .map(([table, type]) => ({
      name: table ?? '',
      kind: type === 'VIEW' ? 'view' : 'table',
      columns: (columnsOf.get(table ?? '') ?? []).map((column) => typed(column, config)),
      uniqueKeys: uniqueKeys(indexesOf.get(table ?? '') ?? []),
      indexed: firstOf(indexesOf.get(table ?? '') ?? []),
      estimatedRows: guess(table, type, 0),
      estimatedBytes: guess(table, type, 1),
    }));
}

export async function findTable(wire: Wire, config: MysqlConfig, name: string): Promise<MysqlTable | undefined> {
  demandNotKept(name);
  const found = await findTables(wire, config, [name]);
  const exact = found.find((table) => table.name === name);
  if (exact || found.length === 0) return exact;
  // On some systems the server writes every name small, and knows it by any spelling.
  const [[folds] = []] = await wire.rows('select @@lower_case_table_names');
  return folds === '0' ? undefined : found.find((table) => table.name.toLowerCase() === name.toLowerCase());
}

export async function demandTable(wire: Wire, config: MysqlConfig, name: string): Promise<MysqlTable> {
  const table = await findTable(wire, config, name);
  if (!table)
    throw new OutsideError('config', 'STREAM_MISSING', `There is no table or view "${name}" in the database.`, {
      field: 'stream',
      hint: 'Check the name, and that the user may SELECT from it.',
    });
  return table;
}

export function streamOf(table: MysqlTable): Stream {
  return {
    name: table.name,
    kind: table.kind,
    fields: table.columns.map(({ field, isFilled }) => ({ ...field, ...(isFilled && { filled: true as const }) })),
    key: table.uniqueKeys[0] ?? [],
    cursors: cursorsOf(table),
    writable: table.kind === 'table',
    estimatedRows: table.estimatedRows,
    ...(table.estimatedBytes !== null && { estimatedBytes: table.estimatedBytes }),
  };
}

/** Columns that grow when a row is made or changed: those the server itself keeps up to date first. */
function cursorsOf({ columns, uniqueKeys }: MysqlTable): string[] {
  const weight = ({ name, field, extra }: TypedColumn): number => {
    const isMoment = field.type === 'timestamptz' || field.type === 'timestamp';
    if (isMoment && /on update/i.test(extra)) return 0;
    if (isMoment && /updat|modif|chang/i.test(name)) return 1;
    if (/auto_increment/i.test(extra)) return 2;
    if (isMoment) return 3;
    if (field.type === 'int64' && uniqueKeys.some((key) => key.length === 1 && key[0] === name)) return 4;
    return field.type === 'date' ? 5 : 9;
  };
  return columns
    .map((column) => ({ name: column.name, weight: weight(column) }))
    .filter((candidate) => candidate.weight < 9)
    .sort((a, b) => a.weight - b.weight)
    .map((candidate) => candidate.name);
}

function uniqueKeys(rows: readonly (readonly (string | null)[])[]): string[][] {
  const keys = new Map<string, { columns: string[]; isWhole: boolean }>();
  for (const [, index, column, nullable, part, repeats] of rows) {
    if (repeats !== '0') continue;
    const key = keys.get(index ?? '') ?? { columns: [], isWhole: true };
    key.columns.push(column ?? '');
    // Nulls are not unique, a prefix is not the value, and an index on an expression has no column.
    if (nullable === 'YES' || part != null || column === null) key.isWhole = false;
    keys.set(index ?? '', key);
  }
  return [...keys.values()].filter((key) => key.isWhole).map((key) => key.columns);
}

/**
 * How many rows each table has, and how many bytes they take, about. MariaDB opens every table to tell; where there are very many, its own notes are read
 * instead, or nothing is said when the user may not see them.
 */
async function sizeGuesses(wire: Wire, fromTables: string, tables: number): Promise<(readonly (string | null)[])[]> {
  if (!wire.isMariaDb || tables <= MANY) return wire.rows(`select table_name, table_rows, data_length ${fromTables}`);
  const notes =
    "select substring_index(table_name, '#P#', 1), sum(n_rows), sum(clustered_index_size) * @@innodb_page_size from mysql.innodb_table_stats where database_name = database() group by 1";
  return wire.rows(notes).catch((error: unknown) => {
    if (error instanceof OutsideError && error.kind === 'auth') return [];
    throw error;
  });
}

/** The columns that MariaDB made of the type json. */
async function jsonColumns(wire: Wire, only: (column: string) => string): Promise<Set<string>> {
  if (!wire.isMariaDb) return new Set();
  const rows = await wire.rows(
    `select table_name, constraint_name, check_clause from information_schema.check_constraints where constraint_schema = database()${only('table_name')} and level = 'Column'`,
  );
  return new Set(
    rows
      .filter(([, column, clause]) => clause === `json_valid(\`${column?.replaceAll('`', '``')}\`)`)
      .map(([table, column]) => `${table}\n${column}`),
  );
}

function grouped<T>(rows: readonly (readonly (string | null)[])[], make: (row: readonly (string | null)[]) => T): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const row of rows) {
    const group = groups.get(row[0] ?? '');
    if (group) group.push(make(row));
    else groups.set(row[0] ?? '', [make(row)]);
  }
  return groups;
}
