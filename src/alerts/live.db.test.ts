import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { runStatement } from '../../test/support/commands.ts';
import { onBothEngines, openTestDatabase } from '../../test/support/databases.ts';
import { addSync, streamOf } from '../../test/support/sync-fixture.ts';
import { fireWanted } from '../datasync/runs/queue/fire.ts';
import { sql } from '../db/sql.ts';
import { actorCalled } from '../http/caller.ts';
import { takeDuty } from '../jobs/duty.ts';
import { isoTime } from '../lib/clock.ts';
import { newId } from '../lib/ids.ts';
import { parseKeyring } from '../lib/secrets.ts';
import { DUTY } from './apply.ts';
import { createAlert } from './commands.ts';
import { evaluate } from './evaluator.ts';
import { sealChannel } from './secrets.ts';

const keyring = parseKeyring(Buffer.alloc(32, 'k').toString('base64'));
const MINUTE = 60_000;

onBothEngines('a live synchronization that is behind', (engine) => {
  let db: Awaited<ReturnType<typeof openTestDatabase>>;
  let token: number;
  let sync: string;
  before(async () => {
    db = await openTestDatabase(engine);
    token = (await db.write(takeDuty, { now: Date.now(), name: DUTY, node: 'n', lease: 600_000, token: null })) ?? 0;
    const { id } = newId('alt', Date.now());
    const { shown, secrets } = sealChannel(keyring, id, { type: 'slack', url: 'http://127.0.0.1:9/' }, () => ({}));
    await db.write(createAlert, {
      actor: actorCalled('test'),
      now: Date.now(),
      id,
      name: 'lag',
      channel_type: 'slack',
      channel: shown,
      secrets,
      rules: JSON.stringify([{ type: 'lag', seconds: 60 }]),
      sync_ids: null,
      remind_every: null,
      quiet_hours: null,
      scopes: '["admin"]',
      share: null,
      most: 0,
    });
    sync = await addSync(db, { streams: [{ ...streamOf('orders'), mode: 'cdc' }], schedule: { type: 'on_change' } });
    await run(`update syncs set expect_ms = ${10 * MINUTE}`);
    await db.write(fireWanted, { now: Date.now(), syncIds: [sync] });
  });
  after(() => db.close());

  const run = async (statement: string): Promise<void> => void (await db.write(runStatement, statement));
  /** The run has told so long ago how far it is behind. */
  const told = (seconds: number, ago: number): Promise<void> =>
    run(`update runs set lag = '${JSON.stringify({ seconds, bytes: 1000, bytes_per_second: 10, at: isoTime(Date.now() - ago) })}'`);
  const open = async (): Promise<{ rule: string; summary: string; details: string }[]> => {
    await evaluate(db, { token, now: Date.now(), dataDir: db.place.dataDir });
    return db.read.all(sql`select rule, summary, details from incidents where closed_at is null and rule in ('lag', 'late') order by rule`);
  };
  const rules = async (): Promise<string[]> => (await open()).map(({ rule }) => rule);

  test('is told of by lag from the measure on, and by late when nothing has come for longer than is expected', async () => {
    await run(`update sync_state set status_at = '2026-01-01T00:00:00.000Z'`);
    await told(59, 0);
    assert.deepEqual(await rules(), []);
    await told(61, 0);
    const [lagging] = await open();
    assert.equal(lagging?.rule, 'lag');
    assert.match(lagging.summary, /It is live, and further behind/);
    assert.deepEqual(JSON.parse(lagging.details), { lag_seconds: 61, lag_bytes: 1000 });
    await told(0.5, 0);
    assert.deepEqual(await rules(), [], 'it has caught up');
    await told(601, 0);
    assert.deepEqual(await rules(), ['lag', 'late']);
    await told(1, 0);
    assert.deepEqual(await rules(), []);
  });

  test('is so, too, when nobody follows any more: then its lag grows by itself', async () => {
    await told(1, MINUTE);
    assert.deepEqual(await rules(), ['lag']);
    await told(1, 11 * MINUTE);
    const [, late] = await open();
    assert.equal(late?.rule, 'late');
    assert.match(late.summary, /^What came to the source after \S+ is not at the target\. It is expected there within 10m\.$/);
    // Also while its run waits for the next try, or failed and was paused for it.
    await run(`update runs set status = 'retrying'`);
    assert.deepEqual(await rules(), ['lag', 'late']);
    await run(`update sync_state set status = 'paused', pause_reason = 'Paused after 10 failed runs.', failures = 10`);
    assert.deepEqual(await rules(), ['late']);
  });

  test('is not when a person has paused it', async () => {
    await run(`update sync_state set status = 'paused', pause_reason = null, failures = 0`);
    assert.deepEqual(await rules(), []);
  });

  test('is late from its making on when nothing was ever told', async () => {
    await run(`update sync_state set status = 'active'`);
    await run(`update runs set lag = null`);
    const [late, ...others] = await open();
    assert.deepEqual([late?.rule, others], ['late', []]);
    assert.match(late?.summary ?? '', /since it was made/);
  });
});
