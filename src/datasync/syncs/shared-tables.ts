import { foldName, shownName } from '../../connectors/naming.ts';
import { namingOf } from '../../connectors/registry.ts';
import { command, type Database } from '../../db/database.ts';
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

/** More of them would hide each other. */
const MOST_TABLES = 3;
const MOST_SENTENCES = 10;

/** What two synchronizations have in common. */
interface SharedWith {
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

/** The sentences for what is about to be saved, or was. */
export async function sharedTableWarnings(db: Database, own: TableWriter, targetType: string): Promise<string[]> {
  const foldsCase = foldsCaseAt(targetType);
  return sentences(own.name, await db.query(writersBeside, { own, foldsCase }));
}

/** The same for synchronizations as they are to be, of which each pair is told once; `isPlanned`: those that the plan is about. */
export function plannedWarnings(
  writers: readonly TableWriter[],
  isPlanned: (writer: TableWriter) => boolean,
  typeOf: (targetId: string) => string,
): string[] {
  const warnings: string[] = [];
  for (const [at, own] of writers.entries()) {
    const others = writers.filter((other, place) => other.targetId === own.targetId && (isPlanned(other) ? place < at : place !== at));
    if (isPlanned(own)) warnings.push(...sentences(own.name, sharedWith(own, others, foldsCaseAt(typeOf(own.targetId)))));
  }
  return warnings;
}

export function tablesOf(row: { definition: string }): string[] {
  return definitionOf(row).streams.map(({ target }) => target);
}

function foldsCaseAt(type: string): boolean {
  return namingOf(type).foldsCase === true;
}

function sharedWith(own: TableWriter, others: readonly TableWriter[], foldsCase: boolean): SharedWith[] {
  const fold = (table: string): string => foldName(table, foldsCase ? { foldsCase } : {});
  const mine = new Set(own.tables.map(fold));
  return others
    .map(({ name, tables }) => ({ name, tables: [...new Set(tables)].filter((table) => mine.has(fold(table))) }))
    .filter(({ tables }) => tables.length > 0);
}

function sentences(name: string, shared: readonly SharedWith[]): string[] {
  const own = name === '' ? 'this one' : `"${name}"`;
  const told = shared.slice(0, MOST_SENTENCES).map(({ name: other, tables }) => {
    const rest = tables.length - MOST_TABLES;
    const named = tables.slice(0, MOST_TABLES).map(shownName).join(', ') + (rest > 0 ? ` and ${rest} more` : '');
    return `"${other}" and ${own} both write ${named}: what one writes the other may overwrite or delete. Give each tables of its own, unless this is meant.`;
  });
  const more = shared.length - told.length;
  return more > 0 ? [...told, `${more} more synchronizations write tables of ${own}.`] : told;
}
