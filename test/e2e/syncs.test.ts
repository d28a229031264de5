import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, test } from 'node:test';
import { onBothEngines } from '../support/databases.ts';
import { type Reply, type Service, startService } from '../support/service.ts';

const PATH = '/api/v1/datasync/sync';

const SCHEMA = `
  create table customers (id integer primary key, name text not null, amount decimal, born date, updated_at timestamptz not null);
  create table notes (words text);
  create table prices (id integer primary key, amount integer);
  create view rich as select * from customers where amount > 100;`;

onBothEngines('synchronizations', (engine) => {
  let service: Service;
  const ids: Record<string, string> = {};

  before(async () => {
    service = await startService(engine);
    const folder = join(service.place.dataDir, 'files');
    mkdirSync(folder, { recursive: true });
    for (const name of ['from', 'to']) {
      const database = new DatabaseSync(join(folder, `${name}.db`));
      if (name === 'from') database.exec(SCHEMA);
      else database.exec('create table prices (id integer primary key, amount date); create view seen as select 1 as id');
      database.close();
    }
    mkdirSync(join(folder, 'sheets'));
    writeFileSync(join(folder, 'sheets', 'people.csv'), 'id,name\n1,Ada\n');
    await add('from', 'sqlite', { path: 'from.db' });
    await add('to', 'sqlite', { path: 'to.db' });
    await add('new', 'sqlite', { path: 'new.db' });
    await add('sheets', 'files', { path: 'sheets' });
    await add('shop', 'hub', {});
    await add('down', 'postgres', { host: '127.0.0.1', port: 1, database: 'd', user: 'u', password: 'p' });
  });
  after(() => service.close());

  async function add(name: string, type: string, config: unknown): Promise<void> {
    const { status, text, body } = await service.post('/api/v1/datasync/sources', { name, type, config });
    assert.equal(status, 200, text);
    ids[name] = body.data.id;
  }

  const bodyOf = (change: object = {}) => ({
    name: 'customers',
    source_id: ids['from'],
    target_id: ids['to'],
    streams: [{ source: 'customers' }],
    ...change,
  });
  const create = (change: object = {}): Promise<Reply> => service.post(PATH, bodyOf(change));
  const made = async (change: object = {}) => {
    const reply = await create(change);
    assert.equal(reply.status, 200, reply.text);
    return reply.body.data;
  };
  const put = (id: string, body: object): Promise<Reply> => service.call('PUT', `${PATH}/${id}`, { body });
  const faultsOf = async (change: object): Promise<Record<string, string>> => {
    const reply = await create(change);
    assert.equal(reply.status, 400, reply.text);
    return Object.fromEntries(
      reply.body.error.details.errors.map(({ field, reason }: { field: string; reason: string }) => [field, reason]),
    );
  };
  const eventsOf = async (id: string): Promise<{ type: string; data: Record<string, unknown> }[]> =>
    (await service.get('/api/v1/events?limit=1000')).body.data.filter((event: { object_id: string }) => event.object_id === id);

  test('no key 401, wrong scope 403, bad body 400 that names the field', async () => {
    assert.equal((await service.get(PATH, { key: null })).status, 401);
    const reader = await service.keyWith('datasync:read');
    assert.equal((await service.get(PATH, { key: reader })).status, 200);
    assert.equal((await service.post(PATH, bodyOf(), { key: reader })).status, 403);
    const sync = await made();
    for (const action of ['pause', 'resume', 'reset'])
      assert.equal((await service.post(`${PATH}/${sync.id}/${action}`, undefined, { key: reader })).status, 403);
    const bad = await service.post(PATH, { ...bodyOf(), name: undefined });
    assert.equal(bad.status, 400);
    assert.equal(bad.body.error.details.field, 'name');
    assert.deepEqual(Object.keys(await faultsOf({ streams: [] })), ['streams']);
    assert.deepEqual(Object.keys(await faultsOf({ streams: 'all' })), ['streams']);
    assert.deepEqual(Object.keys(await faultsOf({ streams: [{ source: 'customers', cursor: 1, extra: 2 }] })), [
      'streams[0].cursor',
      'streams[0].extra',
    ]);
  });

  test('the shop is read and written by those who may', async () => {
    const writer = await service.keyWith('datasync:write');
    const both = await service.keyWith('datasync:write', 'orders:read');
    const body = bodyOf({ source_id: ids['shop'], streams: [{ source: 'orders' }], schedule: { type: 'manual' } });
    const reply = await service.post(PATH, body, { key: writer });
    assert.deepEqual([reply.status, reply.body.error.details.reason], [403, 'missing scope orders:read']);
    assert.equal((await service.post(PATH, body, { key: both })).status, 200);
    const fields = [{ from: 'id', to: 'product_id', type: 'text' }, { from: 'name' }];
    const into = bodyOf({
      target_id: ids['shop'],
      streams: [{ source: 'customers', target: 'products', mode: 'append', cursor: 'id', fields }],
    });
    assert.equal((await service.post(PATH, into, { key: both })).body.error.details.reason, 'missing scope products:write');
  });

  test('a name, two sources and a stream are enough', async () => {
    const reply = await create({ name: 'enough' });
    assert.equal(reply.status, 200, reply.text);
    // Other cases write the same table, of which it is warned.
    const { id, created_at, updated_at, warnings: _, ...rest } = reply.body.data;
    assert.match(id, /^syn_[0-9a-z]{26}$/);
    assert.equal(reply.headers.get('location'), `${PATH}/${id}`);
    assert.equal(created_at, updated_at);
    assert.deepEqual(rest, {
      name: 'enough',
      status: 'active',
      source_id: ids['from'],
      target_id: ids['to'],
      direction: 'source_to_target',
      schedule: { type: 'manual' },
      streams: [
        {
          source: 'customers',
          target: 'customers',
          mode: 'mirror',
          key: ['id'],
          cursor: null,
          fields: null,
          filter: [],
          deletes: 'delete',
        },
      ],
      on_reject: 'quarantine',
      guard: { max_delete_percent: 20, allow_empty: false },
      schema_changes: 'apply',
      structure: 'data',
      expect_every: null,
      undo: null,
      verify: null,
      verified: null,
      health: 'pending',
      health_code: 'never_ran',
      health_reason: 'It has not run yet.',
      lag: null,
      max_retained: '10 GB',
      on_gap: 'load',
      retained: null,
      last_run: null,
      current_run: null,
      next_run_at: null,
    });
    assert.deepEqual((await service.get(`${PATH}/${id}`)).body.data, { id, created_at, updated_at, ...rest });
  });

  test('defaults fit the two systems', async () => {
    const [file] = (await made({ source_id: ids['sheets'], streams: [{ source: 'people' }] })).streams;
    assert.deepEqual([file.target, file.mode, file.cursor, file.deletes], ['people', 'append', null, 'keep']);
    const shop = await made({ source_id: ids['shop'], streams: [{ source: 'orders' }, { source: 'products' }] });
    assert.deepEqual(shop.schedule, { type: 'on_change' });
    assert.deepEqual(
      shop.streams.map(({ mode, cursor, deletes }: Record<string, string>) => [mode, cursor, deletes]),
      Array.from({ length: 2 }, () => ['incremental', 'updated_at', 'delete']),
    );
    const fresh = await made({ target_id: ids['new'] });
    assert.equal(fresh.streams[0].target, 'customers', 'a database that is not there yet is made by the first run');
  });

  test('everything can be said', async () => {
    const streams = [
      {
        source: 'customers',
        target: 'people',
        mode: 'incremental',
        key: ['id'],
        cursor: 'updated_at',
        fields: [
          { from: 'id' },
          { from: 'name', to: 'full_name' },
          { from: 'born', to: 'born', type: 'text' },
          { to: 'large', expression: 'amount > 10.0' },
        ],
        filter: [
          { field: 'amount', op: '>=', value: 10.5 },
          { field: 'updated_at', op: '>', value: '2026-11-15T04:42:11.123Z' },
          { field: 'name', op: 'in', value: ['a', 'b'] },
          { field: 'born', op: 'not_null' },
        ],
        deletes: 'keep',
      },
    ];
    const sync = await made({
      streams,
      direction: 'source_to_target',
      schedule: { type: 'cron', expression: '0 6 * * 1-5' },
      on_reject: 'fail',
      guard: { max_delete_percent: 0 },
      schema_changes: 'stop',
    });
    assert.deepEqual(sync.streams, [
      {
        ...streams[0],
        fields: [
          { from: 'id', to: 'id' },
          { from: 'name', to: 'full_name' },
          { from: 'born', to: 'born', type: 'text' },
          { to: 'large', expression: 'amount > 10.0' },
        ],
        filter: [
          { field: 'amount', op: '>=', value: '10.5' },
          { field: 'updated_at', op: '>', value: '2026-11-15 04:42:11.123+00' },
          { field: 'name', op: 'in', value: ['a', 'b'] },
          { field: 'born', op: 'not_null' },
        ],
      },
    ]);
    assert.deepEqual(sync.schedule, { type: 'cron', expression: '0 6 * * 1-5', timezone: 'UTC' });
    assert.deepEqual([sync.on_reject, sync.guard, sync.schema_changes], ['fail', { max_delete_percent: 0, allow_empty: false }, 'stop']);
    assert.match(sync.next_run_at, /T06:00:00\.000Z$/);
    const again = await put(sync.id, { streams: sync.streams });
    assert.equal(again.status, 200, again.text);
    assert.deepEqual(again.body.data.streams, sync.streams, 'what was answered can be sent');
  });

  test('every fault is named with its place, all at once', async () => {
    const faults = await faultsOf({
      streams: [
        { source: 'customers', key: ['idd'], fields: [{ from: 'id' }, { from: 'nam', to: 'x' }] },
        { source: 'customer' },
        { source: 'notes', mode: 'incremental' },
        { source: 'rich', target: 'CUSTOMERS' },
        { source: 'prices' },
        { source: 'customers', target: 'seen' },
      ],
    });
    assert.deepEqual(Object.keys(faults).sort(), [
      'streams[0].fields[1].from',
      'streams[0].key',
      'streams[1].source',
      'streams[2].cursor',
      'streams[2].key',
      'streams[3].key',
      'streams[3].target',
      'streams[4].fields',
      'streams[5].target',
    ]);
    assert.match(faults['streams[1].source'] ?? '', /"from" has no stream "customer"\. Did you mean "customers"\?$/);
    assert.match(faults['streams[3].target'] ?? '', /is written from "customers" already: "customers"/i);
    assert.match(
      faults['streams[4].fields'] ?? '',
      /"amount" is int64 at the source, and the column "amount" of "prices" is date\. Write it to another column/,
    );
    assert.match(faults['streams[5].target'] ?? '', /it is a view/);
  });

  test('what is not there yet is refused in words', async () => {
    assert.match((await faultsOf({ streams: [{ source: 'customers', mode: 'cdc' }] }))['streams[0].mode'] ?? '', /cannot be cdc/);
    assert.match((await faultsOf({ direction: 'two_way' }))['direction'] ?? '', /cannot be two_way yet/);
  });

  test('a field is a field of the source or an expression, and not both', async () => {
    const fields = [{ to: 'x' }, { from: 'id', to: 'id', expression: '1' }];
    assert.deepEqual(await faultsOf({ streams: [{ source: 'customers', fields }] }), {
      'streams[0].fields[0]': 'must have either from or expression',
      'streams[0].fields[1]': 'must have either from or expression, not both',
    });
    assert.deepEqual(await faultsOf({ streams: [{ source: 'customers', fields: [{ expression: '1' }] }] }), {
      'streams[0].fields[0].to': 'is mandatory with an expression',
    });
  });

  test('a schedule is checked', async () => {
    const faults = async (schedule: unknown): Promise<string[]> => Object.keys(await faultsOf({ schedule }));
    assert.deepEqual(await faults({ type: 'interval', every: 'often' }), ['schedule.every']);
    assert.deepEqual(await faults({ type: 'cron', expression: 'at noon' }), ['schedule.expression']);
    assert.deepEqual(await faults({ type: 'cron', expression: '0 6 * * *', timezone: 'Mars/Olympus' }), ['schedule.timezone']);
    assert.deepEqual(await faults({ type: 'on_change' }), ['schedule.type']);
    assert.deepEqual(await faults({ type: 'sometimes' }), ['schedule.type']);
  });

  test('sources that are not there, and a stream onto itself', async () => {
    assert.deepEqual(Object.keys(await faultsOf({ source_id: 'src_x', target_id: 'src_y' })), ['source_id', 'target_id']);
    const onto = await faultsOf({ target_id: ids['from'], streams: [{ source: 'customers' }, { source: 'customers', target: 'copy' }] });
    assert.deepEqual(Object.keys(onto), ['streams[0].target']);
  });

  test('a system that does not answer is a conflict in words, and nothing is stored', async () => {
    const { total } = (await service.get(`${PATH}?status=all`)).body;
    for (const change of [{ source_id: ids['down'] }, { target_id: ids['down'] }]) {
      const reply = await create(change);
      assert.equal(reply.status, 409, reply.text);
      assert.equal(reply.body.error.code, 'CONFLICT');
      assert.match(reply.body.error.message, /The source "down" cannot be used: .*127\.0\.0\.1:1/);
    }
    assert.equal((await service.get(`${PATH}?status=all`)).body.total, total);
  });

  test('a change keeps what it does not name, and is checked again', async () => {
    const sync = await made({ guard: { allow_empty: true }, schedule: { type: 'interval', every: '15m' } });
    const renamed = (await put(sync.id, { name: 'renamed' })).body.data;
    const plain = { updated_at: 0, warnings: [] };
    assert.deepEqual({ ...renamed, ...plain }, { ...sync, name: 'renamed', ...plain });
    const guarded = (await put(sync.id, { guard: { max_delete_percent: 50 } })).body.data;
    assert.deepEqual(guarded.guard, { max_delete_percent: 50, allow_empty: true });
    const bad = await put(sync.id, { streams: [{ source: 'nothing' }] });
    assert.deepEqual([bad.status, bad.body.error.details.field], [400, 'streams[0].source']);
    const moved = await put(sync.id, { target_id: ids['sheets'] });
    assert.equal(moved.status, 200, moved.text);
    assert.equal(moved.body.data.target_id, ids['sheets']);
    const manual = (await put(sync.id, { schedule: { type: 'manual' } })).body.data;
    assert.deepEqual([manual.schedule, manual.next_run_at], [{ type: 'manual' }, null]);
    const unchanged = (await put(sync.id, { name: 'renamed' })).body.data;
    assert.equal(unchanged.updated_at, manual.updated_at, 'nothing changed, so nothing happened');
    assert.equal((await put('syn_nothing', { name: 'x' })).status, 404);
    assert.deepEqual(
      (await eventsOf(sync.id)).map(({ type }) => type),
      ['sync.created', ...Array.from({ length: 4 }, () => 'sync.updated')],
    );
  });

  test('a name and a schedule can be changed while the systems are down', async () => {
    const sync = await made();
    const moved = await put(sync.id, { source_id: ids['down'] });
    assert.equal(moved.status, 409, 'another source is looked at');
    assert.equal((await put(sync.id, { name: 'still', schedule: { type: 'interval', every: '1h' } })).status, 200);
  });

  test('pause, resume and reset', async () => {
    const sync = await made({ schedule: { type: 'interval', every: '15m' } });
    assert.ok(sync.next_run_at > sync.created_at);
    const paused = (await service.post(`${PATH}/${sync.id}/pause`)).body.data;
    assert.deepEqual([paused.status, paused.health, paused.next_run_at], ['paused', 'paused', null]);
    assert.equal((await service.post(`${PATH}/${sync.id}/pause`)).body.data.updated_at, paused.updated_at, 'twice is as once');
    const slower = (await put(sync.id, { schedule: { type: 'interval', every: '1h' } })).body.data;
    assert.equal(slower.next_run_at, null, 'what is paused is not due');
    const resumed = (await service.post(`${PATH}/${sync.id}/resume`)).body.data;
    assert.deepEqual([resumed.status, resumed.health], ['active', 'pending']);
    assert.match(resumed.next_run_at, /:00:00\.000Z$/);
    assert.equal((await service.post(`${PATH}/${sync.id}/reset`)).status, 200);
    assert.equal((await service.post(`${PATH}/${sync.id}/reset`, { streams: ['customers'] })).status, 200);
    const unknown = await service.post(`${PATH}/${sync.id}/reset`, { streams: ['orders'] });
    assert.deepEqual([unknown.status, unknown.body.error.details.field], [400, 'streams[0]']);
    for (const action of ['pause', 'resume', 'reset']) assert.equal((await service.post(`${PATH}/syn_nothing/${action}`)).status, 404);
    const events = await eventsOf(sync.id);
    assert.deepEqual(
      events.map(({ type }) => type),
      ['sync.created', 'sync.paused', 'sync.updated', 'sync.resumed', 'sync.reset', 'sync.reset'],
    );
    assert.deepEqual(events[1]?.data['streams'], sync.streams);
    assert.equal(events[1]?.data['status'], 'paused');
    const audit = (await service.get('/api/v1/audit?limit=1000')).body.data.filter(
      (entry: { object_id: string }) => entry.object_id === sync.id,
    );
    assert.equal(audit.length, events.length);
  });

  test('the list shows the active ones, newest first, in pages', async () => {
    const [first, second, third] = [await made({ name: '1' }), await made({ name: '2' }), await made({ name: '3' })];
    await service.post(`${PATH}/${second.id}/pause`);
    const page = (await service.get(`${PATH}?limit=2`)).body;
    assert.deepEqual(
      page.data.map(({ id }: { id: string }) => id),
      [third.id, first.id],
    );
    const next = (await service.get(`${PATH}?limit=1&cursor=${page.next_cursor}`)).body;
    assert.ok(next.data[0].id < first.id);
    const paused = (await service.get(`${PATH}?status=paused`)).body;
    assert.equal(paused.data[0].id, second.id);
    const all = (await service.get(`${PATH}?status=all&limit=1000`)).body;
    assert.equal(all.total, page.total + paused.total);
    assert.equal(all.data.length, all.total);
    assert.equal((await service.get(`${PATH}?status=none`)).body.error.details.field, 'status');
  });

  test('what is deleted is gone, and its sources are free again', async () => {
    await add('lonely', 'sqlite', { path: 'from.db' });
    const sync = await made({ source_id: ids['lonely'] });
    const used = await service.call('DELETE', `/api/v1/datasync/sources/${ids['lonely']}`);
    assert.equal(used.body.error.code, 'IN_USE');
    assert.equal((await service.call('DELETE', `${PATH}/${sync.id}`)).body.data.id, sync.id);
    assert.equal((await service.get(`${PATH}/${sync.id}`)).status, 404);
    assert.equal((await service.call('DELETE', `${PATH}/${sync.id}`)).status, 404);
    assert.equal((await service.call('DELETE', `/api/v1/datasync/sources/${ids['lonely']}`)).status, 200);
    assert.equal((await eventsOf(sync.id)).at(-1)?.type, 'sync.deleted');
  });

  test('changes at the same time are all made, one after the other', async () => {
    const sync = await made();
    const names = Array.from({ length: 20 }, (_, i) => `name ${i}`);
    const replies = await Promise.all(names.map((name) => put(sync.id, { name })));
    assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([200]));
    assert.equal((await eventsOf(sync.id)).length, 21);
  });
});
