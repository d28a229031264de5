import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runStatement } from '../../../../test/support/commands.ts';
import { onBothEngines, openTestDatabase } from '../../../../test/support/databases.ts';
import { addSync, enqueueForEver } from '../../../../test/support/sync-fixture.ts';
import { first } from '../../../db/database.ts';
import { sql } from '../../../db/sql.ts';
import { joinDelivered, keepDelivered, listDelivered } from './delivered.ts';

onBothEngines('the ledger of what was accepted', (engine) => {
  test('is kept with its note by the worker that has the run, read in order, joined, and goes with the synchronization', async () => {
    const db = await openTestDatabase(engine);
    const syncId = await addSync(db);
    const { id: runId } = await db.write(enqueueForEver, syncId);
    await db.write(runStatement, `update runs set status = 'running', token = 7 where id = '${runId}'`);
    await db.write(runStatement, `update sync_streams set generation = 3 where sync_id = '${syncId}'`);
    const speaker = { runId, token: 7, syncId, target: 'orders', generation: 3 };
    assert.equal(await db.write(keepDelivered, { ...speaker, entries: 'one\n', note: '{"n":1}' }), 1);
    assert.equal(await db.write(keepDelivered, { ...speaker, entries: 'two\n', note: '{"n":2}' }), 2);
    assert.equal(await db.write(keepDelivered, { ...speaker, entries: '', note: '{"n":3}' }), 0);
    assert.equal(await db.write(keepDelivered, { ...speaker, token: 6, entries: 'late\n', note: '{"n":4}' }), null);
    const listed = (after = 0, of = runId) => listDelivered(db.read, { syncId, target: 'orders', runId: of, after });
    assert.deepEqual(await listed(), [
      { seq: 1, generation: 3, isMine: true, entries: 'one\n' },
      { seq: 2, generation: 3, isMine: true, entries: 'two\n' },
    ]);
    assert.deepEqual(await listed(1, 'run_other'), [{ seq: 2, generation: 3, isMine: false, entries: 'two\n' }]);
    const kept = await first<{ note: string }>(db.read, sql`select note from sync_streams where sync_id = ${syncId}`);
    assert.deepEqual(JSON.parse(String(kept?.note)), { n: 3 });
    assert.equal(await db.write(joinDelivered, { ...speaker, token: 6, from: 1, seq: 2, entries: '' }), false);
    assert.equal(await db.write(joinDelivered, { ...speaker, from: 1, seq: 2, entries: 'both\n' }), true);
    assert.deepEqual(await listed(), [{ seq: 2, generation: 3, isMine: true, entries: 'both\n' }]);
    assert.equal(await db.write(keepDelivered, { ...speaker, entries: 'three\n', note: null }), 3);
    await db.write(runStatement, `delete from runs where id = '${runId}'`);
    await db.write(runStatement, `delete from sync_state where sync_id = '${syncId}'`);
    await db.write(runStatement, `delete from syncs where id = '${syncId}'`);
    assert.deepEqual(await listed(), []);
    await db.close();
  });
});
