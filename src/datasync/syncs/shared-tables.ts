import { shownName } from '../../connectors/naming.ts';
import { namingOf } from '../../connectors/registry.ts';
import type { Database } from '../../db/database.ts';
import { sharedWith, type SharedWith, type TableWriter, writersBeside } from './table-writers.ts';

/** More of them would hide each other. */
const MOST_TABLES = 3;
const MOST_SENTENCES = 10;

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

function foldsCaseAt(type: string): boolean {
  return namingOf(type).foldsCase === true;
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
