import type { DatabaseSync } from 'node:sqlite';
import type { CanonicalType } from '../../canonical.ts';
import type { Field, Stream } from '../../contract.ts';
import { promisedType } from './declared.ts';
import type { SqliteConfig } from '../manifest.ts';
import { breathe, patiently, quote } from './open.ts';
import { type SqliteTable, tablesOf, typesOf } from './schema.ts';

// A file may have thousands of tables: others get their turn in between.
const TURN = 10;

export async function discover(
  database: DatabaseSync,
  config: SqliteConfig,
  signal: AbortSignal,
  names?: readonly string[],
): Promise<Stream[]> {
  const streams: Stream[] = [];
  let started = performance.now();
  const tables = (): SqliteTable[] => (names ? names.flatMap((name) => named(database, name)) : tablesOf(database));
  for (const table of await patiently(config, signal, tables)) {
    streams.push(await patiently(config, signal, () => streamOf(database, table)));
    if (performance.now() - started < TURN) continue;
    await breathe(signal);
    started = performance.now();
  }
  return streams;
}

// What a view asks for is not there, or is not run (sqlite.org/rescode.html).
const SQL_ERROR = 1;
const SQL_REFUSED = 23;

/** A view that is broken is not there, as among all the others. */
function named(database: DatabaseSync, name: string): SqliteTable[] {
  try {
    return tablesOf(database, name);
  } catch (error) {
    const { errcode = 0 } = error as { errcode?: number };
    if (errcode === SQL_ERROR || errcode === SQL_REFUSED) return [];
    throw error;
  }
}

function streamOf(database: DatabaseSync, table: SqliteTable): Stream {
  const types = table.kind === 'table' ? typesOf(database, table, table.columns) : viewTypes(database, table);
  const fields = table.columns.map((column, at): Field => {
    const type = types[at] as CanonicalType;
    const size = type === 'decimal' ? /\((\d+)(?:,\s*(\d+))?\)/.exec(column.declared) : null;
    return {
      name: column.name,
      type,
      nullable: column.isNullable,
      ...(column.declared !== '' && { native: column.declared }),
      ...(size && { precision: Number(size[1]), scale: Number(size[2] ?? 0) }),
    };
  });
  return {
    name: table.name,
    kind: table.kind,
    fields,
    key: table.key,
    cursors: cursorsOf(fields, table.key),
    writable: table.kind === 'table',
    estimatedRows: estimate(database, table),
  };
}

/** Of a view that cannot be run, what is declared. The reason is told when it is read. */
function viewTypes(database: DatabaseSync, view: SqliteTable): CanonicalType[] {
  try {
    return typesOf(database, view, view.columns);
  } catch {
    return view.columns.map(({ declared }) => promisedType(declared) ?? 'text');
  }
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

/** The largest row number: exact where nothing was ever deleted, and found without counting. */
function estimate(database: DatabaseSync, { name, rowid }: SqliteTable): number | null {
  if (!rowid) return null;
  // A key may be the row number, and larger than a number of ours.
  const row = database.prepare(`select cast(max(${rowid}) as real) - min(${rowid}) + 1 as rows from main.${quote(name)}`).get() as {
    rows: number | null;
  };
  return row.rows === null ? 0 : Math.min(row.rows, Number.MAX_SAFE_INTEGER);
}
