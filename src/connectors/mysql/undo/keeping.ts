import type { WriteRequest } from '../../contract.ts';
import { OutsideError } from '../../../outside/errors.ts';
import { AFTER, BEFORE, digest, journalName, OP, RUN, SEQ, UNDO_TABLE } from '../../sql-target/undo/names.ts';
import type { UndoKeeping } from '../../undo.ts';
import type { TypedColumn } from '../catalogue/columns.ts';
import type { MysqlTable } from '../catalogue/discover.ts';
import { quote, textLiteral } from '../catalogue/literals.ts';
import type { Wire } from '../wire/connection.ts';
import { exactCollation } from '../write/column-definition.ts';

export const RUNS = quote(UNDO_TABLE);
export const journalOf = (table: string): string => journalName(table);

/** The variables of a session by which the triggers of a table know that it is ours: which run it works for, and how many rows it may still keep. */
const variableOf = (table: string): string => `@syncline_undo_${digest(table)}`;

/**
 * From now on everything that this session changes in the table is kept in a journal beside it, in the same transaction: by triggers, which do nothing
 * in the sessions of others. What makes tables cannot be undone here, so all of it is made ready before the first row.
 */
export async function keepForUndo(
  wire: Wire,
  { stream, key }: Pick<WriteRequest, 'stream' | 'key'>,
  table: MysqlTable,
  undo: UndoKeeping,
): Promise<void> {
  await alone(wire, table.name, async () => {
    await makeRuns(wire);
    await makeJournal(wire, table);
    await makeTriggers(wire, table);
    await register(wire, { stream, key }, table, undo);
  });
  const [[id, isOff] = []] = await wire.rows(
    `select id, filled or too_much from ${RUNS} where run = ${textLiteral(undo.run)} and ${quote('table')} = ${textLiteral(table.name)}`,
  );
  const variable = variableOf(table.name);
  await wire.run(`set ${variable} = ${id == null || isOff !== '0' ? 'null' : Number(id)}, ${variable}_left = ${undo.most}`);
}

/** Nobody else makes or drops what is beside this table meanwhile. */
export async function alone<Result>(wire: Wire, table: string, work: () => Promise<Result>): Promise<Result> {
  const lock = `concat(left(database(), 20), ${textLiteral(`.syncline.${digest(table)}`)})`;
  const [[taken] = []] = await wire.rows(`select get_lock(${lock}, 60)`);
  if (taken !== '1')
    throw new OutsideError('transient', 'LOCKED', `Another worker makes ready what is kept of "${table}".`, { hint: 'It is tried again.' });
  try {
    return await work();
  } finally {
    if (wire.isOpen) await wire.rows(`select release_lock(${lock})`);
  }
}

async function makeRuns(wire: Wire): Promise<void> {
  const [found] = await wire.rows(
    `select 1 from information_schema.tables where table_schema = database() and table_name = ${textLiteral(UNDO_TABLE)}`,
  );
  if (found) return;
  await wire.run(
    `create table if not exists ${RUNS} (id bigint not null auto_increment primary key, run varchar(100) not null, sync varchar(100) not null, stream longtext not null,
      \`table\` varchar(64) not null, \`key\` longtext not null, from_seq bigint not null, started_at datetime(6) not null, filled boolean not null default false,
      too_much boolean not null default false, outcome longtext null, unique (run, \`table\`)) engine = InnoDB row_format = dynamic default ${exactCollation(wire)}`,
  );
}

async function register(
  wire: Wire,
  { stream, key }: Pick<WriteRequest, 'stream' | 'key'>,
  table: MysqlTable,
  { run, sync }: UndoKeeping,
): Promise<void> {
  const spelled = key.map((name) => table.columns.find((column) => column.name.toLowerCase() === name.toLowerCase())?.name ?? name);
  const values = [run, sync, stream, table.name, JSON.stringify(spelled)].map(textLiteral).join(', ');
  await wire.run(
    `insert into ${RUNS} (run, sync, stream, \`table\`, \`key\`, from_seq, started_at, filled)
     select ${values}, coalesce((select max(${SEQ}) from ${quote(journalOf(table.name))}), 0), utc_timestamp(6), not exists (select 1 from ${quote(table.name)})
     from dual on duplicate key update run = run`,
  );
}

/** The columns of a table that can be given back to it. */
export function keptColumns({ columns }: MysqlTable): TypedColumn[] {
  return columns.filter(({ extra }) => !/(virtual|stored|persistent) generated|^(virtual|persistent)/i.test(extra));
}

function typeOf({ columnType, characterSet, collation }: TypedColumn): string {
  const charset = characterSet === null || collation === null ? '' : ` character set ${characterSet} collate ${collation}`;
  return `${columnType}${charset} null`;
}

