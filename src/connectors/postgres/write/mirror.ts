import type { Reject } from '../../batch.ts';
import { bisect } from '../../bisect.ts';
import type { Changes, Settle, Writer, WriteResult } from '../../contract.ts';
import { OutsideError } from '../../../outside/errors.ts';
import { refused } from '../../sql-target/outcome.ts';
import { removeDoubles } from './load.ts';
import { quoteName, quoteRelation } from '../catalogue/names.ts';
import { rejectsOf } from './refusals.ts';
import { noteFor } from './settling.ts';
import { isSpared } from './spare.ts';
import { DELETED_AT } from '../../marks.ts';
import { tellsRowsApart } from './tables.ts';
import type { WriterState } from './states.ts';
import { inTransaction, sparedOf, stageOf, type PostgresTarget } from './target.ts';
import type { Writing } from './writing.ts';

// Sorted or hashed in memory as far as that goes, by several processes: nobody reads or writes meanwhile. To compile the comparison takes
// longer than it saves.
const SETTINGS = "set local work_mem = '64MB'; set local jit = off; set local max_parallel_workers_per_gather = default";

/** Shows what would change and, when that is approved, changes it. */
export async function finishMirror(
  writing: Writing,
  approve: Parameters<Writer['finish']>[0],
  settle: Settle | undefined,
): Promise<WriteResult & { refused?: boolean }> {
  const { target, checkpoint } = writing;
  const { link, relation, request } = target;
  const sides = {
    stage: quoteRelation(stageOf(relation, request.owner)),
    table: quoteRelation(relation),
    gone: goneOf(target, checkpoint.state),
  };
  return inTransaction(target, async () => {
    await link.run(SETTINGS);
    // Nobody else writes between what is shown and what is done.
    await link.run(`lock table ${sides.table} in share row exclusive mode`);
    const changes = await (request.key.length > 0 ? compare : compareContents)(target, sides);
    if (approve && !(await approve({ ...changes }))) {
      await link.run('rollback');
      return refused();
    }
    const left = await (request.key.length > 0 ? apply : replace)(target, sides, changes);
    for (const { kind } of left) changes[kind]--;
    const result = { ...changes, rejects: left.map(({ reject }) => reject) };
    const note = await noteFor(checkpoint, result, settle);
    const beside = checkpoint.state.spared ? `, ${quoteRelation(sparedOf(relation, request.owner))}` : '';
    await writing.commit({ position: null, note, state: {} }, `; drop table ${sides.stage}${beside}`);
    return result;
  });
}

/** What is compared, as they are named in statements. */
interface Sides {
  readonly stage: string;
  readonly table: string;
  /** That a row of the table `t` which the stage lacks is to go. */
  readonly gone: string;
}

/**
 * Compares by key, without an index on the stage: to make one would take longer than it saves. What the stage has and what it lacks are
 * two questions, as older servers answer neither with several processes when they are one (a full join).
 */
async function compare(target: PostgresTarget, sides: Sides, mayBeDoubled = true): Promise<Changes> {
  const { link, merge, relation, request } = target;
  const { stage, table } = sides;
  const [first = ''] = request.key.map(quoteName);
  const ask = async (query: string): Promise<number[]> => {
    const [row = {}] = await link.query<Record<string, string>>(query);
    return Object.values(row).map(Number);
  };
  const [staged = 0, met = 0, updated = 0] = await ask(
    `select count(*)::text as staged, count(t.${first})::text as met, count(*) filter (where t.${first} is not null and ${merge.differs})::text as updated
     from ${stage} s left join ${table} t on ${merge.sameKey}`,
  );
  const isApart = tellsRowsApart(relation, request.key);
  const total = async (): Promise<number> => (await ask(`select count(*)::text as total from ${table}`))[0] ?? 0;
  const inserted = staged - met;
  const changes = (gone: number): Changes => ({
    inserted,
    updated,
    unchanged: met - updated,
    deleted: request.deletes === 'keep' ? 0 : gone,
  });
  // Where no key is there twice on either side, it is known without looking how many are lacking; and that they go, unless some are spared.
  const isOnce = isApart && target.ascent?.hasAll(staged);
  if (isOnce) {
    const rest = (await total()) - met;
    if (rest === 0 || sides.gone === ALL) return changes(rest);
  }
  const missing = `not exists (select from ${stage} s where ${merge.sameKey})`;
  const [lacking = 0, gone = 0] = await ask(
    `select count(*)::text as lacking, count(*) filter (where ${sides.gone})::text as gone from ${table} t where ${missing}`,
  );
  if (isOnce || !mayBeDoubled) return changes(gone);
  // Where no two rows of the target have the same key, a row that was met twice tells of doubles in the stage.
  const isDoubled = (isApart && met > (await total()) - lacking) || ((!isApart || inserted > 0) && (await hasDoubles(target, sides)));
  if (!isDoubled) return changes(gone);
  await link.run(removeDoubles(stage, request.key.map(quoteName).join(', ')));
  return compare(target, sides, false);
}

/** All rows that the stage lacks are to go. */
const ALL = 'true';

/** That a row of the table `t` which the stage lacks is to go: unless it is marked already, or could only not be used. */
function goneOf(target: PostgresTarget, { spared }: WriterState): string {
  const isLive = target.request.deletes === 'mark' ? [`t.${quoteName(DELETED_AT)} is null`] : [];
  const isUsed = spared ? [`${isSpared(target)} is not true`] : [];
  return [...isLive, ...isUsed].join(' and ') || ALL;
}

