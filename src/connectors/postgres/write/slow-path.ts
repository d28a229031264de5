import { Batch } from '../../batch.ts';
import { bisect } from '../../bisect.ts';
import type { Row } from '../../canonical.ts';
import type { Changes, Field, Settle, WriteResult } from '../../contract.ts';
import { encodeRows } from '../../lines.ts';
import { NOTHING } from '../../sql-target/outcome.ts';
import type { Link } from '../wire/link.ts';
import { sortOutKeys, toRecord } from './keys.ts';
import { rejectsOf } from './refusals.ts';
import { settled } from './settling.ts';
import type { RowWay } from './states.ts';
import { inTransaction, type PostgresTarget } from './target.ts';
import { copyStatement, countsOf, prepareWay } from './ways.ts';
import type { Writing } from './writing.ts';

/**
 * Writes a batch of which something cannot be written: rows without a key, the same key twice, values that the table
 * refuses. Good rows get in, the others come back, and all is one transaction with the position.
 */
export async function writeSlowly(writing: Writing, batch: Batch, settle: Settle | undefined): Promise<WriteResult> {
  const { target, checkpoint: before } = writing;
  const { link, request } = target;
  const fields =
    batch.operation === 'delete' ? request.key.map((name) => request.fields.find((field) => field.name === name) as Field) : request.fields;
  const hasKey = request.mode !== 'append' && batch.operation === 'write' && request.key.length > 0;
  const { kept: indexes, rejects } = hasKey ? sortOutKeys(batch.rows, fields, target.keys) : { kept: [...batch.rows.keys()], rejects: [] };
  const pieces = batch.hasLines ? splitLines(batch.lines) : undefined;
  // A key that is there already is no fault of its row.
  const way = writing.way === 'direct' ? 'merge' : writing.way;
  await link.run('rollback');
  await prepareWay(target, way, batch);
  return inTransaction(target, async () => {
    const changes: Changes = { ...NOTHING };
    const bad = await bisect(indexes, (slice) => writeSlice(target, way, { batch, pieces }, slice, changes));
    const refused = await rejectsOf(
      target,
      bad.map(({ index, error }) => {
        const place = indexes[index] as number;
        return { index: place, row: toRecord(fields, batch.rows[place] as Row), error };
      }),
    );
    const all = [...rejects, ...refused].sort((a, b) => (a.index ?? 0) - (b.index ?? 0));
    const { result, checkpoint } = await settled({ target, way, checkpoint: before }, batch, { ...changes, rejects: all }, settle);
    await writing.commit(checkpoint);
    return result;
  });
}

async function writeSlice(
  target: PostgresTarget,
  way: RowWay,
  { batch, pieces }: { batch: Batch; pieces: readonly Buffer[] | undefined },
  slice: readonly number[],
  changes: Changes,
): Promise<void> {
  const { link } = target;
  const rows = slice.map((index) => batch.rows[index] as Row);
  const part = Batch.ofRows(rows, { position: batch.position, operation: batch.operation });
  const empty =
    way === 'merge' && batch.operation === 'write'
      ? '; truncate pg_temp.syncline_rows'
      : batch.operation === 'delete'
        ? '; truncate pg_temp.syncline_keys'
        : '';
  // Bytes that are no text would be changed by way of a string: the target shall see and refuse them.
  const lines = pieces ? Buffer.concat(slice.map((index) => pieces[index] as Buffer)) : encodeRows(rows);
  const { copied, rows: answer } = await link
    .copyIn(`savepoint slice; ${copyStatement(target, way, part)}${empty}; release savepoint slice`, lines)
    .catch(async (error: unknown) => {
      await rollBack(link);
      throw error;
    });
  const counted = countsOf(way, part, copied, answer[0]);
  for (const name of Object.keys(changes) as (keyof Changes)[]) changes[name] += counted[name];
}

async function rollBack(link: Link): Promise<void> {
  await link.run('rollback to savepoint slice').catch(() => {});
}

function splitLines(lines: Buffer): Buffer[] {
  const pieces: Buffer[] = [];
  for (let start = 0; start < lines.length; ) {
    const end = lines.indexOf(0x0a, start) + 1;
    pieces.push(lines.subarray(start, end));
    start = end;
  }
  return pieces;
}
