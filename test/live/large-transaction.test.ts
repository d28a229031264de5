import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Random, withSeed } from '../crash/random.ts';
import { turnableClock } from '../crash/sync-driver.ts';
import { preparedPlace } from '../support/databases.ts';
import type { Reachable } from '../../src/cli/prove/service-process.ts';
import { startService } from '../support/service.ts';
import { until } from '../support/until.ts';
import { demandCounted, demandEqual } from './books.ts';
import type { PlainClient } from '../../src/cli/prove/plain-client.ts';
import { type EndType, type LiveEnd, startEnd } from './ends.ts';
import { hurry } from './hurry.ts';
import { LiveSync } from './live-sync.ts';
import { prepareSource, prepareTarget, series } from './tables.ts';
import { isAsked, PAIRS } from './world.ts';

// The source dies while it sends a transaction that is far larger than what is under way at a time.

const ROWS = 300_000;
const KILLS = 2;
const FOLLOWED = ['accounts', 'numbered'];

for (const pair of PAIRS.filter(([, target]) => target === 'postgres').filter(isAsked)) {
  test(`the source dies ${KILLS} times within a transaction of ${ROWS} rows, ${pair.join(' to ')}: it comes as a whole, and each change once`, (t) =>
    withSeed(async (random) => {
      const { source, target, service, sync, close } = await followed(pair);
      const [from, to] = [await source.connect(), await target.connect()];
      try {
        await from.run(`insert into numbered ${series(source.type, 1, ROWS, "id, id, 'as it was'")}`);
        await until('all rows at the target', async () => (await rowsOf(to)) === ROWS);

        // One that dies with its server is never seen.
        await from.run(source.type === 'postgres' ? 'begin' : 'start transaction');
        await from.run(`update numbered set n = n + ${ROWS}, v = 'never'`);
        await source.kill();
        await source.startAgain();

        const again = await source.connect();
        await again.run(`update numbered set n = n + ${2 * ROWS}, v = 'as it is'`);
        await again.close();
        const made = [];
        for (let kill = 0; kill < KILLS; kill++) made.push(await killWithin(source, to, random));
        await sync.live(service);
        await until('the transaction at the target', async () => (await rowsOf(to, "v = 'as it is'")) === ROWS);
        await demandEqual({ source, target }, FOLLOWED, () => sync.story(service));
        assert.equal(await demandCounted({ source, target }, 0), 2 * ROWS);
        t.diagnostic(`killed after ${made.join(' and ')} of ${ROWS} rows`);
      } finally {
        await from.close();
        await to.close();
        await close();
      }
    }));
}

/** Kills the source when some of the transaction is made at the target, and starts it again. Answers how much was. */
async function killWithin(source: LiveEnd, to: PlainClient, random: Random): Promise<number> {
  const before = await firings(to);
  const share = ROWS * (0.1 + 0.5 * random());
  const made = await until('a part of the transaction at the target', async () => {
    const now = (await firings(to)) - before;
    return now >= share && now;
  });
  await source.kill();
  assert.equal(await rowsOf(to, "v = 'as it was'"), ROWS, 'nothing of it is seen');
  await source.startAgain();
  return made;
}

/** How often the trigger has fired at the target, also for what was taken back, or is not committed: numbers of a sequence are given once. */
async function firings(to: PlainClient): Promise<number> {
  const [row] = await to.rows('select last_value from seen_place_seq');
  return Number(row?.[0]);
}

async function rowsOf(to: PlainClient, where = 'true'): Promise<number> {
  const [row] = await to.rows(`select count(*) from numbered where ${where}`);
  return Number(row?.[0]);
}

/** Two ends, and a synchronization between them that is live. */
async function followed([from, to]: readonly [EndType, EndType]) {
  const place = await preparedPlace('sqlite');
  const ends = { source: await startEnd(from, place), target: await startEnd(to, place) };
  const prepare = async (end: LiveEnd, work: (client: PlainClient, type: EndType) => Promise<void>): Promise<void> => {
    const client = await end.connect();
    await work(client, end.type);
    await client.close();
  };
  await prepare(ends.source, prepareSource);
  await prepare(ends.target, prepareTarget);
  const clock = turnableClock();
  const running = await startService('sqlite', { clock: clock.now, place });
  const service: Reachable = { url: running.url, adminKey: running.adminKey, logs: () => '' };
  const sync = new LiveSync(ends, FOLLOWED);
  await sync.create(service);
  await sync.live(service);
  const enough = new AbortController();
  const hurried = hurry(sync, service, (ms) => clock.turn(ms), enough.signal);
  const close = async (): Promise<void> => {
    enough.abort();
    await hurried;
    await running.close();
    await ends.source.close();
    await ends.target.close();
    await place.remove();
  };
  return { ...ends, service, sync, close };
}
