import { OutsideError } from '../../../outside/errors.ts';
import type { Put } from '../../sql-target/dialect.ts';
import { NOTHING } from '../../sql-target/outcome.ts';
import { Filler } from './fill.ts';
import { quote } from '../catalogue/literals.ts';
import { compare, insertMissing, type StageMerge, updateFound } from './merge.ts';
import { portionOf } from './portion.ts';
import { BATCH_STAGE, stageStatement } from './stage.ts';
import type { MysqlTarget } from './target.ts';
import type { Wire } from '../wire/connection.ts';

/** Puts batches into the table as they come. */
export function appender({ wire, request, table, columns, channel }: MysqlTarget): Put {
  const filler = new Filler(wire, { table: table.name, columns, fields: request.fields, replaces: false, channel });
  return {
    put: async (batch) => {
      const { portion, rejects } = portionOf(batch, request.fields);
      if (portion.count > 0) rejects.push(...((await filler.load(portion)) ?? (await filler.fill(portion))));
      return { ...NOTHING, inserted: batch.count - rejects.length, rejects };
    },
  };
}

/**
 * Puts batches into the table by key. As long as none of their rows was there before, they go straight into it. Where one was,
 * the server says so, and the batch goes by way of a stage.
 */
export async function upserter(target: MysqlTarget, isEmpty: boolean): Promise<Put> {
  const { wire, request, table, columns, key, channel } = target;
  const direct = new Filler(wire, { table: table.name, columns, fields: request.fields, replaces: false, channel });
  const staged = new Filler(wire, { table: BATCH_STAGE, target: table.name, columns, fields: request.fields, replaces: true, channel });
  const merge: StageMerge = { wire, table: table.name, stage: BATCH_STAGE, columns, key, marks: request.deletes === 'mark', where: '' };
  await wire.run(stageStatement({ name: BATCH_STAGE, columns, key, temporary: true }));
  let isNew = isEmpty;
  const keysAreStrict = columns.every((column) => !key.includes(column.name) || !column.nullable);
  let isDirty = false;

  return {
    prepare: async () => {
      if (isDirty) await wire.run(`truncate table ${quote(BATCH_STAGE)}`);
      isDirty = false;
    },
    put: async (batch) => {
      const { portion, rejects } = portionOf(batch, request.fields);
      if (portion.count === 0) return { ...NOTHING, rejects };
      const refused = isNew && keysAreStrict ? await direct.load(portion) : undefined;
      if (refused) return { ...NOTHING, inserted: portion.count - refused.length, rejects: [...rejects, ...refused] };
      isDirty = true;
      const counts = { ...NOTHING };
      const mergeStage = async (): Promise<void> => {
        const found = await compare(merge);
        const updated = await updateFound(merge, found);
        const { affected } = await insertMissing(merge);
        counts.inserted += affected;
        counts.updated += updated;
        counts.unchanged += found.matched - updated;
      };
      const aside = (await staged.load(portion)) ?? (await staged.fill(portion));
      if (await attempt(wire, mergeStage)) rejects.push(...aside);
      else {
        await wire.run(`delete from ${quote(BATCH_STAGE)}`);
        rejects.push(
          ...(await staged.fill(portion, async () => {
            await mergeStage();
            await wire.run(`delete from ${quote(BATCH_STAGE)}`);
          })),
        );
      }
      isNew = counts.updated + counts.unchanged === 0;
      return { ...counts, rejects };
    },
  };
}

/** Does something that the data may forbid; answers whether it was done. */
async function attempt(wire: Wire, work: () => Promise<void>): Promise<boolean> {
  await wire.run('savepoint merging');
  try {
    await work();
    return true;
  } catch (error) {
    if (!(error instanceof OutsideError) || error.kind !== 'data') throw error;
    await wire.run('rollback to savepoint merging');
    return false;
  }
}
