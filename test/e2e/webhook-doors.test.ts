import assert from 'node:assert/strict';
import { createPublicKey, verify } from 'node:crypto';
import { after, before, test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { onEitherEngine } from '../support/databases.ts';
import { type Reply, type Service, startService } from '../support/service.ts';
import { until } from '../support/until.ts';
import { type Answering, type Received, startReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts';

const WEBHOOKS = '/api/v1/webhooks';
const TIMES = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

function answering(status: number): Answering {
  return (_, response) => void response.writeHead(status, { 'content-type': 'text/plain' }).end(`answer ${status}`);
}

/** What the library says of a message; throws when it was not signed with the secret. */
function verified(secret: string, message: Received | undefined): { type: string; timestamp: string; data: Record<string, unknown> } {
  return new Webhook(secret).verify(message?.text ?? '', (message?.headers ?? {}) as Record<string, string>) as ReturnType<typeof verified>;
}

onEitherEngine('what is sent to an endpoint, and how one looks at it', (engine) => {
  let service: Service;
  let receiver: WebhookReceiver;
  before(async () => {
    receiver = await startReceiver(answering(200));
    service = await startService(engine);
  });
  after(async () => {
    await service.close();
    await receiver.close();
  });

  const made = async (body: object) => {
    const { status, body: answer, text } = await service.post(WEBHOOKS, { name: 'ERP', url: receiver.url, ...body });
    assert.equal(status, 200, text);
    return answer.data;
  };
  const order = async (customer_id: string): Promise<string> =>
    (await service.post('/api/v1/orders', { customer_id, items: [{ product_id: 'p', quantity: 1, price: 12.5 }] })).body.data.id;
  const arrived = async (path: string, count: number): Promise<Received[]> => {
    const at = (): Received[] => receiver.received.filter((one) => one.path === path);
    await until(`${count} at ${path}`, async () => at().length >= count);
    return at();
  };
  const call = (id: string, path: string, body?: object): Promise<Reply> =>
    service.call('POST', `${WEBHOOKS}/${id}${path}`, body === undefined ? {} : { body });
  const deliveries = async (id: string, query = '') => (await service.get(`${WEBHOOKS}/${id}/deliveries${query}`)).body;
  const remove = (id: string): Promise<Reply> => service.call('DELETE', `${WEBHOOKS}/${id}`);

  test('an event arrives signed, with headers of its own, and is told in all detail', async () => {
    const { id, secret } = await made({ url: `${receiver.url}/one`, types: ['order.*'], headers: { 'X-Api-Key': 'hidden-key' } });
    const object = await order('first');
    const [first] = await arrived('/one', 1);
    assert.ok(first);
    const sent = verified(secret, first);
    assert.deepEqual(Object.keys(sent), ['type', 'timestamp', 'data']);
    assert.equal(sent.type, 'order.created');
    assert.equal(sent.data['id'], object);
    assert.equal(first.headers['x-api-key'], 'hidden-key');
    assert.equal(first.headers['content-type'], 'application/json');
    const { data: feed } = (await service.get('/api/v1/events?limit=1000')).body;
    const event = feed.find((one: { object_id: string }) => one.object_id === object);
    assert.equal(first.headers['webhook-id'], event.id);
    assert.equal(sent.timestamp, event.created_at);
    assert.deepEqual(sent.data, event.data);

    await until('it to be written down', async () => (await deliveries(id)).total === 1);
    const list = await deliveries(id);
    const [delivery] = list.data;
    assert.deepEqual(
      [delivery.sequence, delivery.message_id, delivery.type, delivery.object_id, delivery.status, delivery.attempts],
      [event.sequence, event.id, 'order.created', object, 'delivered', 1],
    );
    assert.deepEqual([delivery.response_status, delivery.error, delivery.next_at, list.next_cursor], [200, null, null, null]);
    assert.match(delivery.updated_at, TIMES);
    const { body, text } = await service.get(`${WEBHOOKS}/${id}/deliveries/${event.sequence}`);
    assert.equal(body.data.request.body, first.text);
    assert.equal(body.data.request.headers['X-Api-Key'], '********');
    for (const name of ['webhook-id', 'webhook-timestamp', 'webhook-signature'])
      assert.equal(body.data.request.headers[name], first.headers[name], name);
    assert.equal(body.data.log.length, 1);
    assert.equal(body.data.log[0].response_body, 'answer 200');
    assert.ok(!text.includes('hidden-key') && !text.includes(secret));
    for (const nothing of ['0', '999999', 'x', '-1', '1e3'])
      assert.equal((await service.get(`${WEBHOOKS}/${id}/deliveries/${nothing}`)).status, 404);
    await remove(id);
  });

  test('thin: the id alone; a condition: only what it holds for', async () => {
    const { id, secret } = await made({
      url: `${receiver.url}/thin`,
      payload: 'thin',
      types: ['order.created'],
      condition: 'data.customer_id == "wanted"',
    });
    await order('other');
    const wanted = await order('wanted');
    await order('other');
    const [first] = await arrived('/thin', 1);
    const sent = verified(secret, first);
    assert.deepEqual(sent.data, { id: wanted });
    await until('it to be written down', async () => (await deliveries(id)).total === 1);
    assert.equal((await deliveries(id, '?status=failed')).total, 0);
    assert.equal((await deliveries(id, `?object_id=${wanted}&type=order.created&status=delivered`)).total, 1);
    assert.equal((await deliveries(id, '?type=order.paid')).total, 0);
    await remove(id);
  });

  test('while a secret is rotated both sign, also when their kinds differ', async () => {
    const { id, secret } = await made({ url: `${receiver.url}/rotate`, types: ['order.created'] });
    const { body } = await call(id, '/rotate', { overlap_seconds: 3600 });
    assert.equal(body.data.secrets.length, 2);
    assert.notEqual(body.data.secret, secret);
    await order('a');
    const [first] = await arrived('/rotate', 1);
    for (const one of [secret, body.data.secret]) verified(one, first);

    const asymmetric = (await call(id, '/rotate', { overlap_seconds: 0, signature: 'ed25519' })).body.data;
    assert.deepEqual([asymmetric.signature, asymmetric.secrets.length], ['ed25519', 1]);
    await order('b');
    const [, second] = await arrived('/rotate', 2);
    const {
      'webhook-id': message,
      'webhook-timestamp': at,
      'webhook-signature': signature = '',
    } = (second?.headers ?? {}) as Record<string, string>;
    assert.match(signature, /^v1a,\S+$/);
    const x = Buffer.from(asymmetric.public_key.slice('whpk_'.length), 'base64').toString('base64url');
    const key = createPublicKey({ format: 'jwk', key: { kty: 'OKP', crv: 'Ed25519', x } });
    assert.ok(verify(null, Buffer.from(`${message}.${at}.${second?.text}`), key, Buffer.from(signature.slice(4), 'base64')));
    await remove(id);
  });

  test('a test is sent at once and told, whatever becomes of it', async () => {
    const { id, secret } = await made({ url: `${receiver.url}/test`, types: ['webhook.*'] });
    await call(id, '/pause');
    const { body } = await call(id, '/test');
    assert.deepEqual([body.data.delivered, body.data.status, body.data.error, body.data.response], [true, 200, null, 'answer 200']);
    const [first] = await arrived('/test', 1);
    const sent = verified(secret, first);
    assert.deepEqual([sent.type, sent.data], ['webhook.test', { id, name: 'ERP' }]);
    receiver.answer = answering(500);
    const failed = (await call(id, '/test')).body.data;
    assert.deepEqual([failed.delivered, failed.status, failed.response], [false, 500, 'answer 500']);
    assert.match(failed.error, /answered 500/);
    receiver.answer = answering(302);
    assert.match((await call(id, '/test')).body.data.error, /redirect/i);
    receiver.answer = answering(200);
    await service.call('PUT', `${WEBHOOKS}/${id}`, { body: { url: 'http://127.0.0.1:9/' } });
    const dead = (await call(id, '/test')).body.data;
    assert.deepEqual([dead.delivered, dead.status], [false, null]);
    assert.equal((await deliveries(id)).total, 0);
    assert.equal((await call('whk_00000000000000000000000000', '/test')).status, 404);
    await remove(id);
  });

  test('what was delivered is sent again with the same id: one, a range of time, those that failed', async () => {
    const { id } = await made({ url: `${receiver.url}/again`, types: ['order.created'] });
    for (const customer of ['a', 'b', 'c']) await order(customer);
    const before = await arrived('/again', 3);
    await until('them to be written down', async () => (await deliveries(id, '?status=delivered')).total === 3);
    const [last] = (await deliveries(id)).data;
    assert.deepEqual((await call(id, '/replay', { message_id: last.message_id })).body.data, { queued: 1 });
    const again = await arrived('/again', 4);
    assert.equal(again[3]?.headers['webhook-id'], last.message_id);
    assert.equal(again[3]?.text, before.find((one) => one.headers['webhook-id'] === last.message_id)?.text);
    await until('it to be over', async () => (await deliveries(id, '?status=delivered')).total === 3);

    const from = new Date(Date.now() - 60_000).toISOString();
    const to = new Date(Date.now() + 60_000).toISOString();
    assert.deepEqual((await call(id, '/replay', { from: to, to: new Date(Date.now() + 90_000).toISOString() })).body.data, { queued: 0 });
    assert.deepEqual((await call(id, '/replay', { from, to })).body.data, { queued: 3 });
    const all = await arrived('/again', 7);
    assert.equal(new Set(all.map((one) => one.headers['webhook-id'])).size, 3);
    assert.deepEqual((await call(id, '/replay', { failed: true })).body.data, { queued: 0 });
    await remove(id);
  });

  test('what cannot be understood is told before what is not there', async () => {
    const nobody = 'whk_00000000000000000000000000';
    const asked = await service.get(`${WEBHOOKS}/${nobody}/deliveries?cursor=nonsense`);
    assert.deepEqual([asked.status, asked.body.error.details.field], [400, 'cursor'], asked.text);
    assert.equal((await service.get(`${WEBHOOKS}/${nobody}/deliveries`)).status, 404);
    assert.equal((await call(nobody, '/replay', {})).status, 400);
    assert.equal((await call(nobody, '/replay', { failed: true })).status, 404);
  });

  test('the audit tells who has read what was sent', async () => {
    const { id } = await made({ url: `${receiver.url}/read`, types: ['order.created'] });
    await order('read');
    await until('it to be written down', async () => (await deliveries(id, '?status=delivered')).total === 1);
    const [{ sequence }] = (await deliveries(id)).data;
    assert.equal((await service.get(`${WEBHOOKS}/${id}/deliveries/${sequence + 1_000_000}`)).status, 404);
    assert.equal((await service.get(`${WEBHOOKS}/${id}/deliveries/${sequence}`)).status, 200);
    const told = async () => (await service.get(`/api/v1/audit?object_id=${id}&action=webhook.delivery_read`)).body.data;
    await until('it to be told', async () => (await told()).length > 0);
    assert.deepEqual(
      (await told()).map((entry: { details: { rows: number; times: number } }) => [entry.details.rows, entry.details.times]),
      [[1, 1]],
    );
    await remove(id);
  });

  test('a replay that says nothing, too much or nonsense is refused', async () => {
    const { id } = await made({ types: ['key.refused'] });
    const refused = async (body: object, field: string): Promise<void> => {
      const reply = await call(id, '/replay', body);
      assert.equal(reply.status, 400, reply.text);
      assert.equal(reply.body.error.details.field, field, reply.text);
    };
    await refused({}, '');
    await refused({ failed: true, from: '2026-01-01', to: '2026-01-02' }, '');
    await refused({ failed: false }, 'failed');
    await refused({ from: '2026-01-01' }, 'to');
    await refused({ from: '2026-01-02', to: '2026-01-01' }, 'to');
    await refused({ from: 'yesterday', to: '2026-01-01' }, 'from');
    await refused({ message_id: 'msg_1' }, 'message_id');
    await refused({ message_id: 'evt_00000000000000000000000000' }, 'message_id');
    await remove(id);
  });

  test('paused, nothing is sent; resumed, all that was missed follows in order', async () => {
    const { id } = await made({ url: `${receiver.url}/paused`, types: ['order.*'] });
    const paused = (await call(id, '/pause')).body.data;
    assert.deepEqual([paused.status, paused.status_reason], ['paused', 'It was paused by hand.']);
    assert.equal((await call(id, '/pause')).body.data.status_at, paused.status_at, 'twice is once');
    const objects = [await order('x'), await order('y')];
    await service.post(`/api/v1/orders/${objects[0]}/transitions`, { to: 'processing' });
    assert.equal((await call(id, '/resume')).body.data.status, 'active');
    const missed = await arrived('/paused', 3);
    const types = missed.map((one) => one.body as { type: string; data: { id: string } });
    const ofFirst = types.filter(({ data }) => data.id === objects[0]).map(({ type }) => type);
    assert.deepEqual(ofFirst, ['order.created', 'order.status_changed']);
    const events = (await service.get('/api/v1/events?limit=1000')).body.data.filter(
      (event: { object_id: string }) => event.object_id === id,
    );
    assert.deepEqual(
      events.map((event: { type: string }) => event.type),
      ['webhook.created', 'webhook.paused', 'webhook.resumed'],
    );
    await remove(id);
  });

  test('one that answers 410 is disabled in words, and can be resumed', async () => {
    const { id } = await made({ url: `${receiver.url}/gone`, types: ['order.created'] });
    receiver.answer = answering(410);
    await order('z');
    await until('it to be disabled', async () => (await service.get(`${WEBHOOKS}/${id}`)).body.data.status === 'disabled');
    receiver.answer = answering(200);
    const shown = (await service.get(`${WEBHOOKS}/${id}`)).body.data;
    assert.match(shown.status_reason, /410/);
    const before = receiver.received.length;
    await call(id, '/resume');
    await until('it to be sent', async () => receiver.received.length > before);
    await remove(id);
  });
});
