import type { Batch } from '../../batch.ts';
import type { WriteResult } from '../../contract.ts';
import { insertSql, onConflict, rowWriter } from './rows.ts';
import type { SqliteTarget } from './target.ts';

/** Puts batches into the table itself, by key unless they are only appended. */
export function applier({ database, request, table, path }: SqliteTarget): (batch: Batch) => WriteResult {
  const { fields, key, mode, stream } = request;
  let conflicts = 0;
  let isConflict = false;
  database.function('syncline_noticed', { directOnly: true }, () => {
    isConflict = true;
    return 1;
  });
  const conflict = mode === 'append' ? '' : ` ${onConflict(table, fields, key, 'syncline_noticed() and ')}`;
  const writer = rowWriter(database, {
    fields,
    key: mode === 'append' ? [] : key,
    table,
    sql: `${insertSql(stream, fields)}${conflict}`,
    path,
    after: (isIn) => {
      // A row that meets another may be refused all the same.
      if (isIn && isConflict) conflicts++;
      isConflict = false;
    },
  });
  return (batch) => {
    conflicts = 0;
    const { count, changes, rejects } = writer.put(batch);
    const inserted = count - conflicts;
    return { inserted, updated: changes - inserted, unchanged: count - changes, deleted: 0, rejects };
  };
}
