import { OutsideError } from '../../../outside/errors.ts';
import type { Field, WriteRequest } from '../../contract.ts';
import { MARK } from '../../marks.ts';
import { demandNotKept } from '../../own-tables.ts';
import { columnMissing, isView, keyDoubled, tableMissing } from '../../sql-target/faults.ts';
import { type DuckdbLink, quote } from '../database/open.ts';
import { columnNamed, type DuckdbTable, tablesOf } from '../database/schema.ts';
import { declaredFor } from '../database/column-values.ts';

/** The table as the request wants it: made, given the columns that it lacks, with keys that are not doubled. Inside a transaction. */
export async function prepareTable(connection: DuckdbLink, request: WriteRequest): Promise<{ table: DuckdbTable; isNew: boolean }> {
  const { stream, fields, key, mode, create } = request;
  const isMarked = request.deletes === 'mark' && !fields.some(({ name }) => name === MARK.name);
  const wanted = isMarked ? [...fields, MARK] : fields;
  demandNotKept(stream);
  const [found] = await tablesOf(connection, [stream]);
  if (!found && !create) throw tableMissing(stream);
  if (found?.kind === 'view') throw isView(stream);
  if (!found) {
    checkNames(stream, wanted);
    await connection.run(`create table main.${quote(stream)} (${definition(wanted, mode === 'append' ? [] : key)})`);
  } else {
    const missing = wanted.filter(({ name }) => !columnNamed(found, name));
    if (missing[0] && !create) throw columnMissing(found.name, missing[0].name);
    for (const field of missing)
      await connection.run(`alter table main.${quote(found.name)} add column ${quote(field.name)} ${declaredFor(field)}`);
  }
  const [table] = await tablesOf(connection, [stream]);
  if (!table) throw tableMissing(stream);
  if (found && mode !== 'append') await demandSingle(connection, table, key);
  return { table, isNew: !found };
}

function definition(fields: readonly Field[], key: readonly string[]): string {
  const columns = fields.map((field) => `${quote(field.name)} ${declaredFor(field)}`);
  return [...columns, ...(key.length > 0 ? [`primary key (${key.map(quote).join(', ')})`] : [])].join(', ');
}

function checkNames(stream: string, fields: readonly Field[]): void {
  const names = fields.map(({ name }) => name.toLowerCase());
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined)
    throw new OutsideError(
      'config',
      'NAME_TAKEN',
      `Two fields of "${stream}" are called "${twice}": DuckDB does not tell upper from lower case.`,
    );
}

/** Rows can only be found by a key that is unique. */
async function demandSingle(connection: DuckdbLink, { name, key: primary }: DuckdbTable, key: readonly string[]): Promise<void> {
  if (primary.length > 0 && primary.every((column) => key.some((one) => one.toLowerCase() === column.toLowerCase()))) return;
  const list = key.map(quote).join(', ');
  const doubled = await connection.rows(`select 1 from main.${quote(name)} group by ${list} having count(*) > 1 limit 1`);
  if (doubled.length > 0) throw keyDoubled({ stream: name, key }, undefined);
}
