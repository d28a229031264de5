import { Batch } from '../../batch.ts';
import type { Approve, Changes, Differences, Settle, WriteResult } from '../../contract.ts';
import { OutsideError } from '../../../outside/errors.ts';
import { NOTHING, refused } from '../../sql-target/outcome.ts';
import { quoteRelation } from '../catalogue/names.ts';
import { noteFor } from './settling.ts';
import { tellsRowsApart } from './tables.ts';
import { inTransaction, stageOf } from './target.ts';
import { copyStatement, countsOf, prepareWay } from './ways.ts';
import type { Writing } from './writing.ts';

/** Changes the rows that differ, and no others. Undefined, and nothing has changed, where the table refuses one: a mirror finds out which. */
export async function finishWith(
  writing: Writing,
  { put, gone }: Differences,
  approve: Approve,
  settle: Settle,
): Promise<(WriteResult & { refused?: boolean }) | undefined> {
  const { target, checkpoint } = writing;
  const { link, relation, request } = target;
  if (writing.way !== 'stage' || checkpoint.state.staged !== 0 || !tellsRowsApart(relation, request.key)) return undefined;
  // What is gone goes first: a new row may need the place of an old one in a unique index.
  const batches = [Batch.ofRows(gone, { position: '', operation: 'delete' }), Batch.ofRows(put, { position: '' })];
  const some = batches.filter(({ count }) => count > 0);
  try {
    for (const batch of some) await prepareWay(target, 'merge', batch);
    return await inTransaction(target, async () => {
      // Nobody else writes between what is shown and what is done.
      await link.run(`lock table ${quoteRelation(relation)} in share row exclusive mode`);
      const changes: Changes = { ...NOTHING };
      for (const batch of some) {
        const { copied, rows } = await link.copyIn(copyStatement(target, 'merge', batch), batch.lines);
        const counts = countsOf('merge', batch, copied, rows[0]);
        for (const name of ['inserted', 'updated', 'unchanged', 'deleted'] as const) changes[name] += counts[name];
      }
      if (!(await approve({ ...changes }))) {
        await link.run('rollback');
        return refused();
      }
      const result = { ...changes, rejects: [] };
      const note = await noteFor(checkpoint, result, settle);
      await writing.commit({ position: null, note, state: {} }, `; drop table ${quoteRelation(stageOf(relation, request.owner))}`);
      return result;
    });
  } catch (error) {
    if (error instanceof OutsideError && error.kind === 'data') return undefined;
    throw error;
  }
}
