import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { actorCalled } from '../../http/caller.ts';
import { runStatement } from '../../../test/support/commands.ts';
import type { Scope } from '../../http/scopes.ts';
import { onBothEngines, openTestDatabase } from '../../../test/support/databases.ts';
import { addSource, addSync, definitionOf, streamOf } from '../../../test/support/sync-fixture.ts';
import type { Database } from '../../db/database.ts';
import { sql } from '../../db/sql.ts';
import type { StreamDefinition } from '../../engine/definition.ts';
import type { StoredDefinition } from '../runs/rows/stored-definition.ts';
import { AppError } from '../../lib/errors.ts';
import { newId } from '../../lib/ids.ts';
import { enqueueRun } from '../runs/queue/enqueue.ts';
import type { RunStatus } from '../runs/rows/transitions.ts';
import { createSync, deleteSync, pauseSync, resetSync, resumeSync, type SyncUpdate, updateSync } from './commands.ts';
import { findSync, findSyncRow, listSyncs } from './queries.ts';

const NOON = Date.parse('2026-11-01T12:00:00.000Z');

onBothEngines('the rows of synchronizations', (engine) => {
  let db: Database;
  before(async () => {
    db = await openTestDatabase(engine);
  });
  after(() => db.close());

  const by = (id: string) => ({ actor: actorCalled('somebody'), scopes: new Set<Scope>(), now: NOON, id });
  /** Of an interval of an hour, by the clock that counts: PostgreSQL has one that all nodes share. */
  const assertNextHour = (time: string | null | undefined, since: number): void => {
    const from = engine === 'postgres' ? since : NOON;
    const hours = (from - (from % 3_600_000)) / 3_600_000;
    assert.ok(time && [hours + 1, hours + 2].includes(Date.parse(time) / 3_600_000), `the next time is ${time}`);
    if (engine === 'sqlite') assert.equal(time, '2026-11-01T13:00:00.000Z');
  };
  const conflict = (words: RegExp) => (error: unknown) =>
    error instanceof AppError && error.code === 'CONFLICT' && words.test(error.message);
  const memoryOf = (id: string) =>
    db.read.all<{ target: string; generation: number; fields: string | null; position: string | null; rows: number | null }>(
      sql`select target, generation, fields, position, rows from sync_streams where sync_id = ${id} order by target`,
    );
  const remember = (id: string) =>
    db.write(runStatement, `update sync_streams set fields = '[]', position = 'here', rows = 5 where sync_id = '${id}'`);
  const begin = async (syncId: string, status: RunStatus = 'queued'): Promise<string> => {
    const { id } = await db.write(enqueueRun, { now: NOON, syncId, trigger: 'manual', mode: 'run', streams: null });
    if (status !== 'queued') await setStatus(id, status);
    return id;
  };
  const setStatus = (id: string, status: RunStatus) => {
    const ended = ['succeeded', 'failed', 'skipped', 'partial', 'cancelled'].includes(status);
    return db.write(
      runStatement,
      `update runs set status = '${status}', finished_at = ${ended ? `'2026-11-01T12:00:01.000Z'` : 'null'} where id = '${id}'`,
    );
  };
  const update = async (
    id: string,
    streams: readonly StreamDefinition[],
    more: Partial<SyncUpdate> = {},
    definition: Partial<StoredDefinition> = {},
  ) => {
    const row = await findSyncRow(db.read, id);
    assert.ok(row);
    return db.write(updateSync, {
      ...by(id),
      name: row.name,
      sourceId: row.source_id,
      targetId: row.target_id,
      definition: JSON.stringify({ ...definitionOf(streams), ...definition }),
      version: row.version,
      fields: ['streams'],
      ...more,
    });
  };

  test('a source that has gone meanwhile is named', async () => {
    const { id } = newId('syn', NOON);
    const definition = JSON.stringify(definitionOf([streamOf('a')]));
    const input = { ...by(id), name: 'n', sourceId: await addSource(db), targetId: 'src_gone', definition };
    await assert.rejects(
      db.write(createSync, input),
      (error: unknown) => error instanceof AppError && error.code === 'INVALID_PARAMS' && error.details.field === 'target_id',
    );
    assert.equal(await findSyncRow(db.read, id), undefined);
  });

  test('a change that was made from another version is not made', async () => {
    const id = await addSync(db);
    assert.equal(await update(id, [streamOf('orders')], { version: 7 }), undefined);
    assert.equal((await update(id, [streamOf('orders')]))?.version, 2);
  });

  test('a stream that is asked another question begins anew; what is gone takes its rejects along', async () => {
    const id = await addSync(db, { streams: [streamOf('a'), streamOf('b'), streamOf('c')] });
    const run = await begin(id, 'succeeded');
    await remember(id);
    for (const target of ['a', 'c'])
      await db.write(
        runStatement,
        `insert into rejects (id, sync_id, stream, target, identity, first_run_id, last_run_id, "row", reason, unreadable, created_at, updated_at)
          values ('rej_${target}${id.slice(4)}', '${id}', '${target}', '${target}', '1', '${run}', '${run}', '{}', 'x', 0, 'now', 'now')`,
      );
    await update(id, [streamOf('a'), { ...streamOf('b'), cursor: 'other' }, streamOf('d')]);
    assert.deepEqual(
      (await memoryOf(id)).map(({ target, generation, fields, position, rows }) => [target, generation, fields, position, rows]),
      [
        ['a', 1, null, 'here', 5],
        ['b', 2, null, null, null],
        ['c', 1, null, 'here', 5],
        ['d', 1, null, null, null],
      ],
    );
    const rejects = await db.read.all<{ target: string }>(sql`select target from rejects where sync_id = ${id}`);
    assert.deepEqual(
      rejects.map(({ target }) => target),
      ['a'],
    );
    await update(id, [streamOf('a'), streamOf('c')]);
    const c = (await memoryOf(id)).find(({ target }) => target === 'c');
    assert.deepEqual([c?.generation, c?.position], [2, null], 'a stream that comes back begins anew too');
  });

  test('in another system every stream begins anew; with another name or schedule none does', async () => {
    const id = await addSync(db, { streams: [streamOf('a')] });
    await begin(id, 'succeeded');
    await remember(id);
    const fields = ['name', 'schedule'];
    const since = Date.now();
    const row = await update(id, [streamOf('a')], { name: 'other', fields }, { schedule: { type: 'interval', every: '1h' } });
    assertNextHour(row?.next_run_at, since);
    assert.deepEqual(await memoryOf(id), [{ target: 'a', generation: 1, fields: '[]', position: 'here', rows: 5 }]);
    await update(id, [streamOf('a')], { targetId: await addSource(db), fields: ['target_id'] });
    assert.deepEqual(await memoryOf(id), [{ target: 'a', generation: 2, fields: null, position: null, rows: null }]);
  });

  test('pausing and resuming', async () => {
    const id = await addSync(db);
    await update(id, [streamOf('orders')], {}, { schedule: { type: 'interval', every: '1h' } });
    const paused = await db.write(pauseSync, by(id));
    assert.deepEqual([paused.status, paused.next_run_at], ['paused', null]);
    await db.write(runStatement, `update sync_state set failures = 9, pause_reason = 'because' where sync_id = '${id}'`);
    const since = Date.now();
    const resumed = await db.write(resumeSync, by(id));
    assert.deepEqual([resumed.status, resumed.pause_reason], ['active', null]);
    assertNextHour(resumed.next_run_at, since);
    const [row] = await db.read.all<{ failures: number; next_run_at: string }>(
      sql`select failures, next_run_at from sync_state where sync_id = ${id}`,
    );
    assert.deepEqual(row, { failures: 0, next_run_at: resumed.next_run_at });
  });

  test('a reset forgets positions, not rows that were counted, and waits for nobody', async () => {
    const id = await addSync(db, { streams: [streamOf('a'), streamOf('b')] });
    const run = await begin(id);
    await remember(id);
    for (const status of ['queued', 'running', 'retrying', 'needs_approval'] as const) {
      await setStatus(run, status);
      await assert.rejects(db.write(resetSync, { ...by(id), streams: null }), conflict(new RegExp(`the run ${run} is ${status}`)));
    }
    await setStatus(run, 'failed');
    await db.write(resetSync, { ...by(id), streams: ['b'] });
    assert.deepEqual(
      (await memoryOf(id)).map(({ target, generation, position, rows }) => [target, generation, position, rows]),
      [
        ['a', 1, 'here', 5],
        ['b', 2, null, 5],
      ],
    );
  });

  test('it is deleted with its runs and their counts, but not under a run', async () => {
    const id = await addSync(db);
    const run = await begin(id, 'running');
    await assert.rejects(db.write(deleteSync, by(id)), conflict(/Cancel the run first/));
    await setStatus(run, 'needs_approval');
    const countOf = async (): Promise<number> =>
      (await db.read.all<{ n: number }>(sql`select n from counters where name = 'runs:*'`))[0]?.n ?? 0;
    const before = await countOf();
    await db.write(deleteSync, by(id));
    assert.equal(await countOf(), before - 1);
    for (const table of ['runs', 'sync_streams'] as const) {
      const rows = await db.read.all(
        table === 'runs' ? sql`select 1 from runs where sync_id = ${id}` : sql`select 1 from sync_streams where sync_id = ${id}`,
      );
      assert.deepEqual(rows, [], table);
    }
  });

  test('the run that is going and the one that ended last are shown; skipped ones and previews say nothing', async () => {
    const id = await addSync(db);
    const good = await begin(id, 'succeeded');
    const skipped = await begin(id, 'skipped');
    const preview = await begin(id, 'failed');
    await db.write(runStatement, `update runs set mode = 'preview' where id = '${preview}'`);
    const going = await begin(id, 'running');
    assert.ok(good < skipped && skipped < going);
    const view = await db.query(findSync, { id });
    assert.deepEqual([view?.last?.id, view?.current?.id], [good, going]);
    const { rows } = await db.query(listSyncs, { status: 'all', limit: 1000, offset: 0, after: undefined });
    assert.deepEqual(
      rows.find((row) => row.id === id),
      view,
    );
  });
});
