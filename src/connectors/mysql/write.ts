import type { Batch } from '../batch.ts';
import type { Context, WriteRequest, WriteResult, Writer } from '../contract.ts';
import { ConnectorError } from '../errors.ts';
import { Checkpoint, transaction } from './checkpoint.ts';
import type { TypedColumn } from './columns.ts';
import { connect } from './connect.ts';
import { Filler } from './fill.ts';
import { portionOf } from './portion.ts';
import { quote } from './literals.ts';
import type { Config } from './manifest.ts';
import { compare, insertMissing, type Merge, updateFound } from './merge.ts';
import { openMirror } from './mirror.ts';
import { remover } from './remove.ts';
import { BATCH_STAGE, stageStatement } from './stage.ts';
import { NOTHING, type Target } from './target.ts';
import { prepareTable } from './target-table.ts';
import type { Wire } from './wire.ts';

export async function openWriter(config: Config, context: Context, request: WriteRequest): Promise<Writer> {
  demandKey(request);
  const wire = await connect(config, context, { mode: 'write', signal: request.signal });
  try {
    const checkpoint = await Checkpoint.take(wire, request.owner, request.token);
    const byKey = request.mode !== 'append' && request.key.length > 0;
    const marks = request.mode !== 'append' && request.deletes === 'mark';
    const table = await prepareTable(wire, config, { ...request, byKey, marks });
    const find = (name: string): TypedColumn => {
      const column = table.columns.find((each) => each.name.toLowerCase() === name.toLowerCase());
      if (!column)
        throw new ConnectorError('config', 'FIELD_MISSING', `There is no column "${name}" in "${table.name}".`, { field: 'fields' });
      return column;
    };
    await lockLess(wire);
    const [[local, packet] = []] = await wire.rows('select @@global.local_infile, @@session.max_allowed_packet');
    const target: Target = {
      wire,
      request,
      table,
      columns: request.fields.map((field) => find(field.name)),
      key: request.key.map((name) => find(name).name),
      checkpoint,
      channel: { canLoad: local === '1', maxPacket: Number(packet ?? 1_048_576) },
    };
    return request.mode === 'mirror' ? await openMirror(target) : await openDirect(target);
  } catch (error) {
    wire.end();
    throw error;
  }
}

/**
 * Fewer locks between rows, so that those who write to the same table are less in each other's way. Not where the server logs
 * statements instead of rows: it forbids it.
 */
async function lockLess(wire: Wire): Promise<void> {
  const [[format] = []] = await wire.rows("show variables like 'binlog_format'").then((rows) => rows.map(([, value]) => [value]));
  if (format !== 'STATEMENT') await wire.run('set session transaction isolation level read committed');
}

function demandKey({ mode, key, deletes, fields }: WriteRequest): void {
  if (key.length === 0 && (mode === 'upsert' || (mode === 'mirror' && deletes !== 'delete' && deletes !== undefined)))
    throw new ConnectorError('config', 'KEY_MISSING', `Writing in the mode ${mode} needs a key.`, {
      field: 'key',
      hint: 'Choose the fields that tell rows apart.',
    });
  for (const name of key) {
    if (!fields.some((field) => field.name === name))
      throw new ConnectorError('config', 'FIELD_MISSING', `"${name}" is part of the key and has to be among the fields.`, { field: 'key' });
  }
}

/** Appends or upserts, batch by batch. */
async function openDirect(target: Target): Promise<Writer> {
  const { wire, request, checkpoint } = target;
  const state = JSON.stringify({ into: request.stream });
  if (checkpoint.state !== state) {
    // What is stored is of another kind of work, such as a mirror's.
    await transaction(wire, () => checkpoint.advance(null, state));
    checkpoint.position = undefined;
  }
  const write = request.mode === 'append' ? appender(target) : await upserter(target);
  const remove = remover(target);
  return {
    checkpoint: checkpoint.position,
    write: (batch) => (batch.operation === 'delete' ? remove(batch) : write(batch)),
    finish: async () => {
      await checkpoint.demand();
      return { ...NOTHING, rejects: [] };
    },
    close: () => {
      wire.end();
      return Promise.resolve();
    },
  };
}

function appender({ wire, request, table, columns, checkpoint, channel }: Target): (batch: Batch) => Promise<WriteResult> {
  const filler = new Filler(wire, { table: table.name, columns, fields: request.fields, replaces: false, channel });
  return (batch) =>
    transaction(wire, async () => {
      await checkpoint.advance(batch.position);
      const { portion, rejects } = portionOf(batch, request.fields);
      if (portion.count > 0) rejects.push(...((await filler.load(portion)) ?? (await filler.fill(portion))));
      return { ...NOTHING, inserted: batch.count - rejects.length, rejects };
    });
}

async function upserter(target: Target): Promise<(batch: Batch) => Promise<WriteResult>> {
  const { wire, request, table, columns, key, checkpoint, channel } = target;
  const direct = new Filler(wire, { table: table.name, columns, fields: request.fields, replaces: false, channel });
  const staged = new Filler(wire, { table: BATCH_STAGE, columns, fields: request.fields, replaces: true, channel });
  const merge: Merge = { wire, table: table.name, stage: BATCH_STAGE, columns, key, marks: request.deletes === 'mark', where: '' };
  await wire.run(stageStatement({ name: BATCH_STAGE, columns, key, temporary: true }));
  const [found] = await wire.rows(`select 1 from ${quote(table.name)} limit 1`);
  // As long as no row was there before, rows go straight into the table. Where one was, the server says so, and the batch goes
  // by way of the stage.
  let isNew = found === undefined;
  const keysAreStrict = columns.every((column) => !key.includes(column.name) || !column.nullable);
  let isDirty = false;

  return async (batch) => {
    if (isDirty) await wire.run(`truncate table ${quote(BATCH_STAGE)}`);
    isDirty = false;
    return transaction(wire, async () => {
      await checkpoint.advance(batch.position);
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
    });
  };
}

/** Does something that the data may forbid; answers whether it was done. */
async function attempt(wire: Wire, work: () => Promise<void>): Promise<boolean> {
  await wire.run('savepoint merging');
  try {
    await work();
    return true;
  } catch (error) {
    if (!(error instanceof ConnectorError) || error.kind !== 'data') throw error;
    await wire.run('rollback to savepoint merging');
    return false;
  }
}
