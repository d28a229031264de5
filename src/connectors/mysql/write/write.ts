import type { Context, WriteRequest, Writer } from '../../contract.ts';
import { columnMissing, demandKey } from '../../sql-target/faults.ts';
import { afresh, Checkpoint, type Kept, transaction } from './checkpoint.ts';
import type { TypedColumn } from '../catalogue/columns.ts';
import { connect } from '../wire/connect.ts';
import { appender, upserter } from './into-table.ts';
import type { MysqlConfig } from '../manifest.ts';
import { openMirror } from './mirror.ts';
import { remover } from './remove.ts';
import { isEmpty, NOTHING, type Target, writeBatch } from './target.ts';
import { prepareTable } from './target-table.ts';
import type { Wire } from '../wire/connection.ts';

export async function openWriter(config: MysqlConfig, context: Context, request: WriteRequest): Promise<Writer> {
  demandKey(request, needsKey(request));
  const wire = await connect(config, context, { mode: 'write', signal: request.signal });
  try {
    const { checkpoint, kept: found } = await Checkpoint.take(wire, request);
    let kept = found;
    const byKey = request.mode !== 'append' && request.key.length > 0;
    const table = await prepareTable(wire, config, {
      ...request,
      byKey,
      marks: request.deletes === 'mark',
      // The rows that the position tells of went with the old table.
      beforeCreation: async () => {
        kept = afresh(kept);
        await checkpoint.begin(kept);
      },
    });
    const find = (name: string): TypedColumn => {
      const column = table.columns.find((each) => each.name.toLowerCase() === name.toLowerCase());
      if (!column) throw columnMissing(table.name, name);
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
    const writer = request.mode === 'mirror' ? await openMirror(target, kept) : await openDirect(target, kept);
    const close = async (): Promise<void> => wire.end();
    return { ...writer, close };
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

/** Without a key, rows that are gone can only go with all others. */
function needsKey({ mode, deletes = 'delete' }: WriteRequest): boolean {
  return mode === 'upsert' || (mode === 'mirror' && deletes !== 'delete');
}

/** Appends or upserts, batch by batch. */
async function openDirect(target: Target, found: Kept): Promise<Omit<Writer, 'close'>> {
  const { wire, request, checkpoint } = target;
  const state = JSON.stringify({ into: request.stream });
  // What is stored may be of another kind of work, such as a mirror's.
  const kept = found.state === state ? found : { ...afresh(found), state };
  if (kept !== found) await checkpoint.begin(kept);
  const into = request.mode === 'append' ? appender(target) : await upserter(target, await isEmpty(target));
  const remove = remover(target, { how: request.deletes ?? 'delete' });
  return {
    checkpoint: kept.position,
    note: kept.note,
    write: (batch, settle) => writeBatch(target, batch.operation === 'delete' ? remove : into, batch, settle),
    finish: (_approve, settle) =>
      transaction(wire, async () => {
        await checkpoint.demand();
        const result = { ...NOTHING, rejects: [] };
        await checkpoint.annotate(await settle?.(result));
        return result;
      }),
  };
}
