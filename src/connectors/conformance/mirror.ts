import assert from 'node:assert/strict';
import type { Row } from '../canonical.ts';
import type { Changes, WriteRequest } from '../contract.ts';
import { MARK } from '../marks.ts';
import type { NewStream } from './harness.ts';
import { batchesOf, type Case, type Kit, withValue } from './kit.ts';
import { numbers, start, sum } from './write.ts';

/** That the target becomes what the source is, and not before that was approved. */
export const mirrorCases: readonly Case[] = [
  {
    name: 'mirror inserts, updates and deletes, all at the end, and says how much beforehand',
    run: async (kit) => {
      if (!kit.can('mirror')) return;
      const stream = await start(kit, 20);
      const source = [...numbers(kit, 1, 8), ...numbers(kit, 9, 14, 1), ...numbers(kit, 21, 25)];
      let shown: Changes | undefined;
      let meanwhile: readonly Row[] = [];
      const { changes } = await mirror(kit, stream, source, {}, async (plan) => {
        shown = { ...plan };
        meanwhile = await kit.contents(stream);
        return true;
      });
      kit.assertSame(stream.fields, meanwhile, stream.rows, 'the target before it was approved');
      await kit.assertContents(stream, source);
      const expected = { inserted: 5, updated: 6, unchanged: 8, deleted: kit.abilities.deletes ? 6 : 0 };
      if (kit.harness.countsUnchanged !== false) {
        assert.deepEqual(shown, expected);
        assert.deepEqual(changes, expected, 'what was done is what was shown');
      } else assert.equal(shown?.deleted, expected.deleted);
    },
  },
  {
    name: 'mirror that is not approved leaves the target as it was, and can be done anew',
    run: async (kit) => {
      if (!kit.can('mirror')) return;
      const stream = await start(kit, 10);
      const source = numbers(kit, 8, 12, 1);
      const { refused, changes } = await mirror(kit, stream, source, {}, () => false);
      assert.equal(refused, true);
      assert.deepEqual(changes, { inserted: 0, updated: 0, unchanged: 0, deleted: 0 });
      await kit.assertContents(stream, stream.rows, 'after a refusal');
      const again = await mirror(kit, stream, source, {}, () => true);
      assert.notEqual(again.refused, true);
      await kit.assertContents(stream, source);
    },
  },
  {
    name: 'mirror of an empty source shows that everything would go',
    run: async (kit) => {
      if (!kit.can('mirror') || !kit.abilities.deletes) return;
      const stream = await start(kit, 10);
      let deleted = 0;
      await mirror(kit, stream, [], {}, (plan) => {
        ({ deleted } = plan);
        return false;
      });
      assert.equal(deleted, 10);
      await kit.assertContents(stream, stream.rows);
      await mirror(kit, stream, [], {}, () => true);
      await kit.assertContents(stream, []);
    },
  },
  {
    name: 'mirror that keeps: rows that the source does not have stay',
    run: async (kit) => {
      if (!kit.can('mirror') || !kit.abilities.deletes) return;
      const stream = await start(kit, 5);
      const { changes } = await mirror(kit, stream, numbers(kit, 4, 7, 1), { deletes: 'keep' });
      assert.equal(changes.deleted, 0);
      await kit.assertContents(stream, [...numbers(kit, 1, 3), ...numbers(kit, 4, 7, 1)]);
    },
  },
  {
    name: 'mirror that marks: rows that are gone get a time, and lose it when they come back',
    run: async (kit) => {
      if (!kit.can('mirror') || !kit.abilities.deletes || !kit.abilities.transactional) return;
      const stream = await start(kit, 5);
      const marked: NewStream = { ...stream, fields: [...stream.fields, MARK] };
      const state = async (): Promise<string[]> => {
        const rows = await kit.contents(marked);
        kit.assertSame(
          stream.fields,
          rows.map((row) => row.slice(0, -1)),
          stream.rows,
          'marking changes nothing else',
        );
        const at = stream.fields.findIndex(({ name }) => name === stream.key[0]);
        return rows
          .filter((row) => row.at(-1) !== null)
          .map((row) => row[at] ?? '')
          .sort();
      };
      const keys = (...n: number[]): string[] =>
        n.map((one) => kit.shape.row(one)[stream.fields.findIndex(({ name }) => name === stream.key[0])] ?? '').sort();
      const first = await mirror(kit, stream, numbers(kit, 1, 3), { deletes: 'mark' });
      assert.equal(first.changes.deleted, 2);
      assert.deepEqual(await state(), keys(4, 5));
      const second = await mirror(kit, stream, numbers(kit, 1, 4), { deletes: 'mark' });
      assert.equal(second.changes.deleted, 0, 'what is marked is not marked again');
      assert.deepEqual(await state(), keys(5));
    },
  },
  {
    name: 'mirror goes on with what an earlier writer collected, the last of equal keys counts',
    run: async (kit) => {
      if (!kit.can('mirror') || !kit.abilities.transactional) return;
      const stream = await start(kit, 10);
      const [one, two] = [numbers(kit, 3, 6, 1), [kit.shape.row(3, 2), kit.shape.row(6), kit.shape.row(6, 2), kit.shape.row(20)]];
      const first = await kit.writer(stream, { mode: 'mirror' });
      for (const batch of batchesOf(one, 100, 'one')) await first.write(batch);
      await first.close();
      await kit.assertContents(stream, stream.rows, 'collecting changes nothing');
      const second = await kit.writer(stream, { mode: 'mirror' });
      assert.equal(second.checkpoint, '{"one":0}');
      for (const batch of batchesOf(two, 100, 'two')) await second.write(batch);
      await second.finish();
      await second.close();
      await kit.assertContents(stream, [
        kit.shape.row(3, 2),
        kit.shape.row(4, 1),
        kit.shape.row(5, 1),
        kit.shape.row(6, 2),
        kit.shape.row(20),
      ]);
      await kit.assertContents(stream, (await kit.read(stream)).rows, 'nothing of the stage is left to be read');
    },
  },
  {
    name: 'mirror sees a change from null to the empty text and back',
    run: async (kit) => {
      if (!kit.can('mirror') || kit.harness.lacks?.('text', '')) return;
      const stream = await start(kit, 4, (row, n) => withValue(kit.shape, row, kit.shape.text, n % 2 ? null : ''));
      const source = [1, 2, 3, 4].map((n) => withValue(kit.shape, kit.shape.row(n), kit.shape.text, n < 3 ? '' : null));
      const { changes } = await mirror(kit, stream, source, {});
      if (kit.harness.countsUnchanged !== false) assert.deepEqual(changes, { inserted: 0, updated: 2, unchanged: 2, deleted: 0 });
      await kit.assertContents(stream, source);
    },
  },
];

async function mirror(
  kit: Kit,
  stream: NewStream,
  rows: readonly Row[],
  options: Partial<WriteRequest>,
  approve?: (changes: Changes) => boolean | Promise<boolean>,
): Promise<{ changes: Changes; refused: boolean | undefined }> {
  const writer = await kit.writer(stream, { mode: 'mirror', ...options });
  for (const batch of batchesOf(rows, 7)) assert.deepEqual((await writer.write(batch)).rejects, []);
  const result = await writer.finish(approve);
  await writer.close();
  return { changes: sum([result]), refused: result.refused };
}
