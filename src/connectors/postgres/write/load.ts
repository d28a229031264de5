import type { Settle, Writer, WriteResult } from '../../contract.ts';
import { OutsideError } from '../../../outside/errors.ts';
import { NOTHING, refused } from '../../sql-target/outcome.ts';
import { quoteName, quoteRelation } from '../catalogue/names.ts';
import { keyNameBeside } from '../structure/from-plain.ts';
import { sqlState } from '../wire/sql-errors.ts';
import { createStage } from './stage.ts';
import { noteFor } from './settling.ts';
import { afterKey } from './states.ts';
import { inTransaction, stageOf, type PostgresTarget } from './target.ts';
import type { Writing } from './writing.ts';

/** Gives a table its key before its load is complete, because something needs it. The next outcome tells of doubles if it is to. */
export async function completeLoad(writing: Writing, isTold = true): Promise<void> {
  const { target, checkpoint } = writing;
  await inTransaction(target, async () => {
    const doubled = await addKey(target);
    await writing.commit({ ...checkpoint, state: afterKey(checkpoint.state, doubled, isTold) });
  });
}

/** The end of everything that was not staged: a key that is still to be made is made, and a mirror is shown. */
export async function finishLoad(
  writing: Writing,
  approve: Parameters<Writer['finish']>[0],
  settle: Settle | undefined,
): Promise<WriteResult & { refused?: boolean }> {
  const { target, checkpoint } = writing;
  const { position, state } = checkpoint;
  const isMirror = target.request.mode === 'mirror';
  const outcome = await inTransaction(target, async () => {
    const doubled = state.phase === 'load' ? await addKey(target) : 0;
    const shown = { ...NOTHING, inserted: (state.loaded ?? 0) - doubled };
    if (isMirror && approve && !(await approve(shown))) {
      await target.link.run('rollback');
      return undefined;
    }
    const updated = doubled + (state.doubled ?? 0);
    // Rows that turned out to be newer versions of others were counted as new when they came.
    const result = { ...NOTHING, inserted: 0 - updated, updated, rejects: [] };
    const note = await noteFor(checkpoint, result, settle);
    await writing.commit({ position: isMirror ? null : position, note, state: {} });
    return result;
  });
  return outcome ?? takeBack(writing, settle);
}

/**
 * A load into an empty table that was refused: its rows go where those of other mirrors wait. When there are more or fewer of
 * them than we brought, another program writes here too; then everything stays, as it cannot be told which rows are ours.
 */
async function takeBack(writing: Writing, settle: Settle | undefined): Promise<WriteResult & { refused: boolean }> {
  const { target, checkpoint } = writing;
  const { link, relation, request, merge } = target;
  const { position, state } = checkpoint;
  const table = quoteRelation(relation);
  const { loaded = 0, doubled = 0 } = state;
  if (loaded === 0) return refused();
  return inTransaction(target, async () => {
    await link.run(`lock table ${table} in share row exclusive mode`);
    const [row] = await link.query<{ n: string }>(`select count(*)::text as n from ${table}`);
    if (Number(row?.n) !== loaded) {
      await link.run('rollback');
      return refused();
    }
    await createStage(target);
    const stage = quoteRelation(stageOf(relation, request.owner));
    await link.run(
      `with gone as (delete from ${table} returning ${merge.list}) insert into ${stage} (${merge.list}) select ${merge.list} from gone`,
    );
    if (state.phase === 'load') await addKey(target);
    const result = { ...NOTHING, inserted: -loaded - doubled, rejects: [] };
    const note = await noteFor(checkpoint, result, settle);
    await writing.commit({ position, note, state: { staged: loaded } });
    return { ...result, refused: true };
  });
}

// The usual 64 MB are enough for a sort of two or three million keys by two processes; nothing that is set higher is lowered.
export const SORT_IN_MEMORY =
  "select set_config('maintenance_work_mem', '256MB', true) where pg_size_bytes(current_setting('maintenance_work_mem')) < pg_size_bytes('256MB')";

/** Makes the key. Of several rows with the same key the last one stays; the answer is how many went. Within a transaction. */
async function addKey({ link, relation, request }: PostgresTarget): Promise<number> {
  const table = quoteRelation(relation);
  const key = request.key.map(quoteName).join(', ');
  const name = request.structured && keyNameBeside(relation, request.structured);
  const add = `alter table ${table} add ${name === undefined ? '' : `constraint ${quoteName(name)} `}primary key (${key})`;
  try {
    await link.run(`${SORT_IN_MEMORY}; savepoint doubles; ${add}; release savepoint doubles`);
    return 0;
  } catch (error) {
    if (sqlState(error) !== '23505') throw keyError(error, request.stream, request.key);
  }
  try {
    await link.run('rollback to savepoint doubles');
    const [row] = await link.query<{ removed: string }>(
      `with gone as (${removeDoubles(table, key)} returning 1) select count(*)::text as removed from gone`,
    );
    await link.run(add);
    return Number(row?.removed ?? 0);
  } catch (again) {
    throw keyError(again, request.stream, request.key);
  }
}

/** Batches are transactions one after the other, so the younger row came later; no batch has a key twice. */
export function removeDoubles(table: string, key: string): string {
  return `delete from ${table} t using (
      select ctid as id, row_number() over (partition by ${key} order by age(xmin), ctid desc) as place from ${table}) d
    where t.ctid = d.id and d.place > 1`;
}

function keyError(error: unknown, stream: string, key: readonly string[]): unknown {
  if (!(error instanceof OutsideError) || !['data', 'config'].includes(error.kind)) return error;
  return new OutsideError('config', 'KEY_INVALID', `${key.join(', ')} cannot be the key of "${stream}".`, {
    field: 'key',
    hint: 'A key is made of fields that are never empty, are not very long, and can be compared.',
    cause: error,
  });
}
