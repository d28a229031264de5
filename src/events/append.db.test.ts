import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { append } from '../../test/support/commands.ts';
import { preparedPlace, onBothEngines, type Place } from '../../test/support/databases.ts';
import type { Database } from '../db/database.ts';
import { openDatabase } from '../db/open.ts';
import { sql } from '../db/sql.ts';
import { createLog } from '../lib/log.ts';
import type { EventTopic } from './append.ts';

interface Event {
  seq: number;
  topic: EventTopic;
  topic_seq: number;
  object_id: string;
  data: string;
}

onBothEngines('events', (engine) => {
  let place: Place;
  let nodes: Database[];
  before(async () => {
    place = await preparedPlace(engine);
    // PostgreSQL may have several nodes; an SQLite file has one.
    const open = (): Promise<Database> => openDatabase({ ...place, poolSize: 6 }, createLog('silent'));
    nodes = engine === 'postgres' ? [await open(), await open()] : [await open()];
  });
  after(async () => {
    await Promise.all(nodes.map((node) => node.close()));
    await place.remove();
  });

  const node = (n: number): Database => nodes[n % nodes.length] as Database;
  const feed = (db: Database, from: number): Promise<Event[]> =>
    db.read.all<Event>(sql`select seq, topic, topic_seq, object_id, data from events where seq > ${from} order by seq`);

  test('are numbered without a gap, in all and in their topic, however many writers there are and fail', async () => {
    const writers = Array.from({ length: 8 }, (_, w) => w);
    const write = async (w: number): Promise<void> => {
      for (let round = 0; round < 12; round++) {
        const numbers = Array.from({ length: 1 + ((w + round) % 4) }, (_, n) => round * 10 + n);
        const input = { topic: w % 2 ? 'orders' : 'products', writer: `w${w}`, numbers } as const;
        if ((w + round) % 3 === 0) await assert.rejects(node(w).write(append, { ...input, fails: true }), /after the events/);
        await node(w).write(append, input);
      }
    };
    let writing = true;
    // A reader that follows the feed all the while: what it has seen once must never be preceded by something new.
    const follow = async (): Promise<Event[]> => {
      const seen: Event[] = [];
      for (let last = false; !last; ) {
        last = !writing;
        await turn();
        seen.push(...(await feed(node(1), seen.at(-1)?.seq ?? 0)));
      }
      return seen;
    };
    const following = follow();
    await Promise.all(writers.map(write));
    writing = false;
    const seen = await following;

    const events = await feed(node(0), 0);
    assert.deepEqual(seen, events, 'the reader has missed something');
    assert.deepEqual(
      events.map((event) => event.seq),
      events.map((_, index) => index + 1),
    );
    for (const topic of ['orders', 'products']) {
      const own = events.filter((event) => event.topic === topic);
      assert.deepEqual(
        own.map((event) => event.topic_seq),
        own.map((_, index) => index + 1),
      );
    }
    // Each writer's events are there once, in the order in which it wrote them.
    const byWriter = Map.groupBy(events, (event) => event.object_id);
    for (const w of writers) {
      const numbers = (byWriter.get(`w${w}`) ?? []).map((event) => (JSON.parse(event.data) as { number: number }).number);
      const expected = Array.from({ length: 12 }, (_, round) => Array.from({ length: 1 + ((w + round) % 4) }, (__, n) => round * 10 + n));
      assert.deepEqual(numbers, expected.flat());
    }
    const counters = await node(0).read.all<{ name: string; n: number }>(
      sql`select name, n from counters where name like 'events%' order by name`,
    );
    assert.deepEqual(
      counters.map(({ name, n }) => [name, n]),
      [
        ['events', events.length],
        ['events:orders', events.filter((event) => event.topic === 'orders').length],
        ['events:products', events.filter((event) => event.topic === 'products').length],
      ],
    );
  });

  test('that are none leave no trace', async () => {
    const before = await node(0).read.all(sql`select name, n from counters order by name`);
    await node(0).write(append, { topic: 'orders', writer: 'nobody', numbers: [] });
    assert.deepEqual(await node(0).read.all(sql`select name, n from counters order by name`), before);
  });
});
