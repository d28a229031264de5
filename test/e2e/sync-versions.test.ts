import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from '../../src/db/sql.ts';
import { runStatement } from '../support/commands.ts';
import { syncline } from '../support/command-line.ts';
import { onBothEngines } from '../support/databases.ts';
import { addSource, madeUp, reaches, sqliteFile } from '../support/real-syncs.ts';
import { type Service, startService } from '../support/service.ts';

const SYNCS = '/api/v1/datasync/sync';
const CONFIG = '/api/v1/datasync/config';

onBothEngines('versions of synchronizations', (engine) => {
  let service: Service;
  let [shop, other] = ['', ''];
  before(async () => {
    service = await startService(engine);
    const source = async (name: string): Promise<string> =>
      (await service.post('/api/v1/datasync/sources', { name, type: 'hub', config: {} })).body.data.id;
    [shop, other] = [await source('Our shop'), await source('Another shop')];
  });
  after(() => service.close());

  let made = 0;
  const newSync = async (): Promise<string> => {
    const streams = [{ source: 'products', fields: ['product_id', 'name', 'price'].map((from) => ({ from })) }];
    const body = { name: `prices ${++made}`, source_id: shop, target_id: other, schedule: { type: 'manual' }, streams };
    const { status, body: answer, text } = await service.post(SYNCS, body);
    assert.equal(status, 200, text);
    return answer.data.id;
  };
  const change = async (id: string, body: object, key?: string): Promise<void> => {
    const { status, text } = await service.call('PUT', `${SYNCS}/${id}`, { body, ...(key !== undefined && { key }) });
    assert.equal(status, 200, text);
  };
  // oxlint-disable-next-line no-explicit-any -- the tests look into bodies of every shape
  const versionsOf = async (id: string): Promise<any[]> => (await service.get(`${SYNCS}/${id}/versions`)).body.data;

  test('no key 401, wrong scope 403, nothing there 404', async () => {
    const id = await newSync();
    const key = await service.keyWith('orders:read');
    const reader = await service.keyWith('datasync:read');
    for (const path of [`${SYNCS}/${id}/versions`, `${SYNCS}/${id}/versions/1`, `${CONFIG}/syncs/${id}`, `${CONFIG}/sources/${shop}`]) {
      assert.equal((await service.get(path, { key: null })).status, 401);
      assert.equal((await service.get(path, { key })).status, 403);
      assert.equal((await service.get(path, { key: reader })).status, 200);
    }
    assert.equal((await service.post(`${SYNCS}/${id}/versions/1/restore`, undefined, { key: reader })).status, 403);
    for (const path of [
      `${SYNCS}/syn_x/versions`,
      `${SYNCS}/${id}/versions/2`,
      `${SYNCS}/${id}/versions/one`,
      `${CONFIG}/syncs/${id}?version=2`,
      `${CONFIG}/syncs/${shop}`,
      `${CONFIG}/sources/${id}`,
    ])
      assert.equal((await service.get(path)).status, 404, path);
    assert.equal((await service.post(`${SYNCS}/${id}/versions/7/restore`)).status, 404);
  });

  test('who changed what and when; one click leads back, to the letter', async () => {
    const id = await newSync();
    const { body: first } = await service.get(`${SYNCS}/${id}`);
    const writer = (await service.post('/api/v1/keys', { name: 'a writer', scopes: ['datasync:write', 'products:read', 'products:write'] }))
      .body.data;
    await change(id, { name: 'renamed', schedule: { type: 'interval', every: '1h' }, guard: { max_delete_percent: 5 } }, writer.key);
    await change(id, {
      target_id: shop,
      source_id: other,
      expect_every: '2h',
      streams: [
        { source: 'products', fields: [{ from: 'product_id' }, { from: 'price' }], filter: [{ field: 'price', op: '>', value: 3 }] },
      ],
    });
    const [third, second, original] = await versionsOf(id);
    assert.partialDeepStrictEqual(second, {
      version: 2,
      current: false,
      actor: writer.id,
      fields: ['name', 'schedule', 'guard'],
      name: 'renamed',
    });
    assert.partialDeepStrictEqual(third, { version: 3, current: true, source_id: other });
    assert.partialDeepStrictEqual(original, { version: 1, fields: [], restored: null });

    const yamlOf = async (version: string): Promise<string> => (await service.get(`${CONFIG}/syncs/${id}${version}`)).body.data.yaml;
    const [then, now] = [await yamlOf('?version=1'), await yamlOf('')];
    assert.match(
      then,
      /^version: 1\nsyncs:\n {2}prices \d+:\n {4}source: Our shop\n {4}target: Another shop\n {4}schedule:\n {6}type: manual\n/,
    );
    assert.match(now, /renamed:\n {4}source: Another shop\n[\s\S]*expect_every: 2h/);
    assert.equal(now, await yamlOf('?version=3'));

    const restored = await service.post(`${SYNCS}/${id}/versions/1/restore`);
    assert.equal(restored.status, 200, restored.text);
    const { updated_at: _, health: __, health_reason: ___, next_run_at: ____, ...before } = first.data;
    assert.partialDeepStrictEqual(restored.body.data, before);
    assert.equal(await yamlOf(''), then);
    const [fourth] = await versionsOf(id);
    assert.partialDeepStrictEqual(fourth, { version: 4, current: true, restored: 1 });
    const audit = await service.get(`/api/v1/audit?object_id=${id}&action=sync.updated`);
    assert.equal(audit.body.data[0].details.restored, 1);
    // What a version has is what PUT takes.
    const { definition } = (await service.get(`${SYNCS}/${id}/versions/3`)).body.data;
    await change(id, definition);
    assert.equal((await yamlOf('')).replaceAll(' ', ''), now.replaceAll(' ', ''));
  });

  test('a version whose source is gone is refused with its place, and changes nothing', async () => {
    const id = await newSync();
    const gone = (await service.post('/api/v1/datasync/sources', { name: 'gone', type: 'hub', config: {} })).body.data.id;
    await change(id, { source_id: gone });
    await change(id, { source_id: shop });
    await service.call('DELETE', `/api/v1/datasync/sources/${gone}`);
    const { status, body } = await service.post(`${SYNCS}/${id}/versions/2/restore`);
    assert.deepEqual([status, body.error.details.field], [400, 'source_id']);
    assert.equal((await versionsOf(id)).length, 3);
    // What it was is still told, though no name is left of the source.
    const written = await service.get(`${CONFIG}/syncs/${id}?version=2`);
    assert.equal(written.status, 200, written.text);
    assert.match(written.body.data.yaml, /source: /);
    assert.doesNotMatch(written.body.data.yaml, /source: (gone|Our shop)/);
  });

  test('restored while a run goes on: that one keeps what it began with, and the next does what was restored', async () => {
    const source = await addSource(service, 'fake', madeUp({ count: 100, endless: true, delay_ms: 50 }));
    const target = await addSource(service, 'sqlite', { path: sqliteFile(service.place, 'restored.db') });
    const body = { name: 'clicks', source_id: source, target_id: target, schedule: { type: 'manual' } };
    const stream = { source: 't', mode: 'append', cursor: 'id' };
    const { id } = (await service.post(SYNCS, { ...body, streams: [{ ...stream, target: 'first' }] })).body.data;
    await change(id, { streams: [{ ...stream, target: 'second' }] });
    const run = (await service.post(`${SYNCS}/${id}/runs`)).body.data;
    await reaches(service, run.id, 'running');
    const restored = await service.post(`${SYNCS}/${id}/versions/1/restore`);
    assert.deepEqual([restored.status, restored.body.data.streams[0].target], [200, 'first']);
    await service.post(`/api/v1/datasync/runs/${run.id}/cancel`);
    await reaches(service, run.id, 'cancelled');
    const told = async (one: string) => (await service.get(`/api/v1/datasync/runs/${one}`)).body.data.streams[0].target;
    assert.equal(await told(run.id), 'second');
    const next = (await service.post(`${SYNCS}/${id}/runs`)).body.data;
    await reaches(service, next.id, 'running');
    assert.equal(await told(next.id), 'first');
    await service.post(`/api/v1/datasync/runs/${next.id}/cancel`);
    await reaches(service, next.id, 'cancelled');
  });

  test('the newest hundred are kept; what was saved before versions were is kept with the next change', async () => {
    const id = await newSync();
    await service.app.db.write(runStatement, `delete from sync_versions where sync_id = '${id}'`);
    assert.partialDeepStrictEqual(await versionsOf(id), [{ version: 1, current: true, actor: null }]);
    await change(id, { name: `by another ${made}` });
    assert.deepEqual(
      (await versionsOf(id)).map(({ version, actor }) => [version, actor === null]),
      [
        [2, false],
        [1, true],
      ],
    );
    await service.app.db.write(runStatement, `update syncs set version = 150 where id = '${id}'`);
    await change(id, { name: `again ${made}` });
    assert.deepEqual(
      (await versionsOf(id)).map(({ version }) => version),
      [151, 150],
    );
    assert.equal((await service.call('DELETE', `${SYNCS}/${id}`)).status, 200);
    assert.deepEqual(await service.app.db.read.all(sql`select 1 from sync_versions where sync_id = ${id}`), []);
  });

  test('a source as YAML has references in the place of secrets', async () => {
    const config = { host: '127.0.0.1', port: 9, database: 'd', user: 'u', password: 'k-7f3-secret' };
    const made = await service.post('/api/v1/datasync/sources', { name: 'the warehouse', type: 'postgres', config });
    assert.equal(made.status, 200, made.text);
    const { body, text } = await service.get(`${CONFIG}/sources/${made.body.data.id}`);
    assert.ok(!text.includes('k-7f3'));
    assert.match(body.data.yaml, /password: \$\{env:THE_WAREHOUSE_PASSWORD\}/);
    assert.deepEqual(body.data.variables, [{ name: 'THE_WAREHOUSE_PASSWORD', field: 'sources.the warehouse.config.password' }]);
  });

  test('by the command line', async () => {
    if (engine === 'postgres') return;
    const settings = { SYNCLINE_URL: service.url, SYNCLINE_KEY: service.adminKey };
    const id = await newSync();
    await change(id, { schedule: { type: 'interval', every: '1h' } });
    const listed = await syncline(['syncs', 'versions', id], settings);
    assert.match(listed.stdout, /VERSION +SAVED +BY +CHANGED\n2 \(now\) .* schedule\n1 .* created\n/);
    const restored = await syncline(['syncs', 'restore', id, '1'], settings);
    assert.deepEqual([restored.code, restored.stderr.includes('does again what version 1 says')], [0, true], restored.stderr);
    assert.equal((await versionsOf(id))[0].restored, 1);
    assert.equal((await syncline(['syncs', 'restore', id, '99'], settings)).code, 1);
  });
});
