import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as after } from 'node:timers/promises';
import { createPlace, onBothEngines } from '../support/databases.ts';
import { launch, startProcess } from '../support/process.ts';
import { checkBooks } from './books.ts';
import { withSeed } from './random.ts';
import { ShopDriver } from './shop-driver.ts';

// Of 200 crashes that are asked for (`npm run test:crash`), a tenth falls to each database; else there are a few.
const KILLS = Math.max(4, Math.round(Number(process.env['CRASHES'] ?? 0) / 10));
// More of them, until one has hit the moment between a commit and its answer.
const MOST_KILLS = KILLS + 30;
// After so many kills, one more hits a service that is still starting.
const BETWEEN_STARTS = 4;
// The books prove something only when there was much to lose: so many answers of a life, on average.
const ENOUGH_ANSWERS = 50;
// A life ends after up to so many answers, and not just when one has come: up to so many milliseconds later.
const MOST_ANSWERS = 120;
const LATER = 8;
const LONGEST_START = 350;

onBothEngines('kill -9', (engine) => {
  test(`at least ${KILLS} times at random instants: nothing acknowledged is lost, nothing is doubled`, () =>
    withSeed(async (random) => {
      const place = await createPlace(engine);
      const driver = new ShopDriver(random);
      let service = await startProcess(place);
      try {
        let kill = 0;
        while (++kill <= KILLS || (driver.replays === 0 && kill <= MOST_KILLS)) {
          const busy = driver.run(service);
          // Short lives and long ones, in turns.
          const share = ((kill % KILLS) + random()) / KILLS;
          await Promise.race([busy, driver.answered(Math.ceil(share * MOST_ANSWERS))]);
          await after(random() * LATER);
          assert.deepEqual(await service.kill(), { code: null, signal: 'SIGKILL' }, service.logs());
          await busy;
          if (kill % BETWEEN_STARTS === 0) {
            const starting = launch(place, {});
            await after(random() * LONGEST_START);
            await starting.service.kill();
          }
          service = await startProcess(place);
        }
        await driver.finish(service);
        assert.ok(driver.answers > KILLS * ENOUGH_ANSWERS, `only ${driver.answers} answers`);
        assert.ok(driver.unanswered >= kill - 1 && driver.replays > 0, `${driver.unanswered} unanswered, ${driver.replays} replays`);
        await checkBooks(service, place, driver);
      } finally {
        await service.kill();
        await place.remove();
      }
    }));
});