/** Whether several rows of the stage have the same key; where the target tells its rows apart, those that it does not have. */
async function hasDoubles({ link, merge, relation, request }: PostgresTarget, { stage, table }: Sides): Promise<boolean> {
  const isNew = tellsRowsApart(relation, request.key) ? `where not exists (select from ${table} t where ${merge.sameKey})` : '';
  const key = request.key.map((name) => `s.${quoteName(name)}`).join(', ');
  const rows = await link.query(`select 1 from ${stage} s ${isNew} group by ${key} having count(*) > 1 limit 1`);
  return rows.length > 0;
}

async function compareContents({ link, request }: PostgresTarget, { stage, table }: Sides): Promise<Changes> {
  const [row] = await link.query<Record<string, string>>(
    `select (a.n - c.n)::text as inserted, c.n::text as unchanged, ${request.deletes === 'keep' ? `'0'` : '(b.n - c.n)::text'} as deleted
     from (select count(*) as n from ${stage}) a, (select count(*) as n from ${table}) b,
       (select count(*) as n from (${texts(request.fields, stage)} intersect all ${texts(request.fields, table)}) both_have) c`,
  );
  const count = (name: string): number => Number(row?.[name] ?? 0);
  return { inserted: count('inserted'), updated: 0, unchanged: count('unchanged'), deleted: count('deleted') };
}

const texts = (fields: PostgresTarget['request']['fields'], table: string): string =>
  `select ${fields.map(({ name }) => `${quoteName(name)}::text collate "C"`).join(', ')} from ${table}`;

interface Refused {
  kind: 'inserted' | 'updated';
  reject: Reject;
}

/** Does what was counted, and looks for nothing of which there is none. */
async function apply(target: PostgresTarget, { stage, table, gone }: Sides, changes: Changes): Promise<Refused[]> {
  const { link, merge, request } = target;
  if (changes.deleted + changes.updated + changes.inserted === 0) return [];
  await link.run(`analyze ${stage} (${request.key.map(quoteName).join(', ')})`);
  const isGone = `not exists (select from ${stage} s where ${merge.sameKey}) and ${gone}`;
  if (changes.deleted > 0)
    await link.run(
      request.deletes === 'mark'
        ? `update ${table} t set ${quoteName(DELETED_AT)} = clock_timestamp() where ${isGone}`
        : `delete from ${table} t where ${isGone}`,
    );
  const refused: Refused[] = [];
  if (changes.updated > 0)
    refused.push(
      ...(await changeRows(target, 'updated', (only) => ({
        statement: `update ${table} t set ${merge.assignments} from ${stage} s where ${merge.sameKey} and ${merge.differs}${only}`,
        candidates: `select s.ctid::text as id from ${stage} s join ${table} t on ${merge.sameKey} where ${merge.differs}`,
      }))),
    );
  const isNew = `not exists (select from ${table} t where ${merge.sameKey})`;
  if (changes.inserted > 0)
    refused.push(
      ...(await changeRows(target, 'inserted', (only) => ({
        statement: `insert into ${table} (${merge.list}) overriding system value select ${merge.list} from ${stage} s where ${isNew}${only}`,
        candidates: `select s.ctid::text as id from ${stage} s where ${isNew}`,
      }))),
    );
  return refused;
}

/** Runs a statement over all its rows; when the table refuses some of them, over halves, until they stand alone. */
async function changeRows(
  target: PostgresTarget,
  kind: Refused['kind'],
  of: (only: string) => { statement: string; candidates: string },
): Promise<Refused[]> {
  const { link, request, relation } = target;
  const attempt = async (statement: string): Promise<void> => {
    try {
      await link.run(`savepoint change; ${statement}; release savepoint change`);
    } catch (error) {
      await link.run('rollback to savepoint change').catch(() => {});
      throw error;
    }
  };
  try {
    await attempt(of('').statement);
    return [];
  } catch (error) {
    if (!(error instanceof OutsideError) || error.kind !== 'data') throw error;
  }
  const ids = (await link.query<{ id: string }>(of('').candidates)).map(({ id }) => id);
  const bad = await bisect(ids, (slice) =>
    attempt(of(` and s.ctid = any('{${slice.map((id) => `"${id}"`).join(',')}}'::tid[])`).statement),
  );
  const stage = quoteRelation(stageOf(relation, request.owner));
  const list = request.fields.map(({ name }) => quoteName(name)).join(', ');
  const rows = [];
  for (const { index, error } of bad) {
    const [row = {}] = await link.query(`select ${list} from ${stage} where ctid = '${ids[index]}'`);
    rows.push({ row, error });
  }
  return (await rejectsOf(target, rows)).map((reject) => ({ kind, reject }));
}

/** Without a key nothing can be compared row by row: the new rows take the place of the old, unless they are the same. */
async function replace({ link, merge, request }: PostgresTarget, { stage, table }: Sides, changes: Changes): Promise<Refused[]> {
  if (changes.inserted + changes.deleted === 0) return [];
  if (request.deletes !== 'keep') await link.run(`delete from ${table}`);
  await link.run(`insert into ${table} (${merge.list}) overriding system value select ${merge.list} from ${stage}`);
  return [];
}
