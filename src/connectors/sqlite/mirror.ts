import type { DatabaseSync } from 'node:sqlite';
import type { Reject } from '../batch.ts';
import type { Changes, WriteRequest, WriteResult } from '../contract.ts';
import { none, type SavePosition, type Transact } from './checkpoints.ts';
import { sqliteError } from './errors.ts';
import type { Stored } from './from-sqlite.ts';
import { quote } from './open.ts';
import { chained, insertSql, onConflict } from './rows.ts';
import type { Table } from './schema.ts';
import { columnNamed, MARK } from './target.ts';

// A mirror collects all rows in a table of its own beside the target. Only when the read is complete it is known what has to
// change, and all of it changes in one transaction.

interface Mirror {
  readonly database: DatabaseSync;
  readonly transact: Transact;
  readonly request: WriteRequest;
  readonly table: Table;
  readonly stage: string;
  readonly path: string;
  readonly save: SavePosition;
}

/** Makes the stage, or goes on with the one of an earlier writer. Its columns keep values just as those of the target do. */
export function prepareStage(database: DatabaseSync, stage: string, { fields, key }: WriteRequest, table: Table, isNew: boolean): void {
  const column = (name: string): string => `${quote(name)} ${columnNamed(table, name)?.declared ?? ''}`;
  if (isNew) database.exec(`drop table if exists main.${stage}`);
  const columns = fields.map(({ name }) => column(name)).join(', ');
  database.exec(`create table if not exists main.${stage} (${columns}, primary key (${key.map(quote).join(', ')}))`);
  const known = new Set(
    (database.prepare('select lower(name) as name from pragma_table_xinfo(?)').all(stage) as { name: string }[]).map(({ name }) => name),
  );
  for (const { name } of fields) if (!known.has(name.toLowerCase())) database.exec(`alter table main.${stage} add column ${column(name)}`);
}

export async function finishMirror(
  mirror: Mirror,
  approve?: (changes: Changes) => boolean | Promise<boolean>,
): Promise<WriteResult & { refused?: boolean }> {
  const { transact, save } = mirror;
  for (;;) {
    const plan = await transact(() => {
      save.check();
      return planOf(mirror);
    });
    // Nobody has to wait for the answer: the file is not locked meanwhile. What changed in between is asked for again.
    if (approve && !(await approve({ ...plan }))) {
      await transact(() => forget(mirror));
      return { ...none(), rejects: [], refused: true };
    }
    const result = await transact(() => {
      save.check();
      if (approve && !isSame(plan, planOf(mirror))) return undefined;
      const rejects = apply(mirror, plan);
      forget(mirror);
      return { ...plan, rejects };
    });
    if (result) return result;
  }
}

function forget({ database, stage, save }: Mirror): void {
  save(null);
  database.exec(`drop table main.${stage}`);
}

function planOf({ database, request, table, stage }: Mirror): Changes {
  const { fields, key, stream, deletes = 'delete' } = request;
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
      : database.prepare(`select count(*) as count from main.${quote(stream)} as t where ${isGone(stage, key, deletes)}`).get();
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
function isGone(stage: string, key: readonly string[], deletes: 'delete' | 'mark'): string {
  const missing = `not exists (select 1 from main.${stage} as s where ${sameKey(key)})`;
  return deletes === 'mark' ? `t.${quote(MARK.name)} is null and ${missing}` : missing;
}

/** What is gone goes first: a new row may need the place of an old one in a unique index. */
function apply(mirror: Mirror, plan: Changes): Reject[] {
  const { database, request, table, stage, path } = mirror;
  const { fields, key, stream, deletes = 'delete' } = request;
  if (deletes === 'delete') database.exec(`delete from main.${quote(stream)} as t where ${isGone(stage, key, deletes)}`);
  if (deletes === 'mark') {
    database.exec(
      `update main.${quote(stream)} as t set ${quote(MARK.name)} = strftime('%Y-%m-%d %H:%M:%f+00:00', 'now') where ${isGone(stage, key, deletes)}`,
    );
  }
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
  return applyOneByOne(mirror, plan, `${insertSql(stream, fields)} ${conflict}`);
}

/** The target refuses some rows: the others go in without them. */
function applyOneByOne({ database, request, stage, path }: Mirror, plan: Changes, sql: string): Reject[] {
  const { fields, key, stream } = request;
  const insert = database.prepare(sql);
  const exists = database.prepare(
    `select 1 from main.${quote(stream)} as t where ${key.map((name) => `t.${quote(name)} = ?`).join(' and ')}`,
  );
  const keyAt = key.map((name) => fields.findIndex((field) => field.name === name));
  const rows = database.prepare(`select ${fields.map(({ name }) => quote(name)).join(', ')} from main.${stage}`);
  rows.setReturnArrays(true);
  rows.setReadBigInts(true);
  const rejects: Reject[] = [];
  for (const row of rows.iterate() as Iterable<Stored[]>) {
    try {
      insert.run(...row);
    } catch (error) {
      const failure = sqliteError(error, path);
      if (failure.kind !== 'data') throw failure;
      const isThere = exists.get(...keyAt.map((at) => row[at] as Stored)) !== undefined;
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
