import type { Lacking } from '../../sql-target/structure/lacking.ts';
import type { DatabaseSync } from 'node:sqlite';

// SQLite has no comments, in which others keep it. It is written with the table, in one transaction.
const TABLE = 'main._syncline_structure';

interface Marked {
  readonly stream: string;
  readonly owner: string;
  readonly lacking: Lacking;
  /** What is to be told of it, when it is complete. */
  readonly said?: string;
}

export function mark(database: DatabaseSync, { stream, owner, lacking, said }: Marked): void {
  database.exec(`create table if not exists ${TABLE} (stream text primary key, owner text not null, lacking text not null, said text)`);
  database
    .prepare(`insert or replace into ${TABLE} (stream, owner, lacking, said) values (?, ?, ?, ?)`)
    .run(stream, owner, lacking, said ?? null);
}

/** It is complete. */
export function unmark(database: DatabaseSync, stream: string): void {
  database.prepare(`delete from ${TABLE} where stream = ?`).run(stream);
  if (database.prepare(`select 1 from ${TABLE} limit 1`).get() === undefined) database.exec(`drop table ${TABLE}`);
}

/** What is still to be made of a table for this owner; undefined when it is none of ours, or complete. */
export function lackingOf(database: DatabaseSync, stream: string, owner: string): Lacking | undefined {
  if (database.prepare(`select 1 from main.sqlite_schema where name = '_syncline_structure'`).get() === undefined) return undefined;
  const row = database.prepare(`select lacking from ${TABLE} where stream = ? and owner = ?`).get(stream, owner);
  return row?.['lacking'] as Lacking | undefined;
}

/** What was to be told of a table when it was made. */
export function saidOf(database: DatabaseSync, stream: string): string[] {
  const said = database.prepare(`select said from ${TABLE} where stream = ?`).get(stream)?.['said'];
  return typeof said === 'string' ? [said] : [];
}
