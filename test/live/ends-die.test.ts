import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { pick, type Random, withSeed } from '../crash/random.ts';
import { turnableClock } from '../crash/sync-driver.ts';
import type { Reachable } from '../../src/cli/prove/service-process.ts';
import { startService } from '../support/service.ts';
import type { LiveEnd } from './ends.ts';
import { hurry } from './hurry.ts';
import { isAsked, makeWorld, PAIRS } from './world.ts';

// Here the service lives, and the systems die between which it moves changes, or the network between.

const FAULTS = Math.max(4, Math.round(Number(process.env['CRASHES'] ?? 0) / 4));
const LONGEST_LIFE = 1_500;
const LONGEST_AWAY = 800;

type Fault = (end: LiveEnd, random: Random) => Promise<void>;

const FAULTS_OF_ENDS: Readonly<Record<string, Fault>> = {
  dies: async (end, random) => {
    await end.kill();
    await pause(random() * LONGEST_AWAY);
    await end.startAgain();
  },
  'is cut off': async (end) => end.wire?.cut({ reset: true }),
  'takes no connections': async (end, random) => {
    await end.wire?.shut();
    await pause(random() * LONGEST_AWAY);
    await end.wire?.heal();
  },
  'says nothing any more, and then is cut off': async (end, random) => {
    if (!end.wire) return;
    end.wire.blackHole = true;
    await pause(random() * LONGEST_AWAY);
    await end.wire.heal();
  },
};

for (const pair of PAIRS.filter(isAsked)) {
  test(`source or target dies or is cut off, ${FAULTS} times, ${pair.join(' to ')}: every change is made once`, (t) =>
    withSeed(async (random) => {
      const world = await makeWorld(random, pair);
      const clock = turnableClock();
      const service = await startService('sqlite', { clock: clock.now, place: world.place });
      const reachable: Reachable = { url: service.url, adminKey: service.adminKey, logs: () => '' };
      const enough = new AbortController();
      const hurried = hurry(world.sync, reachable, (ms) => clock.turn(ms), enough.signal);
      const struck: Record<string, number> = {};
      try {
        await world.begin(reachable);
        for (let fault = 0; fault < FAULTS; fault++) {
          await pause(random() * LONGEST_LIFE);
          const kinds = Object.keys(FAULTS_OF_ENDS);
          const kind = pick(random, kinds);
          const role = fault % 2 === 0 ? 'source' : 'target';
          await FAULTS_OF_ENDS[kind]?.(world.ends[role], random);
          struck[`${role} ${kind}`] = (struck[`${role} ${kind}`] ?? 0) + 1;
          if (fault % 3 === 2) await world.sync.live(reachable);
        }
        t.diagnostic(`${await world.check(reachable)} ${JSON.stringify(struck)}`);
      } finally {
        enough.abort();
        await hurried;
        await service.close();
        await world.close();
      }
    }));
}
