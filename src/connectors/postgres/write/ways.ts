import type { Batch } from '../../batch.ts';
import type { Changes } from '../../contract.ts';
import { NOTHING } from '../../sql-target/outcome.ts';
import { quoteName, quoteRelation } from '../catalogue/names.ts';
import type { RowWay } from './states.ts';
import { stageOf, type PostgresTarget } from './target.ts';

/** Makes the temporary table that a batch goes through; it is emptied by every commit. */
export async function prepareWay({ link, relation, request, merge, temporary }: PostgresTarget, way: RowWay, batch: Batch): Promise<void> {
  const isDelete = batch.operation === 'delete';
  if (!isDelete && way !== 'merge') return;
  const table = isDelete ? 'syncline_keys' : 'syncline_rows';
  if (temporary.has(table)) return;
  const list = isDelete ? request.key.map(quoteName).join(', ') : merge.list;
  await link.run(`create temporary table ${table} on commit delete rows as select ${list} from ${quoteRelation(relation)} with no data`);
  temporary.add(table);
}

/** COPY to where the batch goes, and what brings it from there into the table. */
export function copyStatement({ relation, request, merge }: PostgresTarget, way: RowWay, batch: Batch): string {
  if (batch.operation === 'delete') return `copy pg_temp.syncline_keys from stdin; ${merge.remove('pg_temp.syncline_keys')}`;
  if (way === 'merge') return `copy pg_temp.syncline_rows from stdin; ${merge.upsert('pg_temp.syncline_rows')}`;
  const table = way === 'stage' ? stageOf(relation, request.owner) : relation;
  return `copy ${quoteRelation(table)} (${merge.list}) from stdin`;
}

/** What a batch has changed, from the answer of its statements. */
export function countsOf(way: RowWay, batch: Batch, copied: number, answer: readonly (string | null)[] | undefined): Changes {
  const [first = 0, second = 0, third = 0] = (answer ?? []).map(Number);
  if (batch.operation === 'delete') return { ...NOTHING, deleted: first };
  if (way === 'merge') return { inserted: first, updated: second, unchanged: third, deleted: 0 };
  // Rows in the stage are compared and counted at the end.
  return { ...NOTHING, inserted: way === 'stage' ? 0 : copied };
}

/** What a batch will have changed if nothing goes wrong; undefined where only the server can tell. */
export function foreseen({ isFiltered }: PostgresTarget, way: RowWay, batch: Batch): Changes | undefined {
  const isCertain = batch.count === 0 || (batch.operation === 'write' && way !== 'merge' && !isFiltered);
  return isCertain ? countsOf(way, batch, batch.count, undefined) : undefined;
}
