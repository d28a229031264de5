import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as after } from 'node:timers/promises';
import { createPlace, onBothEngines } from '../support/databases.ts';
import { launch, startProcess } from '../support/process.ts';
import { checkBooks } from './books.ts';
import { withSeed } from './random.ts';
import { ShopDriver } from './shop-driver.ts';

const KILLS = 20;
// Of the kills, so many hit a service that is still starting.
const STARTS = 4;
// A life ends after up to so many answers, and not just when one has come: up to so many milliseconds later.
const MOST_ANSWERS = 120;
const LATER = 8;
const LONGEST_START = 350;

onBothEngines('kill -9', (engine) => {
  test(`${KILLS} times at random instants: nothing acknowledged is lost, nothing is doubled`, () =>
    withSeed(async (random) => {
      const place = await createPlace(engine);
      const driver = new ShopDriver(random);
      let service = await startProcess(place);
      try {
        for (let kill = 1; kill <= KILLS; kill++) {
          const busy = driver.run(service);
          await Promise.race([busy, driver.answered(Math.ceil(random() * MOST_ANSWERS))]);
          await after(random() * LATER);
          assert.deepEqual(await service.kill(), { code: null, signal: 'SIGKILL' }, service.logs());
          await busy;
          if (kill % (KILLS / STARTS) === 0) {
            const starting = launch(place, {});
            await after(random() * LONGEST_START);
            await starting.service.kill();
          }
          service = await startProcess(place);
        }
        await driver.finish(service);
        // The books prove something only when there was much to lose.
        assert.ok(driver.answers > 1_000, `only ${driver.answers} answers`);
        assert.ok(driver.unanswered >= KILLS && driver.replays > 0, `${driver.unanswered} unanswered, ${driver.replays} replays`);
        await checkBooks(service, place, driver);
      } finally {
        await service.kill();
        await place.remove();
      }
    }));
});
