import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import { clockOff } from '../support/cluster-clock.ts';
import { Cluster } from '../support/cluster.ts';
import { preparedPlace } from '../support/databases.ts';
import { newDatabase } from '../support/postgres-database.ts';
import { addSource, ask } from '../support/real-syncs.ts';
import { until } from '../support/until.ts';
import { callerOf } from './caller.ts';
import { isLarge } from './sizes.ts';

const SLOTS = isLarge ? 120 : 6;
const OFF = 600;
/** A run is in the queue soon after its time, if not at once: the tests have the machine to share. */
const LATE = 5_000;
const PATIENCE = SLOTS * 3_000 + 30_000;

interface Run {
  slot: string;
  created_at: string;
}

test(`three nodes whose clocks disagree: every slot of a schedule fires once and at its time, ${SLOTS} slots`, async () => {
  const place = await preparedPlace('postgres');
  const [source, target] = [await newDatabase(), await newDatabase()];
  const cluster = new Cluster(place);
  const own = new pg.Client({ connectionString: place.databaseUrl });
  try {
    await own.connect();
    await source.run('create table t (id bigint primary key); insert into t values (1)');
    for (const environment of [{}, clockOff(OFF), clockOff(-OFF)]) await cluster.start(environment);
    const runsOf = async (id: string): Promise<Run[]> =>
      (await own.query<Run>('select slot, created_at from runs where sync_id = $1 order by slot', [id])).rows;
    const syncs: string[] = [];
    // Each is made by another node: whose clock it was must not show.
    for (const [at, node] of cluster.nodes.entries()) {
      const asker = callerOf(node);
      const source_id = await addSource(asker, 'postgres', source.config, `from ${at}`);
      const target_id = await addSource(asker, 'postgres', target.config, `to ${at}`);
      const streams = [{ source: 'public.t', target: `public.t${at}`, mode: 'mirror' }];
      const schedule = at === 1 ? { type: 'cron', expression: '* * * * * *' } : { type: 'interval', every: '1s' };
      syncs.push((await ask(asker, 'POST', '/sync', { name: `${at}`, source_id, target_id, schedule, streams })).id);
    }
    for (const id of syncs) {
      const seen = await until(`${SLOTS} runs`, async () => ((await runsOf(id)).length >= SLOTS ? runsOf(id) : undefined), PATIENCE);
      await ask(callerOf(cluster), 'POST', `/sync/${id}/pause`);
      const slots = seen.map(({ slot }) => Date.parse(slot));
      assert.equal(new Set(slots).size, slots.length, 'no slot twice');
      assert.ok(
        slots.every((slot) => slot % 1000 === 0),
        slots.join(', '),
      );
      // Of slots that were missed, as the machine was too busy, one is left.
      const [first = 0, last = 0] = [slots[0], slots.at(-1)];
      const all = (last - first) / 1000 + 1;
      assert.ok(slots.length > all / 2, `${slots.length} of ${all} slots`);
      for (const { slot, created_at } of seen) {
        const late = Date.parse(created_at) - Date.parse(slot);
        assert.ok(late >= 0 && late < LATE, `the slot ${slot} was noticed at ${created_at}`);
      }
    }
  } finally {
    await cluster.killAll();
    await own.end();
    await source.close();
    await target.close();
    await place.remove();
  }
});
