import type { Batch, Reject } from '../../batch.ts';
import type { Field, WriteRequest, WriteResult } from '../../contract.ts';
import { MARK } from '../../marks.ts';
import { keyMissing } from '../../sql-target/faults.ts';
import { NOTHING } from '../../sql-target/outcome.ts';
import { duckdbError } from '../database/errors.ts';
import { quote } from '../database/open.ts';
import { columnNamed } from '../database/schema.ts';
import { BATCH_TABLE, byName, fillBatch, refusedOf, valueSql } from './batch-table.ts';
import { findRefused } from './find-refused.ts';
import type { DuckdbTarget } from './target.ts';
import { Again, attempt } from './transaction.ts';

/** Puts batches into the table itself, by key unless they are only appended. Within a transaction. */
export function putter(target: DuckdbTarget): (batch: Batch) => Promise<WriteResult> {
  const { connection, request, path } = target;
  const { fields, mode } = request;
  const key = mode === 'append' ? [] : request.key;
  return async (batch) => {
    const refused = refusedOf(batch);
    const rejects: Reject[] = await fillBatch(target, fields, batch.rows, key, new Set(refused.keys()));
    for (const [index, reason] of refused) rejects.push({ index, row: byName(fields, batch.rows[index] ?? []), reason });
    try {
      return { ...(await intoTable(target, key)), rejects };
    } catch (error) {
      if (duckdbError(error, path).kind !== 'data') throw error;
      const good = batch.rows.map((_, index) => index).filter((index) => !rejects.some((reject) => reject.index === index));
      throw new Again(async () => {
        const trial = (some: readonly number[]) =>
          attempt(
            connection,
            async () => {
              const others = new Set(batch.rows.map((_, index) => index).filter((index) => !some.includes(index)));
              await fillBatch(target, fields, batch.rows, key, others);
              return intoTable(target, key).then(
                () => undefined,
                (reason: unknown) => duckdbError(reason, path).message,
              );
            },
            true,
          );
        const found = await findRefused(good, trial);
        for (const [index, reason] of found) refused.set(index, reason);
        // Each alone is taken, and together they are not: the later of two that cannot be side by side goes.
        if (found.size === 0 && good.length > 0) refused.set(good.at(-1) as number, duckdbError(error, path).message);
      });
    }
  };
}

async function intoTable(target: DuckdbTarget, key: readonly string[]): Promise<Omit<WriteResult, 'rejects'>> {
  const { connection, request } = target;
  const { fields, stream } = request;
  const names = fields.map(({ name }) => quote(name)).join(', ');
  const values = fields.map((_, at) => valueSql(target, fields, at)).join(', ');
  const into = `main.${quote(stream)}`;
  if (key.length === 0) {
    const rowsChanged = await connection.run(`insert into ${into} (${names}) select ${values} from ${BATCH_TABLE} as b order by b.n`);
    return { ...NOTHING, inserted: rowsChanged };
  }
  const keyAt = key.map((name) => fields.findIndex((field) => field.name === name));
  const typed = `select ${fields.map((_, at) => `${valueSql(target, fields, at)} as v${at}`).join(', ')}, b.n from ${BATCH_TABLE} as b`;
  // Of several with the same key the last one counts.
  await connection.run(
    `create or replace temp table syncline_rows as select * from (${typed}) qualify row_number() over (partition by ${keyAt.map((at) => `v${at}`).join(', ')} order by n desc) = 1`,
  );
  const counts = await mergeRows(
    target,
    'temp.main.syncline_rows',
    fields.map((_, at) => `v${at}`),
    key,
  );
  const [[all] = []] = await connection.rows(`select count(*) from ${BATCH_TABLE}`);
  // Those that a later one has replaced were updated right away.
  return { ...counts, updated: counts.updated + Number(all) - counts.inserted - counts.updated - counts.unchanged, deleted: 0 };
}

