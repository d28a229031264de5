import type { Context, WriteRequest, Writer } from '../../contract.ts';
import { columnMissing, demandKey } from '../../sql-target/faults.ts';
import { openDirect } from '../../sql-target/direct.ts';
import { afresh } from '../../sql-target/kept.ts';
import { openMirror } from '../../sql-target/mirror.ts';
import { checkpointOf } from './checkpoint.ts';
import type { TypedColumn } from '../catalogue/columns.ts';
import { connect } from '../wire/connect.ts';
import { dialectOf } from './dialect.ts';
import type { Channel } from './fill.ts';
import type { MysqlConfig } from '../manifest.ts';
import { keepForUndo } from '../undo/keeping.ts';
import type { MysqlTarget } from './target.ts';
import { prepareTable } from './target-table.ts';
import type { Wire } from '../wire/connection.ts';

export async function openWriter(config: MysqlConfig, context: Context, request: WriteRequest): Promise<Writer> {
  demandKey(request, needsKey(request));
  const wire = await connect(config, context, { mode: 'write', signal: request.signal });
  try {
    const checkpoint = await checkpointOf(wire, request);
    let kept = await checkpoint.takeOver(request.resume);
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
    if (request.undo) await keepForUndo(wire, request, table, request.undo);
    await lockLess(wire);
    const target: MysqlTarget = {
      wire,
      request,
      table,
      columns: request.fields.map((field) => find(field.name)),
      key: request.key.map((name) => find(name).name),
      checkpoint,
      channel: await channelOf(wire),
    };
    const open = request.mode === 'mirror' ? openMirror : openDirect;
    const writer = await open(dialectOf(target), kept);
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
export async function lockLess(wire: Wire): Promise<void> {
  const [[format] = []] = await wire.rows("show variables like 'binlog_format'").then((rows) => rows.map(([, value]) => [value]));
  if (format !== 'STATEMENT') await wire.run('set session transaction isolation level read committed');
}

/** How rows can be sent to this server. */
export async function channelOf(wire: Wire): Promise<Channel> {
  const [[local, packet] = []] = await wire.rows('select @@global.local_infile, @@session.max_allowed_packet');
  return { canLoad: local === '1', maxPacket: Number(packet ?? 1_048_576) };
}

/** Without a key, rows that are gone can only go with all others. */
function needsKey({ mode, deletes = 'delete' }: WriteRequest): boolean {
  return mode === 'upsert' || (mode === 'mirror' && deletes !== 'delete');
}
