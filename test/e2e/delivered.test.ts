import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { after, before, test } from 'node:test';
import { onBothEngines } from '../support/databases.ts';
import { addSource, ask, type Body, reaches, sqliteFile } from '../support/real-syncs.ts';
import { type Service, startService } from '../support/service.ts';

const FIELDS = [
  { from: 'sku', to: 'product_id' },
  { from: 'title', to: 'name' },
  { from: 'price', to: 'price' },
];

onBothEngines('a table without a time of change feeds the shop', (engine) => {
  let service: Service;
  let table: DatabaseSync;
  let sync: Body;
  before(async () => {
    service = await startService(engine);
    const path = sqliteFile(service.place, 'prices.db');
    table = new DatabaseSync(path);
    table.exec(`pragma journal_mode = wal; create table prices (sku text primary key, title text not null, price numeric not null);
      insert into prices values ('a', 'Apple', 1), ('b', 'Bread', 2), ('c', 'Cheese', 3), ('d', 'Dill', 4), ('e', 'Egg', 5), ('f', 'Fig', 6)`);
    const source_id = await addSource(service, 'sqlite', { path });
    const target_id = await addSource(service, 'hub', {});
    const streams = [{ source: 'prices', target: 'products', fields: FIELDS }];
    sync = await ask(service, 'POST', '/sync', { name: 'prices', source_id, target_id, streams, schedule: { type: 'manual' } });
  });
  after(async () => {
    table.close();
    await service.close();
  });

  const run = async (body: object = {}): Promise<Body> => {
    const { id } = await ask(service, 'POST', `/sync/${sync.id}/runs`, body);
    const { streams, status } = await reaches(service, id, ['succeeded', 'partial', 'failed', 'needs_approval']);
    const { read, inserted, updated, deleted, unchanged } = streams[0];
    return { status, read, inserted, updated, deleted, unchanged };
  };
  const products = async (): Promise<string[]> => {
    const { body } = await service.get('/api/v1/products?limit=100');
    return body.data.map((one: Body) => `${one.product_id} ${one.price} v${one.version}`).toSorted();
  };

  test('it is a mirror by itself, and only what has changed is sent', async () => {
    assert.deepEqual([sync.streams[0].mode, sync.streams[0].deletes], ['mirror', 'delete']);
    await service.post('/api/v1/products/sync', { product_id: 'own', name: 'Not of the table', price: 9 });
    assert.deepEqual(await run(), { status: 'succeeded', read: 6, inserted: 6, updated: 0, deleted: 0, unchanged: 0 });
    assert.deepEqual(await run(), { status: 'succeeded', read: 6, inserted: 0, updated: 0, deleted: 0, unchanged: 6 });
    table.exec(
      "update prices set price = 20 where sku = 'b'; delete from prices where sku = 'c'; insert into prices values ('g', 'Grape', 7)",
    );
    assert.deepEqual(await run(), { status: 'succeeded', read: 6, inserted: 1, updated: 1, deleted: 1, unchanged: 4 });
    assert.deepEqual(await products(), ['a 1 v1', 'b 20 v2', 'd 4 v1', 'e 5 v1', 'f 6 v1', 'g 7 v1', 'own 9 v1']);
  });

  test('everything is sent anew when it is asked for, and the shop finds it to be as it was', async () => {
    const full = await run({ mode: 'full' });
    assert.deepEqual([full.status, full.read, full.unchanged, full.deleted], ['succeeded', 6, 0, 0]);
    assert.equal((await products()).includes('b 20 v2'), true);
  });

  test('another target has had nothing yet', async () => {
    const other = await addSource(service, 'hub', {}, 'the shop again');
    await ask(service, 'PUT', `/sync/${sync.id}`, { target_id: other });
    const { status, inserted, deleted } = await run();
    assert.deepEqual([status, inserted, deleted], ['succeeded', 6, 0]);
  });
});
