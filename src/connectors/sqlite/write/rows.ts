import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Batch, Reject } from '../../batch.ts';
import type { Row } from '../../canonical.ts';
import type { Field } from '../../contract.ts';
import { MARK } from '../../marks.ts';
import { valueInWords } from '../../value-in-words.ts';
import { affinityOf } from '../database/declared.ts';
import { eachRow } from './each-row.ts';
import { sqliteError } from '../database/errors.ts';
import { changing, quote } from '../database/open.ts';
import type { SqliteTable } from '../database/schema.ts';
import { columnNamed } from './target-table.ts';
import { type Binder, type Bound, binderOf } from '../database/to-sqlite.ts';

/** Puts rows in one by one; those that cannot be put in come back. */
export interface RowWriter {
  put(batch: Batch): { count: number; changes: number; rejects: Reject[] };
}

interface Options {
  readonly fields: readonly Field[];
  /** Fields that must not be null, because rows are told apart by them. */
  readonly key: readonly string[];
  /** The table whose columns tell how values are kept. */
  readonly table: SqliteTable;
  readonly sql: string;
  readonly path: string;
  /** Told of each row whether it is in. */
  readonly after?: (isIn: boolean) => void;
}

export function rowWriter(database: DatabaseSync, { fields, key, table, sql, path, after }: Options): RowWriter {
  const statement = changing(database, sql);
  const binders = fields.map(({ name, type }) => binderOf(type, affinityOf(columnNamed(table, name)?.declared ?? '')));
  const needed = fields.map(({ name }) => key.includes(name));
  return {
    put: (batch) => {
      const rejects: Reject[] = [];
      const bound: (Bound | null)[] = fields.map(() => null);
      let [count, changes] = [0, 0];
      eachRow(batch, fields.length, (row, index) => {
        const fault = bind(row, bound, binders, needed);
        if (fault === undefined) {
          const outcome = run(statement, bound, path);
          after?.(typeof outcome === 'number');
          if (typeof outcome === 'number') {
            count++;
            changes += outcome;
          } else rejects.push({ index, row: byName(fields, row), reason: outcome });
        } else {
          const { name, type } = fields[fault] as Field;
          const reason =
            row[fault] === null
              ? `The key field "${name}" is null.`
              : `The value of "${name}" cannot be kept as ${type} in this column: ${valueInWords(row[fault])}.`;
          rejects.push({ index, row: byName(fields, row), field: name, reason });
        }
      });
      return { count, changes, rejects };
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

/** A row that the table refuses takes only itself back, not the transaction. */
function run(statement: StatementSync, bound: readonly (Bound | null)[], path: string): number | string {
  try {
    return Number(statement.run(...bound).changes);
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

/** What follows an insert so that it updates instead, and only what differs. A row that is written is not a deleted one any more. */
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
