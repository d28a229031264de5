import fc from 'fast-check';
import type { Value } from '../../src/connectors/canonical.ts';
import type { LoggedRow, TargetChange } from '../../src/connectors/changes.ts';
import type { Changes } from '../../src/connectors/contract.ts';

const anyId = fc.integer({ min: 1, max: 9 }).map(String);
const anyStream = fc.integer({ min: 0, max: 1 });
const anyRow = fc.tuple(anyId, fc.constantFrom('a', 'b', null), fc.constantFrom('c', 'd', null, undefined));
const wholeRow = fc.tuple(anyId, fc.constantFrom('a', 'b', null), fc.constantFrom('c', null));
/** Changes of two streams with a key of one field, and two fields more. */
export const anyChange: fc.Arbitrary<TargetChange> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ op: fc.constant('insert' as const), stream: anyStream, row: wholeRow }) },
  { weight: 8, arbitrary: fc.record({ op: fc.constant('update' as const), stream: anyStream, row: anyRow }) },
  { weight: 3, arbitrary: fc.record({ op: fc.constant('update' as const), stream: anyStream, row: anyRow, key: fc.tuple(anyId) }) },
  { weight: 5, arbitrary: fc.record({ op: fc.constant('delete' as const), stream: anyStream, key: fc.tuple(anyId) }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('truncate' as const), stream: anyStream }) },
);

/** Makes changes one by one in memory, and tells what came of them. A key that is taken refuses a row that is to get it. */
export function modelled(
  streams: readonly Map<string, Value[]>[],
  changes: readonly TargetChange[],
): { changed: Changes[]; rejects: number[] } {
  const changed = streams.map((): Changes => ({ inserted: 0, updated: 0, unchanged: 0, deleted: 0 }));
  const rejects: number[] = [];
  for (const [index, change] of changes.entries()) {
    const rows = streams[change.stream] as Map<string, Value[]>;
    const sum = changed[change.stream] as Changes;
    if (change.op === 'truncate') {
      sum.deleted += rows.size;
      rows.clear();
    } else if (change.op === 'delete') sum[rows.delete(change.key[0] as string) ? 'deleted' : 'unchanged']++;
    else {
      const [id, ...values] = change.row as [string, ...LoggedRow];
      const before = change.op === 'update' ? (change.key?.[0] ?? id) : id;
      const old = rows.get(before);
      const taken = rows.get(id);
      if (old && before !== id && taken && !change.mayBeThere) rejects.push(index);
      else if (!old && !taken && values.includes(undefined)) sum.unchanged++;
      else if (!old && before !== id && values.includes(undefined) && !change.mayBeThere) sum.unchanged++;
      else {
        const from = before !== id && old && taken ? taken : (old ?? taken);
        sum[from ? 'updated' : 'inserted']++;
        rows.delete(before);
        rows.set(
          id,
          values.map((value, i) => (value === undefined ? (from?.[i] ?? null) : value)),
        );
      }
    }
  }
  return { changed, rejects };
}
