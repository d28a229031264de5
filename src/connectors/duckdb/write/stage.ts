import type { Batch, Reject } from '../../batch.ts';
import type { Row } from '../../canonical.ts';
import type { Changes, Field, WriteResult } from '../../contract.ts';
import { MARK } from '../../marks.ts';
import type { MergeSteps, MirrorStage } from '../../sql-target/dialect.ts';
import { NOTHING } from '../../sql-target/outcome.ts';
import { sparedName, stageName } from '../../sql-target/stage-name.ts';
import { duckdbError } from '../database/errors.ts';
import { quote } from '../database/open.ts';
import { columnNamed } from '../database/schema.ts';
import { fromShown, meaningOf, shownSql } from '../database/column-values.ts';
import { BATCH_TABLE, byName, fillBatch, valueSql } from './batch-table.ts';
import { findRefused } from './find-refused.ts';
import { mergeRows, remover } from './rows.ts';
import type { DuckdbTarget } from './target.ts';
import { Again, attempt } from './transaction.ts';

/** The columns of a mirror with their types. What was collected with others cannot be gone on with. */
export function columnsOf({ request, table }: Pick<DuckdbTarget, 'request' | 'table'>): [name: string, declared: string][] {
  return request.fields.map(({ name }) => [name, columnNamed(table, name)?.declared ?? 'VARCHAR']);
}

/** The stage of a mirror, as a table of its own: rows in the order in which they came; of several with a key, the last one counts. */
export function stageFor(target: DuckdbTarget): MirrorStage {
  const { connection, request } = target;
  const { fields, key, stream } = request;
  const [stage, spared] = [stageName(request.owner), sparedName(stageName(request.owner))];
  const names = fields.map(({ name }) => quote(name)).join(', ');
  const drop = async (): Promise<void> => {
    for (const name of [stage, spared]) await connection.run(`drop table if exists main.${name}`);
  };
  const make = async (): Promise<void> => {
    await drop();
    const columns = columnsOf(target).map(([name, declared]) => `${quote(name)} ${declared}`);
    await connection.run(`create table main.${stage} (${columns.join(', ')}, _syncline_n bigint)`);
  };
  const next = async (): Promise<number> =>
    Number((await connection.rows(`select coalesce(max(_syncline_n), 0) from main.${stage}`))[0]?.[0]) + 1;
  return {
    state: JSON.stringify({ mirror: stage, columns: columnsOf(target) }),
    isThere: async () =>
      (await connection.rows(`select 1 from duckdb_tables() where database_name = current_database() and table_name = ?`, [stage])).length >
      0,
    make,
    drop,
    collector: () => ({
      put: async (batch: Batch) => {
        const rejects = await fillBatch(target, fields, batch.rows, key, new Set());
        const values = fields.map((_, at) => valueSql(target, fields, at)).join(', ');
        await connection.run(
          `insert into main.${stage} (${names}, _syncline_n) select ${values}, b.n + ${await next()} from ${BATCH_TABLE} as b order by b.n`,
        );
        return { ...NOTHING, rejects };
      },
    }),
    remover: () => ({ put: remover(target, stage, 'delete') }),
    spare: async (keys: readonly Row[]) => {
      const keyFields = key.map((name) => fields.find((field) => field.name === name) as Field);
      const columns = keyFields.map(({ name }) => `${quote(name)} ${columnNamed(target.table, name)?.declared ?? 'VARCHAR'}`);
      await connection.run(`create table if not exists main.${spared} (${columns.join(', ')})`);
      // A key that the column cannot keep has no row in the table.
      await fillBatch(target, keyFields, keys, key, new Set());
      await connection.run(
        `insert into main.${spared} select ${keyFields.map((_, at) => valueSql(target, keyFields, at)).join(', ')} from ${BATCH_TABLE} as b`,
      );
    },
    move: async () => {
      await make();
      await connection.run(
        `insert into main.${stage} (${names}, _syncline_n) select ${names}, row_number() over () from main.${quote(stream)}`,
      );
      return connection.run(`delete from main.${quote(stream)}`);
    },
    merge: (steps) => merge(target, stage, spared, steps),
  };
}

