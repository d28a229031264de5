import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { sql } from '../../src/db/sql.ts';
import { runStatement } from '../support/commands.ts';
import { preparedPlace, onBothEngines } from '../support/databases.ts';
import { inDatabase } from '../support/dump.ts';
import { type Service, startService } from '../support/service.ts';
import { addSync, streamOf } from '../support/sync-fixture.ts';
import { until } from '../support/until.ts';

interface Entry {
  actor: string;
  action: string;
  object_id: string;
  details: Record<string, unknown>;
  address: string | null;
  request_id: string | null;
}

const order = { customer_id: 'c', items: [{ product_id: 'p', quantity: 1, price: 1 }] };
const SOURCES = '/api/v1/datasync/sources';

onBothEngines('the audit', (engine) => {
  let service: Service;
  before(async () => {
    service = await startService(engine, { environment: { SYNCLINE_TRUSTED_PROXIES: '127.0.0.0/8' } });
    for (let i = 0; i < 3; i++) await service.post('/api/v1/orders', order);
  });
  after(() => service.close());

  const entries = async (query: string): Promise<Entry[]> => (await service.get(`/api/v1/audit?limit=1000&${query}`)).body.data;
  const once = (query: string): Promise<Entry[]> =>
    until(query, async () => await entries(query).then((found) => found.length > 0 && found));
  const headers = { 'x-forwarded-for': '203.0.113.9', 'x-request-id': 'the-request' };
  const ORIGIN = { address: '203.0.113.9', request_id: 'the-request' };
  const addHub = async (name: string): Promise<string> =>
    (await service.post(SOURCES, { name, type: 'hub', config: {} }, { headers })).body.data.id;

  test('tells of every change from where and by which request it was made', async () => {
    const hub = await addHub('shop');
    const { body } = await service.post('/api/v1/keys', { name: 'k', scopes: ['orders:read'] }, { headers });
    await service.call('PUT', `${SOURCES}/${hub}`, { body: { name: 'the shop' }, headers });
    await service.call('DELETE', `/api/v1/keys/${body.data.id}`, { headers });
    const sync = await addSync(service.app.db, { streams: [streamOf('a')] });
    await service.call('POST', `/api/v1/datasync/sync/${sync}/pause`, { headers });
    for (const [id, actions] of [
      [hub, ['source.updated', 'source.created']],
      [body.data.id, ['key.revoked', 'key.created']],
      [sync, ['sync.paused']],
    ] as const) {
      const found = await entries(`object_id=${id}`);
      assert.deepEqual(found.map(({ action }) => action).slice(0, actions.length), actions);
      for (const entry of found.slice(0, actions.length)) assert.partialDeepStrictEqual(entry, ORIGIN);
    }
    const [start] = await entries('actor=first%20start');
    assert.partialDeepStrictEqual(start, { action: 'key.created', address: null, request_id: null });
  });

  test('has no action that the documents do not name', () => {
    const told = readFileSync(new URL('../../docs/api.md', import.meta.url), 'utf8');
    const src = new URL('../../src/', import.meta.url);
    const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((file) => /(?<!\.test)\.ts$/.test(file));
    const actions = files.flatMap((file) =>
      Array.from(readFileSync(new URL(file, src), 'utf8').matchAll(/\baction: '(\w+\.\w+)'/g), ([, action = '']) => action),
    );
    assert.ok(actions.length > 10, 'actions are found at all');
    assert.deepEqual(
      actions.filter((action) => !told.includes(`\`${action}\``)),
      [],
    );
  });

  test('is filtered by who, what and on what; an unknown filter is refused', async () => {
    const key = await service.keyWith('admin');
    await service.post('/api/v1/keys', { name: 'by it', scopes: ['orders:read'] }, { key });
    const { id } = (await service.get('/api/v1/me', { key })).body.data;
    assert.deepEqual(
      (await entries(`actor=${id}`)).map(({ action, details }) => [action, details['name']]),
      [['key.created', 'by it']],
    );
    const all = await entries('');
    const created = await entries('action=key.created');
    assert.deepEqual(
      created,
      all.filter(({ action }) => action === 'key.created'),
    );
    assert.equal((await service.get('/api/v1/audit?action=Key%20created')).body.error.details.field, 'action');
    assert.equal((await service.get('/api/v1/audit?who=x')).body.error.details.field, 'who');
  });

  describe('tells of rows that were read', () => {
    test('as a sample, whether of a source or of a definition that is tried', async () => {
      const hub = await addHub('sampled');
      const sample = await service.get(`${SOURCES}/${hub}/streams/orders/sample?limit=2`, { headers });
      assert.equal(sample.status, 200, sample.text);
      const [entry, ...more] = await once(`object_id=${hub}&action=source.sampled`);
      assert.deepEqual(more, []);
      assert.partialDeepStrictEqual(entry, { ...ORIGIN, details: { stream: 'orders', times: 1, rows: 2 } });

      mkdirSync(join(service.place.dataDir, 'files'), { recursive: true });
      const target = (await service.post(SOURCES, { name: 'target', type: 'sqlite', config: { path: 'audit.db' } })).body.data.id;
      const definition = { source_id: await addHub('tried'), target_id: target, streams: [{ source: 'orders' }] };
      const tried = await service.post('/api/v1/datasync/sync/check', { ...definition, sample_of: 0, limit: 3 }, { headers });
      assert.equal(tried.status, 200, tried.text);
      const [trial] = await once(`object_id=${definition.source_id}&action=source.sampled`);
      assert.partialDeepStrictEqual(trial, { ...ORIGIN, details: { stream: 'orders', times: 1, rows: 3 } });
    });

    test('as rejects', async () => {
      const sync = await addSync(service.app.db, { streams: [streamOf('a')] });
      assert.equal((await service.get(`/api/v1/datasync/sync/${sync}/rejects`)).body.total, 0);
      await service.app.db.write(
        runStatement,
        `insert into rejects (id, sync_id, stream, target, identity, first_run_id, last_run_id, "row", reason, unreadable, created_at, updated_at)
          values ('rej_01kfa0v2m3f8rb4v3k7m2t9x${engine === 'sqlite' ? 'qa' : 'qb'}', '${sync}', 'a', 'a', 'x', 'r', 'r', '{}', 'odd', 0, '2026', '2026')`,
      );
      assert.equal((await service.get(`/api/v1/datasync/sync/${sync}/rejects`, { headers })).body.total, 1);
      const [entry, ...more] = await once(`object_id=${sync}&action=rejects.read`);
      assert.deepEqual(more, [], 'an empty list shows nothing');
      assert.partialDeepStrictEqual(entry, { ...ORIGIN, details: { times: 1, rows: 1 } });
    });

    test('as lists of whole orders, which is what an export is; the short list is none', async () => {
      const key = await service.keyWith('orders:read');
      const { id } = (await service.get('/api/v1/me', { key })).body.data;
      for (const query of ['', 'expand=items', 'limit=1000']) await service.get(`/api/v1/orders?${query}`, { key });
      for (let page = 0; page < 3; page++) await service.get(`/api/v1/orders?expand=all&limit=1&offset=${page}`, { key, headers });
      const told = await once(`actor=${encodeURIComponent(id)}&action=orders.exported`);
      assert.partialDeepStrictEqual(told.at(-1), ORIGIN);
      // However the second in which they are written down fell.
      const times = told.reduce((sum, { details }) => sum + Number(details['times']), 0);
      assert.ok(times >= 1 && times <= 3, String(times));
    });
  });
});

onBothEngines('reads that are not in the audit yet', (engine) => {
  test('are counted together, and written when the service stops', async (t) => {
    const place = await preparedPlace(engine);
    t.after(() => place.remove());
    const service = await startService(engine, { place });
    await service.post('/api/v1/orders', order);
    for (let i = 0; i < 50; i++) await service.get('/api/v1/orders?expand=all');
    await service.close();
    await inDatabase(place, async (db) => {
      const rows = await db.all<{ details: string }>(sql`select details from audit where action = 'orders.exported' order by id`);
      const details = rows.map((row) => JSON.parse(row.details) as { times: number; rows: number });
      assert.ok(details.length >= 1 && details.length <= 2, `${details.length} entries for fifty reads`);
      assert.equal(
        details.reduce((sum, { times }) => sum + times, 0),
        50,
      );
      assert.equal(
        details.reduce((sum, { rows: n }) => sum + n, 0),
        50,
      );
    });
  });
});
