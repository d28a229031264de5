import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { onBothEngines, openTestDatabase } from '../../test/support/databases.ts';
import type { Database } from '../db/database.ts';
import { actorCalled } from '../http/caller.ts';
import { takeDuty } from '../jobs/duty.ts';
import { createWebhook } from './commands.ts';
import { findDelivery } from './deliveries.ts';
import type { RowChange } from './delivery/parcel.ts';
import { replayDeliveries } from './replay.ts';
import { DELIVERY_DUTY, recordDeliveries } from './rows.ts';

const ID = 'whk_01kfa0v2m3f8rb4v3k7m2t9xqe';
const NOW = Date.UTC(2026, 10, 1);
const HOUR = 3_600_000;
const CHANGE = { actor: actorCalled('a test'), now: NOW, id: ID, scopes: new Set(['orders:read'] as const) };
const STATE = { position: 0, failures: 0, failingSince: 0, tryAt: 0, lastDeliveredAt: 0 };
const EVENT = { type: 'order.created', objectId: 'o', createdAt: '2026-11-01T00:00:00.000Z', at: NOW };

onBothEngines('what is written down of deliveries', (engine) => {
  let db: Database;
  let token: number;
  before(async () => {
    db = await openTestDatabase(engine);
    const what = { name: 'ERP', url: 'https://shop.example/in', types: '["order.*"]', condition: null, payload: 'full' } as const;
    const how = { signature: 'symmetric', secrets: '[]', headers: '{}', max_in_flight: 4, rate: null, scopes: '["orders:read"]' } as const;
    await db.write(createWebhook, { ...CHANGE, share: null, most: 0, from: 0, row: { id: ID, ...what, ...how } });
    token = (await db.write(takeDuty, { now: NOW, name: DELIVERY_DUTY, node: 'n', lease: HOUR, token: null })) ?? Number.NaN;
  });
  after(() => db.close());

  const record = async (seq: number, change: Pick<RowChange, 'status' | 'attempts' | 'rowAttempts' | 'nextAt'>): Promise<void> => {
    const error = `attempt ${change.attempts}`;
    const log = [{ at: EVENT.createdAt, duration_ms: 1, response_status: 500, response_body: null, error }];
    const changes = [{ webhookId: ID, rows: [{ ...EVENT, seq, ...change, log }], state: STATE, isDueAll: false, turn: undefined }];
    assert.ok(await db.write(recordDeliveries, { token, now: NOW, changes }));
  };
  const told = async (seq: number) => {
    const { status, attempts, next_at, error } = (await findDelivery(db.read, ID, seq)) ?? assert.fail();
    return { status, attempts, nextAt: next_at === null ? null : Date.parse(next_at), error };
  };
  const replay = (seq: number) => db.write(replayDeliveries, { ...CHANGE, wish: { seq }, after: 0, most: 10, first: undefined });
  const waiting = { status: 'waiting', nextAt: NOW + HOUR } as const;

  test('what fails again is written as it is known, also when two attempts are written together', async () => {
    await record(1, { ...waiting, attempts: 1, rowAttempts: 0 });
    await record(1, { ...waiting, attempts: 3, rowAttempts: 1 });
    assert.deepEqual(await told(1), { ...waiting, attempts: 3, error: 'attempt 3' });
    await record(1, { status: 'failed', nextAt: null, attempts: 4, rowAttempts: 3 });
    assert.deepEqual(await told(1), { status: 'failed', nextAt: null, attempts: 4, error: 'attempt 4' });
  });

  for (const [seq, outcome] of [
    [2, waiting],
    [3, { status: 'failed', nextAt: null }],
  ] as const)
    test(`a replay holds when an attempt failed just before it and is written after it, as ${outcome.status}`, async () => {
      await record(seq, { ...waiting, attempts: 2, rowAttempts: 0 });
      assert.equal((await replay(seq)).queued, 1);
      await record(seq, { ...outcome, attempts: 3, rowAttempts: 2 });
      assert.deepEqual(await told(seq), { status: 'waiting', nextAt: NOW, attempts: 0, error: 'attempt 3' });
    });

  test('what was delivered just before a replay is delivered', async () => {
    await record(4, { ...waiting, attempts: 2, rowAttempts: 0 });
    await replay(4);
    await record(4, { status: 'delivered', nextAt: null, attempts: 3, rowAttempts: 2 });
    assert.equal((await told(4)).status, 'delivered');
  });
});
