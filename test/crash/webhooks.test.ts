import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as after } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Cluster } from '../support/cluster.ts';
import { createPlace, ENGINES, type Place } from '../support/databases.ts';
import type { Reachable } from '../../src/cli/prove/service-process.ts';
import { startProcess } from '../support/process.ts';
import { callService } from '../support/service.ts';
import { until, untilDone } from '../support/until.ts';
import type { Received } from '../support/webhook-receiver.ts';
import { type Random, withSeed } from './random.ts';
import { RudeReceiver } from './rude-receiver.ts';
import { isLarge } from './sizes.ts';

const KILLS = Number(process.env['CRASHES'] ?? 2);
const program = fileURLToPath(new URL('../support/quick-deliveries.ts', import.meta.url));
/** A life lasts up to so many milliseconds. */
const LIFE = 700;
const OBJECTS = 12;
const WRITERS = 3;
const STUCK_AFTER = 60_000;

interface FeedEvent {
  sequence: number;
  id: string;
  type: string;
  object_id: string;
  created_at: string;
  data: unknown;
}

/** Changes products all the while, whatever becomes of the service. */
class Writing {
  #isOver = false;
  acknowledged = 0;
  readonly #workers: Promise<void>[];

  constructor(service: () => Reachable, random: Random) {
    this.#workers = Array.from({ length: WRITERS }, () => this.#write(service, random));
  }

  async #write(service: () => Reachable, random: Random): Promise<void> {
    for (let price = 1; !this.#isOver; price++) {
      const product_id = `p${Math.floor(random() * OBJECTS)}`;
      const body = { product_id, name: `${product_id} at ${price}`, price };
      const isDone = await call(service(), 'POST', '/api/v1/products/sync', body).then(
        ({ status }) => status === 200,
        () => false,
      );
      if (isDone) this.acknowledged++;
      await after(random() * 20);
    }
  }

  async end(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#workers);
  }
}

function call({ url, adminKey }: Reachable, method: string, path: string, body?: unknown): ReturnType<typeof callService> {
  return callService(url, adminKey, method, path, body === undefined ? {} : { body });
}

async function makeEndpoint(service: Reachable, url: string, given: object = {}): Promise<string> {
  const { status, body, text } = await call(service, 'POST', '/api/v1/webhooks', {
    name: url,
    url,
    types: ['product.*'],
    max_in_flight: 16,
    ...given,
  });
  assert.equal(status, 200, text);
  return body.data.id as string;
}

async function wholeFeed(service: Reachable): Promise<FeedEvent[]> {
  const events: FeedEvent[] = [];
  for (;;) {
    const { body } = await call(service, 'GET', `/api/v1/events?limit=1000&after=${events.at(-1)?.sequence ?? 0}`);
    if (body.data.length === 0) return events.filter(({ type }) => type.startsWith('product.'));
    events.push(...(body.data as FeedEvent[]));
  }
}

/** Every event has arrived, for each object in order; doubles are the same message; none was invented. */
function checkArrivals(feed: readonly FeedEvent[], received: readonly Received[]): void {
  const byId = new Map(feed.map((event) => [event.id, event]));
  const texts = new Map<string, string>();
  for (const { id, text } of received) {
    const event = byId.get(id);
    assert.ok(event, `${id} was invented`);
    assert.equal(texts.get(id) ?? text, text, 'a double is the same message');
    if (!texts.has(id)) {
      const { type, created_at: timestamp, data } = event;
      assert.deepEqual(JSON.parse(text), { type, timestamp, data });
    }
    texts.set(id, text);
  }
  assert.deepEqual(
    feed.filter(({ id }) => !texts.has(id)).map(({ sequence }) => sequence),
    [],
    'did not arrive',
  );
  for (const [object, events] of Map.groupBy(texts.keys(), (id) => byId.get(id)?.object_id ?? '')) {
    const order = events.map((id) => byId.get(id)?.sequence ?? 0);
    assert.deepEqual(
      order,
      order.toSorted((one, other) => one - other),
      `the order of ${object}`,
    );
  }
}

/** Kills what `kill` kills, again and again, while products change and a rude receiver is told of it. */
async function tellThrough(random: Random, service: () => Reachable, kill: () => Promise<void>): Promise<void> {
  const receiver = await RudeReceiver.start(random);
  try {
    const rude = await makeEndpoint(service(), `${receiver.url}/rude`);
    const gone = await makeEndpoint(service(), `${receiver.url}/gone`);
    const writing = new Writing(service, random);
    for (let n = 1; n <= KILLS; n++) {
      await after(random() * LIFE);
      await kill();
    }
    await until('something was told after the last kill', async () => {
      const before = receiver.at('/rude').length;
      await after(300);
      return receiver.at('/rude').length > before;
    });
    // Else it was not rude, and this would test nothing.
    await until('something to come twice', () => new Set(receiver.at('/rude').map(({ id }) => id)).size < receiver.at('/rude').length);
    await writing.end();
    receiver.isRude = false;
    assert.ok(writing.acknowledged > KILLS, `only ${writing.acknowledged} changes`);
    const shown = async (id: string) => (await call(service(), 'GET', `/api/v1/webhooks/${id}`)).body.data;
    assert.equal(
      (await until('the other one to be disabled', async () => (await shown(gone)).status !== 'active' && shown(gone))).status,
      'disabled',
    );
    receiver.wantsNothing = false;
    assert.equal((await call(service(), 'POST', `/api/v1/webhooks/${gone}/resume`)).status, 200);
    const feed = await wholeFeed(service());
    const last = feed.at(-1)?.sequence ?? 0;
    for (const id of [rude, gone])
      await untilDone(
        'all to be delivered',
        async () => {
          const { position, waiting, failed } = await shown(id);
          assert.equal(failed, 0);
          return position >= last && waiting === 0;
        },
        // With a node that is always there, many thousands of events gather.
        () => shown(id).then(({ position, waiting }) => [position, waiting]),
        STUCK_AFTER,
      );
    checkArrivals(feed, receiver.at('/rude'));
    checkArrivals(feed, receiver.at('/gone'));
  } finally {
    await receiver.close();
  }
}

// On PostgreSQL, a sample has three nodes in place of one (below).
for (const engine of isLarge ? ENGINES : ENGINES.slice(0, 1)) {
  test(`webhooks through kill -9 (${engine}), ${KILLS} times, to a rude receiver: everything arrives, in order, and nothing else`, () =>
    withSeed(async (random) => {
      const place = await createPlace(engine);
      let service = await startProcess(place, { program });
      try {
        await tellThrough(
          random,
          () => service,
          async () => {
            await service.kill();
            service = await startProcess(place, { program });
          },
        );
      } finally {
        await service.kill();
        await place.remove();
      }
    }));
}

test(`three nodes, of which ${KILLS} are killed: another one goes on, and everything arrives in order`, () =>
  withSeed(async (random) => {
    const place: Place = await createPlace('postgres');
    const cluster = new Cluster(place, {}, program);
    try {
      await cluster.startMany(3);
      await tellThrough(
        random,
        () => cluster,
        async () => {
          const { nodes } = cluster;
          const victim = nodes[Math.floor(random() * nodes.length)];
          if (victim) await cluster.kill(victim);
          await cluster.start();
        },
      );
    } finally {
      await cluster.killAll();
      await place.remove();
    }
  }));
