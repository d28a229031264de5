import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, test } from 'node:test';
import { parse } from 'yaml';
import { parseConfigFiles } from '../../src/configuration/files.ts';
import { resolved } from '../../src/configuration/references.ts';
import { randomFrom } from '../../src/sample/random.ts';
import { GOOD, mutations, VARIABLES } from '../support/configuration/mutated.ts';
import { onBothEngines } from '../support/databases.ts';
import { addSource, ask, type Body, madeUp, rowsIn, runToEnd } from '../support/real-syncs.ts';
import { type Reply, type Service, startService } from '../support/service.ts';
import { until } from '../support/until.ts';
import { sampled } from '../support/whole.ts';

const BASE = '/api/v1/datasync/config';
const CANARY = /canary/;

/** The document of a file, as the command line would send it. */
function documentIn(text: string, values: Readonly<Record<string, string>> = VARIABLES): Body {
  return resolved(parse(text) as object, ({ name }) => ({ text: values[name] ?? '' })).document;
}

onBothEngines('configuration as files', (engine) => {
  let folder: string;
  let service: Service;
  const plan = (document: Body, more: object = {}, from = service): Promise<Reply> => from.post(`${BASE}/plan`, { document, ...more });
  const apply = (document: Body, more: object = {}, from = service): Promise<Reply> => from.post(`${BASE}/apply`, { document, ...more });
  const exported = async (from = service): Promise<Body> => (await from.get(BASE)).body.data;
  const shopFile = (): string => join(folder, 'shop.db');

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'syncline-configuration-'));
    const db = new DatabaseSync(shopFile());
    db.exec(`create table customers (id integer primary key, name text); insert into customers values (1, 'Ada'), (2, 'Grace');
      create table orders (id integer primary key, n integer); insert into orders values (1, 10);
      create table events (id integer primary key, what text not null); insert into events values (1, 'a'), (2, 'b'), (3, 'c')`);
    db.close();
    new DatabaseSync(join(folder, 'warehouse.db')).exec('create table unrelated (id integer primary key)');
    service = await startService(engine, { environment: { SYNCLINE_FILE_ROOTS: folder } });
  });
  after(async () => {
    await service.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test('needs a key, the scopes of what it is about, and a document', async () => {
    for (const [method, path] of [
      ['GET', BASE],
      ['POST', `${BASE}/plan`],
      ['POST', `${BASE}/apply`],
    ] as const) {
      const body = method === 'POST' ? { body: { document: {} } } : {};
      assert.equal((await service.call(method, path, { key: null, ...body })).status, 401);
      assert.equal((await service.call(method, path, { key: await service.keyWith('orders:write'), ...body })).status, 403);
    }
    const key = await service.keyWith('datasync:read', 'datasync:write');
    const keys = await service.post(`${BASE}/apply`, { document: { keys: { mine: { scopes: ['admin'] } } } }, { key });
    assert.deepEqual([keys.status, keys.body.error.details.reason], [403, 'missing scope admin']);
    assert.deepEqual((await service.get(BASE, { key })).body.data.left_out, ['webhooks', 'alerts', 'keys']);
    assert.equal((await service.get(`${BASE}?state=true`, { key })).status, 403, 'the state has keys of rows');
    assert.equal((await service.post(`${BASE}/plan`, { document: {}, state: {} }, { key })).status, 403);
    const wrong = await apply({ sources: { a: { type: 'sqlite', config: { pth: 'x' } } }, keyss: {} });
    assert.equal(wrong.status, 400);
    assert.deepEqual(wrong.body.error.details.errors, [
      { field: 'keyss', reason: 'is not known here; was keys meant?' },
      { field: 'sources.a.config.path', reason: 'is mandatory' },
      { field: 'sources.a.config.pth', reason: 'is not known here; was path meant?' },
    ]);
  });

  const whole = (): Body => {
    const document = documentIn(GOOD);
    document.sources.calls = { type: 'hook', config: { hook: 'changes' } };
    document.syncs.calls = { source: 'calls', target: 'warehouse', streams: [{ source: 'hook', target: 'calls', deletes: 'keep' }] };
    document.syncs.history = {
      source: 'shop',
      target: 'warehouse',
      streams: [{ source: 'ev*', mode: 'append', cursor: 'id', deletes: 'keep' }],
    };
    return document;
  };

  test('a key that may only read sends the service nowhere, and least with a stored secret', async () => {
    const met: string[] = [];
    const stranger = createServer((request, response) => {
      met.push(request.headers.authorization ?? '');
      response.setHeader('content-type', 'application/json').end('[{"id": 1}]');
    }).listen(0, '127.0.0.1');
    await once(stranger, 'listening');
    const config = (port: number, token: string) => ({
      base_url: `http://127.0.0.1:${port}`,
      auth: { type: 'bearer', token },
      streams: [{ name: 'things', path: '/things', key: ['id'] }],
    });
    const added = await addSource(service, 'http', config(1, 'a-stored-secret'));
    const { name } = (await service.get(`/api/v1/datasync/sources/${added}`)).body.data;
    const { port } = stranger.address() as AddressInfo;
    const document = {
      sources: { [name]: { type: 'http', config: config(port, '********') }, file: { type: 'sqlite', config: { path: shopFile() } } },
      syncs: { 'from there': { source: name, target: 'file', streams: ['*'] } },
    };
    const tried = await service.post(`${BASE}/plan`, { document }, { key: await service.keyWith('datasync:read') });
    stranger.close();
    await service.call('DELETE', `/api/v1/datasync/sources/${added}`);
    assert.deepEqual([tried.status, met], [403, []], JSON.stringify(tried.body));
  });

  test('what was applied is what there is, and an export of it goes on elsewhere with no row sent twice', async () => {
    const applied = await apply(whole());
    assert.equal(applied.status, 200, applied.text);
    assert.equal(applied.body.data.changes.length, 12);
    assert.deepEqual(applied.body.data.made.map((one: Body) => one.section).sort(), ['hooks', 'keys', 'webhooks']);
    assert.deepEqual((await plan(whole())).body.data.changes, []);
    const syncs = async (from: Service): Promise<Map<string, string>> =>
      new Map((await ask(from, 'GET', '/sync?status=all')).map(({ id, name }: Body) => [name, id]));
    const ids = await syncs(service);
    // The one for orders runs after that for customers.
    for (const name of ['customers', 'history']) await runToEnd(service, ids.get(name) as string);
    await until('no run is under way', async () => (await service.get(`${BASE}?state=true`)).status === 200);

    const { text, body } = await service.get(`${BASE}?state=true`);
    assert.doesNotMatch(text, CANARY);
    const { document, variables, state } = body.data;
    const secretAt: Record<string, string> = {
      'sources.api.config.password': 'API_PASSWORD',
      'hooks.changes.secret': 'HOOK_SECRET',
      'webhooks.ERP.headers.X-Key': 'ERP_KEY',
      'alerts.operations.channel.url': 'SLACK_URL',
    };
    assert.deepEqual(variables.map(({ field }: Body) => field).sort(), Object.keys(secretAt).sort());
    const values = Object.fromEntries(variables.map(({ name, field }: Body) => [name, VARIABLES[secretAt[field] ?? '']]));
    const sent = resolved(document, ({ name }) => ({ text: values[name] ?? '' })).document;
    assert.deepEqual((await plan(sent)).body.data.changes, [], 'an export changes nothing where it comes from');

    const other = await startService(engine, { environment: { SYNCLINE_FILE_ROOTS: folder } });
    try {
      assert.equal((await apply(sent, { state }, other)).status, 200);
      assert.deepEqual((await plan(sent, { state }, other)).body.data.changes, []);
      assert.deepEqual((await exported(other)).document.syncs, document.syncs);
      assert.deepEqual(await syncs(other), ids, 'they are known to targets by their ids');
      const run = await runToEnd(other, ids.get('history') as string);
      assert.equal(run.totals.inserted, 0);
      assert.equal(rowsIn(join(folder, 'warehouse.db'), 'events'), 3);
      const others = { ...state, customers: { ...state.customers, id: state.orders.id } };
      const taken = await apply(sent, { state: others }, other);
      assert.deepEqual([taken.status, taken.body.error.details.field], [400, 'state.customers']);
    } finally {
      await other.close();
    }
  });

  test('a plan says what a change means for the data, and is refused when it is no longer true', async () => {
    const document = whole();
    document.syncs.customers.streams[0].filter = [{ field: 'id', op: '>', value: 1 }];
    document.syncs.customers.schedule.every = '30m';
    document.webhooks.ERP.headers['X-Key'] = 'another canary';
    const { data } = (await plan(document)).body;
    assert.deepEqual(
      data.changes.map(({ section, name, action }: Body) => [section, name, action]),
      [
        ['syncs', 'customers', 'update'],
        ['webhooks', 'ERP', 'update'],
      ],
    );
    const [sync, webhook] = data.changes;
    assert.deepEqual(
      sync.fields.map(({ field }: Body) => field),
      ['schedule.every', 'streams[customers].filter'],
    );
    assert.deepEqual([sync.fields[0].before, sync.fields[0].after], ['15m', '30m']);
    assert.deepEqual(sync.effects, ['The stream "customers": read again from the start by the next run.']);
    assert.deepEqual(webhook.fields, [{ field: 'headers.X-Key', before: '********', after: 'another secret' }]);
    const { id } = (await ask(service, 'GET', '/sync?status=all')).find(({ name }: Body) => name === 'customers');
    await ask(service, 'PUT', `/sync/${id}`, { expect_every: '2h' });
    const before = JSON.stringify(await exported());
    const late = await apply(document, { digest: data.digest });
    assert.deepEqual([late.status, late.body.error.details.field], [409, 'digest']);
    assert.equal(JSON.stringify(await exported()), before);
    const { digest } = (await plan(document)).body.data;
    assert.equal((await apply(document, { digest })).status, 200);
    assert.deepEqual((await plan(document)).body.data.changes, []);
  });

  test('what runs after something that is at fault says so, beside that fault', async () => {
    const document = whole();
    const ends = { source: 'shop', target: 'warehouse' };
    document.syncs.first = { ...ends, streams: [{ source: 'nobody' }] };
    document.syncs.second = { ...ends, streams: [{ source: 'customers', target: 'seconds' }], schedule: { type: 'after', sync: 'first' } };
    const { status, body } = await plan(document);
    assert.equal(status, 400);
    const reasons = new Map(body.error.details.errors.map(({ field, reason }: Body) => [field, reason]));
    assert.ok(
      [...reasons.keys()].some((field) => String(field).startsWith('syncs.first.streams')),
      body.error.message,
    );
    assert.equal(reasons.get('syncs.second.schedule.sync'), 'names a synchronization that cannot be planned itself: mend that one first');
  });

  test('only --prune deletes, and not what runs or what others need', async () => {
    const endless = await addSource(service, 'fake', madeUp({ endless: true }), 'endless');
    const target = (await ask(service, 'GET', '/sources')).find(({ name }: Body) => name === 'warehouse');
    const busy = await ask(service, 'POST', '/sync', {
      name: 'busy',
      source_id: endless,
      target_id: target.id,
      streams: [{ source: 't' }],
    });
    const document = (await exported()).document;
    const few = { syncs: {} };
    assert.deepEqual((await plan(few)).body.data.changes, []);
    assert.equal((await plan(few, { prune: true })).body.data.changes.length, 5);
    const run = await ask(service, 'POST', `/sync/${busy.id}/runs`, {});
    await until('it runs', async () => (await ask(service, 'GET', `/runs/${run.id}`)).status === 'running');
    const refused = await apply(few, { prune: true });
    assert.deepEqual([refused.status, refused.body.error.code], [409, 'CONFLICT'], refused.text);
    assert.deepEqual((await exported()).document, document, 'nothing was deleted');
    await ask(service, 'POST', `/runs/${run.id}/cancel`);
    await until('it ends', async () => (await ask(service, 'GET', `/runs/${run.id}`)).status === 'cancelled');
    const needed = await apply({ sources: {} }, { prune: true });
    assert.deepEqual([needed.status, needed.body.error.code], [409, 'IN_USE'], needed.text);
    assert.equal((await apply({ syncs: {}, sources: {}, hooks: {} }, { prune: true })).status, 200);
    assert.equal((await ask(service, 'GET', '/sources')).length, 0);
    const own = (await apply({ keys: { mine: { scopes: ['admin'] } } }, { prune: true })).body.data;
    assert.deepEqual(
      [own.changes.some((one: Body) => one.name === 'admin' && one.action === 'delete'), (await service.get('/api/v1/me')).status],
      [false, 200],
    );
  });

  test('no two of a kind have the same name', async () => {
    const make = (path: string, body: object): Promise<Reply> => service.post(path, body, { exactName: true });
    const kinds: [string, object][] = [
      ['/api/v1/datasync/sources', { name: 'twin', type: 'sqlite', config: { path: 'x.db' } }],
      ['/api/v1/datasync/hooks', { name: 'twin', scheme: 'token' }],
      ['/api/v1/webhooks', { name: 'twin', url: 'http://127.0.0.1:9/' }],
      ['/api/v1/alerts', { name: 'twin', channel: { type: 'slack', url: 'http://127.0.0.1:9/' }, rules: [{ type: 'failing' }] }],
      ['/api/v1/keys', { name: 'twin', scopes: ['webhooks'] }],
    ];
    for (const [path, body] of kinds) {
      const { id } = (await make(path, body)).body.data;
      const [second, third] = await Promise.all([make(path, body), make(path, body)]);
      assert.deepEqual(
        [second.status, third.status, second.body.error.details.errors],
        [409, 409, [{ field: 'name', reason: `is the name of ${id}` }]],
      );
      const other = (await make(path, { ...body, name: 'other' })).body.data.id;
      if (path !== '/api/v1/keys') assert.equal((await service.call('PUT', `${path}/${other}`, { body: { name: 'twin' } })).status, 409);
      else assert.equal((await service.call('DELETE', `${path}/${id}`)).status, 200);
      if (path === '/api/v1/keys') assert.equal((await make(path, body)).status, 200, 'a revoked key has left its name');
    }
  });

  test('of files with a fault, none is applied by half', async () => {
    const before = JSON.stringify(await exported());
    const chance = randomFrom('applied');
    for (const { text, line, what } of mutations(sampled(42, 200), () => chance.next())) {
      const files = await parseConfigFiles([{ file: 'a.yaml', text }]);
      if (files.faults.length > 0 || /secret in the open|a reference/.test(what)) continue;
      const { status, body } = await apply(resolved(files.document, ({ name }) => ({ text: VARIABLES[name] ?? '' })).document as Body);
      assert.equal(status, 400, `${what}: ${text.split('\n')[line - 1]}`);
      const lines = body.error.details.errors.map(({ field }: Body) => files.placeOf(field).line);
      assert.ok(lines.includes(line), `${what} in line ${line}, and the service names ${lines}`);
      assert.equal(JSON.stringify(await exported()), before);
    }
  });
});
