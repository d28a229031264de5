import assert from 'node:assert/strict';
import { test } from 'node:test';
import { actorCalled } from '../../../http/caller.ts';
import { sql } from '../../../db/sql.ts';
import { runStatement } from '../../../../test/support/commands.ts';
import { onBothEnginesWithRuns } from '../../../../test/support/run-driver.ts';
import { addSync } from '../../../../test/support/sync-fixture.ts';
import { cancelRun } from '../ask.ts';
import { enqueueRun } from '../queue/enqueue.ts';
import { forgetRuns } from './forget.ts';
import { isQuickPage, listRuns, type RunFilter } from './queries.ts';

const DAY = 24 * 60 * 60_000;

onBothEnginesWithRuns('old runs', ({ db }) => {
  /** A run that is over, as long ago as told. */
  const addRun = async (syncId: string, days: number, more = ''): Promise<string> => {
    const now = Date.now();
    const { id } = await db.write(enqueueRun, { now, syncId, trigger: 'manual', mode: 'run', streams: null });
    await db.write(cancelRun, { now, actor: actorCalled('k'), id });
    const then = new Date(now - days * DAY).toISOString();
    await db.write(runStatement, `update runs set finished_at = '${then}'${more} where id = '${id}'`);
    return id;
  };
  const idsOf = async (filter: RunFilter): Promise<string[]> => {
    const { rows, total } = await db.query(listRuns, { filter, limit: 1000, offset: 0, after: undefined });
    assert.equal(total, rows.length);
    return rows.map(({ id }) => id);
  };
  const forget = (days: number, most = 100) => db.write(forgetRuns, { before: Date.now() - days * DAY, most });

  test('go in bites, and the one that says how a synchronization is doing stays', async () => {
    const [busy, quiet, blocked] = [await addSync(db), await addSync(db), await addSync(db)];
    const runs: string[] = [];
    for (let n = 0; n < 5; n++) runs.push(await addRun(busy, 40));
    runs.push(await addRun(busy, 1));
    const last = await addRun(quiet, 40);
    const told = await addRun(blocked, 40);
    const preview = await addRun(blocked, 40, `, mode = 'preview'`);
    const young = await addRun(blocked, 1, `, mode = 'preview'`);
    assert.equal((await idsOf({})).length, 10);
    assert.equal(await forget(30, 3), 3);
    assert.equal(await forget(30, 3), 3);
    assert.equal(await forget(30, 3), 0);
    assert.deepEqual(await idsOf({ sync_id: busy }), runs.slice(-1));
    assert.deepEqual(await idsOf({ sync_id: quiet }), [last]);
    assert.deepEqual(await idsOf({ sync_id: blocked }), [young, told]);
    assert.ok(!(await idsOf({})).includes(preview));
    assert.equal((await idsOf({ status: 'cancelled' })).length, 4);
  });

  test('stay while the last proof of their synchronization names them', async () => {
    const syncId = await addSync(db);
    const [proof, wrote, other] = [await addRun(syncId, 40, `, mode = 'verify'`), await addRun(syncId, 40), await addRun(syncId, 40)];
    const last = await addRun(syncId, 1);
    const verified = (run: string): string =>
      JSON.stringify({ result: 'differs', run_id: run, since: { at: 'then', by: 'run', run_id: wrote } });
    await db.write(runStatement, `update sync_state set verified = '${verified(proof)}' where sync_id = '${syncId}'`);
    assert.equal(await forget(30), 1);
    assert.deepEqual(await idsOf({ sync_id: syncId }), [last, wrote, proof]);
    assert.ok(!(await idsOf({})).includes(other));
    await db.write(runStatement, `update sync_state set verified = '${verified(last)}' where sync_id = '${syncId}'`);
    assert.equal(await forget(30), 1);
    assert.deepEqual(await idsOf({ sync_id: syncId }), [last, wrote]);
  });

  test('take the rejects with them that were resolved as long ago, and no others', async () => {
    const syncId = await addSync(db);
    const insert = (id: string, resolved: string) =>
      db.write(
        runStatement,
        `insert into rejects (id, sync_id, stream, target, identity, first_run_id, last_run_id, "row", reason, unreadable, created_at,
          updated_at, resolved_at) values ('${id}', '${syncId}', 's', 's', '${id}', 'r', 'r', '{}', 'x', 0, 'then', 'then', ${resolved})`,
      );
    await insert('open', 'null');
    await insert('old', `'2020-01-01T00:00:00.000Z'`);
    await insert('young', `'${new Date().toISOString()}'`);
    assert.equal(await forget(30), 1);
    const left = await db.read.all<{ id: string }>(sql`select id from rejects order by id`);
    assert.deepEqual(left, [{ id: 'open' }, { id: 'young' }]);
  });

  test('are listed newest first in pages, with exact totals for every filter', async () => {
    const [a, b] = [await addSync(db), await addSync(db)];
    const before = await idsOf({});
    const made: string[] = [];
    for (let n = 0; n < 7; n++) made.unshift(await addRun(n % 2 ? a : b, 1));
    const waiting = await db.write(enqueueRun, { now: Date.now(), syncId: a, trigger: 'manual', mode: 'run', streams: null });
    made.unshift(waiting.id);
    assert.deepEqual(await idsOf({}), [...made, ...before]);
    assert.deepEqual(await idsOf({ status: 'queued' }), [waiting.id]);
    assert.equal((await idsOf({ sync_id: a })).length, 4);
    assert.equal((await idsOf({ sync_id: a, status: 'cancelled' })).length, 3);
    const page = { filter: {}, limit: 3, offset: 2, after: undefined };
    assert.ok(isQuickPage(page));
    const { rows } = await listRuns.run(db.read, page);
    assert.deepEqual(
      rows.map(({ id }) => id),
      [...made, ...before].slice(2, 6),
    );
    const behind = await db.query(listRuns, { ...page, offset: 0, after: made[2] });
    assert.equal(behind.rows[0]?.id, made[3]);
    assert.ok(!isQuickPage({ ...page, offset: 5_000 }));
    assert.ok(!isQuickPage({ ...page, filter: { sync_id: a, status: 'failed' } }));
  });

  test('are found by when they ended, and those that metrics count without the others', async () => {
    const syncId = await addSync(db);
    const [old, counted] = [await addRun(syncId, 9), await addRun(syncId, 6)];
    const preview = await addRun(syncId, 6, `, mode = 'preview'`);
    const failed = await addRun(syncId, 6, `, status = 'failed'`);
    const young = await addRun(syncId, 3);
    const then = (days: number): string => new Date(Date.now() - days * DAY).toISOString();
    const week: RunFilter = { ended_from: then(7), ended_to: then(5) };
    assert.deepEqual(await idsOf(week), [failed, preview, counted]);
    assert.deepEqual(await idsOf({ ...week, writing: true }), [failed, counted]);
    assert.deepEqual(await idsOf({ ...week, writing: true, status: 'failed' }), [failed]);
    assert.deepEqual(await idsOf({ ended_from: then(10), ended_to: then(8), sync_id: syncId }), [old]);
    assert.ok((await idsOf({ writing: true })).includes(young));
    assert.ok(!isQuickPage({ filter: week, limit: 1, offset: 0, after: undefined }));
  });
});
