import type { Settle, Writer, WriteResult } from '../contract.ts';
import { finishWithOf } from './differences.ts';
import { sparedKeys } from '../spared.ts';
import type { SqlDialect, Put } from './dialect.ts';
import { finishWith, writeBatch } from './direct.ts';
import { changedMeanwhile } from './faults.ts';
import { type Kept, mirrorFrom } from './kept.ts';
import { NOTHING, refused } from './outcome.ts';
import { type StraightLoad, straightLoad } from './straight-load.ts';

/** How the rows of a mirror get in. */
type MirrorWay = Pick<Writer, 'write' | 'finish'>;

/** Makes the target what the source is. */
export async function openMirror(dialect: SqlDialect, found: Kept): Promise<Omit<Writer, 'close'>> {
  const { request, checkpoint, table, stage } = dialect;
  const load = straightLoad({ mirror: request.stream, columns: table.columns });
  const start = mirrorFrom(found, {
    load,
    staged: stage.state,
    isEmpty: await table.isEmpty(),
    hasStage: found.state === stage.state && (await stage.isThere()),
  });
  if (start.kept !== found) {
    await checkpoint.begin(start.kept);
    await (start.way === 'stage' ? stage.make() : stage.drop());
  }
  const onTakenBack = (): void => {
    way = stagedWay(dialect);
  };
  let way = start.way === 'stage' ? stagedWay(dialect) : await loadWay(dialect, load, onTakenBack);
  return {
    checkpoint: start.kept.position,
    note: start.kept.note,
    write: (batch, settle) => way.write(batch, settle),
    finish: (approve, settle) => way.finish(approve, settle),
    ...(start.way === 'stage' && request.key.length > 0 && { finishWith: finishWithOf(dialect) }),
  };
}

/** Straight into a table that was empty. When it is refused, the table is made empty again, and the rows are kept in a stage. */
async function loadWay(dialect: SqlDialect, load: StraightLoad, onTakenBack: () => void): Promise<MirrorWay> {
  const { checkpoint, table, transaction } = dialect;
  const loaded = async (): Promise<number> => load.loadedIn(await checkpoint.state()) ?? 0;
  const into = await table.putter(true);
  const remove = table.remover('delete');
  return {
    write: async (batch, settle) => {
      const { prepare, put } = batch.operation === 'delete' ? remove : into;
      await prepare?.();
      return transaction(async () => {
        const before = await loaded();
        const { inserted, deleted, rejects } = await put(batch);
        // Counted as they come, since they stay when the load is broken off; but one that comes twice, or goes again, is not two.
        const more = inserted - deleted;
        const result = { ...NOTHING, inserted: more, rejects };
        const state = more === 0 ? {} : { state: load.stateWith(before + more) };
        await checkpoint.keep({ position: batch.position, note: await settle?.(result), ...state });
        return result;
      });
    },
    finish: async (approve, settle) => {
      const ours = await transaction(loaded);
      if (!approve || (await approve({ ...NOTHING, inserted: ours }))) return finishWith(dialect, settle, null);
      const result = await takeBack(dialect, ours, settle);
      if (result.inserted < 0) onTakenBack();
      return result;
    },
  };
}

/** Where there are more or fewer rows than we brought, another program writes here too: it cannot be told which rows are ours. */
async function takeBack(
  { request, checkpoint, transaction, table, stage }: SqlDialect,
  ours: number,
  settle: Settle | undefined,
): Promise<WriteResult & { refused: true }> {
  if (ours === 0 || (await transaction(() => table.count())) !== ours) return refused();
  // Whether the work is still ours is known only within the transaction: until then nothing of a stage may go.
  await stage.prepareMove?.();
  const result = { ...refused(), inserted: -ours };
  await transaction(async () => {
    await checkpoint.demand();
    if ((await stage.move()) !== ours) throw changedMeanwhile(request.stream);
    const { refused: _, ...told } = result;
    await checkpoint.keep({ state: stage.state, note: await settle?.(told) });
  });
  return result;
}

/**
 * Collects everything in a stage that outlives us. Only when the read is complete it is known what has to change, and all of it changes
 * in one transaction.
 */
function stagedWay(dialect: SqlDialect): MirrorWay {
  const { request, checkpoint, stage } = dialect;
  const staged = ({ prepare, put }: Put): Put => ({
    ...(prepare && { prepare }),
    put: async (batch) => {
      const { rejects } = await put(batch);
      const spared = sparedKeys(request, batch, rejects);
      if (spared.length > 0) await stage.spare(spared);
      // They are compared and counted at the end.
      return { ...NOTHING, rejects };
    },
  });
  const collect = staged(stage.collector());
  const remove = staged(stage.remover());
  return {
    write: (batch, settle) => writeBatch(dialect, batch.operation === 'delete' ? remove : collect, batch, settle),
    finish: async (approve, settle) => {
      const outcome = await stage.merge({
        ask: async (changes) => !approve || approve({ ...changes }),
        keep: async (result) => checkpoint.keep({ position: null, note: await settle?.(result) }),
      });
      return outcome ?? refused();
    },
  };
}
