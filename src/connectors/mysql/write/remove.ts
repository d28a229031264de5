import type { Field, WriteRequest } from '../../contract.ts';
import type { Put } from '../../sql-target/dialect.ts';
import { keyMissing } from '../../sql-target/faults.ts';
import { NOTHING } from '../../sql-target/outcome.ts';
import type { TypedColumn } from '../catalogue/columns.ts';
import { Filler } from './fill.ts';
import { portionOf } from './portion.ts';
import { quote } from '../catalogue/literals.ts';
import { type StageMerge, removeRows } from './merge.ts';
import { KEYS_STAGE, stageStatement } from './stage.ts';
import type { MysqlTarget } from './target.ts';

/** Removes rows by key from the table or the stage of a mirror; or marks them, or lets them be. */
export function remover(
  { wire, request, table, columns, key, channel }: MysqlTarget,
  { from = table.name, how }: { from?: string; how: NonNullable<WriteRequest['deletes']> },
): Put {
  const fields = request.key.map((name) => request.fields.find((field) => field.name === name) as Field);
  const keyColumns = key.map((name) => columns.find((column) => column.name === name) as TypedColumn);
  const merge: StageMerge = { wire, table: from, stage: KEYS_STAGE, columns: keyColumns, key, marks: false, where: '' };
  let isReady = false;
  return {
    prepare: async () => {
      if (key.length === 0) throw keyMissing('remove rows of', request.stream);
      const make = stageStatement({ name: KEYS_STAGE, columns: keyColumns, key, temporary: true });
      await wire.run(isReady ? `truncate table ${quote(KEYS_STAGE)}` : make);
      isReady = true;
    },
    put: async (batch) => {
      const filler = new Filler(wire, { table: KEYS_STAGE, columns: keyColumns, fields, replaces: true, channel });
      const { portion, rejects } = portionOf(batch, fields);
      if (portion.count > 0) rejects.push(...((await filler.load(portion)) ?? (await filler.fill(portion))));
      const deleted = how === 'keep' ? 0 : await removeRows(merge, 'in stage', how);
      return { ...NOTHING, deleted, rejects };
    },
  };
}
