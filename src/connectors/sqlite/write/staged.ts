import type { Reject } from '../../batch.ts';
import type { Changes, WriteResult } from '../../contract.ts';
import { MARK } from '../../marks.ts';
import type { MergeSteps, MirrorStage } from '../../sql-target/dialect.ts';
import { NOTHING } from '../../sql-target/outcome.ts';
import { sqliteError } from '../database/errors.ts';
import type { StoredValue } from '../database/from-sqlite.ts';
import { changing, quote } from '../database/open.ts';
import { remover } from './remove.ts';
import { chained, insertSql, onConflict, rowWriter } from './rows.ts';
import { isSpared, spare } from './spare.ts';
import { columnsOf, dropStage, hasTable, makeStage, stageOf } from './stage.ts';
import { MARKED_NOW } from '../database/declared.ts';
import { columnNamed } from './target-table.ts';
import type { SqliteTarget } from './target.ts';

/** The stage of a mirror, as a table of its own. */
export function stageFor(target: SqliteTarget): MirrorStage {
  const { database, request, table, path } = target;
  const { fields, key, stream } = request;
  const stage = stageOf(request);
  return {
    state: JSON.stringify({ mirror: stage, columns: columnsOf(target) }),
    isThere: () => hasTable(database, stage),
    make: () => makeStage(target),
    drop: () => dropStage(database, request),
    collector: () => {
      // The last row of a key counts.
      const writer = rowWriter(database, { fields, key, table, sql: insertSql(stage, fields).replace(/^insert/, 'replace'), path });
      return { put: (batch) => ({ ...NOTHING, rejects: writer.put(batch).rejects }) };
    },
    remover: () => ({ put: remover(target, stage, 'delete') }),
    spare: (keys) => spare(target, keys),
    move: () => {
      makeStage(target);
      const names = fields.map(({ name }) => quote(name)).join(', ');
      database.exec(`insert into main.${stage} (${names}) select ${names} from main.${quote(stream)}`);
      return Number(changing(database, `delete from main.${quote(stream)}`).run().changes);
    },
    merge: (steps) => mergeStage(target, steps),
  };
}

async function mergeStage(target: SqliteTarget, { ask, keep }: MergeSteps): Promise<WriteResult | undefined> {
  const { database, request, transact, checkpoint } = target;
  for (;;) {
    const { plan, version } = await transact(async () => {
      await checkpoint.demand();
      return { plan: planOf(target), version: versionOf(target) };
    });
    // Nobody has to wait for the answer: the file is not locked meanwhile. What changed in between is asked for again.
    if (!(await ask(plan))) return undefined;
    const result = await transact(async () => {
      await checkpoint.demand();
      if (version !== versionOf(target) && !isSame(plan, planOf(target))) return undefined;
      const rejects = apply(target, plan);
      const outcome = { ...plan, rejects };
      await keep(outcome);
      dropStage(database, request);
      return outcome;
    });
    if (result) return result;
  }
}

/** Another number as soon as another program has changed the file. */
function versionOf({ database }: SqliteTarget): number {
  return Number(database.prepare('pragma data_version').get()?.['data_version']);
}

function planOf(target: SqliteTarget): Changes {
  const { database, request, table } = target;
  const { fields, key, stream, deletes = 'delete' } = request;
  const stage = stageOf(request);
  const others = fields.filter(({ name }) => !key.includes(name)).map(({ name }) => `t.${quote(name)} is not s.${quote(name)}`);
  const hasMark = columnNamed(table, MARK.name) !== undefined && !fields.some(({ name }) => name === MARK.name);
  const differs = chained([...others, ...(hasMark ? [`t.${quote(MARK.name)} is not null`] : []), 'false']);
  const [first = ''] = key;
  const row = database
    .prepare(
      `select count(*) as total, count(t.${quote(first)}) as matched, count(*) filter (where t.${quote(first)} is not null and (${differs})) as updated
       from main.${stage} as s left join main.${quote(stream)} as t on ${sameKey(key)}`,
    )
    .get() as { total: number; matched: number; updated: number };
  const gone =
    deletes === 'keep'
      ? undefined
      : database.prepare(`select count(*) as count from main.${quote(stream)} as t where ${isGone(target, deletes)}`).get();
  return {
    inserted: row.total - row.matched,
    updated: row.updated,
    unchanged: row.matched - row.updated,
    deleted: Number(gone?.['count'] ?? 0),
  };
}

