import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { globSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { adminKeyFile } from '../../src/keys/admin-key.ts';
import { readConfig } from '../../src/config.ts';
import { sql } from '../../src/db/sql.ts';
import { newSecret } from '../../src/keys/format.ts';
import { newId } from '../../src/lib/ids.ts';
import { createPlace, onBothEngines } from '../support/databases.ts';
import { type Service, startService } from '../support/service.ts';
import { until } from '../support/until.ts';

const HOUR = 60 * 60 * 1000;
const KEY = /^slk_[0-9a-hjkmnp-tv-z]{26}_[0-9a-hjkmnp-tv-z]{39}$/;

onBothEngines('keys', (engine) => {
  let service: Service;
  let now = Date.now();
  before(async () => {
    service = await startService(engine, { clock: () => now });
  });
  after(() => service.close());

  const create = async (body: object = {}) => {
    const { status, body: answer, text } = await service.post('/api/v1/keys', { name: 'a key', scopes: ['orders:read'], ...body });
    assert.equal(status, 200, text);
    return answer.data;
  };
  const rotate = (id: string, body?: object) => service.post(`/api/v1/keys/${id}/rotate`, body);
  const revoke = (id: string) => service.call('DELETE', `/api/v1/keys/${id}`);
  const read = async (id: string) => (await service.get(`/api/v1/keys/${id}`)).body.data;
  const statusWith = async (key: string): Promise<number> => (await service.get('/api/v1/orders', { key })).status;
  const refused = (key: string) => until('the key to be refused', async () => (await statusWith(key)) === 401);

  test('create: the key is shown once, and never again', async () => {
    const made = await create({ name: 'web shop', scopes: ['orders:read', 'products:write'], rate_limit: 7 });
    const { key, ...shown } = made;
    assert.match(key, KEY);
    assert.equal(key.slice(4, 30), made.id.slice('key_'.length));
    assert.deepEqual(shown, {
      id: made.id,
      name: 'web shop',
      scopes: ['orders:read', 'products:write'],
      status: 'active',
      rate_limit: 7,
      created_at: made.created_at,
      expires_at: null,
      revoked_at: null,
      last_used_at: null,
    });
    assert.equal(await statusWith(key), 200);
    assert.deepEqual(await read(made.id), shown);
    const list = await service.get('/api/v1/keys?limit=1000');
    assert.deepEqual(
      list.body.data.find((row: { id: string }) => row.id === made.id),
      shown,
    );
    assert.ok(!list.text.includes(key.slice(31)));
  });

  test('create: what does not fit is refused by its name', async () => {
    const good = { name: 'n', scopes: ['admin'] };
    for (const [body, field] of [
      [{ scopes: ['admin'] }, 'name'],
      [{ ...good, name: '' }, 'name'],
      [{ ...good, name: 'n'.repeat(101) }, 'name'],
      [{ name: 'n' }, 'scopes'],
      [{ ...good, scopes: [] }, 'scopes'],
      [{ ...good, scopes: ['orders'] }, 'scopes[0]'],
      [{ ...good, scopes: ['admin', 'admin'] }, 'scopes'],
      [{ ...good, rate_limit: -1 }, 'rate_limit'],
      [{ ...good, rate_limit: 1.5 }, 'rate_limit'],
      [{ ...good, expires_at: new Date(now).toISOString() }, 'expires_at'],
      [{ ...good, expires_at: 'never' }, 'expires_at'],
      [{ ...good, key: 'mine' }, 'key'],
    ] as const) {
      const { status, body: answer } = await service.post('/api/v1/keys', body);
      assert.equal(status, 400, JSON.stringify(body));
      assert.equal(answer.error.details.field, field);
    }
    assert.match((await service.post('/api/v1/keys', { ...good, scopes: ['x'] })).body.error.details.reason, /orders:read.*admin/);
  });

  test('list: newest first, by offset and by cursor', async () => {
    for (let i = 0; i < 5; i++) await create({ name: `listed ${i}` });
    const { body: all } = await service.get('/api/v1/keys?limit=1000');
    assert.equal(all.total, all.data.length);
    assert.deepEqual(
      all.data.slice(0, 5).map((key: { name: string }) => key.name),
      [4, 3, 2, 1, 0].map((i) => `listed ${i}`),
    );
    const { body: second } = await service.get('/api/v1/keys?limit=2&offset=2');
    assert.deepEqual(second.data, all.data.slice(2, 4));
    const walked = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const { body }: { body: typeof all } = await service.get(`/api/v1/keys?limit=2${cursor && `&cursor=${cursor}`}`);
      walked.push(...body.data);
      cursor = body.next_cursor;
    }
    assert.deepEqual(walked, all.data);
    assert.equal((await service.get('/api/v1/keys?cursor=MTpvcmRfMQ')).status, 400);
  });

  test('an unknown id is 404', async () => {
    for (const id of ['key_00000000000000000000000000', 'x', 'a%2Fb']) {
      assert.equal((await service.get(`/api/v1/keys/${id}`)).status, 404);
      assert.equal((await revoke(id)).status, 404);
      assert.equal((await rotate(id)).status, 404);
    }
  });

  test('stored only as SHA-256', async () => {
    const { id, key } = await create();
    const rows = await service.app.db.read.all<{ hash: string }>(sql`select hash from key_secrets where key_id = ${id}`);
    assert.deepEqual(
      rows.map((row) => row.hash),
      [createHash('sha256').update(key).digest('hex')],
    );
    for (const table of [sql`keys`, sql`key_secrets`, sql`audit`, sql`events`]) {
      const content = JSON.stringify(await service.app.db.read.all(sql`select * from ${table}`));
      assert.ok(!content.includes(key.slice(31)));
    }
    if (engine === 'sqlite') {
      const files = globSync(join(service.place.dataDir, 'syncline.db*'));
      assert.ok(files.length > 0);
      for (const file of files) assert.ok(!readFileSync(file, 'latin1').includes(key.slice(31)), file);
    }
  });

  test('rotate: the old secret works for the overlap, 24 hours unless said otherwise, and then no longer', async () => {
    const { id, key: first } = await create({ rate_limit: 1000 });
    const { body } = await rotate(id);
    const second = body.data.key;
    assert.match(second, KEY);
    assert.partialDeepStrictEqual(body.data, { id, scopes: ['orders:read'], rate_limit: 1000, status: 'active' });
    now += 24 * HOUR - 1;
    assert.deepEqual([await statusWith(first), await statusWith(second)], [200, 200]);
    now += 1;
    await refused(first);
    assert.equal(await statusWith(second), 200);
  });

  test('rotate: an overlap of one hour, and of none', async () => {
    const { id, key: first } = await create();
    const second = (await rotate(id, { overlap_seconds: 3600 })).body.data.key;
    assert.equal(await statusWith(first), 200);
    const third = (await rotate(id, { overlap_seconds: 0 })).body.data.key;
    // At once: nothing is waited for.
    assert.deepEqual([await statusWith(first), await statusWith(second), await statusWith(third)], [401, 401, 200]);
    // A longer overlap of a later rotation does not bring them back.
    await rotate(id, { overlap_seconds: 7200 });
    assert.deepEqual([await statusWith(first), await statusWith(second), await statusWith(third)], [401, 401, 200]);
    for (const overlap_seconds of [-1, 1.5, 30 * 24 * 3600 + 1, '1']) {
      assert.equal((await rotate(id, { overlap_seconds })).body.error.details.field, 'overlap_seconds');
    }
  });

  test('rotate: what is bound to the caller stays bound', async () => {
    const { id, key } = await create({ scopes: ['orders:write'] });
    const order = { customer_id: 'c', items: [{ product_id: 'p', quantity: 1, price: 1 }] };
    const headers = { 'idempotency-key': 'same' };
    const made = await service.post('/api/v1/orders', order, { key, headers });
    const rotated = (await rotate(id)).body.data.key;
    const again = await service.post('/api/v1/orders', order, { key: rotated, headers });
    assert.equal(again.text, made.text);
    assert.equal(again.headers.get('idempotent-replayed'), 'true');
    const other = await service.post('/api/v1/orders', order, { headers });
    assert.notEqual(other.body.data.id, made.body.data.id);
  });

  test('revoke: holds at once, stays in the list, is final', async () => {
    const { id, key } = await create();
    assert.equal(await statusWith(key), 200);
    const { status, body } = await revoke(id);
    assert.equal(status, 200);
    assert.partialDeepStrictEqual(body.data, { id, status: 'revoked', revoked_at: new Date(now).toISOString() });
    assert.equal(await statusWith(key), 401);
    assert.deepEqual((await revoke(id)).body, body);
    assert.deepEqual(await read(id), body.data);
    assert.equal((await rotate(id)).status, 404);
  });

  test('expires_at: works before, is refused from then on', async () => {
    const expires_at = new Date(now + HOUR).toISOString();
    const { id, key } = await create({ expires_at });
    now += HOUR - 1;
    assert.equal(await statusWith(key), 200);
    assert.partialDeepStrictEqual(await read(id), { status: 'active', expires_at });
    now += 1;
    await refused(key);
    assert.equal((await read(id)).status, 'expired');
    assert.equal((await rotate(id)).status, 404);
  });

  test('the audit trail tells every change, who made it, and no secret', async () => {
    const admin = await create({ scopes: ['admin'], name: 'second admin' });
    const made = await service.post('/api/v1/keys', { name: 'audited', scopes: ['webhooks'] }, { key: admin.key });
    const { id, key } = made.body.data;
    const rotated = (await rotate(id, { overlap_seconds: 60 })).body.data.key;
    await revoke(id);
    await revoke(id);
    const { body, text } = await service.get(`/api/v1/audit?object_id=${id}`);
    assert.equal(body.total, 3);
    const operator = (await service.get('/api/v1/audit?limit=1000')).body.data.at(-1).object_id;
    const at = new Date(now).toISOString();
    assert.deepEqual(
      body.data.map(({ actor, action, object_id, details }: Record<string, unknown>) => ({ actor, action, object_id, details })),
      [
        { actor: operator, action: 'key.revoked', object_id: id, details: { name: 'audited' } },
        { actor: operator, action: 'key.rotated', object_id: id, details: { previous_valid_until: new Date(now + 60_000).toISOString() } },
        { actor: admin.id, action: 'key.created', object_id: id, details: { name: 'audited', scopes: ['webhooks'], expires_at: null } },
      ],
    );
    for (const entry of body.data) assert.ok(entry.at >= at && entry.id.startsWith('aud_'));
    for (const secret of [key, rotated]) assert.ok(!text.includes(secret.slice(31)));
  });

  test('the audit trail: newest first, by offset and by cursor', async () => {
    const { body: all } = await service.get('/api/v1/audit?limit=1000');
    assert.equal(all.total, all.data.length);
    assert.partialDeepStrictEqual(all.data.at(-1), { actor: 'first start', action: 'key.created', details: { scopes: ['admin'] } });
    const ids = all.data.map((entry: { id: string }) => entry.id);
    assert.deepEqual(ids, ids.toSorted().toReversed());
    assert.deepEqual((await service.get('/api/v1/audit?limit=3&offset=4')).body.data, all.data.slice(4, 7));
    const walked = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const { body }: { body: typeof all } = await service.get(`/api/v1/audit?limit=4${cursor && `&cursor=${cursor}`}`);
      walked.push(...body.data);
      cursor = body.next_cursor;
    }
    assert.deepEqual(walked, all.data);
    assert.deepEqual((await service.get('/api/v1/audit?object_id=nobody')).body, { success: true, data: [], total: 0, next_cursor: null });
    assert.equal((await service.get('/api/v1/audit?who=x')).status, 400);
  });
});

