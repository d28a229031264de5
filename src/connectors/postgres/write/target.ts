import type { WriteRequest } from '../../contract.ts';
import { sparedName, stageName } from '../../sql-target/stage-name.ts';
import { quoteRelation, type RelationName } from '../catalogue/names.ts';
import type { Relation } from '../catalogue/relations.ts';
import type { Link } from '../wire/link.ts';
import type { CheckpointPlace } from './checkpoint.ts';
import type { Ascent, KeyPlaces } from './keys.ts';
import type { MergeSql } from './merge.ts';

/** What every way of writing works with. It stays the same as long as the writer is open. */
export interface PostgresTarget {
  readonly link: Link;
  readonly request: WriteRequest;
  readonly relation: Relation;
  readonly place: CheckpointPlace;
  readonly merge: MergeSql;
  readonly keys: KeyPlaces;
  /** Of all rows in the stage, when it was made by this writer. */
  readonly ascent: Ascent | undefined;
  /** Triggers may leave rows out: how many get in is known afterwards only. */
  readonly isFiltered: boolean;
  /** Temporary tables that this connection has already. */
  readonly temporary: Set<string>;
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

export async function isEmpty({ link, relation }: Pick<PostgresTarget, 'link' | 'relation'>): Promise<boolean> {
  const rows = await link.query(`select 1 from ${quoteRelation(relation)} limit 1`);
  return rows.length === 0;
}

/** Does something in a transaction, which is given up when it fails. The work itself ends it. */
export async function inTransaction<Result>({ link }: PostgresTarget, work: () => Promise<Result>): Promise<Result> {
  try {
    await link.run('begin; set constraints all immediate');
    return await work();
  } catch (error) {
    await link.run('rollback').catch(() => {});
    throw error;
  }
}
