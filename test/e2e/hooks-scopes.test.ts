import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { onEitherEngine } from '../support/databases.ts';
import { addSource, ask, type Body, madeUp, sqliteFile } from '../support/real-syncs.ts';
import { type Reply, type Service, startService } from '../support/service.ts';

const BASE = '/api/v1/datasync/hooks';
const PRODUCT = {
  source: 'hook',
  target: 'products',
  fields: [
    { from: 'id', to: 'product_id' },
    { from: 'encoding', to: 'name' },
  ],
};

// Who knows the address and the secret of a hook can do what its calls do: start a synchronization with the shop, or write rows into it.
onEitherEngine('hooks with the shop behind them', (engine) => {
  let service: Service;
  let hub: string;
  let plain: string;
  let writer: string;
  let shopWriter: string;
  before(async () => {
    service = await startService(engine);
    hub = await addSource(service, 'hub', {});
    plain = await service.keyWith('datasync:read');
    writer = await service.keyWith('datasync:read', 'datasync:write');
    shopWriter = await service.keyWith('datasync:read', 'datasync:write', 'products:write', 'products:read');
  });
  after(() => service.close());

  const made = async (body: object): Promise<Body> => {
    const reply = await service.post(BASE, { name: 'a hook', scheme: 'secret', secret: 'the first secret', ...body });
    assert.equal(reply.status, 200, reply.text);
    return reply.body.data;
  };
  const put = (hook: Body, body: object, key: string): Promise<Reply> => service.call('PUT', `${BASE}/${hook.id}`, { body, key });
  const rotate = (hook: Body, body: object, key: string): Promise<Reply> => service.post(`${BASE}/${hook.id}/rotate`, body, { key });
  const reasonOf = ({ status, body }: Reply): unknown[] => [status, body.error?.details?.reason];
  /** A hook whose calls become products. It is more sources than fit into a message; the last is the one that the shop reads. */
  const feeding = async (): Promise<{ hook: Body; sources: string[]; sync: Body }> => {
    const hook = await made({});
    const sources: string[] = [];
    for (let n = 0; n < 12; n++) sources.push(await addSource(service, 'hook', { hook: hook.id }, `calls ${n} of ${hook.id}`));
    const body = { name: 'feeds', source_id: sources.at(-1), target_id: hub, streams: [PRODUCT], schedule: { type: 'manual' } };
    return { hook, sources, sync: await ask(service, 'POST', '/sync', body) };
  };
  const changes = (hook: Body): ((key: string) => Promise<Reply>)[] => [
    (key) => rotate(hook, {}, key),
    (key) => rotate(hook, { secret: 'another secret' }, key),
    (key) => put(hook, { secret: 'one more secret' }, key),
    (key) => put(hook, { header: 'X-Other' }, key),
    (key) => put(hook, { scheme: 'token' }, key),
    (key) => put(hook, { name: `with the rest of ${hook.id}`, scheme: 'github', secret: 'a secret of GitHub' }, key),
  ];

  test('one that is a source of the shop: who lets others call it may write to the shop', async () => {
    const { hook, sync } = await feeding();
    const before = (await service.get(`${BASE}/${hook.id}`)).body.data;
    for (const change of changes(hook)) assert.deepEqual(reasonOf(await change(writer)), [403, 'missing scope products:write']);
    assert.deepEqual((await service.get(`${BASE}/${hook.id}`)).body.data, before);
    assert.equal((await put(hook, { name: 'called otherwise', secret: '********' }, writer)).status, 200, 'another name lets nobody in');
    for (const change of changes(hook)) assert.equal((await change(shopWriter)).status, 200);
    await service.call('DELETE', `/api/v1/datasync/sync/${sync.id}`);
    assert.equal((await rotate(hook, {}, writer)).status, 200, 'nothing of the shop is behind it any more');
  });

  test('one that starts a synchronization with the shop: the same, and it may be taken off', async () => {
    const source_id = await addSource(service, 'fake', madeUp());
    const target_id = await addSource(service, 'sqlite', { path: sqliteFile(service.place, `beside-${engine}.db`) });
    const body = { name: 'leaves', source_id: hub, target_id, streams: [{ source: 'products' }], schedule: { type: 'manual' } };
    const sync = await ask(service, 'POST', '/sync', body);
    const hook = await made({ sync_id: sync.id });
    for (const change of changes(hook)) assert.deepEqual(reasonOf(await change(writer)), [403, 'missing scope products:read']);
    for (const change of changes(hook)) assert.equal((await change(shopWriter)).status, 200);
    assert.equal((await put(hook, { scheme: 'token', sync_id: null }, writer)).status, 200);
    assert.deepEqual(reasonOf(await put(hook, { sync_id: sync.id }, writer)), [403, 'missing scope products:read']);
    const apart = await ask(service, 'POST', '/sync', {
      ...body,
      name: 'apart',
      source_id,
      streams: [{ source: 't' }],
    });
    const other = await made({ sync_id: apart.id });
    for (const change of changes(other)) assert.equal((await change(writer)).status, 200);
  });

  test('its calls are rows of the shop: shown to those who may read them, also through a source of their own', async () => {
    const { hook, sources } = await feeding();
    const own = (await service.post('/api/v1/datasync/sources', { name: 'mine', type: 'hook', config: { hook: hook.id } }, { key: writer }))
      .body.data.id;
    const look = (key: string): Promise<Reply[]> =>
      Promise.all([
        service.get(`${BASE}/${hook.id}/calls`, { key }),
        service.get(`/api/v1/datasync/sources/${sources.at(-1)}/streams/hook/sample`, { key }),
        service.get(`/api/v1/datasync/sources/${own}/streams/hook/sample`, { key }),
      ]);
    for (const key of [plain, writer])
      for (const reply of await look(key)) assert.deepEqual(reasonOf(reply), [403, 'missing scope products:read']);
    for (const reply of await look(await service.keyWith('datasync:read', 'products:read'))) assert.equal(reply.status, 200, reply.text);
    assert.equal((await service.get(`${BASE}/${(await made({})).id}/calls`, { key: plain })).status, 200);
  });
});
