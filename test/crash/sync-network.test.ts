import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { type ChaosProxy, type CommitStage, startChaosProxy } from '../support/chaos-proxy.ts';
import { newDatabase } from '../support/postgres-database.ts';
import type { Reachable } from '../../src/cli/prove/service-process.ts';
import { type Service, startService } from '../support/service.ts';
import { until } from '../support/until.ts';
import { pick, type Random, withSeed } from './random.ts';
import { checkSyncBooks, postgresTables } from './sync-books.ts';
import { impatient, SyncDriver, turnableClock } from './sync-driver.ts';
import { Workload, type WorkMode } from './sync-workload.ts';

// A short run loses a commit in both ways, and has one fault more that differs from mode to mode; a long one goes round.
const FAULTS = Number(process.env['CRASHES'] ?? 3);
const BETWEEN = 500;
const HELD_UP = 300;
const LATE = 5;
/** How long to wait for a commit that could go wrong. */
const PATIENCE = 3_000;

const clock = turnableClock();
let service: Service;
let reachable: Reachable;
before(async () => {
  service = await startService('sqlite', { clock: clock.now });
  reachable = { url: service.url, adminKey: service.adminKey, logs: () => '' };
});
after(() => service.close());

type Fault = (random: Random, source: ChaosProxy, target: ChaosProxy) => Promise<void>;

const either = (random: Random, source: ChaosProxy, target: ChaosProxy): ChaosProxy => pick(random, [source, target]);

const FAULTS_OF_NETWORKS: Record<string, Fault> = {
  'connections end': async (random, ...ends) => either(random, ...ends).cut(),
  'connections are reset': async (random, ...ends) => either(random, ...ends).cut({ reset: true }),
  'nobody can connect': async (random, ...ends) => {
    await either(random, ...ends).shut();
    await pause(random() * HELD_UP);
  },
  'nothing gets through': async (random, ...ends) => {
    either(random, ...ends).blackHole = true;
    await pause(random() * HELD_UP);
  },
  'everything is late, then connections end': async (random, ...ends) => {
    const end = either(random, ...ends);
    end.latency = LATE;
    await pause(random() * HELD_UP);
    end.cut();
  },
  'a commit is not delivered': (_, __, target) => loseCommit(target, 'asked'),
  'a commit is done and nobody learns of it': (_, __, target) => loseCommit(target, 'done'),
};

async function loseCommit(target: ChaosProxy, stage: CommitStage): Promise<void> {
  const lost = new Promise<void>((resolve) => {
    target.onCommit = (seen) => {
      if (seen !== stage) return 'pass';
      target.onCommit = undefined;
      resolve();
      return 'cut';
    };
  });
  await Promise.race([lost, pause(PATIENCE)]);
}

function faultsFor(place: number): Fault[] {
  const all = Object.values(FAULTS_OF_NETWORKS);
  const lastFirst = [...all.slice(-2), ...all.slice(place), ...all.slice(0, place)];
  return Array.from({ length: FAULTS }, (_, at) => lastFirst[at % lastFirst.length] as Fault);
}

for (const [place, mode] of (['mirror', 'incremental', 'append'] as const satisfies readonly WorkMode[]).entries()) {
  test(`a network that fails ${FAULTS} times under a run (${mode}): the target is the source, and the counts are true`, () =>
    withSeed(async (random) => {
      const source = await newDatabase();
      const target = await newDatabase();
      const proxies = [await startChaosProxy(source.config), await startChaosProxy(target.config)] as const;
      const workload = new Workload(random, source.url, [mode]);
      await workload.prepare();
      const driver = new SyncDriver(random);
      const [from, to] = [
        { ...source.config, port: proxies[0].port },
        { ...target.config, port: proxies[1].port },
      ];
      const enough = new AbortController();
      try {
        await driver.create(reachable, { type: 'postgres', config: from }, { type: 'postgres', config: to }, (table) => `public.${table}`, [
          mode,
        ]);
        workload.start();
        const busy = Promise.all([driver.run(reachable, enough.signal), impatient(reachable, driver, clock, enough.signal)]);
        for (const happens of faultsFor(place)) {
          await pause(random() * BETWEEN);
          await happens(random, ...proxies);
          for (const proxy of proxies) await proxy.heal();
          const ended = driver.ended;
          await until('a run that ends', () => driver.ended > ended);
        }
        await workload.stop();
        enough.abort();
        await busy;
        await driver.finish(reachable);
        const runs = await driver.runs(reachable, mode);
        assert.ok(
          runs.some((run) => run.attempt > 1),
          'no run was ever disturbed',
        );
        const tables = { source: postgresTables(source.url), target: postgresTables(target.url) };
        await checkSyncBooks(reachable, driver, workload, { ...tables, modes: [mode] });
      } finally {
        enough.abort();
        await workload.stop();
        for (const proxy of proxies) await proxy.close();
        await source.close();
        await target.close();
      }
    }));
}
