import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { type CommitStage, startChaosProxy } from '../support/chaos-proxy.ts';
import { preparedPlace } from '../support/databases.ts';
import { newDatabase } from '../support/postgres-database.ts';
import { launch, startProcess } from '../support/process.ts';
import { withSeed } from './random.ts';
import { type Fault, underStrace } from './strace.ts';
import { checkSyncBooks, postgresTables, sqliteTables } from './sync-books.ts';
import { SyncDriver } from './sync-driver.ts';
import { Workload, type WorkMode } from './sync-workload.ts';

// The random kills rarely hit the instants that matter most; these hit exactly there.

const MODES: readonly WorkMode[] = ['mirror', 'incremental', 'append'];
const KILL = 'signal=SIGKILL';
// With CRASHES there are more of each.
const TIMES = Math.max(1, Math.round(Number(process.env['CRASHES'] ?? 0) / 20));
/** So that there is always something to do, and never so much that a run under strace takes minutes. */
const LONGEST_PAUSE = 250;
const MOST_WRITES = 200;
const MOST_COMMITS = 8;

test('killed at an exact write of the target or of our own books: the target is the source, and the counts are true', () =>
  withSeed(async (random) => {
    const place = await preparedPlace('sqlite');
    const source = await newDatabase();
    const file = join(place.dataDir, 'files', 'target.db');
    mkdirSync(join(place.dataDir, 'files'));
    const workload = new Workload(random, source.url);
    workload.longestPause = LONGEST_PAUSE;
    await workload.prepare();
    const driver = new SyncDriver(random);
    let service = await startProcess(place);
    try {
      const ends = [
        { type: 'postgres', config: source.config },
        { type: 'sqlite', config: { path: file } },
      ] as const;
      await driver.create(service, ...ends, (table) => table, MODES);
      await service.kill();
      workload.start();
      const anywhere = (most: number): string => String(1 + Math.floor(random() * most));
      const faults = Array.from({ length: TIMES }, (): Fault[] => [
        { call: 'pwrite64', file: `${file}-wal`, what: KILL, when: anywhere(MOST_WRITES) },
        { call: 'pwrite64', file, what: KILL, when: '1' },
        { call: 'fsync', file: 'log', what: KILL, when: anywhere(10) },
      ]).flat();
      for (const fault of faults) {
        const { service: dying, ready } = launch(place, { under: underStrace(place, fault) });
        await ready.then(
          () => driver.run(dying),
          () => {},
        );
        assert.deepEqual(await dying.ended, { code: null, signal: 'SIGKILL' }, `${JSON.stringify(fault)}\n${dying.logs()}`);
      }
      await workload.stop();
      service = await startProcess(place);
      await driver.finish(service);
      const tables = { source: postgresTables(source.url), target: sqliteTables(file) };
      await checkSyncBooks(service, driver, workload, { ...tables, modes: MODES });
    } finally {
      await workload.stop();
      await service.kill();
      await source.close();
      await place.remove();
    }
  }));

test('killed while a commit is under way at the target: it is neither lost nor done twice', () =>
  withSeed(async (random) => {
    const place = await preparedPlace('sqlite');
    const source = await newDatabase();
    const target = await newDatabase();
    const proxy = await startChaosProxy(target.config);
    const workload = new Workload(random, source.url);
    workload.longestPause = LONGEST_PAUSE;
    await workload.prepare();
    const driver = new SyncDriver(random);
    let service = await startProcess(place);
    try {
      const [from, to] = [source.config, { ...target.config, port: proxy.port }];
      await driver.create(
        service,
        { type: 'postgres', config: from },
        { type: 'postgres', config: to },
        (table) => `public.${table}`,
        MODES,
      );
      workload.start();
      // Killed before the server hears of the commit; when it has heard and nobody waits for the answer; when it has answered.
      const cases = [
        ['asked', 'cut'],
        ['asked', 'pass'],
        ['done', 'cut'],
      ] as const satisfies readonly (readonly [CommitStage, 'pass' | 'cut'])[];
      for (const [stage, fate] of Array.from({ length: TIMES }, () => cases).flat()) {
        const dying = service;
        let left = 1 + Math.floor(random() * MOST_COMMITS);
        proxy.onCommit = async (seen) => {
          if (seen !== stage || --left > 0) return 'pass';
          proxy.onCommit = undefined;
          await dying.kill();
          return fate;
        };
        await driver.run(dying);
        assert.deepEqual(await dying.ended, { code: null, signal: 'SIGKILL' }, dying.logs());
        service = await startProcess(place);
      }
      await workload.stop();
      await driver.finish(service);
      const tables = { source: postgresTables(source.url), target: postgresTables(target.url) };
      await checkSyncBooks(service, driver, workload, { ...tables, modes: MODES });
    } finally {
      await workload.stop();
      await service.kill();
      await proxy.close();
      await source.close();
      await target.close();
      await place.remove();
    }
  }));
