import type { Reject } from '../../batch.ts';
import { OutsideError } from '../../../outside/errors.ts';
import { decodeRows } from '../../lines.ts';
import { LineMaker } from '../read/line-maker.ts';
import { literal, quote } from '../catalogue/literals.ts';
import type { StageMerge } from './merge.ts';
import { constraintsOf, refusalOf } from './refusals.ts';
import { isDataError } from '../wire/server-errors.ts';

/** With more rows than this that cannot be brought into the table at the end, something else is wrong. */
const MOST_REJECTS = 1000;
const BATCH_BYTES = 64 * 1024;

/** Tries the rows of a stage one by one that were left out, to hear why. One that gets in after all is no reject. */
export async function refusedRows(
  merge: StageMerge,
  from: string,
  names: readonly string[],
  write: (only: StageMerge) => Promise<number>,
): Promise<{ written: number; rejects: Reject[] }> {
  const rows = await rowsOf(merge, from);
  if (rows.length > MOST_REJECTS)
    throw new OutsideError(
      'config',
      'TOO_MANY_REJECTS',
      `More than ${MOST_REJECTS} rows break a unique index, a foreign key or a check of "${merge.table}".`,
      {
        hint: 'The table is as it was. Look at the constraints of the table: they may not fit this source.',
      },
    );
  const constraints = rows.length > 0 ? await constraintsOf(merge.wire, merge.table) : new Map<string, string[]>();
  let written = 0;
  const rejects: Reject[] = [];
  for (const values of rows) {
    const row = Object.fromEntries(names.map((name, i) => [name, values[i] ?? null]));
    await merge.wire.run('savepoint trying');
    try {
      written += await write({ ...merge, where: [merge.where, ...isRow(merge, values)].join(' and ') });
    } catch (error) {
      if (!isDataError(error)) throw error;
      await merge.wire.run('rollback to savepoint trying');
      rejects.push({ row, ...refusalOf({ names, row, error }, constraints) });
    }
  }
  return { written, rejects };
}

/** As canonical values, in the order of the columns. */
async function rowsOf({ wire, columns }: StageMerge, from: string): Promise<(readonly (string | null)[])[]> {
  const rows: (readonly (string | null)[])[] = [];
  const maker = new LineMaker(columns, {
    batchBytes: BATCH_BYTES,
    zeroDates: 'null',
    emit: ({ lines }) => void rows.push(...decodeRows(lines)),
  });
  const list = columns.map(({ expression }) => expression).join(', ');
  await wire.stream(`select ${list} from (select s.* from ${from} limit ${MOST_REJECTS + 1}) s`, maker);
  maker.flush();
  return rows;
}

function isRow({ columns, key }: StageMerge, values: readonly (string | null)[]): string[] {
  return key.map((name) => {
    const place = columns.findIndex((column) => column.name === name);
    return `s.${quote(name)} = ${literal(columns[place]?.field.type ?? 'text', values[place] ?? null, `"${name}"`)}`;
  });
}
