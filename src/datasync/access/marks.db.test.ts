import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { runStatement } from '../../../test/support/commands.ts';
import { onBothEngines, openTestDatabase } from '../../../test/support/databases.ts';
import { addSource, addSync, streamOf } from '../../../test/support/sync-fixture.ts';
import { shares } from '../../db/migrations/0007_shares.ts';
import { sql } from '../../db/sql.ts';
import { shopRowsOf } from './rules.ts';

onBothEngines('synchronizations from before marks were kept', (engine) => {
  let db: Awaited<ReturnType<typeof openTestDatabase>>;
  before(async () => {
    db = await openTestDatabase(engine);
  });
  after(() => db.close());

  test('get the marks that they would have got', async () => {
    const ends = { hub: await addSource(db), fake: await addSource(db) };
    await db.write(runStatement, `update sources set type = 'hub' where id = '${ends.hub}'`);
    const expected = new Map<string, string>();
    for (const source of ['hub', 'fake'] as const)
      for (const target of ['hub', 'fake'] as const)
        for (const streams of [
          [streamOf('orders')],
          [streamOf('products')],
          [streamOf('order_items', 'products')],
          [streamOf('products', 'orders')],
          [streamOf('orders', 'a'), streamOf('products', 'b')],
        ]) {
          const id = await addSync(db, { source: ends[source], target: ends[target], streams });
          expected.set(id, shopRowsOf({ source, target }, streams));
        }
    await db.write(runStatement, 'update syncs set shop = null');
    // Of the step, only what fills the column: the column itself is there.
    const fill = shares
      .statements({ text: 'text', money: '', json: '', sequence: '', clustered: '' }, engine)
      .find((one) => one.startsWith('update'));
    await db.write(runStatement, fill ?? '');
    const rows = await db.read.all<{ id: string; shop: string }>(sql`select id, shop from syncs order by id`);
    assert.deepEqual(new Map(rows.map(({ id, shop }) => [id, shop])), expected);
    assert.deepEqual([...new Set(expected.values())].sort(), ['', 'orders', 'orders products', 'products']);
  });
});
