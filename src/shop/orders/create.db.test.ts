import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { preparedPlace, onBothEngines } from '../../../test/support/databases.ts';
import { type Reply, type Service, startService } from '../../../test/support/service.ts';
import { sql } from '../../db/sql.ts';
import { isoTime } from '../../lib/clock.ts';
import { forgetExpiredKeys } from './claims.ts';
import { createOrders } from './create.ts';
import type { OrderDraft } from './order-draft.ts';
import { packDrafts } from './packed.ts';
import { draftOrder } from './draft.ts';

const DAY = 24 * 60 * 60 * 1000;
const ORDER = { customer_id: 'c', items: [{ product_id: 'p', quantity: 3, price: 19.99 }] };

function post(service: Service, body: object, idempotencyKey?: string, key?: string): Promise<Reply> {
  const headers: Record<string, string> = idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey };
  return service.post('/api/v1/orders', body, { headers, ...(key !== undefined && { key }) });
}

/** Posts 1,000 orders at once with 100 keys and checks that they made 100 orders, each with one answer. */
async function postThousand(nodes: readonly Service[]): Promise<void> {
  const [first] = nodes as [Service];
  const before = (await first.get('/api/v1/orders')).body.total as number;
  const replies = await Promise.all(
    Array.from({ length: 1_000 }, async (_, n) => {
      const name = `key-${n % 100}`;
      return { name, reply: await post(nodes[n % nodes.length] as Service, { ...ORDER, metadata: { name } }, name) };
    }),
  );
  const byKey = Map.groupBy(replies, ({ name }) => name);
  assert.equal(byKey.size, 100);
  const ids = new Set<string>();
  for (const [name, answers] of byKey) {
    const texts = new Set(answers.map(({ reply }) => reply.text));
    assert.equal(texts.size, 1, `${name} has several answers: ${[...texts].join('\n')}`);
    const fresh = answers.filter(({ reply }) => reply.headers.get('idempotent-replayed') === null);
    assert.equal(fresh.length, 1, `${name} has ${fresh.length} answers that are no replay`);
    for (const { reply } of answers) {
      assert.equal(reply.status, 200, reply.text);
      assert.ok([null, 'true'].includes(reply.headers.get('idempotent-replayed')));
      assert.equal(reply.headers.get('location'), `/api/v1/orders/${reply.body.data.id}`);
      assert.equal(reply.body.data.metadata.name, name);
      ids.add(reply.body.data.id);
    }
  }
  assert.equal(ids.size, 100);
  const list = await first.get('/api/v1/orders?limit=1000');
  assert.equal(list.body.total, before + 100);
  const events = await first.app.db.read.all<{ object_id: string }>(sql`select object_id from events where type = 'order.created'`);
  assert.equal(events.filter((event) => ids.has(event.object_id)).length, 100);
}

