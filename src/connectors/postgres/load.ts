import type { Changes } from '../contract.ts';
import { ConnectorError } from '../errors.ts';
import { keep } from './checkpoint.ts';
import { quoteName, quoteRelation } from './names.ts';
import { sqlState } from './sql-errors.ts';
import { NOTHING, type Writing } from './writing.ts';

/** Gives a table that was just loaded its key. Of several rows with the same key the last one stays. */
export async function completeLoad(writing: Writing): Promise<Changes> {
  const { link, relation, request, place, position } = writing;
  const table = quoteRelation(relation);
  const key = request.key.map(quoteName).join(', ');
  const addKey = `alter table ${table} add primary key (${key}); ${keep(place, { position, state: {} })}`;
  let removed = 0;
  try {
    await link.run(`begin; ${addKey}; commit`);
  } catch (error) {
    await link.run('rollback').catch(() => {});
    if (sqlState(error) !== '23505') throw keyError(error, request.stream, request.key);
    // Batches are transactions one after the other, so the younger one came later; no batch has a key twice.
    try {
      await link.run('begin');
      const [row] = await link.query<{ removed: string }>(
        `with doubled as (select ctid as id, row_number() over (partition by ${key} order by age(xmin), ctid desc) as n from ${table}),
           gone as (delete from ${table} t using doubled d where t.ctid = d.id and d.n > 1 returning 1)
         select count(*)::text as removed from gone`,
      );
      removed = Number(row?.removed ?? 0);
      await link.run(`${addKey}; commit`);
    } catch (again) {
      await link.run('rollback').catch(() => {});
      throw keyError(again, request.stream, request.key);
    }
  }
  writing.state = {};
  writing.way = 'merge';
  // Rows that turned out to be newer versions of others were counted as new when they came.
  return { ...NOTHING, inserted: -removed, updated: removed };
}

function keyError(error: unknown, stream: string, key: readonly string[]): unknown {
  if (!(error instanceof ConnectorError) || !['data', 'config'].includes(error.kind) || sqlState(error)?.startsWith('SL')) return error;
  return new ConnectorError('config', 'KEY_INVALID', `${key.join(', ')} cannot be the key of "${stream}".`, {
    field: 'key',
    hint: 'A key is made of fields that are never empty, are not very long, and can be compared.',
    cause: error,
  });
}
