import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Syncline, verifyWebhook, WebhookError } from '../../clients/typescript/src/syncline.ts';
import { newSigningSecret, publicKeyOf, signatureHeaders } from '../../src/webhooks/signature.ts';
import { onEitherEngine } from '../support/databases.ts';
import { type Service, startService } from '../support/service.ts';
import { until } from '../support/until.ts';
import { startReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts';

const BODY = '{"type":"order.created","timestamp":"2026-11-01T09:30:00.000Z","data":{"id":"ö"}}';
const NOW = 1_793_525_405;
const signedWith = (...secrets: string[]) =>
  signatureHeaders({ secrets: secrets.map((secret) => ({ id: 's', secret, expiresAt: null })) }, 'evt_1', NOW, BODY);

for (const kind of ['symmetric', 'ed25519'] as const) {
  test(`a signature (${kind}) is verified, and nothing but the right one`, async () => {
    const [secret, other] = [newSigningSecret(kind), newSigningSecret(kind)];
    const [key, otherKey] = [secret, other].map((one) => publicKeyOf(one) ?? one) as [string, string];
    const headers = signedWith(secret);
    const at = { now: NOW * 1000 };
    const message = { id: 'evt_1', type: 'order.created', timestamp: '2026-11-01T09:30:00.000Z', data: { id: 'ö' } };
    assert.deepEqual(await verifyWebhook({ body: BODY, headers }, key, at), message);
    assert.deepEqual(
      await verifyWebhook({ body: new TextEncoder().encode(BODY), headers: new Headers(headers) }, [otherKey, key], at),
      message,
    );
    assert.deepEqual(await verifyWebhook({ body: BODY, headers: signedWith(other, secret) }, key, at), message);
    const capitals = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), [value]]));
    assert.deepEqual(await verifyWebhook({ body: BODY, headers: capitals }, key, at), message);
    const wrong = [
      () => verifyWebhook({ body: `${BODY} `, headers }, key, at),
      () => verifyWebhook({ body: BODY, headers }, otherKey, at),
      () => verifyWebhook({ body: BODY, headers: { ...headers, 'webhook-id': 'evt_2' } }, key, at),
      () => verifyWebhook({ body: BODY, headers: { ...headers, 'webhook-timestamp': String(NOW + 1) } }, key, at),
      () => verifyWebhook({ body: BODY, headers: { ...headers, 'webhook-timestamp': 'soon' } }, key, at),
      () => verifyWebhook({ body: BODY, headers: { ...headers, 'webhook-signature': 'v1,?? v1a,??' } }, key, at),
      () => verifyWebhook({ body: BODY, headers: { ...headers, 'webhook-signature': undefined } }, key, at),
      () => verifyWebhook({ body: BODY, headers }, key, { now: (NOW + 301) * 1000 }),
      () => verifyWebhook({ body: BODY, headers }, key, { now: (NOW - 11) * 1000, tolerance: 10 }),
      () => verifyWebhook({ body: BODY, headers }, key.replace(/^wh/, 'sh'), at),
      () => verifyWebhook({ body: BODY, headers }, [], at),
    ];
    for (const [place, verify] of wrong.entries()) await assert.rejects(verify, WebhookError, `the ${place}th is taken`);
  });
}

onEitherEngine('webhooks and the client', (engine) => {
  let service: Service;
  let receiver: WebhookReceiver;
  before(async () => {
    receiver = await startReceiver();
    service = await startService(engine);
  });
  after(async () => {
    await service.close();
    await receiver.close();
  });

  test('what the service sends is verified with what it has shown', async () => {
    const syncline = new Syncline({ url: service.url, key: service.adminKey });
    const keys: string[] = [];
    for (const signature of ['symmetric', 'ed25519'] as const) {
      const body = { name: signature, url: `${receiver.url}/${signature}`, types: ['order.created'], signature };
      const { data } = await syncline.call('POST /api/v1/webhooks', { body });
      keys.push(data.secret ?? data.public_key ?? '');
    }
    const { data } = await syncline.call('POST /api/v1/orders', {
      body: { customer_id: 'c', items: [{ product_id: 'p', quantity: 1, price: 1 }] },
    });
    await until('both messages', () => receiver.received.length === 2);
    for (const { text, headers } of receiver.received) {
      const message = await verifyWebhook<{ id: string }>({ body: text, headers }, keys);
      assert.deepEqual([message.type, message.data.id], ['order.created', data.id]);
    }
  });
});