onBothEngines('creating orders', (engine) => {
  let service: Service;
  let now = Date.UTC(2026, 10, 1, 12);
  before(async () => {
    service = await startService(engine, { clock: () => now });
  });
  after(() => service.close());

  const total = async (): Promise<number> => (await service.get('/api/v1/orders')).body.total;
  const keys = () => service.app.db.read.all<{ key: string }>(sql`select key from idempotency_keys order by key`);

  test('1,000 posts at once with 100 keys make 100 orders, and every answer for one key is byte-identical', () => postThousand([service]));

  test('a key means the same order however its body is spelt, and still after the order has moved on', async () => {
    const body = { ...ORDER, shipping_address: { street: 'S 1', city: 'C', zip: '1' }, metadata: { a: 1, b: { c: [1, 2], d: null } } };
    const made = await post(service, body, 'spelt');
    await service.post(`/api/v1/orders/${made.body.data.id}/transitions`, { to: 'processing' });
    const respelt =
      '{"metadata":{"b":{"d":null,"c":[1,2.0]},"a":1e0},"shipping_address":{"zip":"1","city":"C","street":"S 1"},' +
      '"items":[{"price":19.990,"quantity":3.0,"product_id":"p"}],"customer_id":"c"}';
    const again = await service.call('POST', '/api/v1/orders', { raw: respelt, headers: { 'idempotency-key': 'spelt' } });
    assert.deepEqual([again.status, again.text, again.headers.get('idempotent-replayed')], [200, made.text, 'true']);
  });

  test('a key with another body is refused, and the first order stays as it is', async () => {
    const made = await post(service, ORDER, 'other body');
    const bodies = [
      { ...ORDER, customer_id: 'd' },
      { ...ORDER, currency: 'USD' },
      { ...ORDER, external_id: 'x' },
      { ...ORDER, metadata: { note: 'x' } },
      { ...ORDER, shipping_address: { street: 'S', city: 'C', zip: '1' } },
      { ...ORDER, items: [...ORDER.items, ...ORDER.items] },
      { ...ORDER, items: [{ product_id: 'p', quantity: 3, price: 19.98 }] },
    ];
    for (const body of bodies) {
      const reply = await post(service, body, 'other body');
      assert.deepEqual(
        [reply.status, reply.body.error.code, reply.body.error.details.field],
        [400, 'IDEMPOTENCY_KEY_REUSED', 'Idempotency-Key'],
      );
    }
    assert.equal((await post(service, ORDER, 'other body')).text, made.text);
  });

  test('of two bodies with one key at once, one makes the order and the other is refused', async () => {
    const before = await total();
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, n) => post(service, { ...ORDER, customer_id: `c${n % 2}` }, 'at once')),
    );
    const made = replies.filter((reply) => reply.status === 200);
    assert.equal(new Set(made.map((reply) => reply.text)).size, 1);
    assert.deepEqual([made.length, replies.filter((reply) => reply.body.error?.code === 'IDEMPOTENCY_KEY_REUSED').length], [10, 10]);
    assert.equal(await total(), before + 1);
  });

  test('a key of another owner is another key; of the same owner, the same after a rotation', async () => {
    const before = await total();
    const one = await service.keyWith('orders:write');
    const two = await service.keyWith('orders:write');
    const made = await post(service, ORDER, 'shared', one);
    const other = await post(service, ORDER, 'shared', two);
    assert.notEqual(other.body.data.id, made.body.data.id);
    assert.equal(other.headers.get('idempotent-replayed'), null);
    const [, id] = /^slk_([^_]+)_/.exec(one) ?? [];
    const rotated = (await service.post(`/api/v1/keys/key_${id}/rotate`, {})).body.data.key as string;
    assert.equal((await post(service, ORDER, 'shared', rotated)).text, made.text);
    assert.equal(await total(), before + 2);
  });

  test('a key is kept for seven days and then free again', async () => {
    const made = await post(service, ORDER, 'week');
    now += 7 * DAY - 1;
    assert.equal((await post(service, ORDER, 'week')).text, made.text);
    assert.equal((await post(service, { ...ORDER, customer_id: 'd' }, 'week')).status, 400);
    now += 1;
    const next = await post(service, { ...ORDER, customer_id: 'd' }, 'week');
    assert.equal(next.status, 200, next.text);
    assert.notEqual(next.body.data.id, made.body.data.id);
    // And from then on it is the key of the new order.
    assert.equal((await post(service, { ...ORDER, customer_id: 'd' }, 'week')).text, next.text);
    assert.equal((await service.get(`/api/v1/orders/${made.body.data.id}`)).status, 200);
  });

  test('keys whose time is over are forgotten, some at a time, and no others', async () => {
    now += 30 * DAY;
    for (let n = 0; n < 5; n++) await post(service, ORDER, `fresh-${n}`);
    const before = await keys();
    const old = before.filter(({ key }) => !key.startsWith('fresh-')).length;
    assert.ok(old > 100);
    const forget = (most: number): Promise<number> => service.app.db.write(forgetExpiredKeys, { now: isoTime(now), most });
    assert.equal(await forget(40), 40);
    assert.equal((await keys()).length, before.length - 40);
    assert.equal(await forget(1_000), old - 40);
    assert.equal(await forget(1_000), 0);
    assert.deepEqual(
      (await keys()).map(({ key }) => key),
      ['fresh-0', 'fresh-1', 'fresh-2', 'fresh-3', 'fresh-4'],
    );
    assert.equal((await post(service, ORDER, 'fresh-0')).headers.get('idempotent-replayed'), 'true');
  });

  test('an external id that is taken is a conflict that names its holder, and the idempotency key stays free', async () => {
    const holder = await post(service, { ...ORDER, external_id: 'e-1' });
    const before = await total();
    const refused = await post(service, { ...ORDER, external_id: 'e-1', customer_id: 'd' }, 'taken');
    assert.deepEqual([refused.status, refused.body.error.code], [409, 'CONFLICT']);
    assert.deepEqual(
      [refused.body.error.details.field, refused.body.error.details.reason],
      ['external_id', `is taken by ${holder.body.data.id}`],
    );
    const made = await post(service, { ...ORDER, external_id: 'e-2', customer_id: 'd' }, 'taken');
    assert.deepEqual([made.status, made.headers.get('idempotent-replayed')], [200, null], made.text);
    assert.equal(await total(), before + 1);
  });

  test('of many orders with one external id at once, one is made and the others name it', async () => {
    const before = await total();
    const replies = await Promise.all(
      Array.from({ length: 60 }, (_, n) =>
        post(service, { ...ORDER, customer_id: `c${n}`, external_id: `same-${n % 3}` }, n % 2 ? `same-key-${n}` : undefined),
      ),
    );
    const made = new Map(
      replies.filter((reply) => reply.status === 200).map((reply) => [reply.body.data.external_id as string, reply.body.data.id as string]),
    );
    assert.equal(replies.filter((reply) => reply.status === 200).length, 3);
    replies.forEach((reply, n) => {
      if (reply.status === 200) return;
      assert.deepEqual([reply.status, reply.body.error.details.reason], [409, `is taken by ${made.get(`same-${n % 3}`)}`]);
    });
    assert.equal(await total(), before + 3);
    assert.equal(
      (await keys()).filter(({ key }) => key.startsWith('same-key-')).length,
      replies.filter((reply, n) => n % 2 && reply.status === 200).length,
    );
  });

  test('a key that a refused order gave back goes to another body that came with it', async () => {
    const holder = await post(service, { ...ORDER, external_id: 'given-back' });
    const draft = (changes: object): OrderDraft =>
      draftOrder({ ...ORDER, ...changes }, { now, currency: 'EUR', owner: 'batch', idempotencyKey: 'given-back' });
    const drafts = [draft({ external_id: 'given-back' }), draft({ external_id: 'given-back' }), draft({})];
    const outcomes = await service.app.db.write(createOrders, { drafts: packDrafts(drafts), now: isoTime(now) });
    const taken = { kind: 'external_id_taken', by: holder.body.data.id as string };
    assert.deepEqual(outcomes, [taken, taken, { kind: 'again' }]);
    assert.deepEqual(
      (await keys()).filter(({ key }) => key === 'given-back'),
      [],
    );
  });

  test('of many orders with one key at once, those that are refused never cost the others the key', async () => {
    await post(service, { ...ORDER, external_id: 'in the way' });
    const before = await total();
    const replies = await Promise.all(
      Array.from({ length: 40 }, (_, n) => post(service, n % 2 === 0 ? { ...ORDER, external_id: 'in the way' } : ORDER, 'in the way')),
    );
    const codes = new Set<string>();
    replies.forEach((reply, n) => {
      if (n % 2 === 1) assert.equal(reply.status, 200, reply.text);
      else codes.add(reply.body.error.code);
    });
    assert.ok(codes.isSubsetOf(new Set(['CONFLICT', 'IDEMPOTENCY_KEY_REUSED'])), [...codes].join());
    assert.equal(new Set(replies.filter((reply) => reply.status === 200).map((reply) => reply.text)).size, 1);
    assert.equal(await total(), before + 1);
  });

  test('one batch may hold the same key, the same external id and plain orders, and each gets its own answer', async () => {
    const draft = (changes: object, idempotencyKey?: string): OrderDraft =>
      draftOrder({ ...ORDER, ...changes }, { now, currency: 'EUR', owner: 'batch', idempotencyKey });
    const drafts = [
      draft({}),
      draft({ external_id: 'b-1' }, 'k1'),
      draft({ external_id: 'b-1' }, 'k1'),
      draft({ external_id: 'b-1' }, 'k2'),
      draft({ external_id: 'b-1' }, 'k2'),
      draft({ customer_id: 'd', external_id: 'b-1' }, 'k1'),
      draft({}),
    ];
    const before = await total();
    const outcomes = await service.app.db.write(createOrders, { drafts: packDrafts(drafts), now: isoTime(now) });
    assert.deepEqual(
      outcomes.map((outcome) => outcome.kind),
      ['created', 'created', 'replayed', 'external_id_taken', 'external_id_taken', 'key_reused', 'created'],
    );
    const [, first, second] = outcomes as { id: string; json: string }[];
    assert.deepEqual([second?.id, second?.json], [first?.id, first?.json]);
    for (const outcome of outcomes) if (outcome.kind === 'external_id_taken') assert.equal(outcome.by, first?.id);
    assert.equal(await total(), before + 3);
  });

  test('what is packed in several parts is one transaction: a key and an external id count from the first part to the last', async () => {
    const draft = (changes: object, idempotencyKey?: string): OrderDraft =>
      draftOrder({ ...ORDER, ...changes }, { now, currency: 'EUR', owner: 'parts', idempotencyKey });
    const plain = (n: number): OrderDraft[] => Array.from({ length: n }, () => draft({}));
    const ends = [draft({ external_id: 'p-2' }, 'p1'), draft({ external_id: 'p-1' }, 'p2'), draft({ customer_id: 'd' }, 'p1')];
    const drafts = [draft({ external_id: 'p-1' }), draft({ external_id: 'p-2' }, 'p1'), ...plain(600), ...ends];
    const packed = packDrafts(drafts);
    assert.equal(packed.packed.length, 3);
    const before = await total();
    const outcomes = await service.app.db.write(createOrders, { drafts: packed, now: isoTime(now), alone: true });
    const [first, second] = outcomes as { id: string; json: string }[];
    assert.deepEqual(
      outcomes.slice(0, -3).map(({ kind }) => kind),
      drafts.slice(0, -3).map(() => 'created'),
    );
    assert.deepEqual(outcomes.slice(-3), [
      { kind: 'replayed', id: second?.id, json: second?.json },
      { kind: 'external_id_taken', by: first?.id },
      { kind: 'key_reused' },
    ]);
    assert.equal(await total(), before + 602);
    // The key of the one that was refused is free again.
    assert.deepEqual(
      (await keys()).map(({ key }) => key).filter((key) => /^p[12]$/.test(key)),
      ['p1'],
    );
    const events = await service.app.db.read.all<{ seq: number; object_id: string }>(
      sql`select seq, object_id from events where type = 'order.created' order by seq desc limit 602`,
    );
    assert.deepEqual(new Set(events.map(({ object_id }) => object_id)), new Set(drafts.slice(0, -3).map(({ id }) => id)));
    assert.equal(Number(events[0]?.seq) - Number(events.at(-1)?.seq), 601);
  });

  test('many plain orders, one transaction after the other, fill block after block, and every one is counted', async () => {
    const made = (n: number): OrderDraft[] =>
      Array.from({ length: n }, () => draftOrder(ORDER, { now, currency: 'EUR', owner: 'test', idempotencyKey: undefined }));
    const { db } = service.app;
    for (let batch = 0; batch < 5; batch++) {
      const drafts = made(1900);
      await db.write(createOrders, { drafts: db.threaded ? packDrafts(drafts) : drafts, now: isoTime(now), alone: true });
    }
    const blocks = await db.read.all<{ start: string; n: number }>(
      sql`select start, n from order_blocks where status = '*' order by start`,
    );
    const [{ n: orders } = { n: 0 }] = await db.read.all<{ n: number }>(sql`select count(*) as n from orders`);
    assert.equal(
      blocks.reduce((sum, { n }) => sum + n, 0),
      orders,
    );
    assert.ok(blocks.length >= 2 && blocks.every(({ n }) => n < 3 * 4096), JSON.stringify(blocks));
    assert.equal((await service.get('/api/v1/orders?limit=1')).body.total, orders);
  });

  test('an order says of each product whether it was known then, and says so for ever', async () => {
    await service.post('/api/v1/products/sync', { product_id: 'known', name: 'K', price: 1 });
    const body = { customer_id: 'c', items: ['known', 'unknown', 'known'].map((product_id) => ({ product_id, quantity: 1, price: 1 })) };
    const made = await post(service, body, 'known');
    const known = (reply: Reply): boolean[] => reply.body.data.items.map((item: { product_known: boolean }) => item.product_known);
    assert.deepEqual(known(made), [true, false, true]);
    await service.post('/api/v1/products/sync', { product_id: 'unknown', name: 'U', price: 1 });
    await service.call('DELETE', '/api/v1/products/known');
    assert.deepEqual(known(await service.get(`/api/v1/orders/${made.body.data.id}`)), [true, false, true]);
    assert.equal((await post(service, body, 'known')).text, made.text);
    assert.deepEqual(known(await post(service, body)), [false, true, false]);
  });

  test('whatever was found of products before, an order says of each what is so when it is made', () => sayWhatIsKnown([service]));
});

