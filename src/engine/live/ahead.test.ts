import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Change, ChangeSet, Following } from '../../connectors/changes.ts';
import { BATCH_BYTES } from '../../connectors/contract.ts';
import { ahead } from './ahead.ts';

const log = { isBefore: (one: string, other: string): boolean => Number(one) < Number(other) };
const source = { role: 'source', name: 'shop' } as const;
const row = (id: number): Change => ({ op: 'insert', stream: 0, row: [String(id)] });
const whole = (position: number, bytes = 10): ChangeSet => ({ changes: [row(position)], bytes, position: String(position) });
const piece = (id: number): ChangeSet => ({ changes: [row(id)], bytes: BATCH_BYTES });

/** A log that has told all of this already, and counts what was asked for. */
function told(sets: readonly ChangeSet[], failure?: Error): Following & { asked: number } {
  return {
    asked: 0,
    acknowledge: () => {},
    lookUp: async () => [],
    async *[Symbol.asyncIterator]() {
      for (const set of sets) {
        this.asked++;
        yield set;
      }
      if (failure) throw failure;
    },
  };
}

/** What a slow target is given, by the positions of the changes in each set. */
async function given(following: Following, milestones: readonly string[] = []): Promise<string[]> {
  const sets: string[] = [];
  for await (const { changes, position = '…' } of ahead(following, { source, log, milestones })) {
    sets.push(`${changes.map((change) => ('row' in change ? change.row[0] : change.op)).join(' ')} @${position}`);
    // All that can be read meanwhile is read.
    for (let turn = 0; turn < 50; turn++) await Promise.resolve();
  }
  return sets;
}

describe('reading ahead', () => {
  test('puts whole transactions together that come while the target is at work', async () => {
    assert.deepEqual(await given(told([whole(1), whole(2), whole(3), whole(4)])), ['1 @1', '2 3 4 @4']);
  });

  test('puts nothing together across a milestone', async () => {
    assert.deepEqual(await given(told([whole(1), whole(2), whole(3), whole(4)]), ['3']), ['1 @1', '2 3 @3', '4 @4']);
  });

  test('leaves pieces of a transaction alone, and what stands before and behind them', async () => {
    const sets = [whole(1), whole(2), piece(7), piece(8), whole(9), whole(10)];
    assert.deepEqual(await given(told(sets)), ['1 @1', '2 @2', '7 @…', '8 @…', '9 10 @10']);
  });

  test('reads no more ahead than two sets', async () => {
    const large = told(Array.from({ length: 9 }, (_, n) => whole(n + 1, BATCH_BYTES)));
    const sets = ahead(large, { source, log, milestones: [] });
    await sets.next();
    for (let turn = 0; turn < 50; turn++) await Promise.resolve();
    assert.equal(large.asked, 2);
    await sets.return(undefined);
  });

  test('asks one who reads ahead himself only when the set is wanted', async () => {
    const himself = Object.assign(told([whole(1), whole(2), whole(3)]), { readsAhead: true as const });
    const sets = ahead(himself, { source, log, milestones: [] });
    assert.equal((await sets.next()).value?.position, '1');
    for (let turn = 0; turn < 50; turn++) await Promise.resolve();
    assert.equal(himself.asked, 1);
    assert.equal((await sets.next()).value?.position, '2');
    await sets.return(undefined);
    const failing = Object.assign(told([whole(1)], new Error('gone')), { readsAhead: true as const });
    await assert.rejects(given(failing), ({ cause }: Error) => cause instanceof Error && cause.message === 'gone');
  });

  test('gives what was told before it says what the source has failed with', async () => {
    const sets: unknown[] = [];
    const reading = async (): Promise<void> => {
      for await (const { position } of ahead(told([whole(1), whole(2)], new Error('gone')), { source, log, milestones: [] }))
        sets.push(position);
    };
    await assert.rejects(reading(), ({ cause }: Error) => cause instanceof Error && cause.message === 'gone');
    assert.deepEqual(sets.at(-1), '2');
  });
});
