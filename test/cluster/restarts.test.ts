import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { type KillablePostgres, startKillablePostgres } from '../crash/postgres-kill.ts';
import { until } from '../support/until.ts';
import { whileBusy } from './bustle.ts';
import { isLarge } from './sizes.ts';

// For two minutes in the large.
const [RESTARTS, SHORTEST_LIFE, LONGEST_LIFE] = isLarge ? [10, 5_000, 20_000] : [1, 1_000, 3_000];
const LONGEST_ABSENCE = 2_000;

let server: KillablePostgres;
before(async () => {
  server = await startKillablePostgres();
});
after(() => server.stop());

test(`PostgreSQL killed and started again ${RESTARTS} times under three nodes: nothing acknowledged is lost, and all go on by themselves`, async (t) => {
  const outcome = await whileBusy({ server: server.url }, async ({ cluster, random }) => {
    for (let restart = 0; restart < RESTARTS; restart++) {
      await pause(SHORTEST_LIFE + random() * (LONGEST_LIFE - SHORTEST_LIFE));
      await server.kill();
      await pause(random() * LONGEST_ABSENCE);
      server.startAgain();
    }
    for (const { url } of cluster.nodes) await until('every node is ready again', async () => (await fetch(`${url}/readyz`)).ok);
  });
  t.diagnostic(JSON.stringify(outcome));
  assert.ok(outcome.orders > 5 * RESTARTS, JSON.stringify(outcome));
});
