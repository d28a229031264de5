import type { Settle, Writer, WriteResult } from '../../contract.ts';
import { changedMeanwhile } from '../../sql-target/faults.ts';
import { type StraightLoad, straightLoad } from '../../sql-target/straight-load.ts';
import { afresh, type Kept, transaction } from './checkpoint.ts';
import { appender, upserter } from './into-table.ts';
import { quote, textLiteral } from '../catalogue/literals.ts';
import { remover } from './remove.ts';
import { mirrorStage, stageStatement } from './stage.ts';
import { stagedWay } from './staged.ts';
import { countRows, isEmpty, NOTHING, type Put, type Target, type Way, writeBatch } from './target.ts';

/**
 * Finds the way of a mirror. Into a table that is empty the rows go straight, there is nothing to compare them with. Otherwise,
 * also when such a load was broken off and is not gone on with, they are collected in a stage.
 */
export async function openMirror(target: Target, found: Kept): Promise<Omit<Writer, 'close'>> {
  const { wire, request, columns, key, checkpoint } = target;
  const stage = mirrorStage(request.owner, request.stream);
  // What was collected with other columns is not gone on with.
  const staged = stageStatement({ name: stage, columns, key, temporary: false });
  const load = straightLoad({ mirror: request.stream, columns: columns.map(({ name, columnType }) => [name, columnType]) });
  const hasNothing = await isEmpty(target);
  const isLoading = load.loadedIn(found.state) !== undefined && !hasNothing;
  const isUnderWay = found.position !== undefined && (isLoading || (found.state === staged && (await hasTable(target, stage))));
  const kept = isUnderWay ? found : { ...afresh(found), state: hasNothing ? load.stateWith(0) : staged };
  if (!isUnderWay) {
    await checkpoint.begin(kept);
    await wire.run(`drop table if exists ${quote(stage)}`);
    if (kept.state === staged) await wire.run(staged);
  }

  const onWithdrawn = (): void => {
    way = stagedWay(target, stage);
  };
  let way = kept.state === staged ? stagedWay(target, stage) : await directWay(target, load, { stage, staged, onWithdrawn });
  return {
    checkpoint: kept.position,
    note: kept.note,
    write: (batch, settle) => way.write(batch, settle),
    finish: (approve, settle) => way.finish(approve, settle),
  };
}

async function hasTable({ wire }: Target, name: string): Promise<boolean> {
  const [found] = await wire.rows(
    `select 1 from information_schema.tables where table_schema = database() and table_name = ${textLiteral(name)}`,
  );
  return found !== undefined;
}

/** Where its rows go when it is refused. */
interface Withdrawal {
  readonly stage: string;
  readonly staged: string;
  readonly onWithdrawn: () => void;
}

/** When it is refused, the table is made empty again, and the rows are kept in a stage. */
async function directWay(target: Target, load: StraightLoad, withdrawal: Withdrawal): Promise<Way> {
  const { wire, key, checkpoint } = target;
  const loaded = async (): Promise<number> => load.loadedIn(await checkpoint.state()) ?? 0;

  /** Counted as they come, since they stay when the load is broken off; but one that comes twice, or goes again, is not two. */
  const counted = ({ put, ...rest }: Put): Put => ({
    ...rest,
    put: async (batch) => {
      const { inserted, deleted, rejects } = await put(batch);
      if (inserted !== deleted) await checkpoint.restate(load.stateWith((await loaded()) + inserted - deleted));
      return { ...NOTHING, inserted: inserted - deleted, rejects };
    },
  });
  const into = counted(key.length === 0 ? appender(target) : await upserter(target, true));
  const remove = counted(remover(target, { how: 'delete' }));
  const finish: Writer['finish'] = async (approve, settle) => {
    const changes = { ...NOTHING, inserted: await loaded() };
    if (approve && !(await approve({ ...changes }))) return takeBack(target, changes.inserted, withdrawal, settle);
    return transaction(wire, async () => {
      await checkpoint.advance(null);
      const result = { ...NOTHING, rejects: [] };
      await checkpoint.annotate(await settle?.(result));
      return result;
    });
  };
  return { write: (batch, settle) => writeBatch(target, batch.operation === 'delete' ? remove : into, batch, settle), finish };
}

/** Where there are more or fewer rows than we brought, somebody else writes here too: nobody can tell whose rows are whose. */
async function takeBack(
  { wire, table, columns, checkpoint }: Target,
  loaded: number,
  { stage, staged, onWithdrawn }: Withdrawal,
  settle: Settle | undefined,
): Promise<WriteResult & { refused: boolean }> {
  const untouched = { ...NOTHING, rejects: [], refused: true };
  if (loaded === 0 || (await countRows(wire, quote(table.name))) !== loaded) return untouched;
  // Whether the work is still ours is known only within the transaction: until then nothing of a stage may go.
  await wire.run(staged.replace('create table', 'create table if not exists'));
  const result = { ...NOTHING, inserted: -loaded, rejects: [] };
  await transaction(wire, async () => {
    await checkpoint.restate(staged);
    const names = columns.map(({ name }) => quote(name)).join(', ');
    await wire.run(`delete from ${quote(stage)}`);
    await wire.run(`insert into ${quote(stage)} (${names}) select ${names} from ${quote(table.name)}`);
    const { affected } = await wire.run(`delete from ${quote(table.name)}`);
    if (affected !== loaded) throw changedMeanwhile(table.name);
    await checkpoint.annotate(await settle?.(result));
  });
  onWithdrawn();
  return { ...result, refused: true };
}
