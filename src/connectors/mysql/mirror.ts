import type { Batch, Reject } from '../batch.ts';
import { bisect } from '../bisect.ts';
import type { Changes, WriteResult, Writer } from '../contract.ts';
import { ConnectorError } from '../errors.ts';
import { transaction } from './checkpoint.ts';
import { Filler } from './fill.ts';
import { portionOf } from './portion.ts';
import { quote, textLiteral } from './literals.ts';
import { compare, differs, type Found, insertMissing, joined, type Merge, missing, removeRows, updateFound } from './merge.ts';
import { isDataError } from './server-errors.ts';
import { KEPT, mirrorStage, stageStatement } from './stage.ts';
import { DELETED_AT } from './target-table.ts';
import type { Wire } from './wire.ts';
import { remover } from './remove.ts';
import type { Target } from './target.ts';

/** With more rows than this that cannot be brought into the table at the end, something else is wrong. */
const MOST_REJECTS = 1000;

type Deletes = 'delete' | 'mark' | 'keep';

/** Collects everything in a stage that outlives us, and brings it into the table in one go. */
export async function openMirror(target: Target): Promise<Writer> {
  const { wire, request, columns, key, checkpoint, channel } = target;
  const stage = mirrorStage(request.owner, request.stream);
  const shape = stageStatement({ name: stage, columns, key, temporary: false });
  const [found] = await wire.rows(
    `select 1 from information_schema.tables where table_schema = database() and table_name = ${textLiteral(stage)}`,
  );
  if (!found || checkpoint.position === undefined || checkpoint.state !== shape) {
    // A stage of another shape, or of a read that is not ours to go on with.
    await transaction(wire, () => checkpoint.advance(null, shape));
    checkpoint.position = undefined;
    await wire.run(`drop table if exists ${quote(stage)}`);
    await wire.run(shape);
  }
  const filler = new Filler(wire, { table: stage, columns, fields: request.fields, replaces: key.length > 0, channel });
  const remove = remover(target, stage);
  return {
    checkpoint: checkpoint.position,
    write: (batch) => (batch.operation === 'delete' ? remove(batch) : collect(target, stage, filler, batch)),
    finish: (approve) => finish(target, stage, approve),
    close: () => {
      wire.end();
      return Promise.resolve();
    },
  };
}

async function collect(target: Target, stage: string, filler: Filler, batch: Batch): Promise<WriteResult> {
  const { wire, request, key, checkpoint } = target;
  return transaction(wire, async () => {
    await checkpoint.advance(batch.position);
    const { portion, rejects } = portionOf(batch, request.fields);
    if (portion.count > 0) rejects.push(...((await filler.load(portion)) ?? (await filler.fill(portion))));
    if (key.length > 0) await keep(target, stage, rejects);
    return { inserted: 0, updated: 0, unchanged: 0, deleted: 0, rejects };
  });
}

/** A row that was refused is not gone from the source: what the table has of it stays. */
async function keep({ wire, request, key }: Target, stage: string, rejects: readonly Reject[]): Promise<void> {
  const types = request.key.map((name) => request.fields.find((field) => field.name === name)?.type);
  const rows = rejects
    .map(({ row }) => request.key.map((name) => row[name]))
    .filter((values) => values.every((value) => typeof value === 'string'))
    .map((values) => `(${values.map((value, i) => keyLiteral(types[i], value)).join(', ')}, 1)`);
  await bisect(rows, async (slice) => {
    // A key that is none itself has no row in the table.
    await wire.run(
      `insert into ${quote(stage)} (${key.map(quote).join(', ')}, ${quote(KEPT)}) values ${slice.join(', ')} on duplicate key update ${quote(KEPT)} = ${quote(KEPT)}`,
    );
  });
}

function keyLiteral(type: string | undefined, value: string): string {
  if (type === 'boolean') return value === 't' ? '1' : '0';
  if (type === 'binary') return `x'${value.slice(2)}'`;
  return textLiteral(type === 'timestamptz' ? value.replace('+00', '') : value);
}

