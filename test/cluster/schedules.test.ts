import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clockOff } from '../support/cluster-clock.ts';
import { Cluster } from '../support/cluster.ts';
import { createPlace } from '../support/databases.ts';
import { newDatabase } from '../support/postgres-database.ts';
import { addSource, ask } from '../support/real-syncs.ts';
import { until } from '../support/until.ts';
import { callerOf } from './caller.ts';
import { isLarge } from './faults.ts';

const SLOTS = isLarge ? 120 : 6;
const OFF = 600;
/** How soon after its time a run is in the queue. */
const SOON = 1_000;

interface Run {
  id: string;
  status: string;
  trigger: string;
  created_at: string;
}

test(`three nodes whose clocks disagree: every slot of a schedule fires once and at its time, ${SLOTS} slots`, async () => {
  const place = await createPlace('postgres');
  const [source, target] = [await newDatabase(), await newDatabase()];
  const cluster = new Cluster(place);
  try {
    await source.run('create table t (id bigint primary key); insert into t values (1)');
    for (const environment of [{}, clockOff(OFF), clockOff(-OFF)]) await cluster.start(environment);
    const syncs: { id: string; runs: () => Promise<Run[]> }[] = [];
    // Each is made by another node: whose clock it was must not show.
    for (const [at, node] of cluster.nodes.entries()) {
      const asker = callerOf(node);
      const source_id = await addSource(asker, 'postgres', source.config, `from ${at}`);
      const target_id = await addSource(asker, 'postgres', target.config, `to ${at}`);
      const streams = [{ source: 'public.t', target: `public.t${at}`, mode: 'mirror' }];
      const schedule = at === 1 ? { type: 'cron', expression: '* * * * * *' } : { type: 'interval', every: '1s' };
      const { id } = await ask(asker, 'POST', '/sync', { name: `${at}`, source_id, target_id, schedule, streams });
      syncs.push({ id, runs: async () => (await ask(callerOf(cluster), 'GET', `/sync/${id}/runs?limit=1000`)).toReversed() });
    }
    for (const { id, runs } of syncs) {
      const seen = await until(`${SLOTS} runs`, async () => ((await runs()).length >= SLOTS ? runs() : undefined), SLOTS * 2_000 + 10_000);
      await ask(callerOf(cluster), 'POST', `/sync/${id}/pause`);
      assert.deepEqual([...new Set(seen.map(({ trigger }) => trigger))], ['schedule']);
      const seconds = seen.map(({ created_at }) => Math.floor(Date.parse(created_at) / 1000));
      const first = seconds[0] as number;
      assert.deepEqual(
        seconds,
        seconds.map((_, at) => first + at),
        'one in every second',
      );
      for (const { created_at } of seen) assert.ok(Date.parse(created_at) % 1000 < SOON, `${created_at} is soon after the second`);
    }
  } finally {
    await cluster.killAll();
    await source.close();
    await target.close();
    await place.remove();
  }
});
