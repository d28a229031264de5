import type { Reject } from '../batch.ts';
import { bisect } from '../bisect.ts';
import type { Changes, Writer, WriteResult } from '../contract.ts';
import { ConnectorError } from '../errors.ts';
import { findRelation, type Relation } from './catalogue.ts';
import { keep } from './checkpoint.ts';
import { quoteName, quoteRelation } from './names.ts';
import { DELETED_AT } from './tables.ts';
import { sqlState } from './sql-errors.ts';
import { NOTHING, stageName, type Writing } from './writing.ts';

const NUMBER = '_syncline_n';

const stageOf = ({ relation, request }: Writing) => ({ schema: relation.schema, name: stageName(request.owner) });

/** Finds the stage of an unfinished mirror, or makes a new one. Within the opening transaction. */
export async function openStage(writing: Writing): Promise<void> {
  const { link, request, relation, state } = writing;
  writing.way = 'stage';
  const name = stageOf(writing);
  const stage = quoteRelation(name);
  const found = await findRelation(link, name);
  if (found && state.staged !== undefined && fits(found, writing)) {
    const [row] = await link.query(`select 1 from ${stage} limit 1`);
    // It keeps no log: when the server crashed it is empty, and the read starts anew.
    if (row || state.staged === 0) return;
  }
  if (found) await link.run(`drop table ${stage}`);
  const columns = request.fields.map(
    ({ name: field }) => `${quoteName(field)} ${relation.columns.find((column) => column.name === field)?.native}`,
  );
  await link.run(`create unlogged table ${stage} (${columns.join(', ')}, ${quoteName(NUMBER)} bigint generated always as identity)`);
  writing.position = null;
  writing.state = { staged: 0 };
}

function fits(found: Relation, { request, relation }: Writing): boolean {
  const columns = found.columns.filter(({ name }) => name !== NUMBER);
  return (
    columns.length === request.fields.length &&
    columns.every(
      ({ name, native }, i) =>
        request.fields[i]?.name === name && relation.columns.find((column) => column.name === name)?.native === native,
    )
  );
}

/** Shows what would change and, when that is approved, changes it. */
export async function finishMirror(
  writing: Writing,
  approve: Parameters<Writer['finish']>[0],
): Promise<WriteResult & { refused?: boolean }> {
  const { link, relation, request, place } = writing;
  const stage = quoteRelation(stageOf(writing));
  const target = quoteRelation(relation);
  await link.run('begin; set constraints all immediate');
  try {
    if (request.key.length > 0) await makeUnique(writing, stage);
    // Nobody else writes between what is shown and what is done.
    await link.run(`analyze ${stage}; lock table ${target} in share row exclusive mode`);
    const changes = await compare(writing, stage, target);
    if (approve && !(await approve({ ...changes }))) {
      await link.run('rollback');
      return { ...NOTHING, rejects: [], refused: true };
    }
    const rejects = request.key.length > 0 ? await apply(writing, stage, target) : await replace(writing, stage, target);
    await link.run(`${keep(place, { position: null, state: {} })}; drop table ${stage}; commit`);
    for (const { kind } of rejects) changes[kind]--;
    return { ...changes, rejects: rejects.map(({ reject }) => reject) };
  } catch (error) {
    await link.run('rollback').catch(() => {});
    throw error;
  }
}

/** Of several rows with the same key the last one stays. The index serves the comparison too. */
async function makeUnique({ link, request }: Writing, stage: string): Promise<void> {
  const key = request.key.map(quoteName).join(', ');
  const create = `create unique index on ${stage} (${key})`;
  try {
    await link.run(`savepoint doubles; ${create}; release savepoint doubles`);
  } catch (error) {
    if (sqlState(error) !== '23505') throw error;
    const number = quoteName(NUMBER);
    await link.run(
      `rollback to savepoint doubles; delete from ${stage} where ${number} in (
         select n from (select ${number} as n, row_number() over (partition by ${key} order by ${number} desc) as place from ${stage}) r where place > 1);
       ${create}`,
    );
  }
}

