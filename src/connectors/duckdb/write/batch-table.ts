import type { Batch, Reject } from '../../batch.ts';
import type { Row } from '../../canonical.ts';
import type { Field } from '../../contract.ts';
import { valueInWords } from '../../value-in-words.ts';
import { columnNamed } from '../database/schema.ts';
import { castSql, spelledFor } from '../database/column-values.ts';
import type { DuckdbTarget } from './target.ts';

/** The rows of a batch in DuckDB, as texts `c0`, `c1`, … and the number of each row `n`. */
export const BATCH_TABLE = 'temp.main.syncline_batch';

/** The value of the field of this number in a row of the batch, as the column keeps it. */
export function valueSql({ table }: DuckdbTarget, fields: readonly Field[], at: number, row = 'b'): string {
  return castSql(`${row}.c${at}`, columnNamed(table, fields[at]?.name ?? '')?.declared ?? 'VARCHAR');
}

/** Puts the rows of a batch there, but for those that cannot be kept and those that are left out. `key`: fields that must not be null. */
export async function fillBatch(
  target: DuckdbTarget,
  fields: readonly Field[],
  rows: readonly Row[],
  key: readonly string[],
  left: ReadonlySet<number>,
): Promise<Reject[]> {
  const { connection, table } = target;
  const rejects: Reject[] = [];
  const spell = fields.map(({ name }) => spelledFor(columnNamed(table, name)?.declared ?? 'VARCHAR'));
  const isKey = fields.map(({ name }) => key.includes(name));
  await connection.run(`create or replace temp table syncline_batch (n integer, ${fields.map((_, at) => `c${at} varchar`).join(', ')})`);
  const appender = await connection.appender('syncline_batch');
  try {
    for (const [index, row] of rows.entries()) {
      if (left.has(index)) continue;
      const texts: (string | null)[] = [];
      let fault = -1;
      for (let at = 0; at < fields.length && fault === -1; at++) {
        const value = row[at] ?? null;
        const text = value === null ? null : spell[at]?.(value);
        if (text === undefined || (text === null && isKey[at])) fault = at;
        else texts.push(text);
      }
      if (fault !== -1) rejects.push(refusal(fields, row, index, fault));
      else {
        appender.appendInteger(index);
        for (const text of texts) {
          if (text === null) appender.appendNull();
          else appender.appendVarchar(text);
        }
        appender.endRow();
      }
    }
  } finally {
    appender.closeSync();
  }
  // What looks like a value of its type may still be beyond what DuckDB holds.
  const faults = fields.map((_, at) => `b.c${at} is not null and ${valueSql(target, fields, at)} is null`);
  const found = await connection.rows(
    `select n, case ${faults.map((fault, at) => `when ${fault} then ${at}`).join(' ')} end as fault from ${BATCH_TABLE} as b where fault is not null`,
  );
  for (const [index, fault] of found) rejects.push(refusal(fields, rows[Number(index)] ?? [], Number(index), Number(fault)));
  if (found.length > 0) await connection.run(`delete from ${BATCH_TABLE} where n in (${found.map(([index]) => Number(index)).join(', ')})`);
  return rejects.sort((a, b) => (a.index ?? 0) - (b.index ?? 0));
}

function refusal(fields: readonly Field[], row: Row, index: number, fault: number): Reject {
  const { name, type } = fields[fault] as Field;
  const value = row[fault] ?? null;
  const reason =
    value === null
      ? `The key field "${name}" is null.`
      : `The value of "${name}" cannot be kept as ${type} in this column: ${valueInWords(value)}.`;
  return { index, row: byName(fields, row), field: name, reason };
}

export function byName(fields: readonly Field[], row: Row): Record<string, unknown> {
  return Object.fromEntries(fields.map(({ name }, at) => [name, row[at] ?? null]));
}

/** Rows of a batch that the table refuses, by number, with the reason. */
const refusals = new WeakMap<Batch, Map<number, string>>();

export function refusedOf(batch: Batch): Map<number, string> {
  const known = refusals.get(batch) ?? new Map<number, string>();
  refusals.set(batch, known);
  return known;
}
