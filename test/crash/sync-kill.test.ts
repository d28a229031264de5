import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as after } from 'node:timers/promises';
import { preparedPlace } from '../support/databases.ts';
import { newDatabase } from '../support/postgres-database.ts';
import { launch, startProcess } from '../support/process.ts';
import { until } from '../support/until.ts';
import { withSeed } from './random.ts';
import { isLarge } from './sizes.ts';
import { checkSyncBooks, postgresTables, sqliteTables } from './sync-books.ts';
import { SyncDriver } from './sync-driver.ts';
import { Workload, type WorkMode } from './sync-workload.ts';

const KILLS = Number(process.env['CRASHES'] ?? 3);
// Of so many kills, one more hits a service that is still starting.
const STARTS = 6;
const LONGEST_LIFE = 2_500;
// In so many lives, one goes on until a run has ended, however slow the machine is: nothing is proven where none ever does.
const SEES_AN_END = 3;
const LONGEST_START = 450;
const PATIENCE = 60_000;
const MODES: readonly WorkMode[] = ['mirror', 'incremental', 'append'];

// How SQLite is left by a kill is also seen in sync-exact.test.ts, at the moments that matter.
const TARGETS = ['postgres', 'sqlite'] as const;
for (const type of isLarge ? TARGETS : TARGETS.slice(0, 1)) {
  test(`kill -9, ${KILLS} times while a mirror, an incremental and an appending run write to ${type}: the target is the source, and the counts are true`, () =>
    withSeed(async (random) => {
      const place = await preparedPlace('sqlite');
      const source = await newDatabase();
      const other = await newDatabase();
      const file = join(place.dataDir, 'files', 'target.db');
      mkdirSync(join(place.dataDir, 'files'));
      const workload = new Workload(random, source.url);
      await workload.prepare();
      const driver = new SyncDriver(random);
      let service = await startProcess(place);
      try {
        const target = type === 'postgres' ? { type, config: other.config } : { type, config: { path: file } };
        const named = (table: string): string => (type === 'postgres' ? `public.${table}` : table);
        await driver.create(service, { type: 'postgres', config: source.config }, target, named, MODES);
        driver.cancelled = 0.05;
        workload.start();
        for (let kill = 1; kill <= KILLS; kill++) {
          const busy = driver.run(service);
          const ended = driver.ended;
          if (kill % SEES_AN_END === 0) await Promise.race([busy, until('the end of a run', () => driver.ended > ended, PATIENCE)]);
          await Promise.race([busy, after(random() * LONGEST_LIFE)]);
          assert.deepEqual(await service.kill(), { code: null, signal: 'SIGKILL' }, service.logs());
          await busy;
          if (kill % STARTS === 0) {
            const starting = launch(place, {});
            await after(random() * LONGEST_START);
            await starting.service.kill();
          }
          service = await startProcess(place);
        }
        await workload.stop();
        await driver.finish(service);
        // It proves something only when there was much to lose.
        assert.ok(workload.transactions > 5 * KILLS, `only ${workload.transactions} transactions`);
        assert.ok(driver.resumed <= KILLS / 100, `${driver.resumed} times a synchronization was paused`);
        assert.ok(driver.ended >= Math.floor(KILLS / SEES_AN_END), `only ${driver.ended} runs ended before the next kill`);
        await checkSyncBooks(service, driver, workload, {
          source: postgresTables(source.url),
          target: type === 'postgres' ? postgresTables(other.url) : sqliteTables(file),
          modes: MODES,
        });
      } finally {
        await workload.stop();
        await service.kill();
        await source.close();
        await other.close();
        await place.remove();
      }
    }));
}
