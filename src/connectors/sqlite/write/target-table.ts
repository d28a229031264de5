import type { DatabaseSync } from 'node:sqlite';
import type { Field, WriteRequest } from '../../contract.ts';
import { OutsideError } from '../../../outside/errors.ts';
import { MARK } from '../../marks.ts';
import { demandNotKept } from '../../own-tables.ts';
import { columnComputed, columnMissing, indexMissing, isView, keyDoubled, tableMissing } from '../../sql-target/faults.ts';
import { DECLARED } from '../database/declared.ts';
import { changing, quote } from '../database/open.ts';
import { sqliteError } from '../database/errors.ts';
import { creationOf } from '../structure/made-table.ts';
import { mark } from '../structure/marks.ts';
import { type SqliteColumn, type SqliteTable, tableNamed, tablesOf } from '../database/schema.ts';

/** The table as the request wants it: made, given the columns that it lacks, with a key that is unique. Inside a transaction. */
export function prepareTable(database: DatabaseSync, request: WriteRequest): { table: SqliteTable; isNew: boolean } {
  const { stream, fields, key, mode, create } = request;
  const isMarked = request.deletes === 'mark' && !fields.some(({ name }) => name === MARK.name);
  const wanted = isMarked ? [...fields, MARK] : fields;
  demandNotKept(stream);
  const [found] = tablesOf(database, stream);
  if (!found && !create) throw tableMissing(stream);
  if (!found) {
    checkNames(stream, wanted);
    makeTable(database, request, wanted);
  } else {
    if (found.kind === 'view') throw isView(stream);
    extend(database, found, wanted, create);
  }
  const table = tableNamed(database, stream);
  const computed = fields.find(({ name }) => columnNamed(table, name)?.isGenerated);
  if (computed) throw columnComputed(stream, computed.name);
  if (mode !== 'append') demandUnique(database, table, key, create);
  return { table, isNew: !found };
}

/** As that of the source is, where that is asked for, or else with columns and key alone. */
function makeTable(database: DatabaseSync, request: WriteRequest, fields: readonly Field[]): void {
  const { stream, key, mode, structured, owner } = request;
  const plainly = `create table main.${quote(stream)} (${definition(fields, mode === 'append' ? [] : key)})`;
  if (!structured) return database.exec(plainly);
  try {
    changing(database, creationOf(request, structured, fields)).run();
    mark(database, { stream, owner, lacking: 'structure' });
  } catch (error) {
    const failure = sqliteError(error, stream);
    if (failure.kind !== 'config') throw failure;
    database.exec(plainly);
    const said = `The table could not be made as it is at the source, and has plain columns: ${failure.message}`;
    mark(database, { stream, owner, lacking: 'structure', said });
  }
}

/** The columns and key of a table, for `create table`. */
function definition(fields: readonly Field[], key: readonly string[]): string {
  const columns = fields.map(({ name, type }) => `${quote(name)} ${DECLARED[type]}${key.includes(name) ? ' not null' : ''}`);
  return [...columns, ...(key.length > 0 ? [`primary key (${key.map(quote).join(', ')})`] : [])].join(', ');
}

/** SQLite takes upper and lower case of names for the same. */
export function columnNamed(table: SqliteTable, name: string): SqliteColumn | undefined {
  return table.columns.find((column) => column.name.toLowerCase() === name.toLowerCase());
}

function extend(database: DatabaseSync, table: SqliteTable, fields: readonly Field[], create: boolean): void {
  const missing = fields.filter(({ name }) => !columnNamed(table, name));
  if (missing[0] && !create) throw columnMissing(table.name, missing[0].name);
  for (const { name, type } of missing) database.exec(`alter table main.${quote(table.name)} add column ${quote(name)} ${DECLARED[type]}`);
}

function checkNames(stream: string, fields: readonly Field[]): void {
  const names = fields.map(({ name }) => name.toLowerCase());
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined)
    throw new OutsideError(
      'config',
      'NAME_TAKEN',
      `Two fields of "${stream}" are called "${twice}": SQLite does not tell upper from lower case.`,
    );
  if (/^sqlite_/i.test(stream))
    throw new OutsideError('config', 'NAME_RESERVED', `A table cannot be called "${stream}".`, { hint: 'Choose another name.' });
}

const UNIQUE = `
  select l.name, group_concat(i.name, char(0)) as columns
  from pragma_index_list(?) as l join pragma_index_info(l.name) as i
  where l."unique" = 1 and l.partial = 0 group by l.name`;

/** Rows can only be found by a key that is unique. */
function demandUnique(database: DatabaseSync, table: SqliteTable, key: readonly string[], create: boolean): void {
  const wanted = [...key].sort().join('\0');
  if ([...table.key].sort().join('\0') === wanted) return;
  const indexes = database.prepare(UNIQUE).all(table.name) as { columns: string | null }[];
  if (indexes.some(({ columns }) => columns?.split('\0').sort().join('\0') === wanted)) return;
  const keyed = { stream: table.name, key };
  if (!create) throw indexMissing(keyed, 'Make one, or choose another key.');
  try {
    const name = `_syncline_key_${table.name}_${key.join('_')}`;
    database.exec(`create unique index main.${quote(name)} on ${quote(table.name)} (${key.map(quote).join(', ')})`);
  } catch (error) {
    throw keyDoubled(keyed, error);
  }
}
