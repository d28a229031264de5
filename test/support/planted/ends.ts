import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import type { CanonicalType, Row, Value } from '../../../src/connectors/canonical.ts';
import type { End } from '../../../src/engine/run.ts';
import type { MysqlDatabase } from '../mysql-database.ts';
import type { TestDatabase } from '../postgres-database.ts';
import { ALL_COLUMNS, type SystemName } from './columns.ts';

/** A table in some system, which is changed there by hand, past our own connectors. */
export interface PlantedEnd {
  readonly system: SystemName;
  readonly end: End;
  /** What the stream is called. */
  readonly stream: string;
  /** Makes the table with the system's own types, filled with rows. */
  create(key: readonly string[], rows: readonly Row[]): Promise<void>;
  drop(): Promise<void>;
  /** Changes one value of one row; of rows that are alike, one. */
  set(row: Row, column: number, value: Value): Promise<void>;
  remove(row: Row): Promise<void>;
  add(row: Row): Promise<void>;
  /** All of that has been done; the rows are those that are there now. */
  settle(rows: readonly Row[]): Promise<void>;
}

const settle = async (): Promise<void> => {};

const NAMES = ALL_COLUMNS.map(({ name }) => name);
const N = NAMES.indexOf('n');

const typeOf = (column: number): CanonicalType => ALL_COLUMNS[column]?.type ?? 'text';

const POSTGRES: Readonly<Record<CanonicalType, string>> = {
  text: 'text',
  int64: 'bigint',
  decimal: 'numeric',
  float64: 'double precision',
  boolean: 'boolean',
  date: 'date',
  time: 'time(6)',
  timestamp: 'timestamp(6)',
  timestamptz: 'timestamptz(6)',
  uuid: 'uuid',
  json: 'json',
  binary: 'bytea',
};

export async function postgresEnd(database: TestDatabase, name: string): Promise<PlantedEnd> {
  const client = await database.client();
  const ask = async (text: string, values: readonly Value[] = []): Promise<void> => {
    await client.query(text, [...values]);
  };
  await ask(`do $$ begin create type choice as enum ('new', 'New ish', 'old'); exception when duplicate_object then null; end $$`);
  const one = `ctid = (select min(ctid) from ${name} where n = $1)`;
  const places = ALL_COLUMNS.map((_, at) => `$${at + 1}`).join(', ');
  const add = (row: Row): Promise<void> => ask(`insert into ${name} (${NAMES.join(', ')}) values (${places})`, row);
  return {
    system: 'postgres',
    end: { id: 'p', name: 'p', type: 'postgres', config: database.config },
    stream: `public.${name}`,
    create: async (key, rows) => {
      // A collation of another order than that of bytes.
      const columns = ALL_COLUMNS.map(
        (column) =>
          `${column.name} ${column.native?.postgres ?? POSTGRES[column.type]}${column.name === 'code' ? ' collate "und-x-icu"' : ''}`,
      );
      await ask(`create table ${name} (${columns.join(', ')}${key.length > 0 ? `, primary key (${key.join(', ')})` : ''})`);
      await ask('begin');
      for (const row of rows) await add(row);
      await ask('commit');
    },
    drop: () => ask(`drop table if exists ${name}`),
    set: (row, column, value) => ask(`update ${name} set ${NAMES[column]} = $2 where ${one}`, [row[N] ?? null, value]),
    remove: (row) => ask(`delete from ${name} where ${one}`, [row[N] ?? null]),
    add,
    settle,
  };
}

const MYSQL: Readonly<Record<CanonicalType, string>> = {
  text: 'longtext collate utf8mb4_general_ci',
  int64: 'bigint',
  decimal: 'decimal(65,15)',
  float64: 'double',
  boolean: 'tinyint(1)',
  date: 'date',
  time: 'time(6)',
  timestamp: 'datetime(6)',
  timestamptz: `datetime(6) null comment '[syncline:timestamptz]'`,
  uuid: 'uuid',
  json: 'json',
  binary: 'longblob',
};

