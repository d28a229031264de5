import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Batch } from '../connectors/batch.ts';
import type { Row } from '../connectors/canonical.ts';
import { recordKey } from '../connectors/http/write/idempotency.ts';
import type { WriteRequest } from '../connectors/contract.ts';
import type { Note, Round } from './note.ts';
import type { StreamPlan } from './plan/plan.ts';
import { roundOf, versionsOf } from './round.ts';

const planOf = (key: readonly string[], cursor?: string): StreamPlan =>
  ({ read: { stream: 's', fields: ['id', 'at', 'price'], key, filters: [], ...(cursor && { cursor }) } }) as unknown as StreamPlan;
const KEYED = planOf(['id'], 'at');
const WHOLE = planOf(['id']);
const KEYLESS = planOf([], 'at');
const START: Round = { id: 'run_1', rows: 0 };
const OWNER = { owner: 'sync/s', stream: 's' } as WriteRequest;

/** What an API would see of these rows, when they come in batches that end at these places: only the price is mapped. */
function keysOf(plan: StreamPlan, rows: readonly Row[], cuts: readonly number[], round: Round = START, operation?: 'delete'): string[] {
  const ends = [...new Set([...cuts.filter((cut) => cut < rows.length), rows.length])].sort((a, b) => a - b);
  const keys: string[] = [];
  for (const [i, end] of ends.entries()) {
    const from = ends[i - 1] ?? 0;
    const batch = Batch.ofRows(rows.slice(from, end), { position: `p${end}`, ...(operation && { operation }) });
    const told = batch.telling(versionsOf(plan, 1, { ...round, rows: round.rows + from }, batch, { origin: undefined }));
    batch.rows.forEach((row, index) => keys.push(recordKey(OWNER, told, index, { path: '/', body: JSON.stringify(row[2] ?? null) })));
  }
  return keys;
}

const cuts = fc.array(fc.nat(40), { maxLength: 6 });
/** Versions of records in the order in which they were written; each has a time of its own, prices come again and again. */
const history = fc.array(fc.record({ id: fc.nat(8), price: fc.constantFrom('10', '12') }), { minLength: 1, maxLength: 30 });

test('the same version of a record has the same key however batches are cut and whatever moved; another version has another', () => {
  fc.assert(
    fc.property(history, fc.nat(30), fc.nat(30), cuts, cuts, (changes, sooner, later, first, second) => {
      const written = changes.map(({ id, price }, at): Row => [String(id), String(at), price]);
      /** What a source shows of it at a moment: of each record its last version, by time. */
      const shown = (moment: number): Row[] =>
        written.slice(0, moment + 1).filter(([id], at, all) => !all.slice(at + 1).some(([other]) => other === id));
      const keys = new Map<string, string>();
      for (const [rows, places] of [
        [shown(Math.min(sooner, later)), first],
        [shown(Math.max(sooner, later)), second],
      ] as const)
        for (const [i, key] of keysOf(KEYED, rows, places).entries()) {
          const [id, at] = rows[i] as Row;
          const version = `${id} ${at}`;
          assert.equal(keys.get(version) ?? key, key, 'the same version');
          keys.set(version, key);
        }
      assert.equal(new Set(keys.values()).size, keys.size, 'other versions');
    }),
  );
});

test('rows without a key are told apart by their place in the round, however they are cut; equal ones are two', () => {
  fc.assert(
    fc.property(history, cuts, cuts, (rows, first, second) => {
      const equal = rows.map(({ price }): Row => [null, '0', price]);
      const keys = keysOf(KEYLESS, equal, first);
      assert.deepEqual(keysOf(KEYLESS, equal, second), keys);
      assert.equal(new Set(keys).size, keys.length);
      // From the middle of it, as another try goes on.
      const half = Math.floor(equal.length / 2);
      assert.deepEqual(keysOf(KEYLESS, equal.slice(half), second, { ...START, rows: half }), keys.slice(half));
    }),
  );
});

test('without a cursor a record is the same within a round, and not beyond; so is what is deleted', () => {
  const rows: Row[] = [
    ['1', null, '10'],
    ['2', null, '10'],
  ];
  assert.deepEqual(keysOf(WHOLE, rows, [1]), keysOf(WHOLE, rows, []));
  const next = keysOf(WHOLE, rows, [], { id: 'run_2', rows: 0 });
  assert.equal(new Set([...keysOf(WHOLE, rows, []), ...next]).size, 4);
  // Deleted, made again and deleted again: both count.
  const gone = keysOf(KEYED, [['1'], ['1']], [1], START, 'delete');
  assert.equal(new Set(gone).size, 2);
  assert.deepEqual(keysOf(KEYED, [['1'], ['1']], [], START, 'delete'), gone);
});

test('a round goes on until it has come to its end, whichever run does it, and not into another generation', () => {
  const counts = {} as Note['counts'];
  const note = (more: Partial<Note>): Note => ({
    run: 'run_1',
    generation: 1,
    finished: false,
    counts,
    round: { id: 'run_0', rows: 9 },
    ...more,
  });
  const of = (known: Note | undefined) => roundOf({ id: 'run_2' } as never, { generation: 1 } as never, known);
  assert.deepEqual(of(note({})), { round: { id: 'run_0', rows: 9 }, isNew: false });
  for (const other of [undefined, note({ finished: true }), note({ generation: 2 })])
    assert.deepEqual(of(other), { round: { id: 'run_2', rows: 0 }, isNew: true });
});
