import { findRelation, type Relation } from '../catalogue/relations.ts';
import { quoteName, quoteRelation, type RelationName } from '../catalogue/names.ts';
import type { WriterState } from './states.ts';
import { sparedOf, stageOf, type PostgresTarget } from './target.ts';

/** Makes an empty stage, in place of one that is there. Within a transaction. */
export async function createStage(target: Pick<PostgresTarget, 'link' | 'request' | 'relation'>): Promise<void> {
  const { link, request, relation } = target;
  await dropStage(target);
  const stage = quoteRelation(stageOf(relation, request.owner));
  const columns = request.fields.map(({ name }) => `${quoteName(name)} ${nativeOf(relation, name)}`);
  // It keeps no log, and is empty after a crash of the server: then the read starts anew.
  await link.run(`create unlogged table ${stage} (${columns.join(', ')})`);
}

/** Removes what an unfinished mirror has left. */
export async function dropStage({ link, request, relation }: Pick<PostgresTarget, 'link' | 'request' | 'relation'>): Promise<void> {
  await link.run(`drop table if exists ${[stageOf, sparedOf].map((nameOf) => quoteRelation(nameOf(relation, request.owner))).join(', ')}`);
}

/** Whether the stage of an unfinished mirror is there with its rows, and fits what is written now. */
export async function isStageWhole(
  { link, request, relation }: Pick<PostgresTarget, 'link' | 'request' | 'relation'>,
  state: WriterState,
): Promise<boolean> {
  const name = stageOf(relation, request.owner);
  const found = await findRelation(link, name);
  if (!found || !fits(found, relation, request.fields)) return false;
  const hasRows = async (table: RelationName): Promise<boolean> => {
    const rows = await link.query(`select 1 from ${quoteRelation(table)} limit 1`);
    return rows.length > 0;
  };
  return (state.staged === 0 || (await hasRows(name))) && (!state.spared || hasRows(sparedOf(relation, request.owner)));
}

function fits({ columns }: Relation, target: Relation, fields: PostgresTarget['request']['fields']): boolean {
  return (
    columns.length === fields.length &&
    columns.every(({ name, native }, i) => fields[i]?.name === name && nativeOf(target, name) === native)
  );
}

function nativeOf({ columns }: Relation, name: string): string | undefined {
  return columns.find((column) => column.name === name)?.native;
}
