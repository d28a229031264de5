import type { Batch } from '../../batch.ts';
import type { Field, WriteRequest, WriteResult } from '../../contract.ts';
import { keyMissing } from '../../sql-target/faults.ts';
import { NOTHING } from '../../sql-target/outcome.ts';
import { MARK } from '../../marks.ts';
import { affinityOf } from '../database/declared.ts';
import { changing, quote } from '../database/open.ts';
import { byName } from './rows.ts';
import { MARKED_NOW } from '../database/declared.ts';
import { columnNamed } from './target-table.ts';
import { binderOf } from '../database/to-sqlite.ts';
import type { SqliteTarget } from './target.ts';

/** Removes rows by key from a table or a stage; or marks them, or lets them be. */
export function remover(
  { database, request: { key, fields, stream }, table }: SqliteTarget,
  name: string,
  deletes: NonNullable<WriteRequest['deletes']>,
): (batch: Batch) => WriteResult {
  if (key.length === 0) {
    return () => {
      throw keyMissing('remove rows of', stream);
    };
  }
  const isIt = key.map((column) => `${quote(column)} = ?`).join(' and ');
  const mark = quote(MARK.name);
  const statement =
    deletes === 'keep'
      ? undefined
      : changing(
          database,
          deletes === 'mark'
            ? `update main.${quote(name)} set ${mark} = ${MARKED_NOW} where ${isIt} and ${mark} is null`
            : `delete from main.${quote(name)} where ${isIt}`,
        );
  const keyFields = key.map((column) => fields.find((field) => field.name === column) as Field);
  const binders = keyFields.map(({ name: column, type }) => binderOf(type, affinityOf(columnNamed(table, column)?.declared ?? '')));
  return (batch) => {
    let deleted = 0;
    const rejects = batch.rows.flatMap((row, index) => {
      const values = binders.map((bind, at) => (row[at] === null || row[at] === undefined ? undefined : bind(row[at])));
      if (values.includes(undefined))
        return [{ index, row: byName(keyFields, row), reason: 'The key is not complete, or not of its type.' }];
      deleted += Number(statement?.run(...(values as string[])).changes ?? 0);
      return [];
    });
    return { ...NOTHING, deleted, rejects };
  };
}
