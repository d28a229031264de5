// A mirror that is expected to change little compares both ends, and writes what differs: the outcome is that of any mirror.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { definitionOf, engineRuns, type EngineRuns, streamOf } from '../../../test/support/engine-run.ts';
import { type MysqlDatabase, mysqlDatabase } from '../../../test/support/mysql-database.ts';
import { newDatabase, type TestDatabase } from '../../../test/support/postgres-database.ts';
import type { StreamDefinition } from '../definition.ts';
import type { End } from '../run.ts';

const ROWS = 2_000;
let [first, second]: TestDatabase[] = [];
let mysql: MysqlDatabase;
const folder = mkdtempSync(join(tmpdir(), 'syncline-differences-'));
let tables = 0;

before(async () => {
  [first, second] = await Promise.all([newDatabase(), newDatabase()]);
  mysql = await mysqlDatabase();
});
after(async () => {
  await Promise.all([first?.close(), second?.close(), mysql?.close()]);
  rmSync(folder, { recursive: true, force: true });
});

const postgres = (database: TestDatabase | undefined): End => ({ id: 'p', name: 'p', type: 'postgres', config: database?.config });
const TARGETS: Readonly<Record<string, () => End>> = {
  postgres: () => postgres(second),
  mysql: () => {
    const { host, port, user, password, name: database } = mysql;
    return { id: 'm', name: 'm', type: 'mysql', config: { host, port, user, password, database } };
  },
  sqlite: () => ({ id: 's', name: 's', type: 'sqlite', config: { path: join(folder, 't.db') } }),
};

interface Scene extends EngineRuns {
  readonly table: string;
  change(statement: string): Promise<unknown>;
  /** Whether the last run has compared both ends itself. */
  wasCompared(): boolean;
}

/** A table of its own at the source, that was loaded. */
async function loaded(system: string, more: Partial<StreamDefinition> = {}): Promise<Scene> {
  const table = `t${++tables}`;
  await first?.run(`create table ${table} (id bigint primary key, v text, at timestamptz);
    insert into ${table} select n, 'row ' || n, timestamptz '2026-01-01 00:00:00.123456+00' + n * interval '1 s' from generate_series(1, ${ROWS}) n`);
  const stream = streamOf(`public.${table}`, { target: system === 'postgres' ? `public.${table}` : table, ...more });
  const target = TARGETS[system]?.() ?? assert.fail();
  const runs = engineRuns({
    definition: definitionOf([stream]),
    ends: { source: postgres(first), target },
    folder,
    syncId: `syn_${table}`,
  });
  const { status, totals } = await outcome(runs);
  assert.deepEqual([status, totals], ['succeeded', [ROWS, 0, 0, 0]]);
  return {
    ...runs,
    table,
    change: async (statement) => first?.run(statement),
    wasCompared: () => runs.log.splice(0).some(({ message }) => message.startsWith('Both ends were compared')),
  };
}

async function outcome(runs: EngineRuns, options: Parameters<EngineRuns['run']>[0] = {}) {
  const { status, first: report, id } = await runs.run(options);
  const { inserted, updated, deleted, unchanged } = report;
  return { status, id, report, totals: [inserted, updated, deleted, unchanged] };
}

async function assertEqual(runs: EngineRuns): Promise<void> {
  const { first: report } = await runs.run({ mode: 'verify' });
  assert.equal(report.proof?.result, 'equal', JSON.stringify(report));
}

