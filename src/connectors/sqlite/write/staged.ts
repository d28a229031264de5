import type { Reject } from '../../batch.ts';
import type { Changes, WriteResult } from '../../contract.ts';
import { MARK } from '../../marks.ts';
import type { MergeSteps, MirrorStage } from '../../sql-target/dialect.ts';
import { NOTHING } from '../../sql-target/outcome.ts';
import { sqliteError } from '../database/errors.ts';
import type { StoredValue } from '../database/from-sqlite.ts';
import { changing, quote } from '../database/open.ts';
import { remover } from './remove.ts';
import { chained, insertSql, LEFT_OUT, onConflict, rowWriter } from './rows.ts';
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
      return { put: (batch) => ({ ...NOTHING, rejects: writer.put(batch) }) };
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
      const outcome = apply(target, plan);
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

/** What is gone goes first: a new row may need the place of an old one in a unique index. Answers what has really changed: triggers may leave rows as they are. */
function apply(target: SqliteTarget, plan: Changes): WriteResult {
  const { database, request, table, path } = target;
  const { fields, key, stream, deletes = 'delete' } = request;
  const stage = stageOf(request);
  let deleted = 0;
  if (deletes !== 'keep' && plan.deleted > 0) {
    const all = `main.${quote(stream)} as t`;
    const remove = deletes === 'delete' ? `delete from ${all}` : `update ${all} set ${quote(MARK.name)} = ${MARKED_NOW}`;
    deleted = Number(changing(database, `${remove} where ${isGone(target, deletes)}`).run().changes);
  }
  const result = { ...plan, deleted, rejects: [] };
  if (plan.inserted + plan.updated === 0) return result;
  const names = fields.map(({ name }) => quote(name)).join(', ');
  const conflict = onConflict(table, fields, key);
  database.exec('savepoint rows');
  try {
    const { changes } = changing(
      database,
      `insert into main.${quote(stream)} (${names}) select ${names} from main.${stage} where true ${conflict}`,
    ).run();
    if (Number(changes) === plan.inserted + plan.updated) {
      database.exec('release rows');
      return result;
    }
  } catch (error) {
    if (sqliteError(error, path).kind !== 'data') throw error;
  }
  database.exec('rollback to rows; release rows');
  const rejects = applyOneByOne(target, result, `${insertSql(stream, fields)} ${conflict}`);
  return { ...result, rejects };
}

/** The target refuses some rows, or a trigger leaves them out: the others go in without them. */
function applyOneByOne({ database, request, path }: SqliteTarget, counts: Changes, sql: string): Reject[] {
  const { fields, key, stream } = request;
  const insert = changing(database, sql);
  const tests = (names: readonly string[], word: string): string =>
    chained(
      names.map((name) => `t.${quote(name)} ${word} ?`),
      'and',
    );
  const withKey = `select 1 from main.${quote(stream)} as t where ${tests(key, '=')}`;
  const exists = database.prepare(withKey);
  const isEqual = database.prepare(
    `${withKey} and ${tests(
      fields.map(({ name }) => name),
      'is',
    )}`,
  );
  const keyAt = key.map((name) => fields.findIndex((field) => field.name === name));
  /** Why the row is not in. */
  const put = (row: readonly StoredValue[], ofKey: readonly StoredValue[]): string | undefined => {
    try {
      if (insert.run(...row).changes !== 0n || isEqual.get(...ofKey, ...row)) return undefined;
      return LEFT_OUT;
    } catch (error) {
      const failure = sqliteError(error, path);
      if (failure.kind !== 'data') throw failure;
      return failure.message;
    }
  };
  const rows = database.prepare(`select ${fields.map(({ name }) => quote(name)).join(', ')} from main.${stageOf(request)}`);
  rows.setReturnArrays(true);
  rows.setReadBigInts(true);
  const rejects: Reject[] = [];
  for (const row of rows.iterate() as Iterable<StoredValue[]>) {
    const ofKey = keyAt.map((at) => row[at] as StoredValue);
    const reason = put(row, ofKey);
    if (reason === undefined) continue;
    counts[exists.get(...ofKey) === undefined ? 'inserted' : 'updated']--;
    const shown = row.map((value) => (typeof value === 'object' && value !== null ? `\\x${Buffer.from(value).toString('hex')}` : value));
    rejects.push({
      row: Object.fromEntries(fields.map(({ name }, at) => [name, typeof shown[at] === 'bigint' ? String(shown[at]) : shown[at]])),
      reason,
    });
  }
  return rejects;
}

function isSame(a: Changes, b: Changes): boolean {
  return a.inserted === b.inserted && a.updated === b.updated && a.unchanged === b.unchanged && a.deleted === b.deleted;
}
