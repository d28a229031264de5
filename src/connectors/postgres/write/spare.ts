import type { Batch, Reject } from '../../batch.ts';
import { bisect } from '../../bisect.ts';
import { encodeRows } from '../../lines.ts';
import { sparedKeys } from '../../spared.ts';
import { quoteName, quoteRelation } from '../catalogue/names.ts';
import type { WriterState } from './states.ts';
import { sparedOf, type PostgresTarget } from './target.ts';

/** Remembers keys of rows that a mirror cannot use, within the transaction of their batch. Answers whether there are any. */
export async function spare(target: PostgresTarget, state: WriterState, batch: Batch, rejects: readonly Reject[]): Promise<boolean> {
  const { link, request, relation } = target;
  const keys = sparedKeys(request, batch, rejects);
  if (keys.length === 0) return false;
  const table = quoteRelation(sparedOf(relation, request.owner));
  if (!state.spared) await createSpared(target);
  await bisect(keys, async (slice) => {
    try {
      await link.copyIn(`savepoint spare; copy ${table} from stdin; release savepoint spare`, encodeRows(slice));
    } catch (error) {
      // A key that the columns refuse has no row in the table.
      await link.run('rollback to savepoint spare').catch(() => {});
      throw error;
    }
  });
  return true;
}

/**
 * Makes the table for such keys. Like the stage it keeps no log and is empty after a crash of the server. Its first row, of nulls, is
 * no row's key: it is there to be missed then.
 */
export async function createSpared(target: PostgresTarget): Promise<void> {
  const { link, request, relation } = target;
  const table = quoteRelation(sparedOf(relation, request.owner));
  const columns = columnsOf(target).join(', ');
  await link.run(`create unlogged table ${table} as select ${columns} from ${quoteRelation(relation)} with no data`);
  await link.run(`insert into ${table} default values`);
}

/** That a row of the target `t` is one of these; null counts as not. */
export function isSpared(target: PostgresTarget): string {
  const { relation, request } = target;
  const key = columnsOf(target);
  return `((${key.map((name) => `t.${name}`).join(', ')}) in (select ${key.join(', ')} from ${quoteRelation(sparedOf(relation, request.owner))}))`;
}

function columnsOf({ request }: PostgresTarget): string[] {
  return request.key.map(quoteName);
}
