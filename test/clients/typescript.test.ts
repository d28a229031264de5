import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import {
  ApiError,
  ConnectionError,
  type Order,
  Syncline,
  type SynclineOptions,
  TimeoutError,
  UnexpectedAnswerError,
} from '../../clients/typescript/src/syncline.ts';
import { onEitherEngine } from '../support/databases.ts';
import { type Service, startService } from '../support/service.ts';
import { until } from '../support/until.ts';
import { RETRY_AFTER, type RudeFront, type Rudeness, startRudeFront } from './rude-front.ts';

const newOrder = (customer_id: string) => ({ customer_id, items: [{ product_id: 'p', quantity: 2, price: 1.5 }] });

onEitherEngine('the client for TypeScript', (engine) => {
  let service: Service;
  let front: RudeFront;
  let syncline: Syncline;
  before(async () => {
    service = await startService(engine);
    front = await startRudeFront(service.url);
    syncline = clientOf();
  });
  beforeEach(() => {
    front.plan = [];
    front.received.length = 0;
  });
  after(async () => {
    await front.close();
    await service.close();
  });

  function clientOf(options: Partial<SynclineOptions> = {}): Syncline {
    return new Syncline({ url: `${front.url}/`, key: service.adminKey, ...options });
  }

  async function ordersOf(customer_id: string): Promise<number> {
    return (await syncline.call('GET /api/v1/orders', { query: { customer_id } })).total;
  }

  test('calls operations with parts of the path, a query and a body', async () => {
    const { data: order } = await syncline.call('POST /api/v1/orders', { body: newOrder('c/1 ä') });
    const typed: Order = order;
    assert.equal(typed.total, 3);
    const { data: found, total } = await syncline.call('GET /api/v1/orders', {
      query: { customer_id: 'c/1 ä', status: ['new', 'shipped'], limit: undefined },
    });
    assert.deepEqual([total, found[0]?.id], [1, order.id]);
    await syncline.call('POST /api/v1/products/sync', { body: { product_id: 'a/b ?', name: 'A', price: 1 } });
    assert.equal((await syncline.call('GET /api/v1/products/{product_id}', { params: { product_id: 'a/b ?' } })).data.name, 'A');
    const file = await syncline.open('GET /api/v1/orders/export', { query: { format: 'csv', customer_id: 'c/1 ä' } });
    assert.match(await file.text(), new RegExp(order.id));
  });

  test('throws what was refused, with its code, its fields and the id of the request', async () => {
    const refused = await refusal(() => syncline.call('POST /api/v1/orders', { body: { customer_id: '', items: [] } }));
    assert.deepEqual([refused.status, refused.code, refused.details.field], [400, 'INVALID_PARAMS', 'customer_id']);
    assert.equal(refused.details.errors?.length, 2);
    assert.match(refused.requestId ?? '', /^req_/);
    assert.equal(front.received.length, 1, 'it is not tried again');
    const wrong = clientOf({ key: async () => 'slk_wrong' });
    assert.equal((await refusal(() => wrong.call('GET /api/v1/me'))).status, 401);
  });

  test('tells which run is under way', async () => {
    const source = async (name: string): Promise<string> =>
      (await syncline.call('POST /api/v1/datasync/sources', { body: { name, type: 'hub', config: {} } })).data.id;
    const streams = [{ source: 'products', fields: ['product_id', 'name', 'price'].map((from) => ({ from })) }];
    const body = {
      name: 'copy',
      source_id: await source('one'),
      target_id: await source('other'),
      schedule: { type: 'manual' as const },
      streams,
    };
    const { id } = (await syncline.call('POST /api/v1/datasync/sync', { body })).data;
    const start = () => syncline.call('POST /api/v1/datasync/sync/{id}/runs', { params: { id }, body: { mode: 'preview' } });
    const [one, other] = await Promise.allSettled([start(), start()]);
    const [won, lost] = one.status === 'fulfilled' ? [one, other] : [other, one];
    assert.ok(won.status === 'fulfilled' && lost.status === 'rejected');
    assert.ok(lost.reason instanceof ApiError);
    assert.deepEqual([lost.reason.status, lost.reason.details.run_id], [409, won.value.data.id]);
    front.plan = ['half a stream', 'reset'];
    const seen: string[] = [];
    for await (const run of syncline.followRun(won.value.data.id)) seen.push(run.status);
    assert.equal(seen.at(-1), 'succeeded');
  });

  for (const rudeness of ['reset', 'done, then reset', 'done, then half an answer', '503', '429', '502 as a page'] as const) {
    test(`makes one order though there was a ${rudeness}`, async () => {
      front.plan = [rudeness];
      const { data } = await syncline.call('POST /api/v1/orders', { body: newOrder(rudeness) });
      assert.equal(data.customer_id, rudeness);
      assert.equal(new Set(front.received.map(({ headers }) => headers['idempotency-key'])).size, 1);
      assert.equal(front.received.length, 2);
      assert.equal(await ordersOf(rudeness), 1);
    });
  }

  test('waits as long as it is told, and no longer than the caller likes', async () => {
    front.plan = ['503'];
    const began = performance.now();
    await syncline.call('GET /api/v1/me');
    assert.ok(performance.now() - began >= RETRY_AFTER * 990);
    front.plan = ['429'];
    assert.equal((await refusal(() => clientOf({ longestRetryAfter: RETRY_AFTER / 2 }).call('GET /api/v1/me'))).retryAfter, RETRY_AFTER);
    front.plan = ['503', '503'];
    assert.equal((await refusal(() => clientOf({ retries: 1 }).call('GET /api/v1/me'))).status, 503);
    front.plan = ['429'];
    const reason = new Error('enough');
    const enough = new AbortController();
    const waiting = syncline.call('GET /api/v1/me', {}, { signal: enough.signal });
    await until('the refusal', () => front.plan.length === 0);
    enough.abort(reason);
    await assert.rejects(waiting, reason);
  });

  test('does not send again what might be done twice', async () => {
    const key = (name: string) => syncline.call('POST /api/v1/keys', { body: { name, scopes: ['orders:read'] } });
    for (const rudeness of ['done, then half an answer', '503', '502 as a page'] as const satisfies Rudeness[]) {
      front.received.length = 0;
      front.plan = [rudeness];
      await assert.rejects(key(rudeness));
      assert.equal(front.received.length, 1, rudeness);
    }
    front.plan = ['429'];
    assert.equal((await key('once')).data.name, 'once');
    front.plan = ['done, then reset'];
    const product = { product_id: 'again', name: 'Again', price: 1 };
    await syncline.call('POST /api/v1/products/sync', { body: product }, { repeatable: true });
    assert.equal(front.plan.length, 0);
  });

  test('says what is wrong with an answer that is none', async () => {
    front.plan = ['200 as a page'];
    await assert.rejects(
      syncline.call('GET /api/v1/me'),
      (error) => error instanceof UnexpectedAnswerError && error.text.startsWith('<h1>'),
    );
    front.plan = ['redirect'];
    await assert.rejects(syncline.call('GET /api/v1/me'), (error) => error instanceof UnexpectedAnswerError && error.status === 302);
    front.plan = ['done, then silence'];
    const impatient = clientOf({ timeout: 200, retries: 0 });
    await assert.rejects(impatient.call('GET /api/v1/me'), (error) => error instanceof TimeoutError);
    const nobody = clientOf({ url: 'http://127.0.0.1:9', retries: 0 });
    await assert.rejects(nobody.call('GET /api/v1/me'), (error) => error instanceof ConnectionError && !(error instanceof TimeoutError));
    front.plan = ['done, then silence'];
    const began = performance.now();
    await assert.rejects(syncline.call('GET /api/v1/me', {}, { signal: AbortSignal.timeout(100) }), { name: 'TimeoutError' });
    assert.ok(performance.now() - began < 10_000);
  });

  test('reads lists to their end', async () => {
    const made: string[] = [];
    for (let n = 0; n < 5; n++) made.push((await syncline.call('POST /api/v1/orders', { body: newOrder('lister') })).data.id);
    const query = { customer_id: 'lister', limit: 2, sort: 'created_at' as const };
    const sizes: number[] = [];
    front.plan = ['reset', '503'];
    for await (const page of syncline.pages('GET /api/v1/orders', { query })) sizes.push(page.data.length);
    assert.deepEqual(sizes, [2, 2, 1]);
    const ids: string[] = [];
    for await (const order of syncline.items('GET /api/v1/orders', { query: { ...query, offset: 1 } })) ids.push(order.id);
    assert.deepEqual(ids, made.slice(1));
    const firstTwo: string[] = [];
    for await (const { type } of syncline.items('GET /api/v1/events', { query: { limit: 100 } })) firstTwo.push(type);
    assert.ok(firstTwo.filter((type) => type === 'order.created').length >= 5);
  });

  test('follows the feed over lost connections: every event, once, in order', async () => {
    const all: number[] = [];
    for await (const { sequence } of syncline.events()) all.push(sequence);
    const after = all.at(-1) ?? 0;
    const made: string[] = [];
    const seen: string[] = [];
    const enough = new AbortController();
    const following = (async () => {
      for await (const event of syncline.events({ after, follow: true, signal: enough.signal })) {
        seen.push(event.object_id);
        if (seen.length === 4) break;
      }
    })();
    front.plan = ['reset', 'half a stream'];
    for (let n = 0; n < 4; n++) {
      made.push((await service.post('/api/v1/orders', newOrder('feed'))).body.data.id);
      if (n === 1) {
        await until('two events', () => seen.length === 2);
        // Every connection is cut in the middle of it.
        front.server.closeAllConnections();
      }
    }
    await following;
    assert.deepEqual(seen, made);
    const stopped = syncline.events({ after: after + 100, follow: true, signal: enough.signal }).next();
    enough.abort(new Error('enough'));
    await assert.rejects(stopped, /enough/);
    const denied = clientOf({ key: 'slk_wrong' }).events({ follow: true }).next();
    await assert.rejects(denied, (error) => error instanceof ApiError && error.status === 401);
  });
});

async function refusal(work: () => Promise<unknown>): Promise<ApiError> {
  const error = await work().then(
    () => assert.fail('it was not refused'),
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof ApiError, String(error));
  return error;
}
