import assert from 'node:assert/strict';
import type { Row } from '../canonical.ts';
import type { Applier, ApplyRequest, AppliedTo, TargetChange } from '../changes.ts';
import type { Field } from '../contract.ts';
import { OutsideError } from '../../outside/errors.ts';
import { assertFails, type Case, type Kit } from './kit.ts';
import { counts, insert, maybe, PLAIN_FIELDS, remove, update } from './made-changes.ts';

const LATE: Field = { name: 'late', type: 'int64', nullable: true };

/** Changes of several streams, applied. */
export const applyCases: readonly Case[] = [
  {
    name: 'changes are made in their order and counted, over several streams',
    run: async (kit) => {
      const bench = new ApplyBench(kit, 2);
      const applier = await bench.open();
      const { counts: first, rejects } = await applier.apply({
        changes: [
          insert(['1', 'a']),
          insert(['1', 'b'], 1),
          insert(['2', null]),
          update(['1', 'A']),
          update(['1', 'AA']),
          remove('2'),
          insert(['2', '']),
          update(['3', 'moved'], ['1']),
          update(['9', 'not there before'], undefined, 1),
          remove('77'),
        ],
        position: 'p',
      });
      assert.deepEqual([first, rejects], [[counts(3, 3, 1, 1), counts(2, 0, 0)], []]);
      await bench.holds([
        [
          ['2', ''],
          ['3', 'moved'],
        ],
        [
          ['1', 'b'],
          ['9', 'not there before'],
        ],
      ]);
      const second = await applier.apply({ changes: [{ op: 'truncate', stream: 0 }, insert(['5', 'e'])], position: 'q' });
      assert.deepEqual(second.counts[0], counts(1, 0, 2));
      await bench.holds([[['5', 'e']]]);
      await applier.close();
    },
  },
  {
    name: 'every change is made, also one that changes nothing; where it may be there already, what is as it should be is left alone',
    run: async (kit) => {
      const bench = new ApplyBench(kit);
      const applier = await bench.open();
      await applier.apply({
        changes: [insert(['1', 'a']), insert(['2', 'b']), insert(['4', 'moved']), insert(['5', 'old'])],
        position: 'o',
      });
      const again = await applier.apply({ changes: [update(['1', 'a'])], position: 'p' });
      assert.deepEqual(again.counts, [counts(0, 1, 0)]);
      const changes = [
        insert(['1', 'a']),
        update(['2', 'B']),
        update(['3', 'c']),
        update(['4', 'moved'], ['5']),
        update(['7', 'seven'], ['6']),
        remove('8'),
        insert(['2', 'B']),
      ];
      const { counts: changed, rejects } = await applier.apply({ changes: changes.map(maybe), position: 'q' });
      assert.deepEqual(rejects, []);
      assert.deepEqual([changed[0]?.inserted, (changed[0]?.unchanged ?? 0) >= 3], [2, true]);
      await bench.holds([
        [
          ['1', 'a'],
          ['2', 'B'],
          ['3', 'c'],
          ['4', 'moved'],
          ['7', 'seven'],
        ],
      ]);
      await applier.close();
    },
  },
  {
    name: 'what a change does not tell stays, and is looked up where the row is not there',
    run: async (kit) => {
      const bench = new ApplyBench(kit);
      const asked: unknown[] = [];
      const applier = await bench.open({
        lookUp: async (stream, keys) => {
          asked.push(...keys.map((key) => [stream, ...key]));
          return keys.filter(([id]) => id !== '9').map(([id]) => [id ?? null, 'now']);
        },
      });
      await applier.apply({ changes: [insert(['1', 'a']), insert(['2', 'b'])], position: 'o' });
      const changes = [update(['1', undefined]), update(['3', undefined], ['2']), update(['5', undefined]), update(['9', undefined])];
      const { counts: changed } = await applier.apply({ changes, position: 'p' });
      assert.deepEqual(asked, [
        [0, '5'],
        [0, '9'],
      ]);
      assert.deepEqual(changed, [counts(1, 2, 0, 1)]);
      await bench.holds([
        [
          ['1', 'a'],
          ['3', 'b'],
          ['5', 'now'],
        ],
      ]);
      await applier.close();
      const blind = await bench.open();
      const { rejects } = await blind.apply({ changes: [insert(['6', 'x']), update(['77', undefined])], position: 'q' });
      assert.deepEqual(
        rejects.map(({ index }) => index),
        [1],
      );
      await blind.close();
    },
  },
  {
    name: 'a transaction in several sets is seen when its position has come, and not before',
    run: async (kit) => {
      const bench = new ApplyBench(kit, 2);
      const applier = await bench.open();
      await applier.apply({ changes: [insert(['1', 'a']), insert(['1', 'a'], 1)], position: 'p1' });
      await applier.apply({ changes: [update(['1', 'b']), insert(['2', 'b'])] });
      await applier.apply({ changes: [update(['1', 'b'], undefined, 1), { op: 'truncate', stream: 1 }] });
      await applier.apply({ changes: [insert(['4', 'd'], 1), update(['1', 'c'])] });
      assert.equal(applier.checkpoint, 'p1');
      await bench.holds([[['1', 'a']], [['1', 'a']]]);
      await applier.apply({ changes: [remove('2')], position: 'p2' });
      await bench.holds([[['1', 'c']], [['4', 'd']]]);
      await applier.close();
    },
  },
  {
    name: 'position and note are committed with the changes; what fails is taken back to the last position, and can be given again',
    run: async (kit) => {
      const bench = new ApplyBench(kit);
      const applier = await bench.open();
      assert.deepEqual([applier.checkpoint, applier.note], [undefined, undefined]);
      await applier.apply({ changes: [insert(['1', 'a'])], position: 'p1' }, ({ counts: [first] }) => `inserted ${first?.inserted}`);
      await applier.apply({ changes: [insert(['2', 'b'])] });
      const failing = applier.apply({ changes: [insert(['3', 'c'])], position: 'p2' }, () => {
        throw new Error('not now');
      });
      await assert.rejects(failing, /not now/);
      assert.deepEqual([applier.checkpoint, applier.note], ['p1', 'inserted 1']);
      await bench.holds([[['1', 'a']]]);
      await applier.apply({ changes: [insert(['2', 'b'])] });
      await applier.apply({ changes: [insert(['3', 'c'])], position: 'p2' }, async () => 'note 2');
      await applier.apply({ changes: [insert(['4', 'never committed'])] });
      await applier.close();
      const next = await bench.open();
      assert.deepEqual([next.checkpoint, next.note], ['p2', 'note 2']);
      await next.apply({ changes: [], position: 'p3' });
      await next.close();
      const last = await bench.open();
      assert.deepEqual([last.checkpoint, last.note], ['p3', 'note 2']);
      await bench.holds([
        [
          ['1', 'a'],
          ['2', 'b'],
          ['3', 'c'],
        ],
      ]);
      await last.close();
      const anew = await bench.open({ resume: (note) => note !== 'note 2' });
      assert.deepEqual([anew.checkpoint, anew.note], [undefined, undefined]);
      await anew.close();
    },
  },
  {
    name: 'a worker whose work was taken over applies nothing more',
    run: async (kit) => {
      const bench = new ApplyBench(kit);
      const first = await bench.open({ token: 5n });
      await first.apply({ changes: [insert(['1', 'a'])], position: 'p1' });
      const second = await bench.open({ token: 6n });
      assert.equal(second.checkpoint, 'p1');
      await assertFails(() => first.apply({ changes: [insert(['2', 'b'])], position: 'p2' }), 'fenced', /./, 'the worker before');
      await second.apply({ changes: [update(['1', 'c'])], position: 'p2' });
      await bench.holds([[['1', 'c']]]);
      await assertFails(() => bench.open({ token: 5n }), 'fenced', /./, 'an older token');
      await first.close();
      await second.close();
    },
  },
  {
    name: 'what the target refuses comes back with its place, and the others get in',
    run: async (kit) => {
      const bench = new ApplyBench(kit, 2);
      const applier = await bench.open();
      const changes: TargetChange[] = Array.from({ length: 300 }, (_, at) => insert([String(at), 'good']));
      changes[100] = insert(['many', 'no number']);
      changes[200] = insert([null, 'no key']);
      changes[299] = insert(['7', 'beside'], 1);
      const told: unknown[] = [];
      const settle = ({ rejects }: Awaited<ReturnType<Applier['apply']>>): string => {
        told.push(...rejects.map(({ index, stream, reason }) => [index, stream, reason.length > 0]));
        return 'noted';
      };
      const { counts: changed } = await applier.apply({ changes, position: 'p' }, settle);
      assert.deepEqual(told, [
        [100, 0, true],
        [200, 0, true],
      ]);
      assert.deepEqual(changed, [counts(297, 0, 0), counts(1, 0, 0)]);
      assert.equal((await bench.contents(0)).length, 297);
      await applier.close();
    },
  },
  {
    name: 'rows that are gone are removed, marked or kept',
    run: async (kit) => {
      const bench = new ApplyBench(kit, 3);
      const deletes = ['delete', 'mark', 'keep'] as const;
      const applier = await bench.open({ streams: bench.streams.map((stream, at) => ({ ...stream, deletes: deletes[at] ?? 'keep' })) });
      const each = (...changes: ((stream: number) => TargetChange)[]): TargetChange[] =>
        [0, 1, 2].flatMap((stream) => changes.map((change) => change(stream)));
      const rows = ['1', '2', '3'].map((id) => (stream: number) => insert([id, 'a'], stream));
      const gone = ['1', '2'].map((id) => (stream: number) => remove(id, stream));
      const first = await applier.apply({ changes: each(...rows, ...gone, (at) => insert(['2', 'B'], at)), position: 'p' });
      assert.deepEqual(first.counts, [counts(4, 0, 2), counts(3, 1, 2), counts(3, 1, 0, 2)]);
      assert.deepEqual(await Promise.all([0, 1, 2].map(async (at) => (await bench.contents(at)).length)), [2, 3, 3]);
      const second = await applier.apply({
        changes: each(
          (stream) => ({ op: 'truncate', stream }),
          (at) => update(['1', 'back'], undefined, at),
        ),
        position: 'q',
      });
      assert.deepEqual(second.counts, [counts(1, 0, 2), counts(0, 1, 2), counts(0, 1, 0)]);
      await applier.close();
    },
  },
  {
    name: 'streams are made, and extended between two changes',
    run: async (kit) => {
      const bench = new ApplyBench(kit);
      const applier = await bench.open();
      const wide = [...PLAIN_FIELDS, LATE];
      await applier.apply({ changes: [insert(['1', 'a'])], position: 'p1' });
      const giveAll = async (): Promise<void> => {
        await applier.apply({ changes: [update(['1', 'b'])] });
        await applier.extend(0, wide);
        await applier.apply({ changes: [insert(['2', 'c', '5']), update(['1', 'd', '2'])] });
        await applier.apply({ changes: [update(['2', 'e', undefined])], position: 'p2' });
      };
      // Where a table cannot be changed within a transaction, it is changed before, and the transaction is given again.
      await giveAll().catch((error: unknown) => {
        assert.ok(error instanceof OutsideError && error.code === 'TABLE_CHANGED', String(error));
        return giveAll();
      });
      kit.assertSame(wide, await bench.contents(0, wide), [
        ['1', 'd', '2'],
        ['2', 'e', '5'],
      ]);
      await applier.close();
    },
  },
  {
    name: 'changes of streams without a key, and of streams that are not there and are not to be made, are refused in words',
    run: async (kit) => {
      const bench = new ApplyBench(kit);
      const asked = (change: Partial<AppliedTo>) => () =>
        bench.open({ streams: bench.streams.map((stream) => ({ ...stream, ...change })) });
      await assertFails(asked({ key: [] }), 'config', 'KEY_MISSING', 'a stream without a key');
      await assertFails(asked({ create: false }), 'config', 'STREAM_MISSING', 'a stream that is not there');
    },
  },
  {
    name: 'a target that dies in the middle of a transaction has nothing of it',
    run: async (kit) => {
      const cut = kit.hook('cut');
      if (!cut) return;
      const bench = new ApplyBench(kit);
      const applier = await bench.open();
      await applier.apply({ changes: [insert(['1', 'a'])], position: 'p1' });
      await applier.apply({ changes: [insert(['2', 'b'])] });
      await cut();
      const error = await applier.apply({ changes: [insert(['3', 'c'])], position: 'p2' }).catch((fault: unknown) => fault);
      assert.ok(error instanceof OutsideError && error.kind === 'transient', String(error));
      const next = await bench.open();
      assert.equal(next.checkpoint, 'p1');
      await bench.holds([[['1', 'a']]]);
      await next.apply({ changes: [insert(['2', 'b']), insert(['3', 'c'])], position: 'p2' });
      assert.equal((await bench.contents(0)).length, 3);
      await next.close();
    },
  },
];

/** Streams that changes are applied to; the target makes them. */
class ApplyBench {
  readonly #kit: Kit;
  readonly streams: readonly AppliedTo[];
  #token = 10n;

  constructor(kit: Kit, count = 1) {
    this.#kit = kit;
    this.streams = Array.from({ length: count }, () => ({ stream: kit.name('applied'), fields: PLAIN_FIELDS, key: ['id'], create: true }));
  }

  async open(options: Partial<ApplyRequest> = {}): Promise<Applier> {
    const session = await this.#kit.session();
    const applier = session.apply?.({ streams: this.streams, owner: this.#kit.owner('apply'), token: ++this.#token, ...options });
    assert.ok(applier, 'a session of a connector that applies changes can do so');
    return applier;
  }

  contents(at: number, fields = PLAIN_FIELDS): Promise<readonly Row[]> {
    return this.#kit.contents({ name: this.streams[at]?.stream ?? '', fields, key: ['id'] });
  }

  /** Looks at the streams by another way. */
  async holds(expected: readonly (readonly Row[])[]): Promise<void> {
    for (const [at, rows] of expected.entries()) this.#kit.assertSame(PLAIN_FIELDS, await this.contents(at), rows);
  }
}