for (const system of Object.keys(TARGETS))
  describe(`a mirror into ${system} by difference`, () => {
    for (const deletes of ['delete', 'mark', 'keep'] as const)
      test(`writes what differs, counts truly, and with ${deletes} does so with what is gone`, async () => {
        const scene = await loaded(system, { deletes });
        assert.deepEqual((await outcome(scene)).totals, [0, 0, 0, ROWS]);
        assert.ok(scene.wasCompared());
        await scene.change(`update ${scene.table} set v = v || ' ' where id in (1, 777, ${ROWS}); delete from ${scene.table} where id in (2, 3, 1500);
          insert into ${scene.table} values (0, 'before all', null), (${ROWS + 1}, '', null)`);
        const { status, totals, report } = await outcome(scene);
        const gone = deletes === 'keep' ? 0 : 3;
        assert.deepEqual([status, totals, report.read], ['succeeded', [2, 3, gone, ROWS - 6], ROWS - 1]);
        assert.ok(scene.wasCompared());
        await assertEqual(scene);
        await scene.change(`insert into ${scene.table} values (2, 'is back', null)`);
        assert.deepEqual((await outcome(scene)).totals, deletes === 'delete' ? [1, 0, 0, ROWS - 1] : [0, 1, 0, ROWS - 1]);
        assert.ok(scene.wasCompared());
        await assertEqual(scene);
      });

    test('is under the guard, and goes on when a person agrees', async () => {
      const scene = await loaded(system);
      await scene.change(`delete from ${scene.table} where id > ${ROWS / 2}`);
      const { status, report, id } = await outcome(scene);
      assert.equal(status, 'needs_approval');
      assert.deepEqual(report.changes, { inserted: 0, updated: 0, deleted: ROWS / 2, unchanged: ROWS / 2 });
      const { first: proof } = await scene.run({ mode: 'verify' });
      assert.equal(proof.proof?.extra, ROWS / 2, 'nothing has gone');
      const agreed = await outcome(scene, { id, approved: true });
      assert.deepEqual([agreed.status, agreed.totals], ['succeeded', [0, 0, ROWS / 2, ROWS / 2]]);
      assert.ok(scene.wasCompared());
      await assertEqual(scene);
    });

    test('that has said that it is finished is not done again', async () => {
      const scene = await loaded(system);
      await scene.change(`update ${scene.table} set v = 'other' where id = 5`);
      const { id, totals } = await outcome(scene);
      assert.deepEqual(totals, [0, 1, 0, ROWS - 1]);
      scene.wasCompared();
      const again = await outcome(scene, { id });
      assert.deepEqual([again.totals, scene.wasCompared()], [[0, 1, 0, ROWS - 1], false]);
    });
  });

describe('the usual way is gone', () => {
  test('when the target refuses a row, which is then in quarantine', async () => {
    const scene = await loaded('postgres');
    await second?.run(`alter table ${scene.table} add check (v <> 'bad')`);
    await scene.change(`update ${scene.table} set v = 'bad' where id = 7; update ${scene.table} set v = 'good' where id = 8`);
    const { status, totals } = await outcome(scene);
    assert.deepEqual([status, totals, scene.openRejects().length], ['partial', [0, 1, 0, ROWS - 2], 1]);
  });

  test('when much has changed, and from then on, until less does', async () => {
    const scene = await loaded('postgres');
    await scene.change(
      `insert into ${scene.table} select n, 'more' from generate_series(${ROWS + 1}, 30000) n; update ${scene.table} set v = v || '!'`,
    );
    const { totals } = await outcome(scene);
    assert.deepEqual([totals, scene.wasCompared()], [[30_000 - ROWS, ROWS, 0, 0], false]);
    assert.deepEqual([(await outcome(scene)).totals, scene.wasCompared()], [[0, 0, 0, 30_000], false]);
    assert.deepEqual([(await outcome(scene)).totals, scene.wasCompared()], [[0, 0, 0, 30_000], true]);
  });

  test('with a full run, and where the key is no key at an end', async () => {
    const scene = await loaded('postgres');
    assert.equal((await outcome(scene, { mode: 'full' })).status, 'succeeded');
    assert.ok(!scene.wasCompared());
    await second?.run(`alter table ${scene.table} drop constraint ${scene.table}_pkey`);
    assert.equal((await outcome(scene)).status, 'succeeded');
    assert.ok(!scene.wasCompared());
  });
});
