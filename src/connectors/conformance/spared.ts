import assert from 'node:assert/strict';
import { Batch } from '../batch.ts';
import { isCanonical, type Row } from '../canonical.ts';
import type { Changes, Field, Writer } from '../contract.ts';
import { MARK } from '../marks.ts';
import type { NewStream } from './harness.ts';
import { type Case, type Kit, keyOf, withValue } from './kit.ts';
import { numbers, start, sum } from './write.ts';

const ODD_KEY = ['text', 'binary', 'timestamptz', 'boolean', 'int64'] as const;

/** That a mirror does not take a row for gone because its newest version cannot be used. */
export const sparedCases: readonly Case[] = [
  {
    name: 'mirror leaves rows alone whose newest version cannot be used, also after a crash, and only this time',
    run: async (kit) => {
      if (!kit.abilities.deletes) return;
      const stream = await start(kit, 10);
      const keys = keysIn(kit, stream);
      const first = await kit.writer(stream, { mode: 'mirror' });
      await first.write(Batch.ofRows(numbers(kit, 1, 3), { position: '{"p":1}' }).sparing(keys(5, 99)));
      if (kit.abilities.checkpoints) await first.close();
      const writer = kit.abilities.checkpoints ? await kit.writer(stream, { mode: 'mirror' }) : first;
      await writer.write(Batch.ofRows([], { position: '{"p":2}' }).sparing(keys(6, 7)));
      await writer.write(Batch.ofRows([kit.shape.row(4, 1), kit.shape.row(11)], { position: '{"p":3}' }).sparing(keys(6)));
      await assertFinished(kit, writer, { inserted: 1, updated: 1, unchanged: 3, deleted: 3 });
      await kit.assertContents(stream, [...numbers(kit, 1, 3), kit.shape.row(4, 1), ...numbers(kit, 5, 7), kit.shape.row(11)]);
      const next = await kit.writer(stream, { mode: 'mirror' });
      await next.write(Batch.ofRows([...numbers(kit, 1, 3), kit.shape.row(4, 1)], { position: '{"p":1}' }).sparing(keys(6)));
      await assertFinished(kit, next, { inserted: 0, updated: 0, unchanged: 4, deleted: 3 });
      await kit.assertContents(stream, [...numbers(kit, 1, 3), kit.shape.row(4, 1), kit.shape.row(6)]);
    },
  },
  {
    name: 'mirror leaves rows alone whose newest version the target refuses',
    run: async (kit) => {
      if (!kit.abilities.deletes) return;
      const { fields, key, bad } = kit.shape;
      const hasKey = (row: Row): boolean =>
        keyOf({ fields, key }, row).every((value, at) => {
          const type = fields.find(({ name }) => name === key[at])?.type ?? 'text';
          return value !== null && isCanonical(type, value);
        });
      const turned = bad.filter(hasKey);
      const good = turned.map((row, at) =>
        key.reduce((made, name) => withValue(kit.shape, made, name, valueOf(kit, row, name)), kit.shape.row(20 + at)),
      );
      const stream = await kit.create({ name: kit.name('turned'), fields, key, rows: [...numbers(kit, 1, 5), ...good] });
      const writer = await kit.writer(stream, { mode: 'mirror' });
      const { rejects } = await writer.write(Batch.ofRows([...numbers(kit, 1, 2), ...bad, kit.shape.row(3, 1)], { position: '{"p":1}' }));
      assert.equal(rejects.length, bad.length);
      await assertFinished(kit, writer, { inserted: 0, updated: 1, unchanged: 2, deleted: 2 });
      await kit.assertContents(stream, [...numbers(kit, 1, 2), kit.shape.row(3, 1), ...good]);
    },
  },
  {
    name: 'mirror writes a row that came well, though another with its key could not be used',
    run: async (kit) => {
      const stream = await start(kit, 4);
      const keys = keysIn(kit, stream);
      const writer = await kit.writer(stream, { mode: 'mirror' });
      await writer.write(Batch.ofRows([kit.shape.row(1, 1), kit.shape.row(2, 1)], { position: '{"p":1}' }).sparing(keys(2, 3, 4)));
      await writer.write(Batch.ofRows([kit.shape.row(3, 1), kit.shape.row(9)], { position: '{"p":2}' }).sparing(keys(1)));
      await assertFinished(kit, writer, { inserted: 1, updated: 3, unchanged: 0, deleted: 0 });
      await kit.assertContents(stream, [...numbers(kit, 1, 3, 1), kit.shape.row(4), kit.shape.row(9)]);
    },
  },
  {
    name: 'mirror that marks or keeps: a row that cannot be used is neither marked nor freed of its mark',
    run: async (kit) => {
      if (!kit.abilities.deletes) return;
      const kept = await start(kit, 3);
      await mirror(kit, kept, numbers(kit, 1, 1, 1), [3], 'keep');
      await kit.assertContents(kept, [kit.shape.row(1, 1), ...numbers(kit, 2, 3)], 'keep');
      if (!kit.abilities.transactional) return;
      const stream = await start(kit, 4);
      const marks = async (): Promise<boolean[]> => {
        const rows = await kit.contents({ ...stream, fields: [...stream.fields, MARK] });
        const order = rows.toSorted((a, b) => Number(valueOf(kit, a, stream.key[0] ?? '')) - Number(valueOf(kit, b, stream.key[0] ?? '')));
        return order.map((row) => row.at(-1) !== null);
      };
      assert.equal((await mirror(kit, stream, numbers(kit, 1, 2), [3], 'mark')).deleted, 1);
      assert.deepEqual(await marks(), [false, false, false, true]);
      const { deleted, updated } = await mirror(kit, stream, numbers(kit, 1, 1), [3, 4], 'mark');
      assert.deepEqual([deleted, updated], [1, 0]);
      assert.deepEqual(await marks(), [false, true, false, true]);
    },
  },
  {
    name: 'mirror that begins anew, or is taken up after a refusal: the keys that count are those of its own rows',
    run: async (kit) => {
      if (!kit.abilities.checkpoints || !kit.abilities.deletes) return;
      const stream = await start(kit, 6);
      const keys = keysIn(kit, stream);
      const old = await kit.writer(stream, { mode: 'mirror' });
      await old.write(Batch.ofRows([], { position: '{"p":1}' }).sparing(keys(5)));
      await old.close();
      const anew = await kit.writer(stream, { mode: 'mirror', resume: () => false });
      await anew.write(Batch.ofRows(numbers(kit, 1, 2), { position: '{"p":1}' }).sparing(keys(6)), () => 'new');
      assert.equal((await anew.finish(() => false)).refused, true);
      await anew.close();
      await kit.assertContents(stream, numbers(kit, 1, 6), 'refused');
      const next = await kit.writer(stream, { mode: 'mirror', resume: (note) => note === 'new' });
      await assertFinished(kit, next, { inserted: 0, updated: 0, unchanged: 2, deleted: 3 });
      await kit.assertContents(stream, [...numbers(kit, 1, 2), kit.shape.row(6)]);
    },
  },
  {
    name: 'mirror finds the rows that it leaves alone by keys of any type; a key that no row can have does no harm',
    run: async (kit) => {
      if (!kit.isFree() || !kit.abilities.deletes) return;
      const fields = ODD_KEY.map((type): Field => ({ name: `a_${type}`, type, nullable: false }));
      const key = fields.map(({ name }) => name).toReversed();
      const rows = [1, 2, 3, 4].map(
        (n): Row => [`it's\t\\ "${n}"`, `\\x00ff0${n}`, `2026-01-0${n} 00:00:00.5+00`, n % 2 === 0 ? 't' : 'f', String(n)],
      );
      const stream = await kit.create({ name: kit.name('odd_keys'), fields, key, rows });
      const [one = [], two = [], three = []] = rows.map((row) => keyOf(stream, row));
      const named = (text: string): Row => [...one.slice(0, -1), text];
      const none: Row[] = [
        named('no\0thing'),
        named('half \ud800'),
        named('x'.repeat(100_000)),
        key.map(() => null),
        key.map(() => 'never'),
      ];
      const writer = await kit.writer(stream, { mode: 'mirror' });
      await writer.write(Batch.ofRows(rows.slice(0, 1), { position: '{"p":1}' }).sparing([two, ...none, three, two]));
      await assertFinished(kit, writer, { inserted: 0, updated: 0, unchanged: 1, deleted: 1 });
      await kit.assertContents(stream, rows.slice(0, 3));
    },
  },
  {
    name: 'nothing is spared where nothing can go: a first load, appending, upserting',
    run: async (kit) => {
      const loads = [
        ...kit.abilities.write.map((mode) => ({ mode, make: () => start(kit, 0) })),
        { mode: 'mirror' as const, make: () => kit.stream(0) },
      ];
      for (const { mode, make } of loads) {
        const stream = await make();
        const keys = keysIn(kit, stream);
        const writer = await kit.writer(stream, { mode, owner: `spare ${mode} ${stream.name}` });
        const results: Changes[] = [await writer.write(Batch.ofRows(numbers(kit, 1, 3), { position: '{"p":1}' }).sparing(keys(2, 7)))];
        results.push(await writer.write(Batch.ofRows([], { position: '{"p":2}' }).sparing(keys(8))));
        results.push(await writer.finish());
        await writer.close();
        assert.deepEqual(sum(results), { inserted: 3, updated: 0, unchanged: 0, deleted: 0 }, mode);
        await kit.assertContents(stream, numbers(kit, 1, 3), mode);
      }
    },
  },
];