export function mysqlEnd(database: MysqlDatabase, name: string): PlantedEnd {
  const literal = (value: Value, column: number): unknown => {
    if (value === null) return null;
    if (typeOf(column) === 'boolean') return value === 't' ? 1 : 0;
    if (typeOf(column) === 'binary') return Buffer.from(value.slice(2), 'hex');
    return typeOf(column) === 'timestamptz' ? value.replace('+00', '') : value;
  };
  const ask = async (text: string, values: readonly unknown[] = []): Promise<void> => {
    await database.query(text, values);
  };
  const places = ALL_COLUMNS.map(() => '?').join(', ');
  const add = (row: Row): Promise<void> =>
    ask(
      `insert into ${name} (${NAMES.join(', ')}) values (${places})`,
      row.map((value, at) => literal(value, at)),
    );
  const { host, port, user, password } = database;
  return {
    system: 'mysql',
    end: { id: 'm', name: 'm', type: 'mysql', config: { host, port, user, password, database: database.name } },
    stream: name,
    create: async (key, rows) => {
      // Case does not count in the order of this key, nor does a space at its end.
      const columns = ALL_COLUMNS.map((column) =>
        column.name === 'code'
          ? 'code varchar(40) collate utf8mb4_general_ci'
          : `${column.name} ${column.native?.mysql ?? MYSQL[column.type]}`,
      );
      await ask(`create table ${name} (${columns.join(', ')}${key.length > 0 ? `, primary key (${key.join(', ')})` : ''})`);
      await ask('start transaction');
      for (const row of rows) await add(row);
      await ask('commit');
    },
    drop: () => ask(`drop table if exists ${name}`),
    set: (row, column, value) => ask(`update ${name} set ${NAMES[column]} = ? where n = ? limit 1`, [literal(value, column), row[N]]),
    remove: (row) => ask(`delete from ${name} where n = ? limit 1`, [row[N]]),
    add,
    settle,
  };
}

const SQLITE: Readonly<Record<CanonicalType, string>> = {
  text: 'TEXT',
  int64: 'INTEGER',
  decimal: 'DECIMAL TEXT',
  float64: 'REAL',
  boolean: 'BOOLEAN',
  date: 'DATE',
  time: 'TIME',
  timestamp: 'TIMESTAMP',
  timestamptz: 'TIMESTAMPTZ',
  uuid: 'UUID',
  json: 'JSON TEXT',
  binary: 'BLOB',
};

export function sqliteEnd(path: string, name: string): PlantedEnd {
  const bound = (value: Value, column: number): SQLInputValue => {
    if (value === null) return null;
    switch (typeOf(column)) {
      case 'int64':
        return BigInt(value);
      case 'float64':
        return Number(value);
      case 'boolean':
        return value === 't' ? 1n : 0n;
      case 'binary':
        return Buffer.from(value.slice(2), 'hex');
      case 'timestamptz':
        return value.replace('+00', '+00:00');
      default:
        return value;
    }
  };
  const withDatabase = async (work: (db: DatabaseSync) => void): Promise<void> => {
    const db = new DatabaseSync(path);
    try {
      work(db);
    } finally {
      db.close();
    }
  };
  const one = `rowid = (select min(rowid) from ${name} where n = ?)`;
  const insert = (db: DatabaseSync, rows: readonly Row[]): void => {
    const statement = db.prepare(`insert into ${name} (${NAMES.join(', ')}) values (${ALL_COLUMNS.map(() => '?').join(', ')})`);
    statement.setReadBigInts(true);
    for (const row of rows) statement.run(...row.map((value, at) => bound(value, at)));
  };
  return {
    system: 'sqlite',
    end: { id: 's', name: 's', type: 'sqlite', config: { path } },
    stream: name,
    create: (key, rows) =>
      withDatabase((db) => {
        const columns = ALL_COLUMNS.map(
          (column) => `${column.name} ${SQLITE[column.type]}${column.name === 'code' ? ' collate nocase' : ''}`,
        );
        db.exec(`create table ${name} (${columns.join(', ')}${key.length > 0 ? `, primary key (${key.join(', ')})` : ''}); begin`);
        insert(db, rows);
        db.exec('commit');
      }),
    drop: () => withDatabase((db) => db.exec(`drop table if exists ${name}`)),
    set: (row, column, value) =>
      withDatabase((db) =>
        db.prepare(`update ${name} set ${NAMES[column]} = ? where ${one}`).run(bound(value, column), bound(row[N] ?? null, N)),
      ),
    remove: (row) => withDatabase((db) => db.prepare(`delete from ${name} where ${one}`).run(bound(row[N] ?? null, N))),
    add: (row) => withDatabase((db) => insert(db, [row])),
    settle,
  };
}
