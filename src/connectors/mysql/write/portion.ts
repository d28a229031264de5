import type { Batch, Reject } from '../../batch.ts';
import type { Row } from '../../canonical.ts';
import type { Field } from '../../contract.ts';
import { decodeRows, encodeRows } from '../../lines.ts';
import { isDataError } from '../wire/server-errors.ts';

/** Rows on their way into a table, and where each stood in its batch. */
export interface Portion {
  readonly lines: Buffer;
  readonly count: number;
  /** The place of each row in the batch, when it is not its place here. */
  readonly indexes: readonly number[] | undefined;
  readonly fields: readonly Field[];
}

/** Where each line begins, and the end of the last. */
export function lineStarts(lines: Buffer, count: number): number[] {
  const starts = [0];
  for (let i = 0, at = 0; i < count; i++) {
    at = lines.indexOf(0x0a, at) + 1;
    starts.push(at);
  }
  return starts;
}

/** One row of a portion, by its fields. */
export function rowAt({ lines, fields }: Portion, starts: readonly number[], index: number): Record<string, unknown> {
  const [row = []] = decodeRows(lines.subarray(starts[index], starts[index + 1]));
  return Object.fromEntries(fields.map(({ name }, i) => [name, row[i] ?? null]));
}

/** The rows but these. */
export function without(portion: Portion, refused: ReadonlyMap<number, unknown>): Portion {
  const starts = lineStarts(portion.lines, portion.count);
  const kept = Array.from({ length: portion.count }, (_, index) => index).filter((index) => !refused.has(index));
  return {
    lines: Buffer.concat(kept.map((index) => portion.lines.subarray(starts[index], starts[index + 1]))),
    count: kept.length,
    indexes: kept.map((index) => portion.indexes?.[index] ?? index),
    fields: portion.fields,
  };
}

/** The rows of a batch as lines. A row whose text has no UTF-8 is rejected. */
export function portionOf(batch: Batch, fields: readonly Field[]): { portion: Portion; rejects: Reject[] } {
  try {
    return { portion: { lines: batch.lines, count: batch.count, indexes: undefined, fields }, rejects: [] };
  } catch (error) {
    if (!isDataError(error)) throw error;
  }
  const good: Row[] = [];
  const indexes: number[] = [];
  const rejects: Reject[] = [];
  for (const [index, row] of batch.rows.entries()) {
    const bad = row.findIndex((value) => value !== null && !value.isWellFormed());
    if (bad === -1) {
      good.push(row);
      indexes.push(index);
    } else {
      const field = fields[bad]?.name;
      rejects.push({
        index,
        row: Object.fromEntries(fields.map(({ name }, i) => [name, row[i] ?? null])),
        ...(field !== undefined && { field }),
        reason: `Field "${field}": the text contains half of a surrogate pair.`,
      });
    }
  }
  return { portion: { lines: encodeRows(good), count: good.length, indexes, fields }, rejects };
}