describe('creating orders on two nodes of one PostgreSQL', () => {
  let nodes: Service[];
  before(async () => {
    const place = await preparedPlace('postgres');
    nodes = [await startService('postgres', { place }), await startService('postgres', { place })];
  });
  after(async () => {
    await Promise.all(nodes.map((node) => node.close()));
    await nodes[0]?.place.remove();
  });

  test('1,000 posts at once with 100 keys make 100 orders, and every answer for one key is byte-identical', () => postThousand(nodes));

  test('whatever one node has found of products, an order says of each what has become of it on the other', () => sayWhatIsKnown(nodes));

  test('of many orders with one external id at once, one is made and the others name it', async () => {
    const replies = await Promise.all(
      Array.from({ length: 200 }, (_, n) =>
        post(nodes[n % 2] as Service, { ...ORDER, customer_id: `c${n}`, external_id: `same-${n % 20}` }, `x-${n % 50}-${n}`),
      ),
    );
    const made = new Map(
      replies.filter((reply) => reply.status === 200).map((reply) => [reply.body.data.external_id as string, reply.body.data.id as string]),
    );
    assert.equal(replies.filter((reply) => reply.status === 200).length, 20);
    replies.forEach((reply, n) => {
      if (reply.status !== 200)
        assert.deepEqual([reply.status, reply.body.error.details.reason], [409, `is taken by ${made.get(`same-${n % 20}`)}`]);
    });
  });
});

