import { foldName } from '../../connectors/naming.ts';
import { command } from '../../db/database.ts';
import { sql } from '../../db/sql.ts';
import { definitionOf } from '../runs/rows/stored-definition.ts';

/** Who writes to which tables of one target. */
export interface TableWriter {
  /** Empty before it is saved. */
  readonly id: string;
  readonly name: string;
  readonly targetId: string;
  readonly tables: readonly string[];
}

/** What another synchronization has in common with one. */
export interface SharedWith {
  name: string;
  tables: string[];
}

/** Other synchronizations that write tables of these, the oldest first: it was there when the others came. Those that are paused count, as they may be resumed. */
export const writersBeside = command(
  import.meta.url,
  'writersBeside',
  async (db, { own, foldsCase }: { own: TableWriter; foldsCase: boolean }): Promise<SharedWith[]> => {
    const rows = await db.all<{ id: string; name: string; definition: string }>(
      sql`select id, name, definition from syncs where target_id = ${own.targetId} and id <> ${own.id} order by id`,
    );
    const others = rows.map(({ id, name, definition }) => ({ id, name, targetId: own.targetId, tables: tablesOf({ definition }) }));
    return sharedWith(own, others, foldsCase);
  },
);

export function tablesOf(row: { definition: string }): string[] {
  return definitionOf(row).streams.map(({ target }) => target);
}

export function sharedWith(own: TableWriter, others: readonly TableWriter[], foldsCase: boolean): SharedWith[] {
  const fold = (table: string): string => foldName(table, foldsCase ? { foldsCase } : {});
  const mine = new Set(own.tables.map(fold));
  return others
    .map(({ name, tables }) => ({ name, tables: [...new Set(tables)].filter((table) => mine.has(fold(table))) }))
    .filter(({ tables }) => tables.length > 0);
}
