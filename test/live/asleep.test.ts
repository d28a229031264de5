import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { withSeed } from '../crash/random.ts';
import { Cluster, type Node, putToSleep, wakeUp } from '../support/cluster.ts';
import { until } from '../support/until.ts';
import { hasArrived } from './books.ts';
import { filesOf } from './ends.ts';
import { isAsked, makeWorld, PAIRS, type World } from './world.ts';

const IS_WHOLE = process.env['CRASHES'] !== undefined;
const SLEEPS = IS_WHOLE ? Math.max(2, Math.round(Number(process.env['CRASHES']) / 20)) : 1;
/** Within so long another node has to have taken the run over, and changes to come to the target again. */
const SEEN_WITHIN = 10_000;
const LONGEST_LIFE = 1_500;

for (const pair of PAIRS.filter(isAsked))
  test(`a worker falls asleep, ${SLEEPS} times, ${pair.join(' to ')}: another goes on within ten seconds, and what the sleeper still had in hand is never made`, (t) =>
    withSeed(async (random) => {
      const world = await makeWorld(random, pair, 'postgres');
      // The nodes have folders of their own, and the file is in none of them.
      const cluster = new Cluster(world.place, { SYNCLINE_FILE_ROOTS: filesOf(world.place) });
      const took: number[] = [];
      const seen: number[] = [];
      try {
        await cluster.startMany(2);
        await world.begin(cluster);
        for (let sleep = 0; sleep < SLEEPS; sleep++) {
          await pause(random() * LONGEST_LIFE);
          const sleeper = await workerOf(world, cluster);
          putToSleep(sleeper);
          const began = performance.now();
          const mark = await world.changing.mark();
          await until('another to have the run', async () => {
            const pid = await workerPid(world);
            return pid !== undefined && pid !== sleeper.pid;
          });
          took.push(Math.round(performance.now() - began));
          // Who sleeps within a transaction of a file keeps it locked: another gets in when he has woken up.
          if (world.ends.target.wire === undefined) wakeUp(sleeper);
          await until('another to go on', () => hasArrived(world.ends.target, mark));
          seen.push(Math.round(performance.now() - began));
          if (sleeper.isAway) wakeUp(sleeper);
          await until('the sleeper to answer', async () => (await fetch(`${sleeper.url}/readyz`)).ok);
        }
        t.diagnostic(`${await world.check(cluster)} taken over after ${took.join(', ')} ms, changes seen after ${seen.join(', ')} ms`);
        const slow = seen.filter((ms) => ms >= SEEN_WITHIN);
        assert.deepEqual(
          slow,
          [],
          `the run was claimed after ${took.join(', ')} ms\n${slow.length > 0 ? await world.sync.story(cluster) : ''}`,
        );
      } finally {
        for (const node of cluster.nodes) if (node.isAway) wakeUp(node);
        await cluster.killAll();
        await world.close();
      }
    }));

/** The node that has the live run. */
function workerOf(world: World, cluster: Cluster): Promise<Node> {
  return until('a node that follows the log', async () => {
    const pid = await workerPid(world);
    return cluster.present.find((node) => node.pid === pid);
  });
}

async function workerPid({ place }: World): Promise<number | undefined> {
  const client = new pg.Client({ connectionString: place.databaseUrl });
  await client.connect();
  try {
    const text = `select nodes.pid::int as pid from runs join nodes on nodes.id = runs.node where runs.status = 'running' and live = 1`;
    return (await client.query<{ pid: number }>(text)).rows[0]?.pid;
  } finally {
    await client.end();
  }
}
