import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { NOTHING } from '../../sql-target/outcome.ts';
import {
  afterBatch,
  afterKey,
  type PostgresCheckpoint,
  forgotten,
  isUnderWay,
  joined,
  ofPart,
  type WriterState,
  told,
  wayAfter,
  wayOf,
} from './states.ts';

const count = fc.integer({ min: 0, max: 1000 });
const anyState: fc.Arbitrary<WriterState> = fc.record(
  {
    phase: fc.constant('load' as const),
    loaded: count,
    staged: count,
    spared: fc.constant(true as const),
    split: fc.record({ name: fc.constant('s'), count: fc.integer({ min: 1, max: 4 }) }),
    doubled: fc.integer({ min: 1, max: 9 }),
  },
  { requiredKeys: [] },
);
const anyBatch = fc.record({ operation: fc.constantFrom('write' as const, 'delete' as const), count });

describe('the state of a writer', () => {
  test('that is forgotten is that of nothing begun; a table without its key still lacks it', () => {
    fc.assert(
      fc.property(anyState, (state) => {
        const anew = forgotten({ position: 'here', note: 'noted', state });
        assert.deepEqual(anew, { position: null, note: null, state: state.phase ? { phase: 'load' } : {} } satisfies PostgresCheckpoint);
        assert.equal(isUnderWay(anew.state), false);
      }),
    );
  });

  test('counts what is loaded or collected, and nothing else changes', () => {
    fc.assert(
      fc.property(anyState, anyBatch, count, (state, batch, inserted) => {
        const { doubled: _, loaded, staged, ...rest } = state;
        const isCollected = batch.operation === 'write';
        assert.deepEqual(afterBatch(state, batch, { ...NOTHING, inserted, rejects: [] }), {
          ...rest,
          ...(loaded !== undefined && { loaded: loaded + inserted }),
          ...(staged !== undefined && { staged: isCollected ? staged + batch.count : staged }),
        });
      }),
    );
    assert.deepEqual(afterBatch({ staged: 1 }, { operation: 'write', count: 3 }, { ...NOTHING, rejects: [{ row: {}, reason: 'bad' }] }), {
      staged: 3,
    });
  });

  test('tells of doubles once, with the next outcome', () => {
    const keyed = afterKey({ phase: 'load', loaded: 10 }, 2, true);
    assert.deepEqual(keyed, { loaded: 8, doubled: 2 });
    const batch = { ...NOTHING, inserted: 5, rejects: [] };
    assert.deepEqual(told(keyed, batch), { inserted: 3, updated: 2, unchanged: 0, deleted: 0 });
    const after = afterBatch(keyed, { operation: 'write', count: 5 }, batch);
    assert.deepEqual([after, told(after, batch)], [{ loaded: 13 }, { inserted: 5, updated: 0, unchanged: 0, deleted: 0 }]);
    assert.deepEqual(afterKey({ phase: 'load' }, 2, false), {});
    assert.deepEqual(afterKey({ phase: 'load' }, 0, true), {});
  });

  test('of a whole is the same, whether its rows came at once or in parts', () => {
    fc.assert(
      fc.property(anyState, fc.array(fc.array(anyBatch), { minLength: 1, maxLength: 4 }), (any, parts) => {
        const { doubled: _, ...state } = any;
        const whole: WriterState = { ...state, split: { name: 's', count: parts.length } };
        const write = (from: WriterState, batch: (typeof parts)[number][number]): WriterState =>
          afterBatch(from, batch, { ...NOTHING, inserted: batch.count, rejects: [] });
        const atOnce = parts.flat().reduce(write, state);
        const { split: __, ...expected } = atOnce;
        assert.deepEqual(
          joined(
            whole,
            parts.map((batches) => batches.reduce(write, ofPart(whole))),
          ),
          expected,
        );
      }),
    );
  });

  test('says which way rows take, and that way goes on while nothing but counts changes', () => {
    const anyHow = fc.record({
      mode: fc.constantFrom('append' as const, 'upsert' as const, 'mirror' as const),
      hasKey: fc.boolean(),
      isEmpty: fc.boolean(),
    });
    fc.assert(
      fc.property(anyState, anyHow, anyBatch, (state, how, batch) => {
        const way = wayOf(state, how);
        assert.equal(way === 'stage', state.staged !== undefined);
        if (how.mode === 'append' || !how.hasKey) assert.ok(way === 'plain' || way === 'stage', 'nothing is compared without a key');
        assert.equal(wayAfter(way, state, afterBatch(state, batch, { ...NOTHING, rejects: [] })), way);
      }),
    );
    assert.equal(wayAfter('plain', { phase: 'load' }, {}), 'merge', 'the table got its key');
    assert.equal(wayAfter('plain', { phase: 'load', loaded: 3 }, { staged: 3 }), 'stage', 'a load was taken back');
    assert.equal(wayAfter('direct', { loaded: 3 }, { staged: 3 }), 'stage');
    assert.equal(wayAfter('direct', { loaded: 3 }, { loaded: 4 }), 'direct');
    assert.equal(wayAfter('merge', {}, {}), 'merge');
  });
});
