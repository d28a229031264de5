import assert from 'node:assert/strict';
import { Batch } from '../batch.ts';
import type { Row } from '../canonical.ts';
import type { Changes, Field } from '../contract.ts';
import type { NewStream } from './harness.ts';
import { assertFails, batchesOf, type Case, type Kit, keyOf, withValue } from './kit.ts';

/** Appending, upserting, deleting, and rows that the target refuses. */
export const writeCases: readonly Case[] = [
  {
    name: 'append inserts every row',
    run: async (kit) => {
      if (!kit.can('append')) return;
      const stream = await start(kit, 0);
      const rows = numbers(kit, 1, 50);
      const writer = await kit.writer(stream, { mode: 'append' });
      const results = [];
      for (const batch of batchesOf(rows, 20)) results.push(await writer.write(batch));
      await writer.finish();
      await writer.close();
      assert.equal(sum(results).inserted, 50);
      await kit.assertContents(stream, rows);
    },
  },
  {
    name: 'upsert inserts and updates by key, and leaves unchanged rows alone',
    run: async (kit) => {
      if (!kit.can('upsert')) return;
      const stream = await start(kit, 30);
      const rows = [...numbers(kit, 1, 10), ...numbers(kit, 11, 20, 1), ...numbers(kit, 31, 35)];
      const writer = await kit.writer(stream, { mode: 'upsert' });
      const changes = sum([await writer.write(Batch.ofRows(rows, { position: '{"p":1}' })), await writer.finish()]);
      await writer.close();
      await kit.assertContents(stream, [...numbers(kit, 1, 10), ...numbers(kit, 11, 20, 1), ...numbers(kit, 21, 35)]);
      if (kit.harness.countsUnchanged !== false) assert.deepEqual(changes, { inserted: 5, updated: 10, unchanged: 10, deleted: 0 });
      else assert.equal(changes.inserted + changes.updated + changes.unchanged, 25);
    },
  },
  {
    name: 'null and the empty text are told apart when comparing',
    run: async (kit) => {
      if (!kit.can('upsert') || kit.harness.lacks?.('text', '')) return;
      const stream = await start(kit, 1, (row) => withValue(kit.shape, row, kit.shape.text, ''));
      for (const value of [null, '', 'x', null]) {
        const row = withValue(kit.shape, kit.shape.row(1), kit.shape.text, value);
        const writer = await kit.writer(stream, { mode: 'upsert' });
        const { updated } = await writer.write(Batch.ofRows([row], { position: '{"p":1}' }));
        await writer.finish();
        await writer.close();
        assert.equal(updated, 1, `to ${JSON.stringify(value)}`);
        await kit.assertContents(stream, [row]);
      }
    },
  },
  {
    name: 'of rows with the same key in a batch, the last one wins',
    run: async (kit) => {
      if (!kit.can('upsert')) return;
      const stream = await start(kit, 3);
      const rows = [
        kit.shape.row(2, 1),
        kit.shape.row(9),
        kit.shape.row(2, 2),
        kit.shape.row(9, 3),
        kit.shape.row(9, 1),
        kit.shape.row(2, 3),
      ];
      const writer = await kit.writer(stream, { mode: 'upsert' });
      assert.deepEqual((await writer.write(Batch.ofRows(rows, { position: '{"p":1}' }))).rejects, []);
      await writer.finish();
      await writer.close();
      await kit.assertContents(stream, [kit.shape.row(1), kit.shape.row(2, 3), kit.shape.row(3), kit.shape.row(9, 1)]);
    },
  },
  {
    name: 'upsert and mirror need a key, and rows without one are rejects',
    run: async (kit) => {
      for (const mode of ['upsert', 'mirror'] as const) {
        if (!kit.can(mode)) continue;
        const stream = await start(kit, 2);
        if (mode === 'upsert') await assertFails(() => kit.writer(stream, { mode, key: [] }), 'config', /./, `${mode} without a key`);
        const keyless = withValue(kit.shape, kit.shape.row(7), stream.key[0] ?? '', null);
        const writer = await kit.writer(stream, { mode });
        const { rejects } = await writer.write(Batch.ofRows([...numbers(kit, 1, 3), keyless], { position: '{"p":1}' }));
        assert.deepEqual(
          rejects.map(({ index }) => index),
          [3],
        );
        await writer.finish();
        await writer.close();
        await kit.assertContents(stream, numbers(kit, 1, 3));
      }
    },
  },
  {
    name: 'a delete batch removes the rows of its keys',
    run: async (kit) => {
      if (!kit.abilities.deletes || !kit.can('upsert')) return;
      const stream = await start(kit, 10);
      const keys = [2, 5, 99, 5].map((n) => keyOf(stream, kit.shape.row(n)));
      const writer = await kit.writer(stream, { mode: 'upsert' });
      const { deleted } = await writer.write(Batch.ofRows(keys, { position: '{"p":1}', operation: 'delete' }));
      await writer.write(Batch.ofRows([kit.shape.row(11)], { position: '{"p":2}' }));
      await writer.finish();
      await writer.close();
      assert.equal(deleted, 2);
      await kit.assertContents(
        stream,
        numbers(kit, 1, 11).filter((_, at) => at !== 1 && at !== 4),
      );
    },
  },
  {
    name: 'rows that the target refuses do not stop the others',
    run: async (kit) => {
      for (const mode of kit.abilities.write) {
        const stream = await start(kit, 0);
        const { bad, fields } = kit.shape;
        const rows = [...numbers(kit, 1, 20), ...bad.slice(0, 1), ...numbers(kit, 21, 40), ...bad.slice(1)];
        const writer = await kit.writer(stream, { mode, owner: `rejects ${mode}` });
        const { rejects } = await writer.write(Batch.ofRows(rows, { position: '{"p":1}' }));
        await writer.finish();
        await writer.close();
        const places = bad.map((row) => rows.indexOf(row));
        assert.deepEqual(
          rejects.map(({ index }) => index).sort((a = 0, b = 0) => a - b),
          places,
          `the places of the bad rows with ${mode}`,
        );
        for (const reject of rejects) {
          assert.ok(reject.reason.length > 5, 'a reject says why');
          const row = rows[reject.index ?? -1];
          assert.deepEqual(
            reject.row,
            Object.fromEntries(fields.map(({ name }, at) => [name, row?.[at]])),
            'a reject holds the row by field',
          );
        }
        await kit.assertContents(stream, numbers(kit, 1, 40), mode);
      }
    },
  },
  {
    name: 'a batch of nothing but bad rows, and an empty one',
    run: async (kit) => {
      for (const mode of kit.abilities.write) {
        const stream = await start(kit, 0);
        const { bad } = kit.shape;
        const writer = await kit.writer(stream, { mode, owner: `only rejects ${mode}` });
        assert.equal((await writer.write(Batch.ofRows(bad, { position: '{"p":1}' }))).rejects.length, bad.length);
        await writer.write(Batch.ofRows([], { position: '{"p":2}' }));
        await writer.finish(() => true);
        await writer.close();
        await kit.assertContents(stream, []);
        if (kit.abilities.transactional && mode !== 'mirror') {
          const next = await kit.writer(stream, { mode, owner: `only rejects ${mode}` });
          assert.equal(next.checkpoint, '{"p":2}', 'the position of an empty batch counts');
          await next.close();
        }
      }
    },
  },
  {
    name: 'a new field appears in the target, and old rows have null in it',
    run: async (kit) => {
      if (!kit.abilities.createsStreams || !kit.can('upsert')) return;
      const stream = await start(kit, 3);
      const extra: Field[] = [
        { name: 'added "later"', type: 'text', nullable: true },
        { name: 'added_number', type: 'int64', nullable: false },
      ].filter(({ name }) => kit.allowsName(name, 'fields')) as Field[];
      const wider: NewStream = { ...stream, fields: [...stream.fields, ...extra] };
      const put = [3, 4].map((n): Row => [...kit.shape.row(n), ...extra.map(({ type }) => (type === 'int64' ? '7' : 'ü'))]);
      await kit.writeAll(await kit.session(), wider, [Batch.ofRows(put, { position: '{"p":1}' })], { mode: 'upsert' });
      const old = [1, 2].map((n): Row => [...kit.shape.row(n), ...extra.map(() => null)]);
      await kit.assertContents(wider, [...old, ...put]);
      // A writer of fewer fields leaves the others as they are.
      await kit.writeAll(await kit.session(), stream, [Batch.ofRows([kit.shape.row(3, 1)], { position: '{"p":1}' })], {
        mode: 'upsert',
        owner: 'fewer',
      });
      await kit.assertContents(wider, [...old, ...put.slice(1), [...kit.shape.row(3, 1), ...(put[0] ?? []).slice(stream.fields.length)]]);
    },
  },
];

/** A stream for writing to: with rows in it, or empty, or not there yet. */
export async function start(kit: Kit, count: number, change?: (row: Row, n: number) => Row): Promise<NewStream> {
  if (count > 0 || !kit.abilities.createsStreams || kit.shape.stream !== undefined) return kit.stream(count, change);
  const { fields, key, cursor } = kit.shape;
  return { name: kit.name('made'), fields, key, rows: [], ...(cursor !== undefined && { cursor }) };
}

/** The rows of these numbers. */
export function numbers(kit: Kit, from: number, to: number, version = 0): Row[] {
  return Array.from({ length: to - from + 1 }, (_, at) => kit.shape.row(from + at, version));
}

export function sum(results: readonly Changes[]): Changes {
  const total = { inserted: 0, updated: 0, unchanged: 0, deleted: 0 };
  for (const result of results) {
    total.inserted += result.inserted;
    total.updated += result.updated;
    total.unchanged += result.unchanged;
    total.deleted += result.deleted;
  }
  return total;
}