function sameKey(key: readonly string[]): string {
  return key.map((name) => `t.${quote(name)} = s.${quote(name)}`).join(' and ');
}

/** The rows of the target that the source does not have; when marking, those that are not marked yet. */
function isGone(target: SqliteTarget, deletes: 'delete' | 'mark'): string {
  const { request } = target;
  const missing = `not exists (select 1 from main.${stageOf(request)} as s where ${sameKey(request.key)})`;
  const spared = isSpared(target);
  return [...(deletes === 'mark' ? [`t.${quote(MARK.name)} is null`] : []), missing, ...(spared ? [`not ${spared}`] : [])].join(' and ');
}

/** What is gone goes first: a new row may need the place of an old one in a unique index. */
function apply(target: SqliteTarget, plan: Changes): Reject[] {
  const { database, request, table, path } = target;
  const { fields, key, stream, deletes = 'delete' } = request;
  const stage = stageOf(request);
  if (deletes === 'delete' && plan.deleted > 0) database.exec(`delete from main.${quote(stream)} as t where ${isGone(target, deletes)}`);
  if (deletes === 'mark' && plan.deleted > 0) {
    database.exec(`update main.${quote(stream)} as t set ${quote(MARK.name)} = ${MARKED_NOW} where ${isGone(target, deletes)}`);
  }
  if (plan.inserted + plan.updated === 0) return [];
  const names = fields.map(({ name }) => quote(name)).join(', ');
  const conflict = onConflict(table, fields, key);
  database.exec('savepoint rows');
  try {
    database.exec(`insert into main.${quote(stream)} (${names}) select ${names} from main.${stage} where true ${conflict}`);
    database.exec('release rows');
    return [];
  } catch (error) {
    if (sqliteError(error, path).kind !== 'data') throw error;
    database.exec('rollback to rows; release rows');
  }
  return applyOneByOne(target, plan, `${insertSql(stream, fields)} ${conflict}`);
}

/** The target refuses some rows: the others go in without them. */
function applyOneByOne({ database, request, path }: SqliteTarget, plan: Changes, sql: string): Reject[] {
  const { fields, key, stream } = request;
  const insert = changing(database, sql);
  const exists = database.prepare(
    `select 1 from main.${quote(stream)} as t where ${key.map((name) => `t.${quote(name)} = ?`).join(' and ')}`,
  );
  const keyAt = key.map((name) => fields.findIndex((field) => field.name === name));
  const rows = database.prepare(`select ${fields.map(({ name }) => quote(name)).join(', ')} from main.${stageOf(request)}`);
  rows.setReturnArrays(true);
  rows.setReadBigInts(true);
  const rejects: Reject[] = [];
  for (const row of rows.iterate() as Iterable<StoredValue[]>) {
    try {
      insert.run(...row);
    } catch (error) {
      const failure = sqliteError(error, path);
      if (failure.kind !== 'data') throw failure;
      const isThere = exists.get(...keyAt.map((at) => row[at] as StoredValue)) !== undefined;
      plan[isThere ? 'updated' : 'inserted']--;
      const shown = row.map((value) => (typeof value === 'object' && value !== null ? `\\x${Buffer.from(value).toString('hex')}` : value));
      rejects.push({
        row: Object.fromEntries(fields.map(({ name }, at) => [name, typeof shown[at] === 'bigint' ? String(shown[at]) : shown[at]])),
        reason: failure.message,
      });
    }
  }
  return rejects;
}

function isSame(a: Changes, b: Changes): boolean {
  return a.inserted === b.inserted && a.updated === b.updated && a.unchanged === b.unchanged && a.deleted === b.deleted;
}