function keysIn(kit: Kit, stream: NewStream): (...n: number[]) => Row[] {
  return (...n) => n.map((one) => keyOf(stream, kit.shape.row(one)));
}

function valueOf({ shape: { fields } }: Kit, row: Row, name: string): string | null {
  return row[fields.findIndex((field) => field.name === name)] ?? null;
}

async function mirror(
  kit: Kit,
  stream: NewStream,
  rows: readonly Row[],
  spared: readonly number[],
  deletes: 'mark' | 'keep',
): Promise<Changes> {
  const writer = await kit.writer(stream, { mode: 'mirror', deletes });
  await writer.write(Batch.ofRows(rows, { position: '{"p":1}' }).sparing(keysIn(kit, stream)(...spared)));
  const result = await writer.finish();
  await writer.close();
  return sum([result]);
}

/** What is shown and what is done tell of the rows that are left alone as little as of those that were never there. */
async function assertFinished(kit: Kit, writer: Writer, expected: Changes): Promise<void> {
  let shown: Changes | undefined;
  const result = await writer.finish((changes) => {
    shown = { ...changes };
    return true;
  });
  await writer.close();
  if (kit.harness.countsUnchanged === false) return assert.equal(shown?.deleted, expected.deleted);
  assert.deepEqual(shown, expected, 'what was shown');
  assert.deepEqual(sum([result]), expected, 'what was done');
}
