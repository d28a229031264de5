import type { Batch } from '../../batch.ts';
import type { WriteResult } from '../../contract.ts';
import { nothing } from '../../sql-target/outcome.ts';
import { insertSql, LEFT_OUT, onConflict, rowWriter } from './rows.ts';
import type { SqliteTarget } from './target.ts';

/** Puts batches into the table itself, by key unless they are only appended. */
export function applier({ database, request, table, path }: SqliteTarget): (batch: Batch) => WriteResult {
  const { fields, key, mode, stream } = request;
  let counts = nothing();
  // Of the row that is being put in: whether it meets another, and differs from it.
  let met: 'updated' | 'unchanged' | undefined;
  database.function('syncline_met', { directOnly: true }, (differs) => {
    met = differs === 1 ? 'updated' : 'unchanged';
    return differs;
  });
  const conflict = mode === 'append' ? '' : ` ${onConflict(table, fields, key, 'syncline_met')}`;
  const hasTriggers = database.prepare(`select 1 from main.sqlite_schema where type = 'trigger' and tbl_name = ? collate nocase limit 1`);
  // Of the last insert or update that was more than an attempt; what triggers did does not count.
  const changes = database.prepare('select changes() as rows');
  let mayIgnore = false;
  const writer = rowWriter(database, {
    fields,
    key: mode === 'append' ? [] : key,
    table,
    sql: `${insertSql(stream, fields)}${conflict}`,
    path,
    after: (isIn) => {
      // A row that meets another may be refused all the same.
      const outcome = isIn ? (met ?? 'inserted') : undefined;
      met = undefined;
      if (outcome === undefined) return undefined;
      if (mayIgnore && outcome !== 'unchanged' && changes.get()?.['rows'] === 0) return LEFT_OUT;
      counts[outcome]++;
      return undefined;
    },
  });
  return (batch) => {
    counts = nothing();
    mayIgnore = hasTriggers.get(stream) !== undefined;
    const rejects = writer.put(batch);
    return { ...counts, rejects };
  };
}