async function compare({ link, merge, request }: Writing, stage: string, target: string): Promise<Changes> {
  const n = `s.${quoteName(NUMBER)}`;
  const gone = request.deletes === 'keep' ? 'false' : request.deletes === 'mark' ? `t.${quoteName(DELETED_AT)} is null` : 'true';
  const [row] = await link.query<Record<string, string>>(
    request.key.length > 0
      ? `select count(*) filter (where t.here is null)::text as inserted, count(*) filter (where ${n} is not null and t.here and ${merge.differs})::text as updated,
           count(*) filter (where ${n} is not null and t.here and not ${merge.differs})::text as unchanged, count(*) filter (where ${n} is null and ${gone})::text as deleted
         from ${stage} s full join (select true as here, * from ${target}) t on ${merge.sameKey}`
      : `select (a.n - c.n)::text as inserted, '0' as updated, c.n::text as unchanged, ${request.deletes === 'keep' ? `'0'` : '(b.n - c.n)::text'} as deleted
         from (select count(*) as n from ${stage}) a, (select count(*) as n from ${target}) b,
           (select count(*) as n from (${texts(request.fields, stage)} intersect all ${texts(request.fields, target)}) both_have) c`,
  );
  const count = (name: string): number => Number(row?.[name] ?? 0);
  return { inserted: count('inserted'), updated: count('updated'), unchanged: count('unchanged'), deleted: count('deleted') };
}

const texts = (fields: Writing['request']['fields'], table: string): string =>
  `select ${fields.map(({ name }) => `${quoteName(name)}::text collate "C"`).join(', ')} from ${table}`;

interface Refused {
  kind: 'inserted' | 'updated';
  reject: Reject;
}

async function apply(writing: Writing, stage: string, target: string): Promise<Refused[]> {
  const { link, merge, request } = writing;
  const isGone = `not exists (select from ${stage} s where ${merge.sameKey})`;
  const at = quoteName(DELETED_AT);
  if (request.deletes === 'mark') await link.run(`update ${target} t set ${at} = clock_timestamp() where ${at} is null and ${isGone}`);
  else if (request.deletes !== 'keep') await link.run(`delete from ${target} t where ${isGone}`);
  const updates =
    merge.assignments === ''
      ? []
      : await changeRows(writing, 'updated', (only) => ({
          statement: `update ${target} t set ${merge.assignments} from ${stage} s where ${merge.sameKey} and ${merge.differs}${only}`,
          candidates: `select s.${quoteName(NUMBER)}::text as n from ${stage} s join ${target} t on ${merge.sameKey} where ${merge.differs}`,
        }));
  const inserts = await changeRows(writing, 'inserted', (only) => {
    const isNew = `not exists (select from ${target} t where ${merge.sameKey})`;
    return {
      statement: `insert into ${target} (${merge.list}) overriding system value select ${merge.list} from ${stage} s where ${isNew}${only}`,
      candidates: `select s.${quoteName(NUMBER)}::text as n from ${stage} s where ${isNew}`,
    };
  });
  return [...updates, ...inserts];
}

/** Runs a statement over all its rows; when the table refuses some of them, over halves, until they stand alone. */
async function changeRows(
  { link, request, relation }: Writing,
  kind: Refused['kind'],
  of: (only: string) => { statement: string; candidates: string },
): Promise<Refused[]> {
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
    if (!(error instanceof ConnectorError) || error.kind !== 'data') throw error;
  }
  const numbers = (await link.query<{ n: string }>(of('').candidates)).map(({ n }) => n);
  const bad = await bisect(numbers, (slice) =>
    attempt(of(` and s.${quoteName(NUMBER)} = any('{${slice.join(',')}}'::bigint[])`).statement),
  );
  const stage = quoteRelation({ schema: relation.schema, name: stageName(request.owner) });
  const list = request.fields.map(({ name }) => quoteName(name)).join(', ');
  const refused: Refused[] = [];
  for (const { index, error } of bad) {
    const [row] = await link.query(`select ${list} from ${stage} where ${quoteName(NUMBER)} = ${numbers[index]}`);
    refused.push({ kind, reject: { row: row ?? {}, ...(error.field && { field: error.field }), reason: error.message } });
  }
  return refused;
}

/** Without a key nothing can be compared row by row: the new rows take the place of the old. */
async function replace({ link, merge, request }: Writing, stage: string, target: string): Promise<Refused[]> {
  if (request.deletes !== 'keep') await link.run(`delete from ${target}`);
  await link.run(`insert into ${target} (${merge.list}) overriding system value select ${merge.list} from ${stage}`);
  return [];
}
