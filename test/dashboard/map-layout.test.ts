import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Sync } from '../../dashboard/src/api/resources.ts';
import { MAP, planOf, sharedTables } from '../../dashboard/src/views/map/map-layout.ts';

const sync = (id: string, source_id: string, target_id: string, ...tables: string[]): Sync =>
  ({ id, source_id, target_id, streams: tables.map((target) => ({ target })) }) as Sync;

test('nothing lies on anything else, and everything lies within the drawing', () => {
  const { sources, syncs, targets, height } = planOf([
    sync('1', 'crm', 'book'),
    sync('2', 'erp', 'book'),
    sync('3', 'crm', 'lake'),
    sync('4', 'shop', 'crm'),
    sync('5', 'erp', 'lake'),
  ]);
  assert.deepEqual([sources.length, syncs.length, targets.length], [3, 5, 3]);
  for (const column of [sources, syncs, targets]) {
    const places = column.map(({ y }) => y).toSorted((one, other) => one - other);
    for (const [place, y] of places.entries()) {
      assert.ok(y >= 0 && y + MAP.height <= height);
      if (place > 0) assert.ok(y - (places[place - 1] ?? 0) >= MAP.height);
    }
  }
  // Those of one source are together.
  assert.deepEqual(
    syncs.map(({ id }) => id),
    ['1', '3', '2', '5', '4'],
  );
});

test('a table that two write is told, and one of the same name elsewhere is not', () => {
  const [one, two, three] = [
    sync('1', 'a', 'lake', 'orders', 'people'),
    sync('2', 'b', 'lake', 'orders'),
    sync('3', 'b', 'book', 'orders'),
  ];
  assert.deepEqual(sharedTables([one, two, three]), [{ targetId: 'lake', table: 'orders', syncs: [one, two] }]);
  assert.deepEqual(sharedTables([sync('1', 'a', 'lake', 'orders', 'orders')]), []);
});
