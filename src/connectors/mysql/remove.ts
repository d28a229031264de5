import type { Batch } from '../batch.ts';
import type { Field, WriteResult } from '../contract.ts';
import { ConnectorError } from '../errors.ts';
import { transaction } from './checkpoint.ts';
import type { TypedColumn } from './columns.ts';
import { Filler } from './fill.ts';
import { portionOf } from './portion.ts';
import { quote } from './literals.ts';
import { type Merge, removeRows } from './merge.ts';
import { KEYS_STAGE, stageStatement } from './stage.ts';
import { NOTHING, type Target } from './target.ts';

/** Removes rows by key: from the table, or from the stage of a mirror. */
export function remover(
  { wire, request, table, columns, key, checkpoint, channel }: Target,
  stage?: string,
): (batch: Batch) => Promise<WriteResult> {
  const fields = request.key.map((name) => request.fields.find((field) => field.name === name) as Field);
  const keyColumns = key.map((name) => columns.find((column) => column.name === name) as TypedColumn);
  let isReady = false;
  return async (batch) => {
    if (key.length === 0) throw new ConnectorError('config', 'KEY_MISSING', 'Rows can only be removed by a key.', { field: 'key' });
    const name = quote(KEYS_STAGE);
    await wire.run(isReady ? `truncate table ${name}` : stageStatement({ name: KEYS_STAGE, columns: keyColumns, key, temporary: true }));
    isReady = true;
    const filler = new Filler(wire, { table: KEYS_STAGE, columns: keyColumns, fields, replaces: true, channel });
    const merge: Merge = { wire, table: stage ?? table.name, stage: KEYS_STAGE, columns: keyColumns, key, marks: false, where: '' };
    return transaction(wire, async () => {
      await checkpoint.advance(batch.position);
      const { portion, rejects } = portionOf(batch, fields);
      if (portion.count > 0) rejects.push(...((await filler.load(portion)) ?? (await filler.fill(portion))));
      if (stage !== undefined) {
        await removeRows(merge, 'in stage', 'delete');
        return { ...NOTHING, rejects };
      }
      if (request.deletes === 'keep') return { ...NOTHING, rejects };
      const deleted = await removeRows(merge, 'in stage', request.deletes ?? 'delete');
      return { ...NOTHING, deleted, rejects };
    });
  };
}