/** Its columns are of the types of the table's. Where one has become another, what was kept before is of no use any more. */
async function makeJournal(wire: Wire, table: MysqlTable): Promise<void> {
  const journal = journalOf(table.name);
  const found = await wire.rows(
    `select column_name, column_type from information_schema.columns where table_schema = database() and table_name = ${textLiteral(journal)}`,
  );
  const known = new Map(found.map(([name, type]) => [name ?? '', type ?? '']));
  const columns = keptColumns(table);
  const now = new Map(columns.map((column) => [column.name, column.columnType]));
  const isOther = [...known].some(([name, type]) => ![SEQ, RUN, OP].includes(name) && now.get(name) !== type);
  if (isOther) {
    await wire.run(`drop table ${quote(journal)}`);
    await wire.run(`delete from ${RUNS} where \`table\` = ${textLiteral(table.name)} and outcome is null`);
  }
  const definition = (column: TypedColumn): string => `${quote(column.name)} ${typeOf(column)}`;
  if (known.size === 0 || isOther)
    await wire.run(
      `create table ${quote(journal)} (${[`${SEQ} bigint not null auto_increment primary key`, `${RUN} bigint not null`, `${OP} char(1) character set ascii not null`, ...columns.map(definition)].join(', ')})
       engine = InnoDB row_format = dynamic`,
    );
  const missing = known.size === 0 || isOther ? [] : columns.filter(({ name }) => !known.has(name));
  if (missing.length > 0)
    await wire.run(`alter table ${quote(journal)} ${missing.map((column) => `add column ${definition(column)}`).join(', ')}`);
}

const EVENTS = {
  insert: [[AFTER, 'new']],
  update: [
    [BEFORE, 'old'],
    [AFTER, 'new'],
  ],
  delete: [[BEFORE, 'old']],
} as const;

/** Triggers are named after what they do: where the columns have changed, others take their place. */
async function makeTriggers(wire: Wire, table: MysqlTable): Promise<void> {
  const bodies = Object.entries(EVENTS).map(([event, images]) => [event, bodyOf(table, images)] as const);
  const name = `${journalOf(table.name)}_${digest(JSON.stringify(bodies)).slice(0, 8)}`;
  const found = await triggersOf(wire, table.name);
  if (found.length === bodies.length && found.every((trigger) => trigger.startsWith(name))) return;
  await dropTriggers(wire, table.name);
  for (const [event, body] of bodies)
    await wire
      .run(`create trigger ${quote(`${name}_${event.slice(0, 1)}`)} after ${event} on ${quote(table.name)} for each row ${body}`)
      .catch((error: unknown) => {
        throw error instanceof OutsideError && error.kind !== 'transient' ? unable(table.name, error) : error;
      });
}

function bodyOf(table: MysqlTable, images: readonly (readonly [string, string])[]): string {
  const names = keptColumns(table).map(({ name }) => quote(name));
  const variable = variableOf(table.name);
  const rows = images.map(([op, row]) => `(${[variable, `'${op}'`, ...names.map((name) => `${row}.${name}`)].join(', ')})`);
  // A variable keeps its value when a transaction is taken back, and what was kept does not: that it is too much is said again by every row.
  return `begin
  if ${variable} is not null then
    if ${variable}_left > 0 then
      insert into ${quote(journalOf(table.name))} (${[RUN, OP, ...names].join(', ')}) values ${rows.join(', ')};
      set ${variable}_left = ${variable}_left - ${rows.length};
    end if;
    if ${variable}_left <= 0 then update ${RUNS} set too_much = true where id = ${variable} and not too_much; end if;
  end if;
end`;
}

async function triggersOf(wire: Wire, table: string): Promise<string[]> {
  const rows = await wire.rows(
    `select trigger_name from information_schema.triggers where event_object_schema = database() and event_object_table = ${textLiteral(table)}`,
  );
  return rows.map(([name]) => name ?? '').filter((name) => name.startsWith(`${UNDO_TABLE}_`));
}

export async function dropTriggers(wire: Wire, table: string): Promise<void> {
  for (const name of await triggersOf(wire, table)) await wire.run(`drop trigger if exists ${quote(name)}`);
}

function unable(table: string, cause: OutsideError): OutsideError {
  return new OutsideError('auth', 'UNDO_UNABLE', `What runs replace in "${table}" cannot be kept: ${cause.message}`, {
    hint: 'Triggers keep it. The user needs the right TRIGGER; where the server writes a binary log, also SUPER, or the server log_bin_trust_function_creators = 1. Or take "undo" out of the definition.',
    cause,
  });
}