async function merge(target: DuckdbTarget, stage: string, spared: string, { ask, keep }: MergeSteps): Promise<WriteResult | undefined> {
  const { connection, request, transact, checkpoint, path } = target;
  const { fields, key, stream, deletes = 'delete' } = request;
  const into = `main.${quote(stream)}`;
  const columns = fields.map(({ name }) => quote(name));
  const refused = new Map<number, string>();
  const rows = 'temp.main.syncline_merged';
  /** The last row of each key, without those that the table refuses. */
  const gather = async (only?: readonly number[]): Promise<void> => {
    const without = refused.size > 0 ? ` where _syncline_n not in (${[...refused.keys()].join(', ')})` : '';
    const some = only ? ` where _syncline_n in (${only.join(', ')})` : without;
    await connection.run(
      `create or replace temp table syncline_merged as select * from (select * from main.${stage} qualify row_number() over (partition by ${key.map(quote).join(', ')} order by _syncline_n desc) = 1)${some}`,
    );
  };
  const isGone = async (): Promise<string> => {
    const missing = `not exists (select 1 from main.${stage} as s where ${key.map((name) => `t.${quote(name)} = s.${quote(name)}`).join(' and ')})`;
    const hasSpared =
      (await connection.rows(`select 1 from duckdb_tables() where database_name = current_database() and table_name = ?`, [spared]))
        .length > 0;
    const kept = hasSpared
      ? [`not exists (select 1 from main.${spared} as k where ${key.map((name) => `t.${quote(name)} = k.${quote(name)}`).join(' and ')})`]
      : [];
    return [...(deletes === 'mark' ? [`t.${quote(MARK.name)} is null`] : []), missing, ...kept].join(' and ');
  };
  const planOf = async (): Promise<Changes> => {
    await gather();
    const counts = await mergeRows(target, rows, columns, key, true);
    const [[gone] = []] = deletes === 'keep' ? [[0]] : await connection.rows(`select count(*) from ${into} as t where ${await isGone()}`);
    return { ...counts, deleted: Number(gone) };
  };
  const plan = await transact(async () => {
    await checkpoint.demand();
    return planOf();
  });
  // Nobody has to wait for the answer. What changed in between is asked for again.
  let approved = plan;
  for (;;) {
    if (!(await ask(approved))) return undefined;
    const result = await transact(async () => {
      await checkpoint.demand();
      const now = await planOf();
      if (refused.size === 0 && JSON.stringify(now) !== JSON.stringify(approved)) {
        approved = now;
        return undefined;
      }
      // What is gone goes first: a new row may need its place.
      if (now.deleted > 0)
        await connection.run(
          deletes === 'mark'
            ? `update ${into} as t set ${quote(MARK.name)} = now() where ${await isGone()}`
            : `delete from ${into} as t where ${await isGone()}`,
        );
      try {
        await mergeRows(target, rows, columns, key);
      } catch (error) {
        if (duckdbError(error, path).kind !== 'data') throw error;
        throw new Again(async () => findOut(target, stage, gather, refused, columns));
      }
      const outcome = { ...now, rejects: await rejectsOf(target, stage, refused) };
      await keep(outcome);
      for (const name of [stage, spared]) await connection.run(`drop table if exists main.${name}`);
      return outcome;
    });
    if (result) return result;
  }
}

async function findOut(
  target: DuckdbTarget,
  stage: string,
  gather: (only?: readonly number[]) => Promise<void>,
  refused: Map<number, string>,
  columns: readonly string[],
): Promise<void> {
  const { connection, request, path } = target;
  const ids = (
    await connection.rows(
      `select _syncline_n from main.${stage} qualify row_number() over (partition by ${request.key.map(quote).join(', ')} order by _syncline_n desc) = 1`,
    )
  )
    .map(([n]) => Number(n))
    .filter((n) => !refused.has(n));
  const trial = (some: readonly number[]) =>
    attempt(
      connection,
      async () => {
        await gather(some);
        return mergeRows(target, 'temp.main.syncline_merged', columns, request.key).then(
          () => undefined,
          (reason: unknown) => duckdbError(reason, path).message,
        );
      },
      true,
    );
  const found = await findRefused(ids, trial);
  for (const [n, reason] of found) refused.set(n, reason);
  if (found.size === 0 && ids.length > 0) refused.set(ids.at(-1) as number, 'The table refuses it beside the others.');
}

async function rejectsOf(
  { connection, request: { fields }, table }: DuckdbTarget,
  stage: string,
  refused: ReadonlyMap<number, string>,
): Promise<Reject[]> {
  if (refused.size === 0) return [];
  const declared = fields.map(({ name }) => columnNamed(table, name)?.declared ?? 'VARCHAR');
  const list = fields.map(({ name }, at) => shownSql(quote(name), declared[at] ?? '')).join(', ');
  const rows = await connection.rows(
    `select _syncline_n, ${list} from main.${stage} where _syncline_n in (${[...refused.keys()].join(', ')}) order by 1`,
  );
  return rows.map(([n, ...values]) => ({
    row: byName(
      fields,
      values.map((value, at) => (typeof value === 'string' ? (fromShown(meaningOf(declared[at] ?? ''))?.(value) ?? value) : null)),
    ),
    reason: refused.get(Number(n)) ?? '',
  }));
}
