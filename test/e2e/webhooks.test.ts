import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { onBothEngines } from '../support/databases.ts';
import { type CallOptions, type Reply, type Service, startService } from '../support/service.ts';

const WEBHOOKS = '/api/v1/webhooks';
const URL = 'https://shop.example/syncline';

onBothEngines('endpoints of webhooks', (engine) => {
  let service: Service;
  before(async () => {
    service = await startService(engine, { environment: { SYNCLINE_WEBHOOKS_PER_KEY: '3' } });
  });
  after(() => service.close());

  const create = (body: object, options?: CallOptions): Promise<Reply> =>
    service.post(WEBHOOKS, { name: 'ERP', url: URL, ...body }, options);
  const made = async (body: object, options?: CallOptions) => {
    const { status, body: answer, text } = await create(body, options);
    assert.equal(status, 200, text);
    return answer.data;
  };
  const put = (id: string, body: object, key?: string): Promise<Reply> =>
    service.call('PUT', `${WEBHOOKS}/${id}`, { body, ...(key !== undefined && { key }) });
  const refused = async (body: object, field: string, reason: RegExp): Promise<void> => {
    const { status, body: answer, text } = await create(body);
    assert.equal(status, 400, text);
    assert.equal(answer.error.details.field, field, text);
    assert.match(answer.error.details.reason, reason);
  };

  test('no key 401, another scope 403, a bad body 400', async () => {
    assert.equal((await create({}, { key: null })).status, 401);
    const { status, body } = await create({}, { key: await service.keyWith('orders:read') });
    assert.deepEqual([status, body.error.details.reason], [403, 'missing scope webhooks']);
    await refused({ nmae: 'x' }, 'nmae', /not known|unknown|no such/i);
  });

  test('one is made, listed, read, changed and deleted, and its secret is shown once', async () => {
    const { secret, ...data } = await made({ types: ['order.*', 'product.updated'], headers: { 'X-Api-Key': 'k-1' } });
    assert.match(secret, /^whsec_/);
    assert.match(data.id, /^whk_/);
    assert.deepEqual(data.headers, { 'X-Api-Key': '********' });
    assert.deepEqual(data.scopes, ['orders:read', 'products:read']);
    assert.deepEqual(
      [data.status, data.payload, data.signature, data.max_in_flight, data.rate, data.condition, data.public_key, data.version],
      ['active', 'full', 'symmetric', 8, null, null, null, 1],
    );
    assert.deepEqual([data.waiting, data.failed, data.failing_since, data.next_attempt_at], [0, 0, null, null]);
    assert.deepEqual(
      data.secrets.map((one: { expires_at: unknown }) => one.expires_at),
      [null],
    );
    assert.deepEqual((await service.get(`${WEBHOOKS}/${data.id}`)).body.data, data);
    const list = await service.get(WEBHOOKS);
    assert.equal(list.body.total, 1);
    assert.deepEqual(list.body.data, [data]);
    assert.equal((await service.get(`${WEBHOOKS}?status=paused`)).body.total, 0);

    const changed = (await put(data.id, { url: `${URL}/2`, rate: 5, headers: { 'x-api-key': '********', 'X-More': 'm' } })).body.data;
    assert.deepEqual([changed.url, changed.rate, changed.version], [`${URL}/2`, 5, 2]);
    assert.deepEqual(changed.headers, { 'x-api-key': '********', 'X-More': '********' });
    const same = (await put(data.id, { url: `${URL}/2`, rate: 5, headers: changed.headers })).body.data;
    assert.equal(same.version, 2, 'what changes nothing writes nothing');
    assert.equal((await put(data.id, { rate: null })).body.data.rate, null);
    assert.equal((await put(data.id, { signature: 'ed25519' })).body.error.details.field, 'signature');

    assert.equal((await service.call('DELETE', `${WEBHOOKS}/${data.id}`)).status, 200);
    assert.equal((await service.get(`${WEBHOOKS}/${data.id}`)).status, 404);
    assert.equal((await put(data.id, { rate: null })).status, 404);
    const events = (await service.get('/api/v1/events?limit=1000')).body.data.filter(
      (event: { object_id: string }) => event.object_id === data.id,
    );
    assert.deepEqual(
      events.map((event: { type: string }) => event.type),
      ['webhook.created', 'webhook.updated', 'webhook.updated', 'webhook.deleted'],
    );
    assert.ok(!JSON.stringify(events).includes('whsec_') && !JSON.stringify(events).includes('sealed'));
    const audit = (await service.get(`/api/v1/audit?object_id=${data.id}`)).body.data.map((entry: { action: string }) => entry.action);
    assert.deepEqual(audit, ['webhook.deleted', 'webhook.updated', 'webhook.updated', 'webhook.created']);
  });

  test('led to another origin, it takes no stored header along: their values are sent again, or they go', async () => {
    const { id } = await made({ types: ['webhook.*'], headers: { Authorization: 'Bearer of-admin', 'X-More': 'm' } });
    const elsewhere = 'https://evil.example/take';
    const key = await service.keyWith('webhooks');
    const fieldOf = async (body: object): Promise<unknown> => {
      const { status, body: answer, text } = await put(id, body, key);
      assert.equal(status, 400, text);
      assert.match(answer.error.details.reason, /send (its value|the values) again/);
      return answer.error.details.field;
    };
    assert.equal(await fieldOf({ url: elsewhere }), 'headers');
    for (const near of ['http://shop.example/syncline', 'https://shop.example:8443/syncline', 'https://shop.example.evil.example/syncline'])
      assert.equal(await fieldOf({ url: near }), 'headers', near);
    assert.equal(await fieldOf({ url: elsewhere, headers: { authorization: '********', 'X-More': 'n' } }), 'headers.authorization');
    assert.equal((await service.get(`${WEBHOOKS}/${id}`)).body.data.url, URL);

    assert.equal((await put(id, { url: `${URL}/other?x=1` }, key)).status, 200, 'the same origin');
    assert.equal((await put(id, { url: 'https://SHOP.example:443/syncline', headers: { Authorization: '********' } }, key)).status, 200);
    assert.equal((await put(id, { url: elsewhere, headers: { Authorization: 'mine' } }, key)).status, 200, 'given anew');
    assert.equal((await put(id, { url: URL, headers: {} }, key)).status, 200, 'taken away');
    assert.equal((await put(id, { url: elsewhere }, key)).status, 200, 'none is stored');
    await service.call('DELETE', `${WEBHOOKS}/${id}`);
  });

  test('it begins with what comes, with all there is, or at a place of the feed', async () => {
    const end = async (): Promise<number> => Number((await service.get('/api/v1/events?limit=1000')).body.next_cursor);
    const fromNow = await made({});
    assert.equal(fromNow.position, await end(), 'its own creation is not told to it');
    assert.equal((await made({ from: 'start' })).position, 0);
    assert.equal((await made({ from: 1 })).position, 1);
    await refused({ from: 1_000_000 }, 'from', /beyond the end of the feed/);
    await refused({ from: 'now' }, 'from', /./);
  });

  test('ed25519 shows its public key, and never the private one', async () => {
    const { id, secret, public_key } = await made({ signature: 'ed25519' });
    assert.equal(secret, null);
    assert.match(public_key, /^whpk_/);
    const { body, text } = await service.get(`${WEBHOOKS}/${id}`);
    assert.equal(body.data.public_key, public_key);
    const rotated = await service.post(`${WEBHOOKS}/${id}/rotate`);
    assert.equal(rotated.body.data.secret, null);
    assert.notEqual(rotated.body.data.public_key, public_key);
    for (const answer of [text, rotated.text]) assert.ok(!answer.includes('whsk_'));
  });

  test('addresses that lead nowhere good are refused in words', async () => {
    for (const url of ['ftp://shop.example', 'shop.example', 'javascript:alert(1)', 'http:// x', 'https://'])
      await refused({ url }, 'url', /begins with https/);
    await refused({ url: 'https://user:pass@shop.example/' }, 'url', /user or password/);
    await refused({ url: 'https://shop.example/#x' }, 'url', /behind #/);
    for (const host of [
      '169.254.169.254',
      '0xa9fea9fe',
      '2852039166',
      '[fe80::1]',
      '[::ffff:169.254.169.254]',
      '[fd00:ec2::254]',
      '0.0.0.0',
      '[::]',
    ])
      await refused({ url: `http://${host}/latest` }, 'url', /out of reach/);
  });

  test('headers that are ours, or would break a request, are refused', async () => {
    for (const name of ['Host', 'content-length', 'Content-Type', 'webhook-id', 'Webhook-Signature', 'Transfer-Encoding', 'Connection'])
      await refused({ headers: { [name]: 'x' } }, `headers.${name}`, /cannot be set/);
    await refused({ headers: { 'X Y': 'x' } }, 'headers.X Y', /name of a header/);
    for (const value of ['a\r\nb: c', 'a\nb', '', 'ä', ' x', 7, null, { a: 1 }])
      await refused({ headers: { 'X-A': value } }, 'headers.X-A', /must/);
    await refused({ headers: { 'X-A': '1', 'x-a': '2' } }, 'headers.x-a', /already/);
    await refused({ headers: { 'X-A': '********' } }, 'headers.X-A', /placeholder/);
    await refused({ headers: Object.fromEntries(Array.from({ length: 33 }, (_, n) => [`X-${n}`, 'x'])) }, 'headers', /32 at most/);
  });

  test('types that no event has, and conditions that mean nothing, are refused', async () => {
    await refused({ types: ['order.*', 'orders.created'] }, 'types[1]', /no type of event/);
    await refused({ types: ['order.creatd'] }, 'types[0]', /Did you mean order\.created\?/);
    await refused({ types: [] }, 'types', /./);
    await refused({ condition: 'data.total >' }, 'condition', /at character/);
    await refused({ condition: 'data.total + 1 > nothing' }, 'condition', /nothing/);
    await refused({ condition: 'object_id' }, 'condition', /true or false/);
    const { id, condition } = await made({ condition: 'type == "order.created" && data.total > 100' });
    assert.equal(condition, 'type == "order.created" && data.total > 100');
    assert.equal((await put(id, { condition: null })).body.data.condition, null);
    assert.equal((await put(id, { condition: '1 +' })).body.error.details.field, 'condition');
  });

  test('a key has its share, and an admin any number', async () => {
    const key = await service.keyWith('webhooks');
    for (let n = 0; n < 3; n++) await made({}, { key });
    const { status, body } = await create({}, { key });
    assert.equal(status, 409);
    assert.equal(body.error.details.reason, 'a key may have 3 endpoints of webhooks (SYNCLINE_WEBHOOKS_PER_KEY)');
    for (let n = 0; n < 4; n++) await made({});
  });
});
