import type { DatabaseSync } from 'node:sqlite';
import { CHECKPOINT_TABLE } from '../../sql-target/kept.ts';
import type { Transact } from '../../sql-target/transact.ts';
import { tableChanged } from '../../sql-target/undo/faults.ts';
import type { KeptRun } from '../../sql-target/undo/kept-run.ts';
import { OP, RUN, SEQ, UNDO_TABLE } from '../../sql-target/undo/names.ts';
import type { ListedRow } from '../../sql-target/undo/shown.ts';
import { joinedFor, putBack, type UndoTable, verdicts } from '../../sql-target/undo/statements.ts';
import type { UndoDialect } from '../../sql-target/undo/take-back.ts';
import type { ForgetRequest } from '../../undo.ts';
import { sqliteError } from '../database/errors.ts';
import { changing, quote } from '../database/open.ts';
import { tablesOf } from '../database/schema.ts';
import { hasTable } from '../write/stage.ts';
import { chained } from '../write/rows.ts';
import { columnNamed } from '../write/target-table.ts';

const RUNS = `main.${UNDO_TABLE}`;

type RunOfTable = Omit<KeptRun, 'key' | 'isFilled' | 'isTooMuch'> & {
  key: string;
  filled: number;
  too_much: number;
  table: string;
  journal: string;
};

/** Thrown to take back what was only shown. */
class OnlyShown extends Error {}

/** How a run is taken back in an SQLite file. */
export function undoDialect(database: DatabaseSync, path: string, transact: Transact): UndoDialect {
  const exec = (statement: string): void => {
    try {
      database.exec(statement);
    } catch (error) {
      throw sqliteError(error, path);
    }
  };
  const tables = new Map<number, RunOfTable>();
  return {
    transaction: (isMeant, work) => transacted(transact, database, isMeant, work),
    fence: (owners, token) => fence(database, owners, token),
    keptOf: (run) => {
      if (!hasTable(database, UNDO_TABLE)) return [];
      const rows = database
        .prepare(
          `select id, run, stream, journal, "table", key, from_seq as fromSeq, filled, too_much, outcome from ${RUNS} where run = ? order by id`,
        )
        .all(run) as unknown as RunOfTable[];
      for (const row of rows) tables.set(row.id, row);
      return rows.map(({ id, stream, fromSeq, outcome, key, filled, too_much }) => ({
        id,
        run,
        stream,
        fromSeq,
        outcome,
        key: JSON.parse(key) as string[],
        isFilled: filled !== 0,
        isTooMuch: too_much !== 0,
      }));
    },
    newerThan: ({ id }, sync) => {
      const { table, journal } = tables.get(id) as RunOfTable;
      const rows = database
        .prepare(
          `select r.run from ${RUNS} r where r.id > ? and r.sync = ? and r."table" = ? and r.outcome is null
            and exists (select 1 from main.${quote(journal)} where ${RUN} = r.id and ${SEQ} > r.from_seq)`,
        )
        .all(id, sync, table) as { run: string }[];
      return rows.map(({ run }) => run);
    },
    tableOf: (kept) => tableOf(database, kept, tables.get(kept.id) as RunOfTable),
    judge: (of, { id, fromSeq }) => {
      const acts = `_syncline_verdicts_${id}`;
      exec(`create temp table ${acts} as ${verdicts(of, id, fromSeq)}`);
      return `temp.${acts}`;
    },
    rows: (statement) =>
      database
        .prepare(statement)
        .all()
        .map((row) => Object.values(row) as ListedRow),
    remove: (of, acts) => exec(removal(of, acts)),
    change: (of, acts) => {
      const { image, isIt, which } = joinedFor(of, acts, 'change');
      const sets = of.settable.map((name) => `${quote(name)} = j.${quote(name)}`);
      if (sets.length > 0) exec(`update ${of.table} as t set ${sets.join(', ')} from ${image} where ${which} and ${isIt}`);
    },
    bring: (of, acts) => exec(putBack(of, acts, 'bring')),
    attempt: async (work) => {
      exec('savepoint attempt');
      try {
        await work();
        exec('release attempt');
      } catch (error) {
        exec('rollback to attempt; release attempt');
        throw error;
      }
    },
    done: ({ id }, outcome) => {
      const { journal } = tables.get(id) as RunOfTable;
      changing(database, `update ${RUNS} set outcome = ? where id = ?`).run(outcome, id);
      exec(`delete from main.${quote(journal)} where ${RUN} = ${id}`);
    },
  };
}

