import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createPlace, onBothEngines, type Place } from '../../test/support/databases.ts';
import type { Database } from '../db/database.ts';
import { openDatabase } from '../db/open.ts';
import { actorCalled } from '../http/caller.ts';
import { createLog } from '../lib/log.ts';
import { newKeyText, parseKeyring } from '../lib/secrets.ts';
import { createWebhook } from './commands.ts';
import { readEndpoints } from './endpoint.ts';
import { sealHeaders, sealSecret } from './sealed.ts';
import { createWebhookService } from './service.ts';

onBothEngines('endpoints as deliveries need them', (engine) => {
  let place: Place;
  let db: Database;
  const [old, fresh] = [newKeyText(), newKeyText()];
  const before1 = parseKeyring(old);
  const both = parseKeyring(`${fresh},${old}`);
  const after1 = parseKeyring(fresh);
  const id = 'whk_01kfa0v2m3f8rb4v3k7m2t9xqe';
  const now = Date.UTC(2026, 10, 1);
  const { secret, stored } = sealSecret(before1, id, 'ed25519', now);
  before(async () => {
    place = await createPlace(engine);
    db = await openDatabase({ ...place, poolSize: 2 }, createLog('silent'));
    await db.write(createWebhook, {
      actor: actorCalled('a test'),
      now,
      share: null,
      most: 0,
      from: 0,
      row: {
        id,
        name: 'ERP',
        url: 'https://shop.example/in',
        types: '["order.*"]',
        condition: 'data.total > 1',
        payload: 'thin',
        signature: 'ed25519',
        secrets: JSON.stringify([stored]),
        headers: JSON.stringify(sealHeaders(before1, id, { 'X-Key': 'hidden' })),
        max_in_flight: 4,
        rate: 7,
        scopes: '["orders:read"]',
      },
    });
  });
  after(async () => {
    await db.close();
    await place.remove();
  });

  test('they are read with their secrets, all of them or some', async () => {
    const [endpoint, ...others] = await readEndpoints(db.read, before1);
    assert.equal(others.length, 0);
    assert.deepEqual(endpoint, {
      id,
      name: 'ERP',
      url: 'https://shop.example/in',
      types: ['order.*'],
      condition: 'data.total > 1',
      payload: 'thin',
      signature: 'ed25519',
      secrets: [{ id: stored.id, secret, expiresAt: null }],
      headers: { 'X-Key': 'hidden' },
      problem: null,
      maxInFlight: 4,
      rate: 7,
      scopes: ['orders:read'],
      owner: id,
      version: 1,
      status: 'active',
      position: 0,
      failures: 0,
      failingSince: null,
      tryAt: null,
      lastDeliveredAt: null,
    });
    assert.deepEqual(await readEndpoints(db.read, before1, [id]), [endpoint]);
    assert.deepEqual(await readEndpoints(db.read, before1, ['whk_00000000000000000000000000']), []);
  });

  test('on a node without the key one has no secret, and says why', async () => {
    const [endpoint] = await readEndpoints(db.read, after1);
    assert.deepEqual([endpoint?.secrets, endpoint?.headers], [[], {}]);
    assert.match(endpoint?.problem ?? '', /cannot be read: .* Add that key to SYNCLINE_SECRET_KEY/);
  });

  test('their secrets are encrypted anew with the first key', async () => {
    const options = { db, clock: () => now, log: createLog('silent'), networks: 'any', mostPerKey: 0, endingsHeeded: async () => {} };
    const prober = { conditionFault: async () => undefined };
    await createWebhookService({ ...options, keyring: both, prober }).renewSecrets();
    const [endpoint] = await readEndpoints(db.read, after1);
    assert.deepEqual([endpoint?.secrets[0]?.secret, endpoint?.headers, endpoint?.problem], [secret, { 'X-Key': 'hidden' }, null]);
  });
});
