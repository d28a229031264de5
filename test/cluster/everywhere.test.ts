import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Cluster, type Node } from '../support/cluster.ts';
import { createPlace, type Place } from '../support/databases.ts';
import { type ChaosProxy, startChaosProxy } from '../support/chaos-proxy.ts';
import { newDatabase, type TestDatabase } from '../support/postgres-database.ts';
import { addSource, ask, reaches } from '../support/real-syncs.ts';
import { until } from '../support/until.ts';
import { startReceiver } from '../support/webhook-receiver.ts';
import { callerOf } from './caller.ts';
import { howOften } from './sizes.ts';

// What is said to one node holds on every other one within a second.

const TIMES = howOften(3);
const CANCELLED = howOften(1);
const WITHIN = 1_000;
const PATIENCE = 60_000;
const ROWS = 200_000;
/** So late is everything on the way to the target, in milliseconds: a run takes longer than it takes to cancel it. */
const LATE = 30;

let place: Place;
let cluster: Cluster;
let api: Node;
let source: TestDatabase;
let target: TestDatabase;
let sourceId: string;
let targetId: string;
let proxy: ChaosProxy;
before(async () => {
  place = await createPlace('postgres');
  [source, target] = [await newDatabase(), await newDatabase()];
  await source.run(
    `create table t as select n as id, repeat('x', 200) as note from generate_series(1, ${ROWS}) n; alter table t add primary key (id);
      create table one (id bigint primary key); insert into one values (1)`,
  );
  proxy = await startChaosProxy(target.config);
  cluster = new Cluster(place);
  // One that runs nothing, and two that do.
  api = await cluster.start({ SYNCLINE_MAX_RUNS: '0' });
  await cluster.startMany(2);
  [sourceId, targetId] = [
    await addSource(callerOf(api), 'postgres', source.config, 'from'),
    await addSource(callerOf(api), 'postgres', { ...target.config, port: proxy.port }, 'to'),
  ];
});
after(async () => {
  await cluster.killAll();
  await proxy.close();
  await source.close();
  await target.close();
  await place.remove();
});

test(`a key that is revoked on one node is refused by all within a second, ${TIMES} times`, async () => {
  for (let time = 0; time < TIMES; time++) {
    const owner = callerOf(cluster.nodes[time % cluster.nodes.length] as Node);
    const { id, key } = (await owner.call('POST', '/api/v1/keys', { body: { name: 'a key', scopes: ['orders:read'] } })).body.data;
    const statuses = (): Promise<number[]> =>
      Promise.all(cluster.nodes.map(async (node) => (await callerOf(node).call('GET', '/api/v1/orders?limit=1', { key })).status));
    // Every node knows it, and has just used it.
    assert.deepEqual(await statuses(), [200, 200, 200]);
    assert.equal((await owner.call('DELETE', `/api/v1/keys/${id}`)).status, 200);
    const revoked = performance.now();
    await until('every node to refuse it', async () => (await statuses()).every((status) => status === 401));
    const took = performance.now() - revoked;
    assert.ok(took < WITHIN, `it took ${took} ms`);
  }
});

test(`a run that is cancelled on one node ends on another within a second, ${CANCELLED} times`, async () => {
  const asker = callerOf(api);
  proxy.latency = LATE;
  for (let time = 0; time < CANCELLED; time++) {
    const name = `public.cancelled_${time}`;
    const { id: syncId } = await ask(asker, 'POST', '/sync', {
      name,
      source_id: sourceId,
      target_id: targetId,
      streams: [{ source: 'public.t', target: name, mode: 'mirror' }],
    });
    const run = await ask(asker, 'POST', `/sync/${syncId}/runs`);
    await until('some rows to be written', async () => (await ask(asker, 'GET', `/runs/${run.id}`)).totals.read > 0, PATIENCE);
    await ask(asker, 'POST', `/runs/${run.id}/cancel`);
    const cancelled = performance.now();
    await reaches(asker, run.id, 'cancelled');
    const took = performance.now() - cancelled;
    assert.ok(took < WITHIN, `it took ${took} ms`);
  }
});

test('a synchronization that is paused on one node is started by none any more', async () => {
  const asker = callerOf(api);
  proxy.latency = 0;
  const everySecond = async (name: string): Promise<string> => {
    const streams = [{ source: 'public.one', target: `public.${name}`, mode: 'incremental', cursor: 'id' }];
    const schedule = { type: 'interval', every: '1s' };
    return (await ask(asker, 'POST', '/sync', { name, source_id: sourceId, target_id: targetId, schedule, streams })).id;
  };
  const [id, neighbour] = [await everySecond('paused'), await everySecond('neighbour')];
  const runs = async (of: string): Promise<{ id: string; status: string }[]> => ask(asker, 'GET', `/sync/${of}/runs?limit=1000`);
  /** As many slots of a synchronization that goes on: the nodes have looked at what is due. */
  const slotsPass = async (count: number): Promise<void> => {
    const last = (await runs(neighbour)).length;
    await until(`${count} more slots`, async () => (await runs(neighbour)).length >= last + count, PATIENCE);
  };
  await until('two runs', async () => (await runs(id)).filter(({ status }) => status === 'succeeded').length >= 2, PATIENCE);
  await ask(asker, 'POST', `/sync/${id}/pause`);
  await slotsPass(1);
  const before = await runs(id);
  await slotsPass(3);
  assert.deepEqual(
    (await runs(id)).map((run) => run.id),
    before.map((run) => run.id),
  );
  assert.equal((await callerOf(cluster.nodes[1] as Node).call('POST', `/api/v1/datasync/sync/${id}/runs`, { body: {} })).status, 409);
  await ask(asker, 'POST', `/sync/${neighbour}/pause`);
});

test(`an endpoint that is deleted on one node is told nothing by another one after a second, ${TIMES} times`, async () => {
  const receiver = await startReceiver();
  const arrived = (path: string) => receiver.received.filter((message) => message.path === path);
  let price = 1;
  const call = async (method: string, path: string, body?: unknown) => {
    const { status, text, body: answer } = await callerOf(api).call(method, `/api/v1${path}`, body === undefined ? {} : { body });
    assert.equal(status, 200, text);
    return answer.data;
  };
  const change = () => call('POST', '/products/sync', { product_id: `p${price % 7}`, name: 'Mug', price: ++price });
  try {
    for (let time = 0; time < TIMES; time++) {
      const [ends, stays] = [`/ends-${time}`, `/stays-${time}`];
      const make = async (path: string): Promise<string> =>
        (await call('POST', '/webhooks', { name: path, url: receiver.url + path, types: ['product.*'] })).id;
      const [id] = [await make(ends), await make(stays)];
      await until('both to be told', async () => {
        await change();
        return arrived(ends).length > 2 && arrived(stays).length > 2;
      });
      // The node that takes the request does not deliver: it has no work of its own.
      await call('DELETE', `/webhooks/${id}`);
      const ended = Date.now();
      await until('the other one to be told for long enough', async () => {
        await change();
        return arrived(stays).some(({ at }) => at > ended + 2 * WITHIN);
      });
      const last = arrived(ends).at(-1)?.at ?? 0;
      assert.ok(last < ended + WITHIN, `it was told something ${last - ended} ms later`);
    }
  } finally {
    await receiver.close();
  }
});
