import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { newDatabase } from '../support/postgres-database.ts';
import type { Reachable } from '../../src/cli/prove/service-process.ts';
import { type Service, startService } from '../support/service.ts';
import { until } from '../support/until.ts';
import { type KillablePostgres, startKillablePostgres } from './postgres-kill.ts';
import { pick, withSeed } from './random.ts';
import { checkSyncBooks, postgresTables } from './sync-books.ts';
import { impatient, SyncDriver, turnableClock } from './sync-driver.ts';
import { Workload, type WorkMode } from './sync-workload.ts';

// Here the service lives, and the systems die between which it moves rows.

const CRASHES = Math.max(1, Math.round(Number(process.env['CRASHES'] ?? 0) / 10));
const LONGEST_LIFE = 600;

const clock = turnableClock();
let service: Service;
let reachable: Reachable;
let servers: [KillablePostgres, KillablePostgres];
before(async () => {
  servers = [await startKillablePostgres(), await startKillablePostgres()];
  service = await startService('sqlite', { clock: clock.now });
  reachable = { url: service.url, adminKey: service.adminKey, logs: () => '' };
});
after(async () => {
  await service.close();
  for (const server of servers) server.stop();
});

for (const mode of ['mirror', 'incremental', 'append'] as const satisfies readonly WorkMode[]) {
  test(`source or target killed ${CRASHES} times under a run (${mode}): the target is the source, and the counts are true`, () =>
    withSeed(async (random) => {
      const [source, target] = [await newDatabase(servers[0].url), await newDatabase(servers[1].url)];
      const workload = new Workload(random, source.url, [mode]);
      await workload.prepare();
      const driver = new SyncDriver(random);
      const enough = new AbortController();
      try {
        const [from, to] = [source.config, target.config];
        await driver.create(reachable, { type: 'postgres', config: from }, { type: 'postgres', config: to }, (table) => `public.${table}`, [
          mode,
        ]);
        workload.start();
        const busy = Promise.all([driver.run(reachable, enough.signal), impatient(reachable, driver, clock, enough.signal)]);
        for (let crash = 0; crash < CRASHES; crash++) {
          await pause(random() * LONGEST_LIFE);
          const server = pick(random, servers);
          await server.kill();
          server.startAgain();
          const ended = driver.ended;
          await until('a run that ends', () => driver.ended > ended);
        }
        await workload.stop();
        enough.abort();
        await busy;
        await driver.finish(reachable);
        assert.ok(workload.transactions > CRASHES, `only ${workload.transactions} transactions`);
        const tables = { source: postgresTables(source.url), target: postgresTables(target.url) };
        await checkSyncBooks(reachable, driver, workload, { ...tables, modes: [mode] });
      } finally {
        enough.abort();
        await workload.stop();
      }
    }));
}
