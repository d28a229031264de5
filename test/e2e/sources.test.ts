import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { insertSync } from '../support/commands.ts';
import { onBothEngines } from '../support/databases.ts';
import { type Service, startService } from '../support/service.ts';
import { until } from '../support/until.ts';

const PATH = '/api/v1/datasync/sources';

onBothEngines('sources', (engine) => {
  // What takes ten seconds and has nothing to do with our own database is tried with one of them.
  const isSlow = { skip: engine !== 'sqlite' };
  let service: Service;
  before(async () => {
    service = await startService(engine);
  });
  after(() => service.close());

  const add = async (config: unknown = { host: '127.0.0.1', port: 1, database: 'd', user: 'u', password: 'hunter2' }, type = 'postgres') =>
    (await service.post(PATH, { name: 'a source', type, config })).body.data;

  test('no key 401, wrong scope 403, bad body 400 that names the field', async () => {
    assert.equal((await service.get(PATH, { key: null })).status, 401);
    const reader = await service.keyWith('datasync:read');
    assert.equal((await service.get(PATH, { key: reader })).status, 200);
    assert.equal((await service.post(PATH, {}, { key: reader })).status, 403);
    const bad = await service.post(PATH, { type: 'postgres', config: {} });
    assert.equal(bad.status, 400);
    assert.equal(bad.body.error.details.field, 'name');
  });

  test('bad config is refused with the path of each field', async () => {
    const fields = async (type: string, config: unknown): Promise<string[]> => {
      const reply = await service.post(PATH, { name: 'n', type, config });
      assert.equal(reply.status, 400, reply.text);
      return reply.body.error.details.errors.map((error: { field: string }) => error.field);
    };
    assert.deepEqual(await fields('nope', {}), ['type']);
    assert.deepEqual(await fields('postgres', 'text'), ['config']);
    const deep = JSON.stringify({ name: 'n', type: 'http', config: 1 }).replace('1', `{"a":${'['.repeat(200_000)}${']'.repeat(200_000)}}`);
    const nested = await service.post(PATH, undefined, { raw: deep });
    assert.deepEqual([nested.status, nested.body.error.details.field], [400, 'config']);
    assert.deepEqual(await fields('files', { url: 'file:///etc/passwd' }), ['config.url']);
    assert.deepEqual(await fields('mysql', { host: 'mysql://u:p@h/d', database: 'd', user: 'u' }), ['config.host']);
    assert.deepEqual(await fields('files', { url: 'http://user:secret@host/a.csv' }), ['config.url']);
    assert.deepEqual(await fields('files', { url: 'http://host/a.csv', authorization: 'Bearer a\nb' }), ['config.authorization']);
    const missing = await fields('postgres', { hots: 'x', port: 'y' });
    for (const field of ['config.host', 'config.database', 'config.hots', 'config.port']) assert.ok(missing.includes(field), field);
  });

  test('a source is created, read, listed, changed and deleted, and each change is an event', async () => {
    const before = (await service.get(`${PATH}?limit=1`)).body.total;
    const { warnings, ...made } = await add();
    assert.deepEqual(warnings, []);
    assert.match(made.id, /^src_[0-9a-z]{26}$/);
    assert.deepEqual(
      { name: made.name, type: made.type, config: made.config, status: made.status, message: made.status_message, at: made.checked_at },
      {
        name: 'a source',
        type: 'postgres',
        config: { host: '127.0.0.1', port: 1, database: 'd', user: 'u', password: '********' },
        status: 'unchecked',
        message: null,
        at: null,
      },
    );
    const read = (await service.get(`${PATH}/${made.id}`)).body.data;
    assert.deepEqual(read, made);
    const list = (await service.get(`${PATH}?limit=1`)).body;
    assert.deepEqual(list.data, [made]);
    assert.equal(list.total, before + 1);

    const renamed = (await service.call('PUT', `${PATH}/${made.id}`, { body: { name: 'renamed' } })).body.data;
    assert.equal(renamed.name, 'renamed');
    assert.deepEqual(renamed.config, made.config);
    assert.ok(renamed.updated_at >= made.updated_at);
    assert.equal((await service.call('PUT', `${PATH}/${made.id}`, { body: { type: 'mysql' } })).body.error.details.field, 'type');
    assert.equal((await service.call('PUT', `${PATH}/${made.id}`, { body: { type: 'postgres', name: 'again' } })).status, 200);

    assert.equal((await service.call('DELETE', `${PATH}/${made.id}`)).body.data.id, made.id);
    assert.equal((await service.get(`${PATH}/${made.id}`)).status, 404);
    assert.equal((await service.call('PUT', `${PATH}/${made.id}`, { body: { name: 'x' } })).status, 404);
    assert.equal((await service.call('DELETE', `${PATH}/${made.id}`)).status, 404);
    assert.equal((await service.post(`${PATH}/${made.id}/check`)).status, 404);
    const events = (await service.get('/api/v1/events?limit=1000')).body.data.filter(
      (event: { object_id: string }) => event.object_id === made.id,
    );
    assert.deepEqual(
      events.map((event: { type: string }) => event.type),
      ['source.created', 'source.updated', 'source.updated', 'source.deleted'],
    );
    const audit = (await service.get('/api/v1/audit?limit=1000')).body.data.filter(
      (entry: { object_id: string }) => entry.object_id === made.id,
    );
    assert.equal(audit.length, 4);
  });

  test('a secret that comes back masked is kept, another one replaces it, and none is invented', async () => {
    const made = await add();
    const url = `${PATH}/${made.id}`;
    const kept = await service.call('PUT', url, { body: { config: { ...made.config, database: 'e' } } });
    assert.equal(kept.status, 200, kept.text);
    assert.equal(kept.body.data.config.password, '********');
    assert.equal(kept.body.data.config.database, 'e');
    const masked = await service.post(PATH, { name: 'n', type: 'postgres', config: made.config });
    assert.equal(masked.status, 400);
    assert.equal(masked.body.error.details.field, 'config.password');
    const tried = await service.post(`${PATH}/check`, { type: 'postgres', config: made.config });
    assert.equal(tried.body.error.details.field, 'config.password');
    assert.equal((await service.post(`${PATH}/check`, { type: 'postgres', config: made.config, id: made.id })).status, 200);
    const dropped = await service.call('PUT', url, { body: { config: { host: '127.0.0.1', port: 1, database: 'd', user: 'u' } } });
    assert.equal(dropped.body.data.config.password, undefined);
    assert.equal((await service.call('PUT', url, { body: { config: made.config } })).status, 400, 'what was dropped is gone');
  });

  test('a mask stands for a secret of a source of the same type only', async () => {
    const made = await add();
    const reply = await service.post(`${PATH}/check`, { type: 'mysql', config: made.config, id: made.id });
    assert.deepEqual([reply.status, reply.body.error.details.field], [400, 'type']);
  });

  test('a change that changes nothing is no event', async () => {
    const made = await add();
    const count = async (): Promise<number> => (await service.get('/api/v1/events?limit=1')).body.total;
    const before = await count();
    assert.equal((await service.call('PUT', `${PATH}/${made.id}`, { body: {} })).body.data.updated_at, made.updated_at);
    await service.call('PUT', `${PATH}/${made.id}`, { body: { name: made.name } });
    assert.equal(await count(), before);
  });

  test("the shop's rows are shown to those who may read them anyway", async () => {
    const made = await add({}, 'hub');
    const sample = (stream: string, key: string) => service.get(`${PATH}/${made.id}/streams/${stream}/sample`, { key });
    const reader = await service.keyWith('datasync:read');
    assert.deepEqual([(await sample('orders', reader)).status, (await sample('products', reader)).status], [403, 403]);
    const both = await service.keyWith('datasync:read', 'orders:read');
    assert.deepEqual([(await sample('order_items', both)).status, (await sample('products', both)).status], [200, 403]);
  });

  test('types that are for tests cannot be used elsewhere', async () => {
    const real = await startService(engine, { hiddenTypes: false });
    try {
      const reply = await real.post(PATH, { name: 'n', type: 'fake', config: { name: 'f' } });
      assert.deepEqual([reply.status, reply.body.error.details.field], [400, 'type']);
    } finally {
      await real.close();
    }
  });

  test('when all threads are busy, a check says so and blames no source', isSlow, async () => {
    const hanging = await add({ name: `busy ${engine}`, streams: [], fail: [{ at: 'check', kind: 'transient', hang: true }] }, 'fake');
    const good = await add({ name: `good ${engine}`, streams: [] }, 'fake');
    const waiting = Array.from({ length: 4 }, () => service.post(`${PATH}/${hanging.id}/check`));
    const busy = await until('an answer that all are busy', async () => {
      const reply = await service.post(`${PATH}/${good.id}/check`);
      return reply.status === 503 && reply;
    });
    assert.equal(busy.body.error.code, 'UNAVAILABLE');
    assert.notEqual((await service.get(`${PATH}/${good.id}`)).body.data.status, 'failing');
    for (const { body } of await Promise.all(waiting)) assert.equal(body.data.error.code, 'TIMEOUT');
  });

  test('a check says what is wrong and becomes the status, until the configuration changes', async () => {
    const made = await add();
    const result = (await service.post(`${PATH}/${made.id}/check`)).body.data;
    assert.equal(result.ok, false);
    assert.equal(result.error.code, 'PORT_CLOSED');
    assert.equal(result.error.field, 'config.port');
    assert.match(result.message, /127\.0\.0\.1:1/);
    const after = (await service.get(`${PATH}/${made.id}`)).body.data;
    assert.equal(after.status, 'failing');
    assert.match(after.status_message, /refused/);
    assert.ok(after.checked_at);
    const changed = (await service.call('PUT', `${PATH}/${made.id}`, { body: { config: made.config } })).body.data;
    assert.deepEqual([changed.status, changed.status_message, changed.checked_at], ['unchecked', null, null]);
    const streams = await service.get(`${PATH}/${made.id}/streams`);
    assert.equal(streams.status, 409);
    assert.equal(streams.body.error.code, 'CONFLICT');
    assert.equal(streams.body.error.details.field, 'config.port');
  });

  test('a source that a synchronization uses cannot be deleted', async () => {
    const [source, target] = [await add(), await add()];
    await service.app.db.write(insertSync, { source: source.id, target: target.id });
    for (const { id } of [source, target]) {
      const reply = await service.call('DELETE', `${PATH}/${id}`);
      assert.equal(reply.status, 409);
      assert.equal(reply.body.error.code, 'IN_USE');
      assert.match(reply.body.error.message, /"nightly" \(syn_1\)/);
    }
  });

  test('streams are listed by name in pages, and sampled; a name may hold anything', async () => {
    const name = 'odd / näme "x"?#%';
    const streams = [name, 'b', 'a', 'c'].map((stream) => ({
      name: stream,
      fields: [
        { name: 'id', type: 'int64', nullable: false },
        { name: 'big', type: 'decimal', nullable: true },
        { name: 'at', type: 'timestamptz', nullable: true },
        { name: 'long', type: 'text', nullable: true },
      ],
      key: ['id'],
      rows: [
        ['9223372036854775807', '12345678901234567890.5', '2026-11-15 04:42:11.123456+00', 'x'.repeat(5000)],
        ['2', null, null, ''],
      ],
    }));
    const made = await add({ name: `sampled ${engine}`, streams }, 'fake');
    const first = (await service.get(`${PATH}/${made.id}/streams?limit=2`)).body;
    assert.deepEqual(
      first.data.map((stream: { name: string }) => stream.name),
      ['a', 'b'],
    );
    assert.equal(first.total, 4);
    const second = (await service.get(`${PATH}/${made.id}/streams?limit=2&cursor=${first.next_cursor}`)).body;
    assert.deepEqual(
      second.data.map((stream: { name: string }) => stream.name),
      ['c', name],
    );
    assert.equal(second.next_cursor, null);
    assert.equal((await service.get(`${PATH}/${made.id}/streams?q=N%C3%84ME`)).body.total, 1);
    const sample = await service.get(`${PATH}/${made.id}/streams/${encodeURIComponent(name)}/sample`);
    assert.equal(sample.status, 200, sample.text);
    assert.ok(
      sample.text.includes('"id":9223372036854775807,"big":12345678901234567890.5,"at":"2026-11-15T04:42:11.123456Z"'),
      sample.text,
    );
    assert.deepEqual(sample.body.data.truncated, ['long']);
    assert.deepEqual(sample.body.data.rows[0], { id: 2, big: null, at: null, long: '' });
    assert.equal((await service.get(`${PATH}/${made.id}/streams/a/sample?limit=1`)).body.data.rows.length, 1);
    assert.equal((await service.get(`${PATH}/${made.id}/streams/none/sample`)).status, 404);
  });

  test('pages go on behind names of any length', async () => {
    const names = Array.from({ length: 5 }, (_, i) => `${'ß'.repeat(1500)} ${i}`);
    const streams = names.map((name) => ({ name, fields: [{ name: 'id', type: 'int64', nullable: false }], key: ['id'] }));
    const made = await add({ name: `long names ${engine}`, streams }, 'fake');
    const found: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const reply = await service.get(`${PATH}/${made.id}/streams?limit=2${cursor && `&cursor=${cursor}`}`);
      assert.equal(reply.status, 200, reply.text);
      found.push(...reply.body.data.map((stream: { name: string }) => stream.name));
      cursor = reply.body.next_cursor;
    }
    assert.deepEqual(found, names);
  });

  test('a system that hangs is given up after ten seconds and holds up nobody', isSlow, async () => {
    const made = await add({ name: `hangs ${engine}`, streams: [], fail: [{ at: 'check', kind: 'transient', hang: true }] }, 'fake');
    const started = performance.now();
    const checking = service.post(`${PATH}/${made.id}/check`);
    assert.equal((await service.get(PATH)).status, 200);
    const { ok, error } = (await checking).body.data;
    assert.equal(ok, false);
    assert.equal(error.code, 'TIMEOUT');
    const seconds = (performance.now() - started) / 1000;
    assert.ok(seconds > 9 && seconds < 12, `${seconds} s`);
  });

  test('changes at the same time are all made, one after the other', async () => {
    const made = await add();
    const names = Array.from({ length: 20 }, (_, i) => `name ${i}`);
    const replies = await Promise.all(names.map((name) => service.call('PUT', `${PATH}/${made.id}`, { body: { name } })));
    assert.deepEqual(new Set(replies.map((reply) => reply.status)), new Set([200]));
    assert.deepEqual(new Set(replies.map((reply) => reply.body.data.name)), new Set(names));
  });

  test('connectors are listed with a form that has a title and help for every member', async () => {
    const { data, total } = (await service.get('/api/v1/datasync/connectors')).body;
    assert.equal(total, data.length);
    assert.ok(data.some((connector: { type: string }) => connector.type === 'hub'));
    assert.ok(!data.some((connector: { type: string }) => connector.type === 'fake'), 'what is for tests is not offered');
    for (const { type, config, abilities } of data) {
      assert.equal(config.additionalProperties, false, type);
      for (const [name, member] of Object.entries(config.properties as Record<string, { title?: string; description?: string }>))
        assert.ok(member.title && member.description, `${type}.${name}`);
      assert.ok(abilities.read || abilities.write.length > 0, type);
    }
    const shop = data.find((connector: { type: string }) => connector.type === 'hub');
    assert.ok(shop.abilities.tells_changes && shop.abilities.tells_deletions);
    const ofProducts = shop.shop_streams
      .filter(({ rows }: { rows: string }) => rows === 'products')
      .map(({ name }: { name: string }) => name);
    assert.deepEqual([ofProducts, shop.shop_streams.length], [['products', 'stock', 'stock_movements'], 12]);
    const database = data.find((connector: { type: string }) => connector.type === 'postgres');
    assert.deepEqual([database.abilities.tells_changes, database.shop_streams, database.naming.default_schema], [false, [], 'public']);
    assert.equal(database.naming.streams[0].max_bytes, 63);
    const first = (await service.get('/api/v1/datasync/connectors?limit=1')).body;
    const rest = (await service.get(`/api/v1/datasync/connectors?cursor=${first.next_cursor}`)).body;
    assert.deepEqual([...first.data, ...rest.data], data);
  });

  test('connectors are found by what they are called, reach, can do and promise', async () => {
    const found = async (words: string): Promise<string[]> => {
      const { data, total } = (await service.get(`/api/v1/datasync/connectors?q=${encodeURIComponent(words)}`)).body;
      assert.equal(total, data.length);
      return data.map(({ type }: { type: string }) => type);
    };
    assert.deepEqual(await found('aurora'), ['postgres', 'mysql']);
    assert.deepEqual(await found('  S3 Parquet '), ['files']);
    assert.ok((await found('live mirror')).includes('postgres') && !(await found('live mirror')).includes('files'));
    assert.deepEqual(await found('punch cards'), []);
    const all = (await service.get('/api/v1/datasync/connectors')).body.data;
    for (const { type, category, keywords, promises } of all) {
      assert.notEqual(category, 'other', type);
      assert.ok(keywords.length > 0 && promises.length > 0, type);
    }
    const page = (await service.get('/api/v1/datasync/connectors?q=aurora&limit=1')).body;
    const rest = (await service.get(`/api/v1/datasync/connectors?q=aurora&cursor=${page.next_cursor}`)).body;
    assert.deepEqual(
      [...page.data, ...rest.data].map(({ type }) => type),
      ['postgres', 'mysql'],
    );
  });
});
