import type { Changes, Writer } from '../contract.ts';
import { applier } from './apply.ts';
import { afresh, type Kept } from './checkpoints.ts';
import { quote } from './open.ts';
import { remover } from './remove.ts';
import { columnsOf, dropStage, hasTable, makeStage, stageName } from './stage.ts';
import { stagedWay } from './staged.ts';
import { none, type Way, type Writing } from './writing.ts';

/**
 * Finds the way of a mirror. Into a table that is empty the rows go straight, there is nothing to compare them with. Otherwise,
 * also when such a load was broken off and is not gone on with, they are collected in a stage.
 */
export function openMirror(writing: Writing, found: Kept): { kept: Kept; way: Way } {
  const { database, request, checkpoint } = writing;
  const columns = columnsOf(writing);
  const direct = JSON.stringify({ mirror: request.stream, columns });
  const staged = JSON.stringify({ mirror: stageName(request), columns });
  const isEmpty = database.prepare(`select 1 from main.${quote(request.stream)} limit 1`).get() === undefined;
  const isUnderWay =
    found.position !== undefined && (found.state === staged ? hasTable(database, stageName(request)) : found.state === direct && !isEmpty);
  const kept = isUnderWay ? found : { ...afresh(found), state: isEmpty ? direct : staged };
  checkpoint.begin(kept);
  if (kept.state === direct) dropStage(database, request);
  else if (!isUnderWay) makeStage(writing);

  let way: Way;
  const changeWay = (): void => {
    withdraw(writing);
    checkpoint.restate(staged);
    way = stagedWay(writing);
  };
  way = kept.state === direct ? directWay(writing, changeWay) : stagedWay(writing);
  return { kept, way: { put: (batch) => way.put(batch), finish: (approve, settle) => way.finish(approve, settle) } };
}

/** `refuse` makes the table empty again and keeps the rows in a stage. */
function directWay(writing: Writing, refuse: () => void): Way {
  const { database, request, transact, checkpoint } = writing;
  const apply = applier(writing);
  const remove = remover(writing, request.stream, 'delete');
  const rows = database.prepare(`select count(*) as count from main.${quote(request.stream)}`);
  const foresee = (): Changes => ({ ...none(), inserted: Number(rows.get()?.['count']) });

  const finish: Writer['finish'] = async (approve, settle) => {
    const changes = await transact(foresee);
    if (approve && !(await approve({ ...changes })))
      return transact(async () => {
        checkpoint.demand();
        refuse();
        const result = { ...none(), inserted: -changes.inserted, rejects: [] };
        checkpoint.annotate(await settle?.(result));
        return { ...result, refused: true };
      });
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
    return { ...none(), inserted: inserted - deleted, rejects };
  };
  return { put, finish };
}

/** Moves what was loaded into a stage, so that the table is as empty as it was. */
function withdraw(writing: Writing): void {
  const { database, request } = writing;
  makeStage(writing);
  const names = request.fields.map(({ name }) => quote(name)).join(', ');
  database.exec(`insert into main.${stageName(request)} (${names}) select ${names} from main.${quote(request.stream)}`);
  database.exec(`delete from main.${quote(request.stream)}`);
}
