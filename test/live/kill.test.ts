import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { pick, withSeed } from '../crash/random.ts';
import type { ServiceProcess } from '../../src/cli/prove/service-process.ts';
import { startProcess } from '../support/process.ts';
import { isAsked, makeWorld, PAIRS } from './world.ts';

/** `npm test` has a sample of the first pair; `npm run test:live` has all pairs, the first most often. */
const SAMPLE = 2;
const CRASHES = process.env['CRASHES'];
const killsOf = (at: number): number => (CRASHES === undefined ? SAMPLE : Math.ceil(Number(CRASHES) / (at === 0 ? 1 : 4)));
const LONGEST_LIFE = 2_500;
/** In so many lives, one goes on until everything is live: nothing is proven where nothing ever is. */
const SEES_ALL_LIVE = 3;
/** So many tables come in the end; then those that are there are loaded anew. */
const MOST_TABLES = 5;
const ROWS = 3_000;

for (const [at, pair] of PAIRS.slice(0, CRASHES === undefined ? 1 : undefined).entries()) {
  if (!isAsked(pair)) continue;
  const kills = killsOf(at);
  test(`kill -9, ${kills} times in load, hand-over and stream, ${pair.join(' to ')}: every change is made once, and no half of one is ever seen`, (t) =>
    withSeed(async (random) => {
      const world = await makeWorld(random, pair);
      const { sync, changing, place } = world;
      let service: ServiceProcess | undefined;
      const hit = { loading: 0, live: 0, unknown: 0 };
      try {
        service = await startProcess(place);
        await world.begin(service);
        for (let kill = 1; kill <= kills; kill++) {
          if (kill % 2 === 0 || kill === 1) {
            if (sync.tables.length < 5 + MOST_TABLES) {
              sync.tables.push(await changing.addTable(ROWS));
            } else await sync.reset(service, pick(random, sync.tables.slice(5)));
          }
          // Said again after each kill: the one before may not have heard it.
          await sync.edit(service);
          if (kill % SEES_ALL_LIVE === 0) await sync.live(service);
          await pause(random() * LONGEST_LIFE);
          const standings = await sync.standings(service);
          hit[!standings ? 'unknown' : standings.some(({ live }) => live !== 'live') ? 'loading' : 'live']++;
          assert.deepEqual(await service.kill(), { code: null, signal: 'SIGKILL' }, service.logs());
          service = await startProcess(place);
        }
        await sync.edit(service);
        t.diagnostic(`${await world.check(service)} ${JSON.stringify(hit)}`);
        if (kills >= 20) assert.ok(hit.loading >= 3 && hit.live >= 3, `kills hit ${JSON.stringify(hit)}`);
      } finally {
        await service?.kill();
        await world.close();
      }
    }));
}
