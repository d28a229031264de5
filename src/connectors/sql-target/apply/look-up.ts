import type { Row, Value } from '../../canonical.ts';
import type { ApplyRequest } from '../../changes.ts';
import { type ChangeReject, type KeyedStream, type Placed, placed, recordOf } from './placed.ts';

interface LookedUp {
  /** All changes, with whole rows in the place of those that were missing. */
  readonly completed: readonly Placed[];
  /** Those that nobody has any more: their end stands further on in the log. */
  readonly gone: readonly Placed[];
  readonly rejects: readonly ChangeReject[];
}

/**
 * Completes updates of rows that the target lacks and whose log leaves something out. What the source has of them now is newer than the
 * change, but the changes between are still to come, and lead there again.
 */
export async function lookedUp(
  streams: readonly KeyedStream[],
  changes: readonly Placed[],
  missing: readonly Placed[],
  lookUp: ApplyRequest['lookUp'],
): Promise<LookedUp> {
  const isMissing = new Set(missing);
  if (!lookUp) {
    const reason = 'The row is not there, and the log of the source does not tell all of its values.';
    const rejects = missing.map(({ change, place }) => ({
      index: place,
      stream: change.stream,
      row: recordOf(streams[change.stream] as KeyedStream, change),
      reason,
    }));
    return { completed: changes.filter((one) => !isMissing.has(one)), gone: [], rejects };
  }
  const rows = new Map<Placed, Row>();
  for (const [stream, of] of Map.groupBy(missing, ({ change }) => change.stream)) {
    const shape = streams[stream] as KeyedStream;
    const found = await lookUp(
      stream,
      of.map((one) => keyOf(shape, one)),
    );
    const byKey = new Map(found.map((row) => [identityOf(streams, stream, row), row]));
    for (const one of of) {
      const row = one.key === undefined ? undefined : byKey.get(one.key);
      if (row) rows.set(one, row);
    }
  }
  const completed = changes.flatMap((one): Placed[] => {
    if (!isMissing.has(one)) return [one];
    const row = rows.get(one);
    return row ? [{ ...one, before: undefined, change: { op: 'insert', stream: one.change.stream, row, mayBeThere: true } }] : [];
  });
  return { completed, gone: missing.filter((one) => !rows.has(one)), rejects: [] };
}

function keyOf({ fields, key }: KeyedStream, { change }: Placed): Value[] {
  const row = 'row' in change ? change.row : [];
  return key.map((name) => row[fields.findIndex((field) => field.name === name)] ?? null);
}

function identityOf(streams: readonly KeyedStream[], stream: number, row: Row): Placed['key'] {
  return placed(streams, [{ op: 'insert', stream, row }]).good[0]?.key;
}
