import type { Batch } from '../../batch.ts';
import type { Changes, WriteRequest } from '../../contract.ts';
import { sparedName, stageName } from '../../sql-target/stage-name.ts';
import type { Relation } from '../catalogue/relations.ts';
import { type Checkpoint, type CheckpointPlace, keep } from './checkpoint.ts';
import type { Link } from '../wire/link.ts';
import type { Ascent, KeyPlaces } from './keys.ts';
import type { Merge } from './merge.ts';
import { quoteName, quoteRelation, type RelationName } from '../catalogue/names.ts';

export const NOTHING: Readonly<Changes> = { inserted: 0, updated: 0, unchanged: 0, deleted: 0 };

/**
 * How rows get in.
 * - `plain`: straight into the table. Append; and a first load, whose key is made at its end.
 * - `direct`: straight into a table that was empty, until a key turns out to be there already.
 * - `merge`: through a temporary table.
 * - `stage`: into the stage of a mirror.
 */
type Way = 'plain' | 'direct' | 'merge' | 'stage';

/** What the parts of a writer share. The checkpoint is that of the last commit. */
export interface Writing extends Checkpoint {
  link: Link;
  request: WriteRequest;
  relation: Relation;
  place: CheckpointPlace;
  merge: Merge;
  keys: KeyPlaces;
  /** Of all rows in the stage, when it was made by this writer. */
  ascent?: Ascent;
  way: Way;
  /** Triggers may leave rows out: how many get in is known afterwards only. */
  isFiltered: boolean;
  /** Temporary tables that are there already. */
  temporary: Set<string>;
  /** There is something that no crash of the server may take back once it is finished. */
  mustLast: boolean;
}

/** The table that collects a mirror's rows until all are there; each owner has one. */
export function stageOf({ schema }: Pick<RelationName, 'schema'>, owner: string): RelationName {
  return { schema, name: stageName(owner) };
}

/** The table beside it with the keys of rows that could not be used. It is there only when there are some. */
export function sparedOf(name: Pick<RelationName, 'schema'>, owner: string): RelationName {
  const stage = stageOf(name, owner);
  return { ...stage, name: sparedName(stage.name) };
}

/** Ends the transaction that is under way: all of it counts now, with this checkpoint. */
export async function commitWith(writing: Writing, checkpoint: Checkpoint, more = ''): Promise<void> {
  await writing.link.run(`${keep(writing.place, checkpoint)}${more}; commit`);
  Object.assign(writing, checkpoint);
}

/** Does something in a transaction, which is given up when it fails. Whoever does it ends it. */
export async function inTransaction<Result>({ link }: Writing, work: () => Promise<Result>): Promise<Result> {
  try {
    await link.run('begin; set constraints all immediate');
    return await work();
  } catch (error) {
    await link.run('rollback').catch(() => {});
    throw error;
  }
}

/** Makes the temporary table that a batch goes through; it is emptied by every commit. */
export async function prepareWay({ link, relation, request, merge, way, temporary }: Writing, batch: Batch): Promise<void> {
  const isDelete = batch.operation === 'delete';
  if (!isDelete && way !== 'merge') return;
  const table = isDelete ? 'syncline_keys' : 'syncline_rows';
  if (temporary.has(table)) return;
  const list = isDelete ? request.key.map(quoteName).join(', ') : merge.list;
  await link.run(`create temporary table ${table} on commit delete rows as select ${list} from ${quoteRelation(relation)} with no data`);
  temporary.add(table);
}

/** COPY to where the batch goes, and what brings it from there into the table. */
export function copyStatement({ relation, request, merge, way }: Writing, batch: Batch): string {
  if (batch.operation === 'delete') return `copy pg_temp.syncline_keys from stdin; ${merge.remove('pg_temp.syncline_keys')}`;
  if (way === 'merge') return `copy pg_temp.syncline_rows from stdin; ${merge.upsert('pg_temp.syncline_rows')}`;
  const table = way === 'stage' ? stageOf(relation, request.owner) : relation;
  return `copy ${quoteRelation(table)} (${merge.list}) from stdin`;
}

/** What a batch has changed, from the answer of its statements. */
export function countsOf({ way }: Writing, batch: Batch, copied: number, answer: readonly (string | null)[] | undefined): Changes {
  const [first = 0, second = 0, third = 0] = (answer ?? []).map(Number);
  if (batch.operation === 'delete') return { ...NOTHING, deleted: first };
  if (way === 'merge') return { inserted: first, updated: second, unchanged: third, deleted: 0 };
  // Rows in the stage are compared and counted at the end.
  return { ...NOTHING, inserted: way === 'stage' ? 0 : copied };
}

/** What a batch will have changed if nothing goes wrong; undefined where only the server can tell. */
export function foreseen(writing: Writing, batch: Batch): Changes | undefined {
  const isCertain = batch.count === 0 || (batch.operation === 'write' && writing.way !== 'merge' && !writing.isFiltered);
  return isCertain ? countsOf(writing, batch, batch.count, undefined) : undefined;
}