async function transacted<Result>(
  transact: Transact,
  database: DatabaseSync,
  isMeant: boolean,
  work: () => Promise<Result>,
): Promise<Result> {
  const shown: { result?: Result } = {};
  try {
    return await transact(async () => {
      // What refers to rows that come later is looked at in the end.
      database.exec('pragma defer_foreign_keys = on');
      shown.result = await work();
      if (!isMeant) throw new OnlyShown();
      return shown.result;
    });
  } catch (error) {
    if (error instanceof OnlyShown) return shown.result as Result;
    throw error;
  }
}

function fence(database: DatabaseSync, owners: readonly string[], token: bigint): boolean {
  if (!hasTable(database, CHECKPOINT_TABLE)) return true;
  const higher = database.prepare(`select 1 from main.${CHECKPOINT_TABLE} where owner = ? and token > ?`);
  if (owners.some((owner) => higher.get(owner, token) !== undefined)) return false;
  const raise = changing(database, `update main.${CHECKPOINT_TABLE} set token = ? where owner = ?`);
  for (const owner of owners) raise.run(token, owner);
  return true;
}

function tableOf(database: DatabaseSync, { stream, key }: KeptRun, { table: name, journal }: RunOfTable): UndoTable {
  const [table] = tablesOf(database, name);
  if (!table || table.kind === 'view') throw tableChanged(stream);
  const kept = database.prepare('select name from pragma_table_info(?)').all(journal) as { name: string }[];
  const names = kept.map((column) => column.name).filter((column) => ![SEQ, RUN, OP].includes(column));
  const gone = [...names, ...key].find((column) => columnNamed(table, column) === undefined);
  if (gone !== undefined) throw tableChanged(stream, gone);
  const columns = names.filter((column) => columnNamed(table, column)?.isGenerated === false);
  return {
    table: `main.${quote(table.name)}`,
    journal: `main.${quote(journal)}`,
    columns,
    settable: columns,
    key,
    quote,
    same: (one, other) => `(${one} collate binary is ${other} and typeof(${one}) = typeof(${other}))`,
    text: (value) => `case typeof(${value}) when 'blob' then '\\x' || lower(hex(${value})) else cast(${value} as text) end`,
    all: (tests) => `(${chained(tests, 'and')})`,
  };
}

function removal(of: UndoTable, acts: string): string {
  const { image, which } = joinedFor(of, acts, 'remove');
  const key = of.key.map(quote);
  const values = key.map((name) => `j.${name}`).join(', ');
  const isIn = key.length > 1 ? `(${key.join(', ')})` : key.join('');
  return `delete from ${of.table} where ${isIn} in (select ${values} from ${image} where ${which})`;
}

/** Forgets what is kept of runs. Within a transaction. */
export function forgetRuns(database: DatabaseSync, { sync, olderThan, except = '' }: ForgetRequest): void {
  if (!hasTable(database, UNDO_TABLE)) return;
  const isOld =
    olderThan === undefined ? '' : `and started_at <= strftime('%Y-%m-%d %H:%M:%f', 'now', '-${Math.round(olderThan / 1000)} seconds')`;
  const old = database.prepare(`select id, journal from ${RUNS} where sync = ? and run <> ? ${isOld}`).all(sync, except) as {
    id: number;
    journal: string;
  }[];
  for (const [journal, runs] of Map.groupBy(old, (one) => one.journal)) {
    const ids = runs.map(({ id }) => id).join(', ');
    database.exec(`delete from ${RUNS} where id in (${ids})`);
    const isUsed = database.prepare(`select 1 from ${RUNS} where journal = ? limit 1`).get(journal) !== undefined;
    database.exec(isUsed ? `delete from main.${quote(journal)} where ${RUN} in (${ids})` : `drop table if exists main.${quote(journal)}`);
  }
  if (database.prepare(`select 1 from ${RUNS} limit 1`).get() === undefined) database.exec(`drop table ${RUNS}`);
}
