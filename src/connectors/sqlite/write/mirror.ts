import type { Settle, Writer, WriteResult } from '../../contract.ts';
import { type StraightLoad, straightLoad } from '../../sql-target/straight-load.ts';
import { applier } from './apply.ts';
import { afresh, type Kept } from './checkpoints.ts';
import { quote } from '../database/open.ts';
import { remover } from './remove.ts';
import { columnsOf, dropStage, hasTable, makeStage, stageOf } from './stage.ts';
import { stagedWay } from './staged.ts';
import { none, type Way, type Writing } from './writing.ts';

/**
 * Finds the way of a mirror. Into a table that is empty the rows go straight, there is nothing to compare them with. Otherwise,
 * also when such a load was broken off and is not gone on with, they are collected in a stage.
 */
export function openMirror(writing: Writing, found: Kept): { kept: Kept; way: Way } {
  const { database, request, checkpoint } = writing;
  const columns = columnsOf(writing);
  const load = straightLoad({ mirror: request.stream, columns });
  const staged = JSON.stringify({ mirror: stageOf(request), columns });
  const isEmpty = database.prepare(`select 1 from main.${quote(request.stream)} limit 1`).get() === undefined;
  const isLoading = load.loadedIn(found.state) !== undefined && !isEmpty;
  const isUnderWay = found.position !== undefined && (isLoading || (found.state === staged && hasTable(database, stageOf(request))));
  const kept = isUnderWay ? found : { ...afresh(found), state: isEmpty ? load.stateWith(0) : staged };
  checkpoint.begin(kept);
  const isStaged = kept.state === staged;
  if (!isStaged) dropStage(database, request);
  else if (!isUnderWay) makeStage(writing);

  let way: Way;
  const onWithdrawn = (): void => {
    way = stagedWay(writing);
  };
  way = isStaged ? stagedWay(writing) : directWay(writing, load, { staged, onWithdrawn });
  return { kept, way: { put: (batch) => way.put(batch), finish: (approve, settle) => way.finish(approve, settle) } };
}

/** When it is refused, the table is made empty again, and the rows are kept in a stage. */
function directWay(writing: Writing, load: StraightLoad, { staged, onWithdrawn }: { staged: string; onWithdrawn: () => void }): Way {
  const { database, request, transact, checkpoint } = writing;
  const apply = applier(writing);
  const remove = remover(writing, request.stream, 'delete');
  const rows = database.prepare(`select count(*) as count from main.${quote(request.stream)}`);
  const loaded = (): number => load.loadedIn(checkpoint.state()) ?? 0;

  /** Where there are more or fewer rows than we brought, somebody else writes here too: nobody can tell whose rows are whose. */
  const takeBack = (settle: Settle | undefined): Promise<WriteResult & { refused: boolean }> =>
    transact(async () => {
      const ours = loaded();
      if (ours === 0 || Number(rows.get()?.['count']) !== ours) return { ...none(), rejects: [], refused: true };
      withdraw(writing);
      checkpoint.restate(staged);
      const result = { ...none(), inserted: -ours, rejects: [] };
      checkpoint.annotate(await settle?.(result));
      return { ...result, refused: true };
    });

  const finish: Writer['finish'] = async (approve, settle) => {
    const changes = { ...none(), inserted: await transact(loaded) };
    if (approve && !(await approve(changes))) {
      const result = await takeBack(settle);
      if (result.inserted < 0) onWithdrawn();
      return result;
    }
    return transact(async () => {
      checkpoint.demand();
      const result = { ...none(), rejects: [] };
      checkpoint.advance(null, await settle?.(result));
      return result;
    });
  };
  // Counted as they come, since they stay when the load is broken off; but one that comes twice, or goes again, is not two.
  const put: Way['put'] = (batch) => {
    const { inserted, deleted, rejects } = batch.operation === 'delete' ? remove(batch) : apply(batch);
    if (inserted !== deleted) checkpoint.restate(load.stateWith(loaded() + inserted - deleted));
    return { ...none(), inserted: inserted - deleted, rejects };
  };
  return { put, finish };
}

/** Moves what was loaded into a stage, so that the table is as empty as it was. */
function withdraw(writing: Writing): void {
  const { database, request } = writing;
  makeStage(writing);
  const names = request.fields.map(({ name }) => quote(name)).join(', ');
  database.exec(`insert into main.${stageOf(request)} (${names}) select ${names} from main.${quote(request.stream)}`);
  database.exec(`delete from main.${quote(request.stream)}`);
}
