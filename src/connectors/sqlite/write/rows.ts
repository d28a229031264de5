import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Batch, Reject } from '../../batch.ts';
import type { Row } from '../../canonical.ts';
import type { Field } from '../../contract.ts';
import { MARK } from '../../marks.ts';
import { valueInWords } from '../../value-in-words.ts';
import { affinityOf } from '../database/declared.ts';
import { eachRow } from './each-row.ts';
import { sqliteError } from '../database/errors.ts';
import { quote } from '../database/open.ts';
import type { SqliteTable } from '../database/schema.ts';
import { columnNamed } from './target-table.ts';
import { type Binder, type Bound, binderOf } from '../database/to-sqlite.ts';

/** Why a row is not in that the table did not refuse. */
export const LEFT_OUT = 'A trigger of the table left the row out.';

/** Puts rows in one by one; those that cannot be put in come back. */
export interface RowWriter {
  put(batch: Batch): Reject[];
}

interface Options {
  readonly fields: readonly Field[];
  /** Fields that must not be null, because rows are told apart by them. */
  readonly key: readonly string[];
  /** The table whose columns tell how values are kept. */
  readonly table: SqliteTable;
  readonly sql: string;
  readonly path: string;
  /** Looks at each row that was handed to the table: whether it is in, and why it should have been left out. */
  readonly after?: (isIn: boolean) => string | undefined;
}

export function rowWriter(database: DatabaseSync, { fields, key, table, sql, path, after }: Options): RowWriter {
  const statement = database.prepare(sql);
  const binders = fields.map(({ name, type }) => binderOf(type, affinityOf(columnNamed(table, name)?.declared ?? '')));
  const needed = fields.map(({ name }) => key.includes(name));
  return {
    put: (batch) => {
      const rejects: Reject[] = [];
      const bound: (Bound | null)[] = fields.map(() => null);
      eachRow(batch, fields.length, (row, index) => {
        const fault = bind(row, bound, binders, needed);
        if (fault === undefined) {
          const refused = run(statement, bound, path);
          const reason = after?.(refused === undefined) ?? refused;
          if (reason !== undefined) rejects.push({ index, row: byName(fields, row), reason });
        } else {
          const { name, type } = fields[fault] as Field;
          const reason =
            row[fault] === null
              ? `The key field "${name}" is null.`
              : `The value of "${name}" cannot be kept as ${type} in this column: ${valueInWords(row[fault])}.`;
          rejects.push({ index, row: byName(fields, row), field: name, reason });
        }
      });
      return rejects;
    },
  };
}

/** Fills `bound`; gives the index of the first value that cannot be kept. */
function bind(row: Row, bound: (Bound | null)[], binders: readonly Binder[], needed: readonly boolean[]): number | undefined {
  for (let at = 0; at < binders.length; at++) {
    const value = row[at] ?? null;
    if (value === null) {
      if (needed[at]) return at;
      bound[at] = null;
    } else {
      const one = (binders[at] as Binder)(value);
      if (one === undefined) return at;
      bound[at] = one;
    }
  }
  return undefined;
}

/**
 * Answers why the table refuses the row, which takes only itself back and not the transaction. It is run as if it gave a row: `run` would make an object
 * with the number of the row each time, as a bigint, since numbers may be too large for a double.
 */
function run(statement: StatementSync, bound: readonly (Bound | null)[], path: string): string | undefined {
  try {
    statement.get(...bound);
    return undefined;
  } catch (error) {
    const failure = sqliteError(error, path);
    if (failure.kind !== 'data') throw failure;
    return failure.message;
  }
}

export function byName(fields: readonly Field[], row: Row): Record<string, unknown> {
  return Object.fromEntries(fields.map(({ name }, at) => [name, row[at] ?? null]));
}

export function insertSql(table: string, fields: readonly Field[]): string {
  return `insert into main.${quote(table)} (${fields.map(({ name }) => quote(name)).join(', ')}) values (${fields.map(() => '?').join(', ')})`;
}

/**
 * What follows an insert so that it updates instead, and only what differs, which the function that is named may look at. A row that is written is not a deleted
 * one any more.
 */
export function onConflict(table: SqliteTable, fields: readonly Field[], key: readonly string[], noticed = ''): string {
  const others = fields.filter(({ name }) => !key.includes(name)).map(({ name }) => quote(name));
  const hasMark = columnNamed(table, MARK.name) !== undefined && !fields.some(({ name }) => name === MARK.name);
  const target = `on conflict (${key.map(quote).join(', ')})`;
  const all = `${quote(table.name)}.`;
  const changes = [...others.map((name) => `${name} = excluded.${name}`), ...(hasMark ? [`${quote(MARK.name)} = null`] : [])];
  const differs = [
    ...others.map((name) => `${all}${name} is not excluded.${name}`),
    ...(hasMark ? [`${all}${quote(MARK.name)} is not null`] : []),
  ];
  // A row that is all key has nothing to update; the clause is still there to count it.
  const [first = ''] = key;
  const set = changes.length > 0 ? changes.join(', ') : `${quote(first)} = excluded.${quote(first)}`;
  return `${target} do update set ${set} where ${noticed}(${differs.length > 0 ? chained(differs) : 'false'})`;
}

/** SQLite limits how deep an expression is: a thousand tests in a row are too deep, groups of them are not. */
export function chained(tests: readonly string[], word: 'or' | 'and' = 'or'): string {
  if (tests.length <= 200) return tests.join(` ${word} `);
  const groups: string[] = [];
  for (let at = 0; at < tests.length; at += 200) groups.push(`(${tests.slice(at, at + 200).join(` ${word} `)})`);
  return groups.join(` ${word} `);
}
