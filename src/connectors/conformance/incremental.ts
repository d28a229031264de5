import assert from 'node:assert/strict';
import type { Row } from '../canonical.ts';
import type { NewStream } from './harness.ts';
import { type Case, type Kit, keyOf, withValue } from './kit.ts';
import { assertResumes } from './read.ts';

/** Reading by cursor, and reading while the data changes. */
export const incrementalCases: readonly Case[] = [
  {
    name: 'by cursor: everything first, then only what is new or changed',
    run: async (kit) => {
      const { cursor } = kit.shape;
      if (!applies(kit, cursor)) return;
      const stream = await kit.stream(60);
      const first = await kit.read(stream, { cursor });
      kit.assertSame(stream.fields, first.rows, stream.rows);
      const after = first.batches.at(-1)?.position ?? '';
      await assertRest(kit, stream, { cursor, after }, [], stream.rows);
      const changed = kit.shape.onlyAdds ? [] : [kit.shape.row(5, 2)];
      const put = [kit.shape.row(61, 1), ...changed, kit.shape.row(62, 3)];
      await kit.change(stream, { put });
      await assertRest(kit, stream, { cursor, after }, put, stream.rows);
    },
  },
  {
    name: 'by cursor: resuming after any batch yields exactly the rest',
    run: async (kit) => {
      const { cursor } = kit.shape;
      if (!applies(kit, cursor) || !kit.abilities.resumable) return;
      await assertResumes(kit, await kit.stream(150), { cursor });
    },
  },
  {
    name: 'by cursor: rows with equal cursors are neither lost nor doubled',
    run: async (kit) => {
      const { cursor } = kit.shape;
      if (!applies(kit, cursor) || !kit.abilities.resumable || kit.shape.onlyAdds) return;
      const at = kit.shape.fields.findIndex(({ name }) => name === cursor);
      const same = kit.shape.row(1)[at] ?? null;
      const stream = await kit.stream(150, (row, n) => (n > 20 && n < 140 ? withValue(kit.shape, row, cursor, same) : row));
      const { rows } = await kit.read(stream, { cursor });
      kit.assertSame(stream.fields, rows, stream.rows);
      await assertResumes(kit, stream, { cursor });
    },
  },
  {
    name: 'by cursor: a row that is committed late is not missed',
    run: async (kit) => {
      const { cursor } = kit.shape;
      if (!applies(kit, cursor)) return;
      const outOfOrder = kit.hook('outOfOrder');
      if (!outOfOrder) return;
      const stream = await kit.stream(20);
      const [early, late] = [kit.shape.row(30, 1), kit.shape.row(31, 2)];
      const commit = await outOfOrder(stream, early, late);
      const first = await kit.read(stream, { cursor });
      await commit();
      const second = await kit.read(stream, { cursor, after: first.batches.at(-1)?.position ?? '' });
      kit.assertSame(stream.fields, unique([...first.rows, ...second.rows]), [...stream.rows, early, late]);
      if (kit.harness.overlaps !== true) assert.equal(first.rows.length + second.rows.length, 22, 'no row comes twice');
    },
  },
  {
    name: 'by cursor: rows that were deleted are told of, or not, as the manifest says',
    run: async (kit) => {
      const { cursor } = kit.shape;
      const canRemove = kit.system.change !== undefined || (kit.can('upsert') && kit.abilities.deletes);
      if (!applies(kit, cursor) || !canRemove || kit.shape.onlyAdds) return;
      const stream = await kit.stream(5);
      const first = await kit.read(stream, { cursor });
      const gone = keyOf(stream, stream.rows[2] ?? []);
      await kit.change(stream, { remove: [gone] });
      const { batches } = await kit.read(stream, { cursor, after: first.batches.at(-1)?.position ?? '' });
      const told = batches.filter(({ operation }) => operation === 'delete').flatMap(({ rows }) => rows);
      assert.deepEqual(told, kit.abilities.tellsDeletions ? [gone] : []);
    },
  },
  {
    name: 'rows that change, move or go while being read take no others with them',
    run: async (kit) => {
      if (!kit.abilities.resumable || kit.shape.onlyAdds) return;
      const canChange = kit.system.change !== undefined || (kit.can('upsert') && kit.abilities.deletes);
      if (!canChange && !kit.hook('change')) return;
      const stream = await kit.stream(150);
      const session = await kit.session();
      const found: Row[] = [];
      let batches = 0;
      for await (const batch of session.read(kit.reading(stream))) {
        found.push(...batch.rows);
        if (++batches !== 2) continue;
        const [moved = [], gone = [], last = []] = [stream.rows[2], stream.rows[140], stream.rows[149]];
        // The key of row 3 becomes 1003, row 141 goes, and row 150 changes.
        await kit.change(stream, {
          put: [kit.shape.row(1003), kit.shape.row(150, 1)],
          remove: [keyOf(stream, moved), keyOf(stream, gone)],
        });
        assert.ok(last);
      }
      const touched = new Set([3, 141, 150].map((n) => JSON.stringify(keyOf(stream, kit.shape.row(n)))));
      const added = JSON.stringify(keyOf(stream, kit.shape.row(1003)));
      const calm = (row: Row): boolean => !touched.has(JSON.stringify(keyOf(stream, row)));
      const seen = found.filter((row) => calm(row) && JSON.stringify(keyOf(stream, row)) !== added);
      kit.assertSame(stream.fields, seen, stream.rows.filter(calm), 'rows that nobody touched');
    },
  },
];

function applies(kit: Kit, cursor: string | undefined): cursor is string {
  if (!kit.abilities.incremental) return false;
  assert.ok(cursor, 'A connector that reads incrementally has a shape with a cursor.');
  return true;
}

/** What a later read yields: the expected rows, and where windows overlap perhaps some that were known. */
async function assertRest(
  kit: Kit,
  stream: NewStream,
  options: { cursor: string; after: string },
  expected: readonly Row[],
  known: readonly Row[],
): Promise<void> {
  const { rows } = await kit.read(stream, options);
  if (kit.harness.overlaps !== true) return kit.assertSame(stream.fields, rows, expected);
  const isKnown = (row: Row): boolean => known.some((other) => JSON.stringify(keyOf(stream, other)) === JSON.stringify(keyOf(stream, row)));
  const isExpected = (row: Row): boolean =>
    expected.some((other) => JSON.stringify(keyOf(stream, other)) === JSON.stringify(keyOf(stream, row)));
  return kit.assertSame(
    stream.fields,
    rows.filter((row) => isExpected(row) || !isKnown(row)),
    expected,
  );
}

function unique(rows: readonly Row[]): Row[] {
  return [...new Map(rows.map((row) => [JSON.stringify(row), row])).values()];
}
