import type { Field } from '../../contract.ts';
import { DELETED_AT } from '../../marks.ts';
import { OutsideError } from '../../../outside/errors.ts';
import { columnMissing, indexMissing, isView, tableMissing } from '../../sql-target/faults.ts';
import { findTable, type MysqlTable } from '../catalogue/discover.ts';
import { quote } from '../catalogue/literals.ts';
import { definition, exactCollation, markDefinition } from './column-definition.ts';
import { structuredCreation } from '../structure/made-table.ts';
import type { StructuredStream } from '../../structure.ts';
import type { MysqlConfig } from '../manifest.ts';
import { numberOf } from '../wire/server-errors.ts';
import type { Wire } from '../wire/connection.ts';

interface Wanted {
  stream: string;
  fields: readonly Field[];
  key: readonly string[];
  create: boolean;
  /** Whether rows are found by the key, so that there has to be a unique index. */
  byKey: boolean;
  marks: boolean;
  structured?: StructuredStream;
  /** What has to be done before a table is made that was not there. */
  beforeCreation(): Promise<void>;
}

/** The table, made or extended where it lacks something. */
export async function prepareTable(wire: Wire, config: MysqlConfig, wanted: Wanted): Promise<MysqlTable> {
  for (const name of [wanted.stream, ...wanted.fields.map((field) => field.name)]) demandName(name);
  let table = await findTable(wire, config, wanted.stream);
  if (!table) {
    if (!wanted.create) throw tableMissing(wanted.stream);
    await wanted.beforeCreation();
    await makeTable(wire, wanted);
    table = await findTable(wire, config, wanted.stream);
  } else if (table.kind === 'view') {
    throw isView(wanted.stream);
  }
  const present = new Set(table?.columns.map((column) => column.name.toLowerCase()));
  const missing = wanted.fields.filter((field) => !present.has(field.name.toLowerCase()));
  const additions = missing.map((field) => definition(wire, { ...field, nullable: true }, wanted.key, wanted.fields));
  if (wanted.marks && !present.has(DELETED_AT)) additions.push(markDefinition());
  if (additions.length > 0) {
    const [first] = missing;
    if (!wanted.create) throw columnMissing(wanted.stream, first?.name ?? DELETED_AT);
    await wire.run(`alter table ${quote(wanted.stream)} ${additions.map((addition) => `add column ${addition}`).join(', ')}`);
    table = await findTable(wire, config, wanted.stream);
  }
  if (!table) throw new OutsideError('transient', 'SCHEMA_CHANGED', `"${wanted.stream}" disappeared while it was being prepared.`);
  if (wanted.byKey && !hasKey(table, wanted.key)) table = await addKey(wire, config, wanted);
  return table;
}

/** Throws when the server cannot have this name, before it says so in its own words. */
function demandName(name: string): void {
  const why =
    name === '' || name.length > 64
      ? 'is empty or longer than 64 characters'
      : /[\0\u{10000}-\u{10ffff}]|\s$/u.test(name)
        ? 'ends with a space or has signs that a name may not have here'
        : undefined;
  if (why)
    throw new OutsideError('config', 'NAME_REFUSED', `"${name}" cannot be a name in MySQL: it ${why}.`, {
      hint: 'Map it to another name.',
    });
}

function hasKey(table: MysqlTable, key: readonly string[]): boolean {
  const names = new Set(key.map((name) => name.toLowerCase()));
  return table.uniqueKeys.some((unique) => unique.every((name) => names.has(name.toLowerCase())));
}

async function addKey(wire: Wire, config: MysqlConfig, wanted: Wanted): Promise<MysqlTable> {
  const { stream, key, create } = wanted;
  const statement = `alter table ${quote(stream)} add unique index (${key.map(quote).join(', ')})`;
  const refusal = (cause?: unknown): OutsideError =>
    indexMissing(wanted, `Its columns have to be NOT NULL, and no two rows may have the same key. Then run: ${statement}`, cause);
  if (!create) throw refusal();
  await wire.run(statement).catch((error: unknown) => {
    throw refusal(error);
  });
  const table = await findTable(wire, config, stream);
  if (!table || !hasKey(table, key)) throw refusal();
  return table;
}

/** As that of the source is, where that is asked for and the server can; or else with columns and key alone. */
async function makeTable(wire: Wire, wanted: Wanted): Promise<void> {
  const { structured } = wanted;
  if (!structured) return create(wire, createStatement(wire, wanted));
  const { statement, marked } = structuredCreation(wire, { ...wanted, structured });
  try {
    await create(wire, statement);
  } catch (error) {
    if (!(error instanceof OutsideError) || numberOf(error) === undefined || !['config', 'data'].includes(error.kind)) throw error;
    const said = `The table could not be made as it is at the source, and has plain columns: ${error.message}`;
    await create(wire, `${createStatement(wire, wanted)} ${marked(said)}`);
  }
}

function createStatement(wire: Wire, { stream, fields, key, marks }: Wanted): string {
  const parts = fields.map((field) => definition(wire, field, key, fields));
  if (marks && !fields.some((field) => field.name === DELETED_AT)) parts.push(markDefinition());
  if (key.length > 0) parts.push(`primary key (${key.map(quote).join(', ')})`);
  return `create table if not exists ${quote(stream)} (${parts.join(', ')}) engine = InnoDB row_format = dynamic default ${exactCollation(wire)}`;
}

/**
 * With many columns, the server refuses a table of which the longest row would not fit a page, though real rows may. Such a table is
 * made all the same; a row that does not fit is refused when it comes.
 */
async function create(wire: Wire, statement: string): Promise<void> {
  try {
    await wire.run(statement);
  } catch (error) {
    if (numberOf(error) !== 1118) throw error;
    await wire.run('set session innodb_strict_mode = 0').catch((refused: unknown) => {
      throw refused instanceof OutsideError && refused.kind === 'auth' ? tooWide(refused) : refused;
    });
    await wire.run(statement);
  }
}

/** In MySQL not every user may decide that. */
function tooWide(cause: unknown): OutsideError {
  return new OutsideError('config', 'TOO_MANY_FIELDS', 'The longest row that the table could have does not fit a page of the server.', {
    hint: 'Choose fewer fields, or let the user make such a table all the same: GRANT SESSION_VARIABLES_ADMIN ON *.* TO the user.',
    cause,
  });
}
