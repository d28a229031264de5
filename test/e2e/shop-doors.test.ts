import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { after, before, test } from 'node:test';
import { updateSource } from '../../src/datasync/syncs/update-source.ts';
import { createSync } from '../../src/datasync/syncs/commands.ts';
import { actorCalled } from '../../src/http/caller.ts';
import { AppError } from '../../src/lib/errors.ts';
import { newId } from '../../src/lib/ids.ts';
import { onEitherEngine } from '../support/databases.ts';
import { addSource, ask, runToEnd, sqliteFile } from '../support/real-syncs.ts';
import { type Reply, type Service, startService } from '../support/service.ts';
import { definitionOf, streamOf } from '../support/sync-fixture.ts';

const BASE = '/api/v1/datasync';

onEitherEngine('ways around the scopes of the shop', (engine) => {
  let service: Service;
  let hub: string;
  /** May do everything with synchronizations, and nothing with the shop. */
  let stranger: string;
  let files = 0;
  before(async () => {
    service = await startService(engine);
    hub = await addSource(service, 'hub', {});
    stranger = await service.keyWith('datasync:read', 'datasync:write');
    await service.post('/api/v1/orders', {
      customer_id: 'canary',
      items: [{ product_id: 'p', quantity: 1, price: 1 }],
      shipping_address: { street: 'canary street', city: 'c', zip: 'z' },
    });
  });
  after(() => service.close());

  /** A file with a product at this price. */
  const file = async (price: number): Promise<{ id: string; path: string }> => {
    const path = sqliteFile(service.place, `doors-${files++}.db`);
    const db = new DatabaseSync(path);
    db.exec(`create table products (product_id text primary key, name text, price text, place integer);
      insert into products values ('mug', 'Mug', '${price}', ${price})`);
    db.close();
    return { id: await addSource(service, 'sqlite', { path }), path };
  };
  const PRODUCTS = {
    source: 'products',
    target: 'products',
    cursor: 'place',
    fields: ['product_id', 'name', 'price'].map((from) => ({ from })),
  };
  const sync = (source_id: string, target_id: string, stream: object) => ({
    name: 'a synchronization',
    source_id,
    target_id,
    streams: [stream],
    schedule: { type: 'manual' },
  });
  const asStranger = (method: string, path: string, body?: unknown): Promise<Reply> =>
    service.call(method, BASE + path, { key: stranger, ...(body !== undefined && { body }) });
  const assertLacks = ({ status, body, text }: Reply, scope: string): void => {
    assert.equal(status, 403, text);
    assert.equal(body.error.details.reason, `missing scope ${scope}`);
  };
  const priceOf = async (id: string): Promise<number> => (await service.get(`/api/v1/products/${id}`)).body.data.price;

  test('a source that feeds the shop is not pointed elsewhere, nor is its stream written to', async () => {
    const [feed, mine] = [await file(5), await file(1)];
    const { id } = await ask(service, 'POST', '/sync', sync(feed.id, hub, PRODUCTS));
    await runToEnd(service, id);
    assert.equal(await priceOf('mug'), 5);
    assertLacks(await asStranger('PUT', `/sources/${feed.id}`, { config: { path: mine.path } }), 'products:write');
    assertLacks(await asStranger('POST', '/sync', sync(mine.id, feed.id, { source: 'products', target: 'Products' })), 'products:write');
    const { id: own } = await ask(service, 'POST', '/sync', sync(mine.id, feed.id, { source: 'products', target: 'elsewhere' }));
    const moved = { streams: [{ source: 'products', target: 'products' }] };
    assertLacks(await asStranger('PUT', `/sync/${own}`, moved), 'products:write');
    await runToEnd(service, id, { mode: 'full' });
    assert.equal(await priceOf('mug'), 5);
    // A new name moves nothing; and with the scope everything goes.
    assert.equal((await asStranger('PUT', `/sources/${feed.id}`, { name: 'renamed' })).status, 200);
    const key = await service.keyWith('datasync:write', 'products:write');
    const put = await service.call('PUT', `${BASE}/sources/${feed.id}`, { key, body: { config: { path: mine.path } } });
    assert.equal(put.status, 200, put.text);
  });

  test('where the shop sends its rows is not changed, and what it has sent there is not read', async () => {
    const [target, mine] = [await file(1), await file(1)];
    const { id } = await ask(service, 'POST', '/sync', sync(hub, target.id, { source: 'orders', target: 'copy' }));
    await runToEnd(service, id);
    assertLacks(await asStranger('PUT', `/sources/${target.id}`, { config: { path: mine.path } }), 'orders:read');
    assertLacks(await asStranger('PUT', `/sync/${id}`, { target_id: mine.id }), 'orders:read');
    assertLacks(await asStranger('GET', `/sources/${target.id}/streams/copy/sample`), 'orders:read');
    assertLacks(await asStranger('POST', '/sync', sync(target.id, mine.id, { source: 'copy' })), 'orders:read');
    const tried = { ...sync(target.id, mine.id, { source: 'copy' }), name: undefined, sample_of: 0 };
    assertLacks(await asStranger('POST', '/sync/check', tried), 'orders:read');
    // What is beside it is nobody's secret.
    assert.equal((await asStranger('GET', `/sources/${target.id}/streams/products/sample`)).status, 200);
    assert.equal((await asStranger('POST', '/sync', sync(target.id, mine.id, { source: 'products', target: 'other' }))).status, 200);
  });

  test('rows that were shown or rejected stay where they are when the shop is no longer at an end, and when all is gone', async () => {
    const [target, other] = [await file(1), await file(1)];
    const stream = { source: 'orders', target: 'kept', fields: [{ from: 'id' }, { from: 'customer_id', type: 'int64' }] };
    const { id } = await ask(service, 'POST', '/sync', sync(hub, target.id, stream));
    const run = await runToEnd(service, id);
    assert.equal(run.status, 'partial');
    const preview = await runToEnd(service, id, { mode: 'preview' });
    await ask(service, 'PUT', `/sync/${id}`, { source_id: other.id, streams: [{ source: 'products', target: 'kept' }] });
    assertLacks(await asStranger('GET', `/sync/${id}/rejects?status=all`), 'orders:read');
    assertLacks(await asStranger('GET', `/runs/${run.id}/rejects`), 'orders:read');
    for (const path of [`/runs/${preview.id}`, `/runs/${preview.id}/events`, `/sync/${id}`, `/sync/${id}/runs`])
      assert.doesNotMatch((await asStranger('GET', path)).text, /canary/, path);
    await ask(service, 'DELETE', `/sync/${id}`);
    assert.doesNotMatch((await service.get('/api/v1/events?limit=1000', { key: stranger })).text, /canary/);
  });

  test('of the same moment, either the source is changed or the synchronization with the shop is made, never both', async () => {
    let refused = 0;
    for (let round = 0; round < 20; round++) {
      const { id: sourceId } = await file(1);
      const by = { actor: actorCalled('k'), now: Date.now() };
      const definition = JSON.stringify(definitionOf([streamOf('products')]));
      const made = { ...by, scopes: new Set(['admin'] as const), id: newId('syn', by.now).id, name: `n ${round}`, definition };
      const change = {
        ...by,
        scopes: new Set<never>(),
        id: sourceId,
        version: 1,
        known: null,
        name: `n ${round}`,
        config: '{}',
        secrets: null,
        fields: [],
        unchecked: true,
      };
      const [sync, source] = await Promise.all([
        service.app.db.write(createSync, { ...made, sourceId, targetId: hub, versions: { source: 1, target: 1 } }),
        service.app.db.write(updateSource, change).catch((error: AppError) => error),
      ]);
      const isRefused = source instanceof AppError;
      if (isRefused) assert.equal(source.code, 'FORBIDDEN');
      assert.equal(sync !== undefined, isRefused);
      if (isRefused) refused++;
    }
    assert.ok(refused > 0, 'the change came first every time');
  });
});
