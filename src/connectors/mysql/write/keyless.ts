import type { Changes, WriteResult } from '../../contract.ts';
import type { TypedColumn } from '../catalogue/columns.ts';
import { quote } from '../catalogue/literals.ts';
import type { StageMerge } from './merge.ts';

/** Without a key nothing tells which row became which: rows that are equal are the same, the others came or went. */
export async function foreseeAll({ wire, stage, table, columns }: StageMerge): Promise<Changes> {
  const rowsOf = (from: string, side: string): string => `select ${side}, ${fingerprint(columns)} as print from ${quote(from)}`;
  const both = `${rowsOf(stage, '1 as here, 0 as there')} union all ${rowsOf(table, '0, 1')}`;
  const [[came, were, same] = []] = await wire.rows(
    `select sum(here), sum(there), sum(least(here, there)) from (select sum(here) as here, sum(there) as there from (${both}) b group by print) c`,
  );
  const unchanged = Number(same ?? 0);
  return { inserted: Number(came ?? 0) - unchanged, updated: 0, unchanged, deleted: Number(were ?? 0) - unchanged };
}

/** The new rows take the place of the old, unless they are the same. */
export async function replaceAll({ wire, stage, table, columns }: StageMerge, changes: Changes): Promise<WriteResult> {
  if (changes.inserted + changes.deleted > 0) {
    const names = columns.map((column) => quote(column.name)).join(', ');
    await wire.run(`delete from ${quote(table)}`);
    await wire.run(`insert into ${quote(table)} (${names}) select ${names} from ${quote(stage)}`);
  }
  return { ...changes, rejects: [] };
}

/**
 * The same for rows that are the same to the byte. The values themselves are not grouped by: of a long one, the server would look
 * at the beginning only, and its collation decides what is the same.
 */
function fingerprint(columns: readonly TypedColumn[]): string {
  const parts = columns.map(({ expression, dataType, writing }) => {
    if (writing === 'geometry' || /text|blob|json/.test(dataType)) return `ifnull(sha2(${expression}, 256), '-')`;
    const bytes = `cast(${expression} as binary)`;
    return `ifnull(concat(length(${bytes}), ':', ${bytes}), '-')`;
  });
  return `sha2(concat(${parts.join(", ',', ")}), 256)`;
}
