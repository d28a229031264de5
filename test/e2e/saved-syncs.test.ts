import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, test } from 'node:test';
import pg from 'pg';
import { type ApiServer, startApi } from '../support/api-server.ts';
import { createPlace, onEitherEngine, type Place } from '../support/databases.ts';
import { addSource, ask, runToEnd } from '../support/real-syncs.ts';
import { type Service, startService } from '../support/service.ts';
import { until } from '../support/until.ts';

// What is saved can run, and loses nothing that the user did not choose to lose. What cannot is refused with its place.

const PATH = '/api/v1/datasync/sync';
const LONG = 'n'.repeat(70);

const SCHEMA = `
  create table customers (id integer primary key, name text not null, updated_at timestamptz not null);
  insert into customers values (1, 'Ada', '2026-11-01 10:00:00+00'), (2, 'Bob', '2026-11-02 10:00:00+00');
  create table nullkey (k integer unique, v text);
  insert into nullkey values (1, 'one'), (null, 'none'), (null, 'nothing');
  create table counted (id integer primary key, xmin integer);
  create table seldom (id integer primary key, updated_at timestamptz);
  insert into seldom values (1, '2026-11-01 10:00:00+00'), (2, null);
  create table ${LONG} (id integer primary key, ${LONG} text);`;

onEitherEngine('what is saved', (engine) => {
  let service: Service;
  let data: Place;
  let db: pg.Client;
  let api: ApiServer;
  let from: DatabaseSync;
  const ids: Record<string, string> = {};

  before(async () => {
    service = await startService(engine);
    data = await createPlace('postgres');
    const url = new URL(data.databaseUrl ?? '');
    db = new pg.Client({ connectionString: url.href });
    await db.connect();
    api = await startApi((_, response) => void response.end('{}'));
    const folder = join(service.place.dataDir, 'files');
    mkdirSync(join(folder, 'sheets'), { recursive: true });
    writeFileSync(join(folder, 'one.csv'), 'id,name,updated_at\n');
    from = new DatabaseSync(join(folder, 'from.db'));
    from.exec(SCHEMA);
    const database = { host: url.hostname, port: Number(url.port), database: url.pathname.slice(1), user: url.username };
    const record = { name: 'people', key: ['id'], fields: ['id', 'name', 'updated_at'].map((name) => ({ name, type: 'text' })) };
    const streams = [{ ...record, write: { path: '/people' } }];
    const configs: [string, string, unknown][] = [
      ['from', 'sqlite', { path: 'from.db' }],
      ['to', 'sqlite', { path: 'to.db' }],
      ['postgres', 'postgres', { ...database, password: 'secret' }],
      ['files', 'files', { path: 'sheets' }],
      ['file', 'files', { path: 'one.csv' }],
      ['shop', 'hub', {}],
      ['api', 'http', { base_url: api.url, streams }],
    ];
    for (const [name, type, config] of configs) ids[name] = await addSource(service, type, config, name);
  });
  after(async () => {
    from.close();
    await service.close();
    await api.close();
    await db.end();
    await data.remove();
  });

  const bodyOf = (target: string, stream: object, more: object = {}) => ({
    name: 'saved',
    source_id: ids['from'],
    target_id: ids[target],
    streams: [{ source: 'customers', ...stream }],
    ...more,
  });
  const save = (target: string, stream: object = {}, more: object = {}) => ask(service, 'POST', '/sync', bodyOf(target, stream, more));
  const faultsOf = async (target: string, stream: object): Promise<string[]> => {
    const reply = await service.post(PATH, bodyOf(target, stream));
    assert.equal(reply.status, 400, reply.text);
    return reply.body.error.details.errors.map(({ field, reason }: { field: string; reason: string }) => `${field} ${reason}`);
  };
  const isRefused = async (target: string, stream: object, ...expected: RegExp[]): Promise<void> => {
    const faults = await faultsOf(target, stream);
    assert.equal(faults.length, expected.length, faults.join('\n'));
    for (const [at, pattern] of expected.entries()) assert.match(faults[at] ?? '', pattern);
  };

  test('with schema_changes "stop" a new column stops the run, and saving the streams again lets it in', async () => {
    from.exec("create table changing (id integer primary key, name text); insert into changing values (1, 'Ada')");
    const sync = await save('to', { source: 'changing' }, { schema_changes: 'stop' });
    assert.equal((await runToEnd(service, sync.id)).status, 'succeeded');
    from.exec("alter table changing add column email text; update changing set email = 'ada@example.com'");
    const stopped = await runToEnd(service, sync.id);
    assert.equal(stopped.status, 'failed');
    assert.match(stopped.error.message, /"email" \(text\) is new\. To go on with them, save the synchronization again/);
    await ask(service, 'PUT', `/sync/${sync.id}`, { streams: sync.streams });
    const done = await runToEnd(service, sync.id);
    assert.equal(done.status, 'succeeded', JSON.stringify(done.error));
    const to = new DatabaseSync(join(service.place.dataDir, 'files', 'to.db'), { readOnly: true });
    assert.deepEqual({ ...to.prepare('select * from changing').get() }, { id: 1, name: 'Ada', email: 'ada@example.com' });
    to.close();
  });

  test('a table whose only key may be null is mirrored whole, or asks for a key', async () => {
    const sync = await save('postgres', { source: 'nullkey' });
    assert.deepEqual([sync.streams[0].mode, sync.streams[0].key], ['mirror', []]);
    assert.equal((await runToEnd(service, sync.id)).status, 'succeeded');
    assert.equal((await db.query('select v from public.nullkey')).rowCount, 3);
    await isRefused('to', { source: 'nullkey' }, /^streams\[0\]\.key is mandatory: .*, or use mode append/);
  });

  test('a cursor that may be null is never chosen by itself; who chooses it is told by the run', async () => {
    await isRefused(
      'to',
      { source: 'seldom', mode: 'incremental' },
      /^streams\[0\]\.cursor .*"updated_at" \(misses rows in which it is null\)/,
    );
    const sync = await save('to', { source: 'seldom', cursor: 'updated_at' });
    const run = await runToEnd(service, sync.id);
    assert.deepEqual([run.status, run.streams[0].read], ['succeeded', 1]);
    await until('the notice', async () => {
      const entries: { level: string; message: string }[] = await ask(service, 'GET', `/logs?run_id=${run.id}`);
      return entries.some(({ level, message }) => level === 'warn' && /"updated_at" can be null/.test(message));
    });
  });

  test('names that the target cannot have', async () => {
    for (const target of ['a.b.c', 'public.', `public.${LONG}`, 'pg_catalog.t', 'information_schema.t', 'public._syncline_checkpoints'])
      await isRefused('postgres', { target }, /^streams\[0\]\.target /);
    for (const target of ['../esc', 'a/b', '.hidden']) await isRefused('files', { target }, /^streams\[0\]\.target cannot be/);
    await isRefused('to', { target: '_syncline_checkpoints' }, /^streams\[0\]\.target is one of Syncline's own tables/);
    await isRefused('postgres', { source: '_syncline_checkpoints', target: 't' }, /^streams\[0\]\.source is one of Syncline's own tables/);
    await isRefused('postgres', { source: LONG }, /\.target .* 63 bytes/, /\.fields cannot be left out: .* 63 bytes/);
    await isRefused('postgres', { source: 'counted' }, /\.fields cannot be left out: "xmin"/);
    const fields = [{ from: 'id' }, { from: 'name', to: 'ctid' }];
    await isRefused('postgres', { fields }, /^streams\[0\]\.fields\[1\]\.to cannot be "ctid"/);
  });

  test('where there is room for one stream, it is that one', async () => {
    assert.equal((await save('file')).streams[0].target, 'one');
    await isRefused('file', { target: 'two' }, /^streams\[0\]\.target cannot be made: "file" holds the stream "one" and has no room/);
  });

  test('rows that are only added need no key among their fields', async () => {
    const stream = { mode: 'append', cursor: 'id', target: 'names', fields: [{ from: 'name' }] };
    for (const target of ['to', 'postgres', 'api']) {
      const sync = await save(target, { ...stream, target: target === 'api' ? 'people' : 'names' });
      const run = await runToEnd(service, sync.id);
      assert.deepEqual([run.status, run.error, run.streams[0].inserted], ['succeeded', null, 2], target);
      const shown = await ask(service, 'POST', `/sync/${sync.id}/runs`, { mode: 'preview' });
      await until('the preview', async () => (await ask(service, 'GET', `/runs/${shown.id}`)).status === 'succeeded');
    }
    assert.deepEqual((await db.query('select name from public.names order by 1')).rows, [{ name: 'Ada' }, { name: 'Bob' }]);
    assert.deepEqual(
      api.received.splice(0).map(({ body }) => JSON.parse(body)),
      [{ name: 'Ada' }, { name: 'Bob' }],
    );
  });

  test('what is gone at the source stops nobody who only adds', async () => {
    for (const product_id of ['a', 'b']) await service.post('/api/v1/products/sync', { product_id, name: product_id, price: 1 });
    const streams = [{ source: 'products', target: 'public.seen', mode: 'append', fields: [{ from: 'name' }] }];
    const sync = await ask(service, 'POST', '/sync', {
      ...bodyOf('postgres', {}),
      source_id: ids['shop'],
      schedule: { type: 'manual' },
      streams,
    });
    assert.equal((await runToEnd(service, sync.id)).status, 'succeeded');
    await service.call('DELETE', '/api/v1/products/b');
    await service.post('/api/v1/products/sync', { product_id: 'c', name: 'c', price: 1 });
    const run = await runToEnd(service, sync.id);
    assert.deepEqual([run.status, run.error], ['succeeded', null]);
    assert.deepEqual((await db.query('select name from public.seen order by 1')).rows, [{ name: 'a' }, { name: 'b' }, { name: 'c' }]);
  });

  test('what the shop and an API take', async () => {
    const cursor = 'updated_at';
    await isRefused(
      'shop',
      { target: 'products', cursor },
      /\.fields cannot be left out: the target does not know "id", and the target makes "updated_at" itself; "products" takes "product_id"/,
    );
    await isRefused('shop', { target: 'products', mode: 'mirror' }, /\.fields cannot be left out/);
    const fields = [{ from: 'id', to: 'product_id', type: 'text' }, { from: 'name' }];
    const shop = await save('shop', { target: 'products', cursor, fields });
    assert.equal(shop.streams[0].mode, 'incremental');
    await isRefused(
      'shop',
      { target: 'products', cursor, fields: [...fields, { from: 'updated_at' }] },
      /^streams\[0\]\.fields\[2\]\.to cannot be "updated_at": it is made there and cannot be written; "products" takes "product_id", .*\. Leave it out$/,
    );
    const order = ['external_id', 'subtotal', 'version', 'created_at'].map((to) => ({
      from: to === 'external_id' ? 'id' : 'name',
      to,
      type: 'text',
    }));
    await isRefused(
      'shop',
      { target: 'orders', cursor, fields: order },
      ...['subtotal', 'version', 'created_at'].map((name) => new RegExp(`cannot be "${name}": it is made there and cannot be written`)),
    );
    const added = await save('api', { target: 'people' });
    assert.equal(added.streams[0].mode, 'append', 'as it is declared');
    assert.equal((await runToEnd(service, added.id)).status, 'succeeded');
    assert.equal(api.received.length, 2);
    await isRefused(
      'api',
      { target: 'people', mode: 'incremental' },
      /\.mode cannot be incremental for the target: "people" takes mode append/,
    );
  });

  test('an empty list is told to be one', async () => {
    await isRefused('to', { filter: [{ field: 'id', op: 'in', value: [] }] }, /\.filter\[0\]\.value must not be an empty list/);
  });
});