/** Brings rows into the table by key: what differs is changed, what is new is added. `columns` are those of the rows, in the order of the fields. */
export async function mergeRows(
  target: DuckdbTarget,
  rows: string,
  columns: readonly string[],
  key: readonly string[],
  isTrial = false,
): Promise<{ inserted: number; updated: number; unchanged: number }> {
  const { connection, request, table } = target;
  const { fields, stream } = request;
  const into = `main.${quote(stream)}`;
  const columnOf = (name: string): string => columns[fields.findIndex((field) => field.name === name)] ?? '';
  const same = key.map((name) => `t.${quote(name)} = r.${columnOf(name)}`).join(' and ');
  const others = fields.filter(({ name }) => !key.includes(name));
  const hasMark = columnNamed(table, MARK.name) !== undefined && !fields.some(({ name }) => name === MARK.name);
  const differs = anyOf([
    ...others.map(({ name }) => `t.${quote(name)} is distinct from r.${columnOf(name)}`),
    ...(hasMark ? [`t.${quote(MARK.name)} is not null`] : []),
    'false',
  ]);
  const [[all, matched, changed] = []] = await connection.rows(
    `select count(*), count(t.${quote(key[0] ?? '')}), count(*) filter (where t.${quote(key[0] ?? '')} is not null and (${differs})) from ${rows} as r left join ${into} as t on ${same}`,
  );
  const counts = { inserted: Number(all) - Number(matched), updated: Number(changed), unchanged: Number(matched) - Number(changed) };
  if (isTrial) return counts;
  if (counts.updated > 0) {
    const sets = [
      ...others.map((field) => `${quote(field.name)} = r.${columnOf(field.name)}`),
      ...(hasMark ? [`${quote(MARK.name)} = null`] : []),
    ].join(', ');
    await connection.run(`update ${into} as t set ${sets} from ${rows} as r where ${same} and (${differs})`);
  }
  if (counts.inserted > 0) {
    const names = fields.map(({ name }) => quote(name)).join(', ');
    await connection.run(
      `insert into ${into} (${names}) select ${columns.map((column) => `r.${column}`).join(', ')} from ${rows} as r where not exists (select 1 from ${into} as t where ${same})`,
    );
  }
  return counts;
}

/** DuckDB limits how deep an expression is: a thousand tests in a row are too deep, groups of them are not. */
function anyOf(tests: readonly string[]): string {
  const groups: string[] = [];
  for (let at = 0; at < tests.length; at += 100) groups.push(`(${tests.slice(at, at + 100).join(' or ')})`);
  return groups.join(' or ');
}

/** Removes rows by key from a table or a stage; or marks them, or lets them be. Within a transaction. */
export function remover(
  target: DuckdbTarget,
  name: string,
  deletes: NonNullable<WriteRequest['deletes']>,
): (batch: Batch) => Promise<WriteResult> {
  const { connection, request } = target;
  const { key, fields, stream } = request;
  const keyFields = key.map((column) => fields.find((field) => field.name === column) as Field);
  return async (batch) => {
    if (key.length === 0) throw keyMissing('remove rows of', stream);
    const rejects = (await fillBatch(target, keyFields, batch.rows, key, new Set())).map(({ index, row }) => ({
      ...(index !== undefined && { index }),
      row,
      reason: 'The key is not complete, or not of its type.',
    }));
    const same = key.map((column, at) => `t.${quote(column)} = ${valueSql(target, keyFields, at)}`).join(' and ');
    const found = `exists (select 1 from ${BATCH_TABLE} as b where ${same})`;
    const mark = quote(MARK.name);
    if (deletes === 'keep') return { ...NOTHING, rejects };
    const rowsChanged = await connection.run(
      deletes === 'mark'
        ? `update main.${quote(name)} as t set ${mark} = now() where t.${mark} is null and ${found}`
        : `delete from main.${quote(name)} as t where ${found}`,
    );
    return { ...NOTHING, deleted: rowsChanged, rejects };
  };
}
