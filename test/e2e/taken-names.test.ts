// A name is given once, also when several ask for it at the same moment.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { onBothEngines } from '../support/databases.ts';
import { oneFault } from '../support/one-fault.ts';
import { type Service, startService } from '../support/service.ts';

const AT_ONCE = 8;

onBothEngines('names', (engine) => {
  let service: Service;
  let ends: { source_id: string; target_id: string };
  before(async () => {
    service = await startService(engine);
    const make = async (name: string): Promise<string> =>
      (await service.post('/api/v1/datasync/sources', { name, type: 'hub', config: {} })).body.data.id;
    ends = { source_id: await make('from'), target_id: await make('to') };
  });
  after(() => service.close());

  const fields = ['product_id', 'name', 'price', 'stock_quantity'].map((name) => ({ from: name, to: name }));
  const kinds: Record<string, () => object> = {
    '/api/v1/datasync/sources': () => ({ type: 'hub', config: {} }),
    '/api/v1/datasync/sync': () => ({ ...ends, streams: [{ source: 'products', fields }], schedule: { type: 'manual' } }),
    '/api/v1/datasync/hooks': () => ({ scheme: 'token' }),
    '/api/v1/webhooks': () => ({ url: 'http://127.0.0.1:9/', types: ['webhook.*'] }),
    '/api/v1/alerts': () => ({ channel: { type: 'slack', url: 'http://127.0.0.1:9/' }, rules: [{ type: 'endpoint_paused' }] }),
    '/api/v1/keys': () => ({ scopes: ['orders:read'] }),
  };
  for (const [path, more] of Object.entries(kinds)) {
    test(`are given once, and renamed to what is free: ${path}`, async () => {
      const ask = (name: string) => service.post(path, { name, ...more() }, { exactName: true });
      const replies = await Promise.all(Array.from({ length: AT_ONCE }, () => ask('wanted')));
      const made = replies.filter(({ status }) => status < 300);
      assert.deepEqual(
        [made.length, replies.filter(({ status }) => status === 409).length],
        [1, AT_ONCE - 1],
        replies.map(({ text }) => text).join('\n'),
      );
      const id: unknown = made[0]?.body.data.id;
      for (const { status, body } of replies)
        if (status === 409) assert.deepEqual(body.error.details, oneFault('name', `is the name of ${String(id)}`));
      const { body: document } = await service.get('/openapi.json');
      const tells = (at: string, method: string): boolean => '409' in document.paths[at][method].responses;
      assert.ok(tells(path, 'post'), 'the document tells of it');
      if (path.endsWith('/keys')) return;
      assert.ok(tells(`${path}/{id}`, 'put'), 'the document tells of it where it is renamed');
      const other = (await ask('other')).body.data.id;
      const renamed = await service.call('PUT', `${path}/${other}`, { body: { name: 'wanted' } });
      assert.equal(renamed.status, 409, renamed.text);
      assert.equal((await service.call('PUT', `${path}/${other}`, { body: { name: 'other' } })).status, 200, "its own name is no other's");
    });
  }
});
