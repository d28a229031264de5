import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { createPlace } from '../support/databases.ts';
import { startProcess } from '../support/process.ts';
import { until } from '../support/until.ts';
import { checkBooks } from './books.ts';
import { type KillablePostgres, startKillablePostgres } from './postgres-kill.ts';
import { withSeed } from './random.ts';
import { ShopDriver } from './shop-driver.ts';

// Here the service lives and PostgreSQL dies under it.

const CRASHES = Math.max(3, Math.round(Number(process.env['CRASHES'] ?? 0) / 40));
const MOST_ANSWERS = 150;
const LATER = 8;

let server: KillablePostgres;
before(async () => {
  server = await startKillablePostgres();
  process.env['TEST_POSTGRES_URL'] = server.url;
});
after(() => server.stop());

test(`PostgreSQL killed ${CRASHES} times: nothing acknowledged is lost, nothing is doubled, and the service recovers by itself`, () =>
  withSeed(async (random) => {
    const place = await createPlace('postgres');
    const driver = new ShopDriver(random);
    const service = await startProcess(place, { environment: { LOG_LEVEL: 'error' } });
    const readiness = async (): Promise<number> => (await fetch(`${service.url}/readyz`)).status;
    try {
      for (let crash = 1; crash <= CRASHES; crash++) {
        const busy = driver.run(service);
        // Short lives and long ones.
        const share = (crash - random()) / CRASHES;
        await Promise.race([busy, driver.answered(Math.ceil(share * MOST_ANSWERS))]);
        await pause(random() * LATER);
        await server.kill();
        await busy;
        assert.equal(await readiness(), 503);
        server.startAgain();
        await until('the service is ready again', async () => (await readiness()) === 200);
      }
      await driver.finish(service);
      assert.ok(driver.answers > 100 && driver.unanswered >= CRASHES, `${driver.answers} answers, ${driver.unanswered} unanswered`);
      // Clients that asked meanwhile were told so; none hung until a time limit.
      assert.ok(driver.slowest < 20_000, `a client waited for ${driver.slowest} ms`);
      await checkBooks(service, place, driver);
    } finally {
      await service.kill();
      // Its database goes with the server.
      rmSync(place.dataDir, { recursive: true, force: true });
    }
  }));
