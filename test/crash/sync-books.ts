import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import type { Session } from '../../src/connectors/session.ts';
import type { Reachable } from '../../src/cli/prove/service-process.ts';
import { rowsOf } from '../support/session-outcome.ts';
import type { DrivenRun, DrivenTotals } from '../../src/cli/prove/run-driver.ts';
import type { SyncDriver } from './sync-driver.ts';
import { COLUMNS, TABLES, type Workload, type WorkMode } from './sync-workload.ts';

/** The rows of a table, each as one text, by id. Throws when an id is there twice. */
export type ReadTable = (table: string) => Promise<Map<string, string>>;

export function postgresTables(url: string): ReadTable {
  return async (table) => {
    const types = { getTypeParser: () => (text: string) => text } as unknown as pg.CustomTypesConfig;
    const client = new pg.Client({ connectionString: url, types });
    await client.connect();
    try {
      const { rows } = await client.query<(string | null)[]>({ text: `select ${COLUMNS.join(', ')} from ${table}`, rowMode: 'array' });
      return byId(table, rows);
    } finally {
      await client.end();
    }
  };
}

export function sqliteTables(path: string): ReadTable {
  return async (table) => {
    const database = new DatabaseSync(path, { readOnly: true });
    try {
      const statement = database.prepare(`select ${COLUMNS.map((name) => `cast(${name} as text) as ${name}`).join(', ')} from ${table}`);
      return byId(
        table,
        statement.all().map((row) => Object.values(row) as (string | null)[]),
      );
    } finally {
      database.close();
    }
  };
}

/** Whatever a connector reads, as text. */
export function sessionTables(open: () => Promise<Session>): ReadTable {
  return async (table) => {
    const session = await open();
    try {
      return byId(table, (await rowsOf(session, table, [...COLUMNS])) as (string | null)[][]);
    } finally {
      await session.close();
    }
  };
}

function byId(table: string, rows: readonly (readonly (string | null)[])[]): Map<string, string> {
  const found = new Map<string, string>();
  for (const row of rows) {
    assert.ok(!found.has(row[0] ?? ''), `row ${row[0]} of ${table} is there twice`);
    found.set(row[0] ?? '', JSON.stringify(row));
  }
  return found;
}

export interface Ends {
  source: ReadTable;
  target: ReadTable;
  modes: readonly WorkMode[];
}

/** Compares target and source row for row, and what the runs told with what is there. */
export async function checkSyncBooks(service: Reachable, driver: SyncDriver, workload: Workload, ends: Ends): Promise<void> {
  for (const mode of ends.modes) {
    const [source, target] = [await ends.source(TABLES[mode]), await ends.target(TABLES[mode])];
    checkRows(mode, source, target, workload.lastId);
    checkCounts(mode, await driver.runs(service, mode), target.size);
  }
}

function checkRows(mode: WorkMode, source: Map<string, string>, target: Map<string, string>, lastId: number): void {
  const missing = [...source.keys()].filter((id) => !target.has(id));
  const other = [...source].filter(([id, row]) => target.has(id) && target.get(id) !== row);
  const more = [...target.keys()].filter((id) => !source.has(id));
  assert.deepEqual(missing.slice(0, 10), [], `${mode}: ${missing.length} of ${source.size} rows are missing at the target`);
  assert.deepEqual(
    other.slice(0, 3).map(([id, row]) => [row.slice(0, 300), target.get(id)?.slice(0, 300)]),
    [],
    `${mode}: ${other.length} rows are not the same`,
  );
  // Only a mirror takes rows away. What else is there more must have been at the source once.
  if (mode === 'incremental') assert.ok(more.every((id) => Number(id) >= 1 && Number(id) <= lastId));
  else assert.deepEqual(more.slice(0, 10), [], `${mode}: the target has ${more.length} rows that the source has not`);
}

function checkCounts(mode: WorkMode, runs: readonly DrivenRun[], rows: number): void {
  const sum = (name: keyof DrivenTotals): number => runs.reduce((all, run) => all + run.totals[name], 0);
  const told = { inserted: sum('inserted'), deleted: sum('deleted'), rejected: sum('rejected') };
  assert.equal(told.inserted - told.deleted, rows, `${mode}: the runs tell of ${JSON.stringify(told)}, and the target has ${rows} rows`);
  assert.equal(told.rejected, 0);
  for (const { id, status, totals } of runs.filter((run) => run.status === 'succeeded')) {
    const { read, inserted, updated, unchanged } = totals;
    assert.equal(read, inserted + updated + unchanged, `${mode}: run ${id} (${status}) tells of ${JSON.stringify(totals)}`);
  }
}
