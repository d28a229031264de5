import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Scope } from '../../src/http/scopes.ts';
import { onEitherEngine } from '../support/databases.ts';
import { makeScopeWorld } from '../support/scope-world.ts';
import { type Reply, type Service, startService } from '../support/service.ts';
import { until } from '../support/until.ts';
import { startReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts';

// An endpoint is a second pair of eyes for the key that saved it, and must not become that of another one.

const WEBHOOKS = '/api/v1/webhooks';

/** Keys that save endpoints, and that come to every door of those of the others. */
const SETS: readonly Scope[][] = [
  ['webhooks'],
  ['webhooks', 'orders:read'],
  ['webhooks', 'products:read', 'orders:write'],
  ['webhooks', 'datasync:read'],
  ['webhooks', 'datasync:read', 'orders:read'],
  ['webhooks', 'datasync:read', 'orders:read', 'products:read'],
  ['admin'],
];

interface Door {
  body?: (receiver: WebhookReceiver) => object;
  /** Whether it shows what was sent, or has something sent. */
  isGuarded: boolean;
}

/** Every route to one endpoint. */
const DOORS: Readonly<Record<string, Door>> = {
  [`GET ${WEBHOOKS}/{id}`]: { isGuarded: false },
  [`PUT ${WEBHOOKS}/{id}`]: { body: () => ({ url: 'http://127.0.0.1:9/elsewhere' }), isGuarded: true },
  [`POST ${WEBHOOKS}/{id}/test`]: { isGuarded: true },
  [`POST ${WEBHOOKS}/{id}/pause`]: { isGuarded: false },
  [`POST ${WEBHOOKS}/{id}/resume`]: { isGuarded: true },
  [`POST ${WEBHOOKS}/{id}/rotate`]: { body: () => ({ overlap_seconds: 0 }), isGuarded: true },
  [`GET ${WEBHOOKS}/{id}/deliveries`]: { isGuarded: true },
  [`GET ${WEBHOOKS}/{id}/deliveries/{sequence}`]: { isGuarded: true },
  [`POST ${WEBHOOKS}/{id}/replay`]: { body: () => ({ from: '2020-01-01', to: '2100-01-01' }), isGuarded: true },
  [`DELETE ${WEBHOOKS}/{id}`]: { isGuarded: false },
};

interface Saved {
  id: string;
  path: string;
  key: string;
  scopes: Scope[];
}

interface FeedEvent {
  sequence: number;
  id: string;
  type: string;
  data: unknown;
}

onEitherEngine('endpoints and the scopes of keys', (engine) => {
  let service: Service;
  let receiver: WebhookReceiver;
  const saved: Saved[] = [];
  before(async () => {
    receiver = await startReceiver();
    service = await startService(engine);
    await makeScopeWorld(service);
    for (const [place, scopes] of SETS.entries()) {
      const key = await service.keyWith(...scopes);
      const path = `/${place}`;
      const body = { name: scopes.join(' '), url: receiver.url + path, from: 'start', max_in_flight: 64 };
      const { body: answer, text } = await service.post(WEBHOOKS, body, { key });
      assert.ok(answer.success, text);
      saved.push({ id: answer.data.id, path, key, scopes });
    }
  });
  after(async () => {
    await service.close();
    await receiver.close();
  });

  const feedOf = async (key: string): Promise<FeedEvent[]> => {
    const events: FeedEvent[] = [];
    for (;;) {
      const { body } = await service.get(`/api/v1/events?limit=1000&after=${events.at(-1)?.sequence ?? 0}`, { key });
      if (body.data.length === 0) return events;
      events.push(...(body.data as FeedEvent[]));
    }
  };
  const scopesOf = async (id: string): Promise<Scope[]> => (await service.get(`${WEBHOOKS}/${id}`)).body.data.scopes;
  const has = (scopes: readonly Scope[], scope: Scope): boolean => scopes.includes('admin') || scopes.includes(scope);

  test('each is told what its key reads in the feed, word for word, and nothing else', async () => {
    const counts = new Set<number>();
    for (const { path, key, scopes } of saved) {
      const feed = await feedOf(key);
      const own = () => receiver.received.filter((one) => one.path === path);
      await until(`all of ${scopes.join(' ')}`, async () => {
        const ids = new Set(own().map(({ id }) => id));
        return feed.every(({ id }) => ids.has(id));
      });
      const known = new Map(feed.map((event) => [event.id, event]));
      for (const { id, body } of own()) {
        const event = known.get(id);
        if (!event) assert.match(body.type, /^(webhook|key)\./, `${scopes.join(' ')} was told of ${body.type}`);
        else assert.deepEqual([body.type, body.data], [event.type, event.data], `${scopes.join(' ')}: ${body.type}`);
      }
      counts.add(feed.length);
    }
    assert.ok(counts.size >= 5, 'the keys do not all read the same');
  });

  test('there is a door for every route, and none for another', () => {
    const routes = service.app.routes.map(({ method, path }) => `${method} ${path}`).filter((name) => name.includes(`${WEBHOOKS}/{id}`));
    assert.deepEqual(Object.keys(DOORS).sort(), routes.sort());
  });

  test('a key that may read less is refused at every door, by the name of what it lacks; one that may read as much is not', async () => {
    let refused = 0;
    for (const [name, { body, isGuarded }] of Object.entries(DOORS)) {
      const [method = '', route = ''] = name.split(' ');
      for (const { id: first, scopes: ofEndpoint, key: owner } of saved) {
        const id = method === 'DELETE' ? await another(owner) : first;
        const needed = await scopesOf(id);
        const [{ sequence } = { sequence: 1 }] = await feedOf(owner);
        for (const { scopes, key } of saved) {
          const path = route.replace('{id}', id).replace('{sequence}', String(sequence));
          const missing = needed.filter((scope) => !has(scopes, scope));
          const reply: Reply = await service.call(method, path, { key, ...(body && { body: body(receiver) }) });
          const what = `${name} of ${ofEndpoint.join(' ')} with ${scopes.join(' ')}: ${reply.status} ${reply.text.slice(0, 300)}`;
          if (isGuarded && missing.length > 0) {
            refused++;
            assert.equal(reply.status, 403, what);
            assert.ok(
              missing.some((scope) => reply.body.error.details.reason === `missing scope ${scope}`),
              what,
            );
          } else assert.ok([200, 404].includes(reply.status), what);
        }
      }
    }
    assert.ok(refused > 100, `${refused}`);
    assert.ok(receiver.received.every(({ body }) => body.type !== undefined));
  });

  async function another(key: string): Promise<string> {
    return (await service.post(WEBHOOKS, { name: 'another', url: `${receiver.url}/another` }, { key })).body.data.id;
  }

  test('to name a type needs the scope to read it, when it is made and when it is changed', async () => {
    const key = await service.keyWith('webhooks', 'products:read');
    const body = { name: 'x', url: 'http://127.0.0.1:9/' };
    for (const [types, scope] of [
      [['order.*'], 'orders:read'],
      [['product.*', 'run.failed'], 'datasync:read'],
      [['key.refused'], 'admin'],
    ] as const) {
      const { status, body: answer } = await service.post(WEBHOOKS, { ...body, types }, { key });
      assert.deepEqual([status, answer.error.details.reason], [403, `missing scope ${scope}`]);
    }
    const { id, scopes } = (await service.post(WEBHOOKS, body, { key })).body.data;
    assert.deepEqual(scopes, ['products:read', 'webhooks']);
    const { status } = await service.call('PUT', `${WEBHOOKS}/${id}`, { key, body: { types: ['order.created'] } });
    assert.equal(status, 403);
    // A key that may read more gives it another name: it is told of no more for that.
    await service.call('PUT', `${WEBHOOKS}/${id}`, { body: { name: 'called otherwise' } });
    assert.deepEqual(await scopesOf(id), ['products:read', 'webhooks']);
    await service.call('PUT', `${WEBHOOKS}/${id}`, { body: { types: ['*'] } });
    assert.ok((await scopesOf(id)).includes('admin'));
    assert.equal((await service.call('PUT', `${WEBHOOKS}/${id}`, { key, body: { name: 'mine again' } })).status, 403);
  });

  test('what it was told of before stays closed when it is told of less', async () => {
    const { id } = (await service.post(WEBHOOKS, { name: 'x', url: `${receiver.url}/narrow`, types: ['order.*'], from: 'start' })).body
      .data;
    await until('orders to be sent', async () => receiver.received.some(({ path }) => path === '/narrow'));
    await service.call('PUT', `${WEBHOOKS}/${id}`, { body: { types: ['product.*'] } });
    const key = await service.keyWith('webhooks', 'products:read');
    const { status, body } = await service.get(`${WEBHOOKS}/${id}/deliveries`, { key });
    assert.deepEqual([status, body.error.details.reason], [403, 'missing scope orders:read']);
    assert.equal((await service.call('PUT', `${WEBHOOKS}/${id}`, { key, body: { url: 'http://127.0.0.1:9/' } })).status, 403);
    assert.equal((await service.post(`${WEBHOOKS}/${id}/replay`, { failed: true }, { key })).status, 403);
  });
});