/** Products come and go on the last of the nodes while the first makes orders. */
async function sayWhatIsKnown(nodes: readonly Service[]) {
  const [orders, catalogue] = [nodes.at(0) as Service, nodes.at(-1) as Service];
  const names = ['there', 'comes', 'goes'];
  const there = new Set<string>();
  for (let round = 0; round < 16; round++) {
    // One of them comes or goes, now and then two at once.
    for (const name of round % 5 === 0 ? names.slice(0, 2) : [names[round % 3] as string]) {
      if (there.delete(name)) await catalogue.call('DELETE', `/api/v1/products/${name}`);
      else {
        there.add(name);
        await catalogue.post('/api/v1/products/sync', { product_id: name, name, price: 1 });
      }
    }
    const items = names.map((product_id) => ({ product_id, quantity: 1, price: 1 }));
    const bodies = [{}, { external_id: `round ${round}` }, {}, {}].map((more) => ({ customer_id: 'c', items, ...more }));
    const replies = await Promise.all(bodies.map((body, n) => post(orders, body, n === 2 ? `round ${round}` : undefined)));
    // What is found now is what the next round begins with.
    for (let one = 0; one < 3; one++) replies.push(await post(orders, { customer_id: 'c', items }));
    for (const { text, body } of replies)
      assert.deepEqual(
        body.data?.items.map((item: { product_known: boolean }) => item.product_known),
        names.map((name) => there.has(name)),
        text,
      );
  }
}