async function finish(
  target: Target,
  stage: string,
  approve: (changes: Changes) => boolean | Promise<boolean> = () => true,
): Promise<WriteResult & { refused?: boolean }> {
  const { wire, request, table, columns, key, checkpoint } = target;
  const how = request.deletes ?? 'delete';
  const merge: Merge = { wire, table: table.name, stage, columns, key, marks: how === 'mark', where: `s.${quote(KEPT)} = 0` };
  const refusal = new Error('refused');
  try {
    const result = await transaction(wire, async () => {
      // Also locks the checkpoint, so that nobody takes over while the table is being changed.
      await checkpoint.advance(null);
      if (key.length === 0) {
        const changes = await foreseeAll(merge);
        if (!(await approve(changes))) throw refusal;
        return replaceAll(merge, changes);
      }
      const found = await compare(merge);
      if (!(await approve(await foresee(merge, how, found)))) throw refusal;
      return apply(
        merge,
        how,
        found,
        request.fields.map((field) => field.name),
      );
    });
    await wire.run(`drop table if exists ${quote(stage)}`);
    return result;
  } catch (error) {
    // Everything is as it was, the stage included: whoever approves later need not read again.
    if (error === refusal) return { inserted: 0, updated: 0, unchanged: 0, deleted: 0, rejects: [], refused: true };
    throw error;
  }
}

async function count(wire: Wire, from: string): Promise<number> {
  const [[number] = []] = await wire.rows(`select count(*) from ${from}`);
  return Number(number ?? 0);
}

/** What bringing the stage into the table would change. */
async function foresee(merge: Merge, how: Deletes, found: Found): Promise<Changes> {
  const { wire, stage, table } = merge;
  const rows = await count(wire, `${quote(stage)} s where ${merge.where}`);
  const isLive = how === 'mark' ? ` where t.${quote(DELETED_AT)} is null` : '';
  // Those that are in both, kept ones included, are not gone.
  const present = how === 'keep' ? 0 : await count(wire, `${joined({ ...merge, where: '' })}${isLive}`);
  const deleted = how === 'keep' ? 0 : (await count(wire, `${quote(table)} t${isLive}`)) - present;
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
  // Another unique index or a foreign key refuses some rows. The types are the same, so nothing else can be ignored here.
  const updated = await updateFound(merge, found, 'ignore ');
  const { affected } = await insertMissing(merge, 'ignore ');
  const stale = await rejected(merge, `${joined(merge)} and ${differs(merge)}`, names);
  const absent = await rejected(merge, missing(merge), names);
  return { inserted: affected, updated, unchanged: found.matched - found.changed, deleted, rejects: [...stale, ...absent] };
}

async function rejected(merge: Merge, from: string, names: readonly string[]): Promise<Reject[]> {
  const rows = await merge.wire.rows(
    `select ${merge.columns.map(({ name }) => `s.${quote(name)}`).join(', ')} from ${from} limit ${MOST_REJECTS + 1}`,
  );
  if (rows.length > MOST_REJECTS)
    throw new ConnectorError(
      'config',
      'TOO_MANY_REJECTS',
      `More than ${MOST_REJECTS} rows break a unique index, a foreign key or a check of "${merge.table}".`,
      {
        hint: 'Nothing was changed. Look at the constraints of the table: they may not fit this source.',
      },
    );
  return rows.map((values) => ({
    row: Object.fromEntries(names.map((name, i) => [name, values[i] ?? null])),
    reason: 'another unique index, a foreign key or a check of the table refuses the row',
  }));
}

/** Without a key nothing tells which row became which: all are replaced. */
async function foreseeAll({ wire, stage, table }: Merge): Promise<Changes> {
  const [rows, before] = [await count(wire, quote(stage)), await count(wire, quote(table))];
  return { inserted: Math.max(0, rows - before), updated: Math.min(rows, before), unchanged: 0, deleted: Math.max(0, before - rows) };
}

async function replaceAll({ wire, stage, table, columns }: Merge, changes: Changes): Promise<WriteResult> {
  const names = columns.map((column) => quote(column.name)).join(', ');
  await wire.run(`delete from ${quote(table)}`);
  await wire.run(`insert into ${quote(table)} (${names}) select ${names} from ${quote(stage)}`);
  return { ...changes, rejects: [] };
}
