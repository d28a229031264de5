import type { Changes, WriteResult } from '../../contract.ts';
import type { MergeSteps, MirrorStage } from '../../sql-target/dialect.ts';
import { NOTHING } from '../../sql-target/outcome.ts';
import { Filler } from './fill.ts';
import { portionOf } from './portion.ts';
import { keep } from './keep.ts';
import { foreseeAll, replaceAll } from './keyless.ts';
import { quote, textLiteral } from '../catalogue/literals.ts';
import { compare, differs, type Found, insertMissing, joined, type StageMerge, missing, removeRows, updateFound } from './merge.ts';
import { refusedRows } from './refused-rows.ts';
import { remover } from './remove.ts';
import { isDataError } from '../wire/server-errors.ts';
import { KEPT, mirrorStage, stageStatement } from './stage.ts';
import { countRows, type MysqlTarget } from './target.ts';
import { transaction } from './transaction.ts';
import type { Wire } from '../wire/connection.ts';
import { DELETED_AT } from '../../marks.ts';

type Deletes = 'delete' | 'mark' | 'keep';

/** The stage of a mirror, as a table of its own. */
export function stageFor(target: MysqlTarget): MirrorStage {
  const { wire, request, table, columns, key, channel } = target;
  const name = mirrorStage(request.owner, request.stream);
  const make = stageStatement({ name, columns, key, temporary: false });
  const drop = async (): Promise<void> => {
    await wire.run(`drop table if exists ${quote(name)}`);
  };
  return {
    state: make,
    isThere: () => hasTable(wire, name),
    make: async () => {
      await drop();
      await wire.run(make);
    },
    drop,
    collector: () => {
      const replaces = key.length > 0;
      const filler = new Filler(wire, { table: name, target: table.name, columns, fields: request.fields, replaces, channel });
      return {
        put: async (batch) => {
          const { portion, rejects } = portionOf(batch, request.fields);
          if (portion.count > 0) rejects.push(...((await filler.load(portion)) ?? (await filler.fill(portion))));
          return { ...NOTHING, rejects };
        },
      };
    },
    remover: () => remover(target, { from: name, how: 'delete' }),
    spare: (keys) => keep(target, name, keys),
    prepareMove: async () => {
      await wire.run(make.replace('create table', 'create table if not exists'));
    },
    move: async () => {
      const names = columns.map((column) => quote(column.name)).join(', ');
      await wire.run(`delete from ${quote(name)}`);
      await wire.run(`insert into ${quote(name)} (${names}) select ${names} from ${quote(table.name)}`);
      const { affected } = await wire.run(`delete from ${quote(table.name)}`);
      return affected;
    },
    merge: async (steps) => {
      const outcome = await mergeStage(target, name, steps);
      if (outcome) await drop();
      return outcome;
    },
  };
}

async function hasTable(wire: Wire, name: string): Promise<boolean> {
  const [found] = await wire.rows(
    `select 1 from information_schema.tables where table_schema = database() and table_name = ${textLiteral(name)}`,
  );
  return found !== undefined;
}

/** In one transaction, in which the question is asked as well. */
async function mergeStage(target: MysqlTarget, stage: string, { ask, keep: keepOutcome }: MergeSteps): Promise<WriteResult | undefined> {
  const { wire, request, table, columns, key, checkpoint } = target;
  const how = request.deletes ?? 'delete';
  const merge: StageMerge = { wire, table: table.name, stage, columns, key, marks: how === 'mark', where: `s.${quote(KEPT)} = 0` };
  const refusal = new Error('refused');
  const demandApproval = async (changes: Changes): Promise<void> => {
    if (!(await ask(changes))) throw refusal;
  };
  try {
    return await transaction(wire, async () => {
      // Also locks the checkpoint, so that nobody takes over while the table is being changed.
      await checkpoint.demand();
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
      await keepOutcome(outcome);
      return outcome;
    });
  } catch (error) {
    // Everything is as it was, the stage included: the run that is approved later need not read again.
    if (error === refusal) return undefined;
    throw error;
  }
}

/** What bringing the stage into the table would change. */
async function foresee(merge: StageMerge, how: Deletes, found: Found): Promise<Changes> {
  const { wire, stage, table } = merge;
  const rows = await countRows(wire, `${quote(stage)} s where ${merge.where}`);
  const isLive = how === 'mark' ? ` where t.${quote(DELETED_AT)} is null` : '';
  // Those that are in both, kept ones included, are not gone.
  const present = how === 'keep' ? 0 : await countRows(wire, `${joined({ ...merge, where: '' })}${isLive}`);
  const deleted = how === 'keep' ? 0 : (await countRows(wire, `${quote(table)} t${isLive}`)) - present;
  return { inserted: rows - found.matched, updated: found.changed, unchanged: found.matched - found.changed, deleted };
}

async function apply(merge: StageMerge, how: Deletes, found: Found, names: readonly string[]): Promise<WriteResult> {
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
