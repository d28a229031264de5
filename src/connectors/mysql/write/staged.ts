import type { Batch } from '../../batch.ts';
import type { Changes, Writer, WriteResult } from '../../contract.ts';
import { sparedKeys } from '../../spared.ts';
import { transaction } from './checkpoint.ts';
import { Filler } from './fill.ts';
import { portionOf } from './portion.ts';
import { keep } from './keep.ts';
import { foreseeAll, replaceAll } from './keyless.ts';
import { quote } from '../catalogue/literals.ts';
import { compare, differs, type Found, insertMissing, joined, type Merge, missing, removeRows, updateFound } from './merge.ts';
import { refusedRows } from './refused-rows.ts';
import { remover } from './remove.ts';
import { isDataError } from '../wire/server-errors.ts';
import { KEPT } from './stage.ts';
import { countRows, NOTHING, type Target, type Way, writeBatch } from './target.ts';
import { DELETED_AT } from '../../marks.ts';

type Deletes = 'delete' | 'mark' | 'keep';

/** Collects everything in a stage that outlives us, and brings it into the table in one go. */
export function stagedWay(target: Target, stage: string): Way {
  const { wire, request, table, columns, key, channel } = target;
  const filler = new Filler(wire, { table: stage, target: table.name, columns, fields: request.fields, replaces: key.length > 0, channel });
  const remove = remover(target, { from: stage, how: 'delete' });
  const collect = {
    put: async (batch: Batch): Promise<WriteResult> => {
      const { portion, rejects } = portionOf(batch, request.fields);
      if (portion.count > 0) rejects.push(...((await filler.load(portion)) ?? (await filler.fill(portion))));
      const spared = sparedKeys(request, batch, rejects);
      if (spared.length > 0) await keep(target, stage, spared);
      return { ...NOTHING, rejects };
    },
  };
  const forget = {
    ...remove,
    // They are counted at the end.
    put: async (batch: Batch): Promise<WriteResult> => ({ ...(await remove.put(batch)), deleted: 0 }),
  };
  return {
    write: (batch, settle) => writeBatch(target, batch.operation === 'delete' ? forget : collect, batch, settle),
    finish: (approve, settle) => finish(target, stage, approve, settle),
  };
}

async function finish(target: Target, stage: string, ...[approve, settle]: Parameters<Writer['finish']>): ReturnType<Writer['finish']> {
  const { wire, request, table, columns, key, checkpoint } = target;
  const how = request.deletes ?? 'delete';
  const merge: Merge = { wire, table: table.name, stage, columns, key, marks: how === 'mark', where: `s.${quote(KEPT)} = 0` };
  const demandApproval = async (changes: Changes): Promise<void> => {
    if (approve && !(await approve({ ...changes }))) throw refusal;
  };
  const refusal = new Error('refused');
  try {
    const result = await transaction(wire, async () => {
      // Also locks the checkpoint, so that nobody takes over while the table is being changed.
      await checkpoint.advance(null);
      let outcome: WriteResult;
      if (key.length === 0) {
        const changes = await foreseeAll(merge);
        await demandApproval(changes);
        outcome = await replaceAll(merge, changes);
      } else {
        const found = await compare(merge);
        await demandApproval(await foresee(merge, how, found));
        const names = request.fields.map((field) => field.name);
        outcome = await apply(merge, how, found, names);
      }
      await checkpoint.annotate(await settle?.(outcome));
      return outcome;
    });
    await wire.run(`drop table if exists ${quote(stage)}`);
    return result;
  } catch (error) {
    // Everything is as it was, the stage included: whoever approves later need not read again.
    if (error === refusal) return { ...NOTHING, rejects: [], refused: true };
    throw error;
  }
}

/** What bringing the stage into the table would change. */
async function foresee(merge: Merge, how: Deletes, found: Found): Promise<Changes> {
  const { wire, stage, table } = merge;
  const rows = await countRows(wire, `${quote(stage)} s where ${merge.where}`);
  const isLive = how === 'mark' ? ` where t.${quote(DELETED_AT)} is null` : '';
  // Those that are in both, kept ones included, are not gone.
  const present = how === 'keep' ? 0 : await countRows(wire, `${joined({ ...merge, where: '' })}${isLive}`);
  const deleted = how === 'keep' ? 0 : (await countRows(wire, `${quote(table)} t${isLive}`)) - present;
  return { inserted: rows - found.matched, updated: found.changed, unchanged: found.matched - found.changed, deleted };
}

async function apply(merge: Merge, how: Deletes, found: Found, names: readonly string[]): Promise<WriteResult> {
  const deleted = how === 'keep' ? 0 : await removeRows(merge, 'not in stage', how);
  await merge.wire.run('savepoint merging');
  try {
    const updated = await updateFound(merge, found);
    const { affected } = await insertMissing(merge);
    return { inserted: affected, updated, unchanged: found.matched - updated, deleted, rejects: [] };
  } catch (error) {
    if (!isDataError(error)) throw error;
    await merge.wire.run('rollback to savepoint merging');
  }
  // Another unique index, a foreign key or a check refuses some rows. The types are the same, so nothing else can be ignored here.
  const updated = await updateFound(merge, found, 'ignore ');
  const { affected } = await insertMissing(merge, 'ignore ');
  const stale = await refusedRows(merge, `${joined(merge)} and ${differs(merge)}`, names, (only) => updateFound(only, found));
  const absent = await refusedRows(merge, missing(merge), names, async (only) => (await insertMissing(only)).affected);
  return {
    inserted: affected + absent.written,
    updated: updated + stale.written,
    unchanged: found.matched - found.changed,
    deleted,
    rejects: [...stale.rejects, ...absent.rejects],
  };
}
