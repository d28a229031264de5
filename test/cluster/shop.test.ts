import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Cluster, type Node } from '../support/cluster.ts';
import { preparedPlace, type Place } from '../support/databases.ts';
import type { Reply } from '../support/service.ts';
import { callerOf } from './caller.ts';
import { howOften } from './sizes.ts';

const TIMES = howOften(4);
const EACH = 4;

let place: Place;
let cluster: Cluster;
before(async () => {
  place = await preparedPlace('postgres');
  cluster = new Cluster(place);
  await cluster.startMany(3);
});
after(async () => {
  await cluster.killAll();
  await place.remove();
});

const order = (mark: string, more: object = {}): object => ({
  customer_id: mark,
  items: [{ product_id: 'p', quantity: 2, price: 9.99 }],
  ...more,
});

/** The same request, several times to every node, all at once. */
function toAll(body: object, headers: Record<string, string> = {}): Promise<Reply[]> {
  const nodes = Array.from({ length: EACH }, () => cluster.nodes).flat();
  return Promise.all(nodes.map((node) => callerOf(node).call('POST', '/api/v1/orders', { body, headers })));
}

async function count(mark: string): Promise<number> {
  return (await callerOf(cluster).call('GET', `/api/v1/orders?customer_id=${mark}`)).body.total;
}

test(`one Idempotency-Key at all nodes at the same moment, ${TIMES} times: one order, and one answer to all`, async () => {
  for (let time = 0; time < TIMES; time++) {
    const mark = `key-${time}`;
    const replies = await toAll(order(mark), { 'idempotency-key': mark });
    assert.deepEqual([...new Set(replies.map(({ status }) => status))], [200]);
    assert.equal(new Set(replies.map(({ text }) => text)).size, 1, 'all hear the same');
    assert.equal(replies.filter(({ headers }) => headers.get('idempotent-replayed') !== 'true').length, 1);
    assert.equal(await count(mark), 1);
    const other = await callerOf(cluster.nodes[time % 3] as Node).call('POST', '/api/v1/orders', {
      body: order(`${mark}-other`),
      headers: { 'idempotency-key': mark },
    });
    assert.deepEqual([other.status, other.body.error.code], [400, 'IDEMPOTENCY_KEY_REUSED']);
  }
});

test(`one external id at all nodes at the same moment, ${TIMES} times: one order`, async () => {
  for (let time = 0; time < TIMES; time++) {
    const mark = `external-${time}`;
    const replies = await toAll(order(mark, { external_id: mark }));
    assert.equal(replies.filter(({ status }) => status === 200).length, 1);
    assert.ok(replies.every(({ status }) => status === 200 || status === 409));
    assert.equal(await count(mark), 1);
  }
});
