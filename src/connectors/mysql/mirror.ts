import type { Batch } from '../batch.ts';
import type { Writer, WriteResult } from '../contract.ts';
import { afresh, type Kept, transaction } from './checkpoint.ts';
import { appender, upserter } from './into-table.ts';
import { quote, textLiteral } from './literals.ts';
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
  const direct = JSON.stringify({ mirror: request.stream, columns: columns.map(({ name, columnType }) => [name, columnType]) });
  const hasNothing = await isEmpty(target);
  const isUnderWay =
    found.position !== undefined && (found.state === staged ? await hasTable(target, stage) : found.state === direct && !hasNothing);
  const kept = isUnderWay ? found : { ...afresh(found), state: hasNothing ? direct : staged };
  if (!isUnderWay) {
    await checkpoint.begin(kept);
    await wire.run(`drop table if exists ${quote(stage)}`);
    if (kept.state === staged) await wire.run(staged);
  }

  let way = kept.state === direct ? await directWay(target, withdrawal) : stagedWay(target, stage);
  async function withdrawal(settle: () => Promise<string | undefined>): Promise<void> {
    await wire.run(`drop table if exists ${quote(stage)}`);
    await wire.run(staged);
    await transaction(wire, async () => {
      await checkpoint.restate(staged);
      await withdraw(target, stage);
      await checkpoint.annotate(await settle());
    });
    way = stagedWay(target, stage);
  }
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

/** `refuse` makes the table empty again and keeps the rows in a stage. */
async function directWay(target: Target, refuse: (settle: () => Promise<string | undefined>) => Promise<void>): Promise<Way> {
  const { wire, table, key, checkpoint } = target;
  const into = netted(key.length === 0 ? appender(target) : await upserter(target, true));
  const remove = netted(remover(target, { how: 'delete' }));
  const finish: Writer['finish'] = async (approve, settle) => {
    const changes = { ...NOTHING, inserted: await countRows(wire, quote(table.name)) };
    if (approve && !(await approve({ ...changes }))) {
      const result = { ...NOTHING, inserted: -changes.inserted, rejects: [] };
      await refuse(async () => settle?.(result));
      return { ...result, refused: true };
    }
    return transaction(wire, async () => {
      await checkpoint.advance(null);
      const result = { ...NOTHING, rejects: [] };
      await checkpoint.annotate(await settle?.(result));
      return result;
    });
  };
  return { write: (batch, settle) => writeBatch(target, batch.operation === 'delete' ? remove : into, batch, settle), finish };
}

/** Counted as they come, since they stay when the load is broken off; but one that comes twice, or goes again, is not two. */
function netted({ put, ...rest }: Put): Put {
  const counted = async (batch: Batch): Promise<WriteResult> => {
    const { inserted, deleted, rejects } = await put(batch);
    return { ...NOTHING, inserted: inserted - deleted, rejects };
  };
  return { ...rest, put: counted };
}

/** Moves what was loaded into a stage, so that the table is as empty as it was. */
async function withdraw({ wire, table, columns }: Target, stage: string): Promise<void> {
  const names = columns.map(({ name }) => quote(name)).join(', ');
  await wire.run(`insert into ${quote(stage)} (${names}) select ${names} from ${quote(table.name)}`);
  await wire.run(`delete from ${quote(table.name)}`);
}
