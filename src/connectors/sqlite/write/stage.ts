import type { DatabaseSync } from 'node:sqlite';
import type { WriteRequest } from '../../contract.ts';
import { sparedName, stageName } from '../../sql-target/stage-name.ts';
import { quote } from '../database/open.ts';
import { columnNamed } from './target-table.ts';
import type { SqliteTarget } from './target.ts';

/** The table that collects a mirror's rows until all are there; each owner has one. */
export function stageOf({ owner }: WriteRequest): string {
  return stageName(owner);
}

/** Beside the stage: the keys of rows that could not be used. It is there only when there are some. */
export function sparedOf({ owner }: WriteRequest): string {
  return sparedName(stageName(owner));
}

export function hasTable(database: DatabaseSync, name: string): boolean {
  return database.prepare(`select 1 from main.sqlite_schema where type = 'table' and name = ?`).get(name) !== undefined;
}

/** Its columns keep values just as those of the target do. */
export function makeStage(target: SqliteTarget): void {
  const { database, request } = target;
  dropStage(database, request);
  const columns = columnsOf(target).map(([name, declared]) => `${quote(name)} ${declared}`);
  database.exec(`create table main.${stageOf(request)} (${columns.join(', ')}, primary key (${request.key.map(quote).join(', ')}))`);
}

export function dropStage(database: DatabaseSync, request: WriteRequest): void {
  for (const name of [stageOf(request), sparedOf(request)]) database.exec(`drop table if exists main.${name}`);
}

/** The fields of a mirror with the types of their columns. What was collected with others cannot be gone on with. */
export function columnsOf({ request, table }: SqliteTarget): [name: string, declared: string][] {
  return request.fields.map(({ name }) => [name, columnNamed(table, name)?.declared ?? '']);
}
