import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { AppliedTo, LoggedRow, TargetChange } from '../../changes.ts';
import type { Field } from '../../contract.ts';
import { MARK } from '../../marks.ts';
import { OutsideError } from '../../../outside/errors.ts';
import { valueInWords } from '../../value-in-words.ts';
import { affinityOf } from '../database/declared.ts';
import { changing, quote } from '../database/open.ts';
import type { SqliteTable } from '../database/schema.ts';
import { type Binder, type Bound, binderOf } from '../database/to-sqlite.ts';
import { chained } from '../write/rows.ts';
import { MARKED_NOW } from '../database/declared.ts';
import { columnNamed } from '../write/target-table.ts';

export interface SqliteStream {
  readonly request: AppliedTo;
  readonly fields: readonly Field[];
  readonly key: readonly string[];
  readonly table: SqliteTable;
  readonly binders: readonly Binder[];
  /** Where the key is among the fields. */
  readonly places: readonly number[];
}

export function sqliteStream(request: AppliedTo, table: SqliteTable): SqliteStream {
  const { fields, key } = request;
  return {
    request,
    fields,
    key,
    table,
    binders: fields.map(({ name, type }) => binderOf(type, affinityOf(columnNamed(table, name)?.declared ?? ''))),
    places: key.map((name) => fields.findIndex((field) => field.name === name)),
  };
}

type Parameters = (Bound | null)[];

/** The statements for rows of one shape. Each takes the values that are told, then the key before where it is asked for. */
interface ShapeStatements {
  insert(values: Parameters): boolean;
  update(values: Parameters): boolean;
  updateDifferent(values: Parameters): boolean;
  move(values: Parameters, before: Parameters): boolean;
}

/** The statements of a stream. Those that are asked for are made once. */
export class Statements {
  readonly #database: DatabaseSync;
  readonly #stream: SqliteStream;
  readonly #shapes = new Map<string, ShapeStatements>();
  readonly #prepared = new Map<string, StatementSync>();
  readonly #table: string;
  readonly #isKey: string;

  constructor(database: DatabaseSync, stream: SqliteStream) {
    this.#database = database;
    this.#stream = stream;
    this.#table = `main.${quote(stream.table.name)}`;
    this.#isKey = stream.key.map((name, i) => `${quote(name)} = ?${i + 1}`).join(' and ');
  }

  /** Those for rows that lack these values (`absentIn`). */
  ofShape(absent: string): ShapeStatements {
    const known = this.#shapes.get(absent);
    if (known) return known;
    const { fields, key, request } = this.#stream;
    const left = new Set(absent === '' ? [] : absent.split(' ').map(Number));
    const told = fields.flatMap((field, place) => (left.has(place) ? [] : [field.name]));
    const number = (name: string): string => `?${told.indexOf(name) + 1}`;
    const others = told.filter((name) => !key.includes(name));
    const isMarking = request.deletes === 'mark';
    const assign = (names: readonly string[]): string =>
      [...names.map((name) => `${quote(name)} = ${number(name)}`), ...(isMarking ? [`${quote(MARK.name)} = null`] : [])].join(', ');
    const isIt = key.map((name) => `${quote(name)} = ${number(name)}`).join(' and ');
    const was = key.map((name, i) => `${quote(name)} = ?${told.length + i + 1}`).join(' and ');
    const differs = [
      ...others.map((name) => `${quote(name)} is not ${number(name)}`),
      ...(isMarking ? [`${quote(MARK.name)} is not null`] : []),
    ];
    // A row of nothing but a key is still written: triggers see it.
    const update = `update ${this.#table} set ${assign(others.length > 0 || isMarking ? others : key)} where ${isIt}`;
    const insert = `insert into ${this.#table} (${told.map(quote).join(', ')}) values (${told.map(number).join(', ')}) on conflict (${key.map(quote).join(', ')}) do nothing`;
    const move = `update ${this.#table} set ${assign(told)} where ${was}`;
    const made: ShapeStatements = {
      insert: (values) => this.#run(insert, values) > 0,
      update: (values) => this.#run(update, values) > 0,
      updateDifferent: (values) => this.#run(`${update} and (${differs.length > 0 ? chained(differs) : 'false'})`, values) > 0,
      move: (values, before) => this.#run(move, [...values, ...before]) > 0,
    };
    this.#shapes.set(absent, made);
    return made;
  }

  isThere(key: Parameters): boolean {
    return this.#prepare(`select 1 from ${this.#table} where ${this.#isKey}`).get(...key) !== undefined;
  }

  /** Removes the row for good. */
  erase(key: Parameters): void {
    this.#run(`delete from ${this.#table} where ${this.#isKey}`, key);
  }

  /** Removes the row, or marks it, or lets it be; or all of them. Answers how many. */
  remove(key?: Parameters): number {
    const deletes = this.#stream.request.deletes ?? 'delete';
    if (deletes === 'keep') return 0;
    const mark = quote(MARK.name);
    const which = key ? [this.#isKey] : [];
    const where = (tests: readonly string[]): string => (tests.length > 0 ? ` where ${tests.join(' and ')}` : '');
    return this.#run(
      deletes === 'mark'
        ? `update ${this.#table} set ${mark} = ${MARKED_NOW}${where([...which, `${mark} is null`])}`
        : `delete from ${this.#table}${where(which)}`,
      key ?? [],
    );
  }

  /** The values of a row that are told, as SQLite takes them. */
  values(row: LoggedRow): Parameters {
    const values: Parameters = [];
    for (let place = 0; place < this.#stream.fields.length; place++) {
      const value = row[place];
      if (value !== undefined) values.push(value === null ? null : this.#bind(place, value));
    }
    return values;
  }

  key(change: Extract<TargetChange, { key?: unknown }>): Parameters {
    const values = change.key ?? [];
    return this.#stream.places.map((place, i) => this.#bind(place, values[i] as string));
  }

  keyOf(row: LoggedRow): Parameters {
    return this.#stream.places.map((place) => this.#bind(place, row[place] as string));
  }

  #bind(place: number, value: string): Bound {
    const bound = (this.#stream.binders[place] as Binder)(value);
    if (bound !== undefined) return bound;
    const { name, type } = this.#stream.fields[place] as Field;
    const reason = `The value of "${name}" cannot be kept as ${type} in this column: ${valueInWords(value)}.`;
    throw new OutsideError('data', 'VALUE_REFUSED', reason, { field: name });
  }

  #prepare(sql: string): StatementSync {
    const known = this.#prepared.get(sql) ?? changing(this.#database, sql);
    this.#prepared.set(sql, known);
    return known;
  }

  #run(sql: string, values: Parameters): number {
    return Number(this.#prepare(sql).run(...values).changes);
  }
}
