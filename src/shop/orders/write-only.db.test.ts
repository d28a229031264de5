import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { onBothEngines } from '../../../test/support/databases.ts';
import { type Service, startService } from '../../../test/support/service.ts';

const PATH = '/api/v1/orders';
const ADDRESS = { street: 'Canary Street 7', city: 'Springfield', zip: '12345' };
const ORDER = { customer_id: 'c-1', items: [{ product_id: 'p', quantity: 2, price: 4.5 }], shipping_address: ADDRESS };

onBothEngines('a key that may write orders and not read them', (engine) => {
  let service: Service;
  let writer: string;
  let both: string;
  before(async () => {
    service = await startService(engine);
    writer = await service.keyWith('orders:write');
    both = await service.keyWith('orders:write', 'orders:read');
  });
  after(() => service.close());

  test('moves an order and is told its state alone', async () => {
    const { body: made } = await service.post(PATH, { ...ORDER, metadata: { note: 'canary note' } });
    const { id } = made.data;
    await service.post(`${PATH}/${id}/transitions`, { to: 'on_hold', reason: 'canary reason' });
    const moved = await service.post(`${PATH}/${id}/transitions`, { to: 'processing' }, { key: writer });
    assert.equal(moved.status, 200, moved.text);
    const { body: now } = await service.get(`${PATH}/${id}`);
    const state = { id, status: 'processing', version: 3, updated_at: now.data.updated_at };
    assert.equal(moved.text, JSON.stringify({ success: true, data: state }));
    // Asking for the state that it is in tells no more.
    const again = await service.post(`${PATH}/${id}/transitions`, { to: 'processing' }, { key: writer });
    assert.equal(again.text, moved.text);
  });

  test('is refused with what it needs to decide, and with nothing of the order', async () => {
    const { body: made } = await service.post(PATH, ORDER);
    const path = `${PATH}/${made.data.id}/transitions`;
    const illegal = await service.post(path, { to: 'delivered' }, { key: writer });
    assert.equal(illegal.body.error.code, 'INVALID_TRANSITION');
    const conflict = await service.post(path, { to: 'processing', expected_version: 9 }, { key: writer });
    assert.equal(conflict.body.error.code, 'VERSION_CONFLICT');
    for (const { text } of [illegal, conflict]) assert.doesNotMatch(text, /Canary|c-1|total/);
  });

  test('learns that an external id is taken, not by which order', async () => {
    const { body: made } = await service.post(PATH, { ...ORDER, external_id: 'taken' });
    const refused = await service.post(PATH, { ...ORDER, external_id: 'taken' }, { key: writer });
    assert.equal(refused.status, 409, refused.text);
    assert.deepEqual(refused.body.error, {
      code: 'CONFLICT',
      message: 'There is an order with this external_id already.',
      details: { field: 'external_id', reason: 'is taken', errors: [{ field: 'external_id', reason: 'is taken' }] },
    });
    assert.ok(!refused.text.includes(made.data.id));
    assert.equal(refused.headers.get('location'), null);
  });

  test('gets back the order that it has sent itself, and the same again with its Idempotency-Key; another key learns nothing from that', async () => {
    const headers = { 'Idempotency-Key': 'one' };
    const sent = await service.post(PATH, ORDER, { key: writer, headers });
    assert.deepEqual(sent.body.data.shipping_address, ADDRESS);
    await service.post(`${PATH}/${sent.body.data.id}/transitions`, { to: 'cancelled', reason: 'canary reason' });
    const replayed = await service.post(PATH, ORDER, { key: writer, headers });
    assert.equal(replayed.headers.get('idempotent-replayed'), 'true');
    assert.equal(replayed.text, sent.text);
    const other = await service.post(PATH, ORDER, { key: both, headers });
    assert.equal(other.headers.get('idempotent-replayed'), null);
    assert.notEqual(other.body.data.id, sent.body.data.id);
  });

  test('with orders:read the answers are what they were', async () => {
    const { body: made } = await service.post(PATH, { ...ORDER, external_id: 'seen' }, { key: both });
    const moved = await service.post(`${PATH}/${made.data.id}/transitions`, { to: 'processing' }, { key: both });
    assert.equal(moved.text, (await service.get(`${PATH}/${made.data.id}`)).text);
    const refused = await service.post(PATH, { ...ORDER, external_id: 'seen' }, { key: both });
    assert.equal(refused.body.error.details.reason, `is taken by ${made.data.id}`);
  });
});
