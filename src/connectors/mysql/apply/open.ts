import type { AppliedTo, Applier, ApplyRequest } from '../../changes.ts';
import type { Context } from '../../contract.ts';
import { Applying } from '../../sql-target/apply/applying.ts';
import { columnMissing, demandKey } from '../../sql-target/faults.ts';
import { intoLive } from '../../sql-target/kept.ts';
import { findTable } from '../catalogue/discover.ts';
import type { TypedColumn } from '../catalogue/columns.ts';
import type { MysqlConfig } from '../manifest.ts';
import { connect } from '../wire/connect.ts';
import { keepForUndo } from '../undo/keeping.ts';
import { checkpointOf } from '../write/checkpoint.ts';
import { prepareTable } from '../write/target-table.ts';
import { channelOf, lockLess } from '../write/write.ts';
import { type MysqlStream, mysqlStream } from './stage.ts';
import { MysqlChanges } from './target.ts';

export async function openApplier(config: MysqlConfig, context: Context, request: ApplyRequest): Promise<Applier> {
  for (const stream of request.streams) demandKey({ ...stream, mode: 'upsert' }, true);
  const wire = await connect(config, context, { mode: 'write', signal: request.signal });
  const prepared = async (stream: AppliedTo): Promise<MysqlStream> => {
    const marks = stream.deletes === 'mark';
    const table = await prepareTable(wire, config, { ...stream, byKey: true, marks, beforeCreation: async () => {} });
    if (request.undo) await keepForUndo(wire, stream, table, request.undo);
    return mysqlStream(stream, table, (name): TypedColumn => {
      const column = table.columns.find((each) => each.name.toLowerCase() === name.toLowerCase());
      if (!column) throw columnMissing(table.name, name);
      return column;
    });
  };
  try {
    const checkpoint = await checkpointOf(wire, request);
    const found = await checkpoint.takeOver(request.resume);
    const kept = intoLive(found);
    if (kept !== found) await checkpoint.begin(kept);
    const streams: MysqlStream[] = [];
    for (const stream of request.streams) streams.push(await prepared(stream));
    await lockLess(wire);
    const target = new MysqlChanges(
      {
        wire,
        checkpoint,
        channel: await channelOf(wire),
        hasAll: async ({ request: { stream } }, fields) => {
          const names = new Set((await findTable(wire, config, stream))?.columns.map(({ name }) => name.toLowerCase()));
          return fields.every(({ name }) => names.has(name.toLowerCase()));
        },
        extend: ({ request: stream }, fields) => prepared({ ...stream, fields }),
      },
      streams,
    );
    return new Applying(target, kept, request.lookUp);
  } catch (error) {
    wire.end();
    throw error;
  }
}