onBothEngines('the first admin key', (engine) => {
  test('is made at the first start only, kept with mode 0600, and works', async () => {
    const place = await createPlace(engine);
    // What another database left behind, readable for all users.
    writeFileSync(adminKeyFile(place.dataDir), 'old\n', { mode: 0o644 });
    const first = await startService(engine, { place });
    assert.match(first.app.newAdminKey ?? '', KEY);
    const file = adminKeyFile(place.dataDir);
    assert.equal(readFileSync(file, 'utf8'), `${first.app.newAdminKey}\n`);
    assert.equal(statSync(file).mode & 0o777, 0o600);
    assert.equal((await first.get('/api/v1/keys')).body.total, 1);
    await first.close();
    const second = await startService(engine, { place });
    assert.equal(second.app.newAdminKey, undefined);
    assert.equal(second.adminKey, first.adminKey);
    const { body } = await second.get('/api/v1/keys');
    assert.equal(body.total, 1);
    // It was used in the first life, which was noted at the latest when that ended.
    assert.match(body.data[0].last_used_at, /^\d{4}-/);
    await second.close();
    await place.remove();
  });

  test('a start that cannot keep it fails and says what to do; the next one makes another', async () => {
    const place = await createPlace(engine);
    mkdirSync(adminKeyFile(place.dataDir));
    await assert.rejects(startService(engine, { place }), /admin key cannot be kept.*SYNCLINE_ADMIN_KEY/);
    rmSync(adminKeyFile(place.dataDir), { recursive: true });
    const service = await startService(engine, { place });
    assert.equal((await service.get('/api/v1/keys')).status, 200);
    await service.close();
    await place.remove();
  });

  test('SYNCLINE_ADMIN_KEY sets it instead, whatever its form', async () => {
    for (const own of ['an-own-key-of-24-characters', newSecret(newId('key', Date.now()).id), 'three.parts.like-a-token-of-an-issuer']) {
      const service = await startService(engine, { environment: { SYNCLINE_ADMIN_KEY: own } });
      assert.equal(service.app.newAdminKey, undefined);
      assert.deepEqual((await service.get('/api/v1/keys', { key: own })).body.data, []);
      assert.throws(() => statSync(adminKeyFile(service.place.dataDir)), { code: 'ENOENT' });
      assert.equal((await service.get('/api/v1/keys', { key: `${own}x` })).status, 401);
      await service.post('/api/v1/keys', { name: 'n', scopes: ['admin'] }, { key: own });
      assert.equal((await service.get('/api/v1/audit', { key: own })).body.data[0].actor, 'operator');
      await service.close();
    }
    for (const short of ['short', 'x'.repeat(23), `${'x'.repeat(24)} x`])
      assert.throws(() => readConfig({ SYNCLINE_ADMIN_KEY: short }), /SYNCLINE_ADMIN_KEY must be at least 24/);
  });
});
