import type { Row } from '../../canonical.ts';
import type { Field } from '../../contract.ts';
import { affinityOf } from '../database/declared.ts';
import { changing, quote } from '../database/open.ts';
import { hasTable, sparedOf } from './stage.ts';
import { columnNamed } from './target-table.ts';
import { binderOf } from '../database/to-sqlite.ts';
import type { SqliteTarget } from './target.ts';

/** Remembers keys of rows that a mirror cannot use, within the transaction of their batch. */
export function spare({ database, request, table }: SqliteTarget, keys: readonly Row[]): void {
  if (keys.length === 0) return;
  const name = `main.${sparedOf(request)}`;
  const fields = request.key.map((column) => request.fields.find((field) => field.name === column) as Field);
  const declared = fields.map((field) => columnNamed(table, field.name)?.declared ?? '');
  const columns = request.key.map(quote);
  database.exec(
    `create table if not exists ${name} (${columns.map((column, at) => `${column} ${declared[at]}`).join(', ')}, primary key (${columns.join(', ')}))`,
  );
  const binders = fields.map(({ type }, at) => binderOf(type, affinityOf(declared[at] ?? '')));
  const insert = changing(database, `insert or ignore into ${name} values (${columns.map(() => '?').join(', ')})`);
  for (const key of keys) {
    const values = binders.map((bind, at) => bind(key[at] as string));
    // A key that the column cannot keep has no row in the table.
    if (!values.includes(undefined)) insert.run(...(values as string[]));
  }
}

/** That a row of the target `t` is one of these; undefined when there are none. */
export function isSpared({ database, request }: SqliteTarget): string | undefined {
  const name = sparedOf(request);
  if (!hasTable(database, name)) return undefined;
  const same = request.key.map((column) => `t.${quote(column)} = k.${quote(column)}`).join(' and ');
  return `exists (select 1 from main.${name} as k where ${same})`;
}
