import type { DatabaseSync } from 'node:sqlite';
import type { WriteRequest } from '../../contract.ts';
import { AFTER, BEFORE, journalName, OP, RUN, SEQ, UNDO_TABLE } from '../../sql-target/undo/names.ts';
import type { UndoKeeping } from '../../undo.ts';
import { changing, quote } from '../database/open.ts';
import type { SqliteTable } from '../database/schema.ts';
import { columnNamed } from '../write/target-table.ts';

/**
 * From now on everything that this connection changes in the table is kept in a journal beside it, in the same transaction: by triggers that
 * only this connection has. Within a transaction.
 */
export function keepForUndo(
  database: DatabaseSync,
  { stream, key }: Pick<WriteRequest, 'stream' | 'key'>,
  table: SqliteTable,
  { run, sync, most }: UndoKeeping,
): void {
  const journal = journalName(table.name.toLowerCase());
  const columns = table.columns.filter(({ isGenerated }) => !isGenerated).map(({ name }) => name);
  makeRuns(database);
  makeJournal(database, { table: table.name, journal, columns });
  const spelled = key.map((name) => columnNamed(table, name)?.name ?? name);
  changing(
    database,
    `insert into main.${UNDO_TABLE} (run, sync, stream, journal, "table", key, from_seq, started_at, filled)
       select ?, ?, ?, ?, ?, ?, coalesce((select seq from main.sqlite_sequence where name = ?), 0), ${NOW}, not exists (select 1 from main.${quote(table.name)})
       where true on conflict (run, "table") do nothing`,
  ).run(run, sync, stream, journal, table.name, JSON.stringify(spelled), journal);
  const kept = database
    .prepare(`select id, from_seq, filled, too_much from main.${UNDO_TABLE} where run = ? and "table" = ?`)
    .get(run, table.name) as { id: number; from_seq: number; filled: number; too_much: number };
  const names = ['insert', 'update', 'delete'].map((event) => `temp.${quote(`${journal}_${event}`)}`);
  database.exec([...names, `temp.${quote(`${journal}_full`)}`].map((name) => `drop trigger if exists ${name}`).join('; '));
  if (kept.filled === 0 && kept.too_much === 0) database.exec(triggers(table.name, journal, columns, kept, most).join('; '));
}

const NOW = `strftime('%Y-%m-%d %H:%M:%f', 'now')`;

function makeRuns(database: DatabaseSync): void {
  database.exec(
    `create table if not exists main.${UNDO_TABLE} (id integer primary key autoincrement, run text not null, sync text not null, stream text not null,
      journal text not null, "table" text not null, key text not null, from_seq integer not null, started_at text not null, filled integer not null default 0,
      too_much integer not null default 0, outcome text, unique (run, "table"))`,
  );
}

interface Journal {
  readonly table: string;
  readonly journal: string;
  readonly columns: readonly string[];
}

/**
 * Its columns have no type, so that every value stays what it is. A number is never given twice: by it one knows what came later. Where the table has
 * lost a column, what was kept before is of no use any more.
 */
function makeJournal(database: DatabaseSync, { table, journal, columns }: Journal): void {
  const namesIn = (): string[] =>
    (database.prepare('select lower(name) as name from pragma_table_info(?)').all(journal) as { name: string }[]).map(({ name }) => name);
  const wanted = new Set([SEQ, RUN, OP, ...columns.map((name) => name.toLowerCase())]);
  if (namesIn().some((name) => !wanted.has(name))) {
    database.exec(`drop table main.${journal}`);
    changing(database, `delete from main.${UNDO_TABLE} where "table" = ? and outcome is null`).run(table);
  }
  database.exec(
    `create table if not exists main.${journal} (${SEQ} integer primary key autoincrement, ${RUN} integer not null, ${OP} text not null)`,
  );
  const known = new Set(namesIn());
  for (const name of columns) if (!known.has(name.toLowerCase())) database.exec(`alter table main.${journal} add column ${quote(name)}`);
}

function triggers(
  table: string,
  journal: string,
  columns: readonly string[],
  { id, from_seq }: { id: number; from_seq: number },
  most: number,
): string[] {
  const list = [RUN, OP, ...columns.map(quote)].join(', ');
  const image = (op: string, row: 'old' | 'new'): string =>
    `(${[id, `'${op}'`, ...columns.map((name) => `${row}.${quote(name)}`)].join(', ')})`;
  const isFull = `(select coalesce(max(${SEQ}), 0) from ${journal}) - ${from_seq} >= ${most}`;
  const trigger = (event: string, ...images: string[]): string =>
    `create temp trigger ${quote(`${journal}_${event}`)} after ${event} on main.${quote(table)} for each row when not (${isFull})
     begin insert into ${journal} (${list}) values ${images.join(', ')};
       update ${UNDO_TABLE} set too_much = 1 where id = ${id} and ${isFull}; end`;
  return [
    trigger('insert', image(AFTER, 'new')),
    trigger('update', image(BEFORE, 'old'), image(AFTER, 'new')),
    trigger('delete', image(BEFORE, 'old')),
  ];
}
