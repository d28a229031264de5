import type { DatabaseSync } from 'node:sqlite';
import { planOf } from '../../sql-target/structure/plan.ts';
import type { StructuredStream } from '../../structure.ts';
import { moveNumber, type StructureSite } from './complete.ts';
import { lackingOf, unmark } from './marks.ts';

/** Looks whether rows keep to the foreign keys, which the tables have since they were made, and moves numbers forward. */
export async function connect(
  { database, transact }: StructureSite,
  streams: readonly StructuredStream[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const told = new Map<string, readonly string[]>();
  await transact(async () => {
    const lacks = ({ stream, owner }: StructuredStream) => lackingOf(database, stream, owner);
    const waiting = new Set(streams.filter((stream) => lacks(stream) === 'structure').map(({ stream }) => stream));
    for (const stream of streams) {
      moveNumber(database, stream);
      // What it refers to is loaded by a later run.
      if (lacks(stream) !== 'references' || planOf(stream).references.some(({ to }) => waiting.has(to))) continue;
      told.set(stream.stream, broken(database, stream.stream));
      unmark(database, stream.stream);
    }
  });
  return told;
}

/** The foreign keys that rows do not keep to, in sentences. */
function broken(database: DatabaseSync, table: string): string[] {
  const found = database
    .prepare(
      `select k.parent, count(*) as rows, (select group_concat('"' || l."from" || '"', ', ') from pragma_foreign_key_list(?) l where l.id = k.fkid) as columns
       from pragma_foreign_key_check(?) k group by k.parent, k.fkid`,
    )
    .all(table, table) as { parent: string; rows: number; columns: string }[];
  return found.map(
    ({ parent, rows, columns }) =>
      `The foreign key of "${table}" (${columns}) is broken by ${rows} ${rows === 1 ? 'row, which refers' : 'rows, which refer'} to what "${parent}" does not have. SQLite keeps them; mend them at the source, and run again.`,
  );
}
