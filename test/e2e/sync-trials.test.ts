import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, test } from 'node:test';
import { addSource, ask, sqliteFile } from '../support/real-syncs.ts';
import { type Reply, type Service, startService } from '../support/service.ts';

const PATH = '/api/v1/datasync/sync';
const NOW = Date.parse('2026-11-13T12:00:00Z');

describe('a synchronization that is tried before it is saved', () => {
  let service: Service;
  let from: string;
  let to: string;
  let sheet: string;
  let shop: string;
  before(async () => {
    service = await startService('sqlite', { clock: () => NOW });
    const file = sqliteFile(service.place, 'from.db');
    const db = new DatabaseSync(file);
    db.exec(`create table people (id integer primary key, first text, last text, age text, big bigint);
      insert into people values (1, 'Ada', 'Lovelace', '36', 9007199254740993), (2, 'Alan', 'Turing', 'unknown', null), (3, 'Emmy', 'Noether', '53', 1)`);
    db.close();
    from = await addSource(service, 'sqlite', { path: file });
    to = await addSource(service, 'sqlite', { path: sqliteFile(service.place, 'to.db') });
    const folder = join(service.place.dataDir, 'files', 'sheets');
    mkdirSync(folder);
    writeFileSync(
      join(folder, 'towns.csv'),
      `name,country\n${Array.from({ length: 300 }, (_, i) => `Town ${i},${i % 100 === 99 ? 'is' : 'no'}`).join('\n')}\n`,
    );
    sheet = await addSource(service, 'files', { path: 'sheets/towns.csv' });
    shop = await addSource(service, 'hub', {});
  });
  after(() => service.close());

  const tryOut = (change: object = {}, key?: string): Promise<Reply> =>
    service.post(`${PATH}/check`, { source_id: from, target_id: to, streams: [{ source: 'people' }], ...change }, key ? { key } : {});

  test('no key 401, wrong scope 403, bad body 400 that names the field', async () => {
    for (const path of ['check', 'schedule']) assert.equal((await service.post(`${PATH}/${path}`, {}, { key: null })).status, 401);
    const reader = await service.keyWith('datasync:read');
    assert.equal((await tryOut({}, reader)).status, 403);
    assert.equal((await service.post(`${PATH}/schedule`, {}, { key: await service.keyWith('orders:read') })).status, 403);
    assert.equal((await tryOut({ streams: [] })).body.error.details.field, 'streams');
    assert.equal((await tryOut({ sample_of: 1 })).body.error.details.field, 'sample_of');
    assert.equal((await tryOut({ limit: 51 })).body.error.details.field, 'limit');
    assert.equal((await service.post(`${PATH}/schedule`, { schedule: { type: 'yearly' } })).body.error.details.field, 'schedule.type');
  });

  test('what is left out is filled in, and nothing is stored', async () => {
    const { status, body } = await tryOut();
    assert.equal(status, 200);
    assert.deepEqual(body.data, {
      schedule: { type: 'manual' },
      streams: [
        { source: 'people', target: 'people', mode: 'mirror', key: ['id'], cursor: null, fields: null, filter: [], deletes: 'delete' },
      ],
      warnings: [],
      sample: null,
    });
    assert.equal((await service.get(`${PATH}?status=all`)).body.total, 0);
  });

  test('files whose rows are only added are warned of, until a key is named', async () => {
    const towns = { source_id: sheet, target_id: to, streams: [{ source: 'towns' }] };
    const tried = (await tryOut(towns)).body.data;
    assert.equal(tried.streams[0].mode, 'append');
    assert.match(tried.warnings.join(), /"towns" is only added to the target.* written anew .* twice\. Name a key/);
    assert.deepEqual((await tryOut({ ...towns, streams: [{ source: 'towns', key: ['name'] }] })).body.data.warnings, []);
  });

  test('faults have their places, as when it is saved', async () => {
    const streams = [{ source: 'people', mode: 'incremental', fields: [{ from: 'id' }, { to: 'x', expression: 'frist + last' }] }];
    const reply = await tryOut({ streams, schedule: { type: 'manual' }, sample_of: 0 });
    assert.equal(reply.status, 400);
    assert.deepEqual(
      reply.body.error.details.errors.map(({ field }: { field: string }) => field),
      ['streams[0].cursor', 'streams[0].fields[1].expression'],
    );
    const scheduled = await tryOut({ schedule: { type: 'cron', expression: '61 * * * *' } });
    assert.equal(scheduled.body.error.details.field, 'schedule.expression');
  });

  test('rows are shown as they are read and as they would be written, or why they would be rejected', async () => {
    const fields = [{ from: 'id' }, { to: 'name', expression: 'first + " " + last' }, { from: 'age', type: 'int64' }, { from: 'big' }];
    const { status, text, body } = await tryOut({ streams: [{ source: 'people', fields }], sample_of: 0, limit: 2 });
    assert.equal(status, 200, text);
    const { read, written, rows } = body.data.sample;
    assert.deepEqual(
      read.map(({ name }: { name: string }) => name),
      ['id', 'age', 'big', 'first', 'last'],
    );
    assert.deepEqual(written, [
      { name: 'id', type: 'int64' },
      { name: 'name', type: 'text' },
      { name: 'age', type: 'int64' },
      { name: 'big', type: 'int64' },
    ]);
    assert.deepEqual(rows[0], {
      before: { id: '1', age: '36', big: '9007199254740993', first: 'Ada', last: 'Lovelace' },
      after: { id: '1', name: 'Ada Lovelace', age: '36', big: '9007199254740993' },
      field: null,
      reason: null,
    });
    assert.equal(rows.length, 2);
    assert.deepEqual([rows[1].after, rows[1].field], [null, 'age']);
    assert.match(rows[1].reason, /unknown/);
    const [table] = await ask(service, 'GET', `/sources/${to}/streams`);
    assert.equal(table, undefined, 'nothing was written');
  });

  test('filters count, also where the source does not know them', async () => {
    const here = [{ source: 'people', filter: [{ field: 'id', op: '>', value: 2 }] }];
    const rowsOf = ({ body }: Reply) => body.data.sample.rows.map(({ before }: { before: object }) => Object.values(before)[0]);
    assert.deepEqual(rowsOf(await tryOut({ streams: here, sample_of: 0 })), ['3']);
    const streams = [{ source: 'towns', mode: 'append', filter: [{ field: 'country', op: '=', value: 'is' }] }];
    assert.deepEqual(rowsOf(await tryOut({ source_id: sheet, streams, sample_of: 0, limit: 2 })), ['Town 99', 'Town 199']);
  });

  test('the rows of the shop are for those who may read them', async () => {
    const writer = await service.keyWith('datasync:write');
    const body = { source_id: shop, streams: [{ source: 'orders' }], sample_of: 0 };
    assert.deepEqual((await tryOut(body, writer)).body.error.details.reason, 'missing scope orders:read');
    const both = await service.keyWith('datasync:write', 'orders:read');
    assert.deepEqual((await tryOut(body, both)).body.data.sample.rows, []);
  });

  test('a system that cannot be asked is a conflict in words', async () => {
    const down = await addSource(service, 'postgres', { host: '127.0.0.1', port: 1, database: 'd', user: 'u' });
    const { status, body } = await tryOut({ source_id: down, sample_of: 0 });
    assert.deepEqual([status, body.error.code], [409, 'CONFLICT']);
  });

  test('the next times of a schedule are told', async () => {
    const timesOf = async (schedule: object, count?: number) =>
      (await service.post(`${PATH}/schedule`, { schedule, ...(count && { count }) })).body.data;
    assert.deepEqual(await timesOf({ type: 'cron', expression: '0 6 * * 1-5' }, 3), {
      schedule: { type: 'cron', expression: '0 6 * * 1-5', timezone: 'UTC' },
      next_times: ['2026-11-16T06:00:00.000Z', '2026-11-17T06:00:00.000Z', '2026-11-18T06:00:00.000Z'],
    });
    assert.equal((await timesOf({ type: 'interval', every: '2h' })).next_times.length, 5);
    assert.deepEqual((await timesOf({ type: 'manual' })).next_times, []);
    const bad = await service.post(`${PATH}/schedule`, { schedule: { type: 'interval', every: 'often' } });
    assert.deepEqual([bad.status, bad.body.error.details.field], [400, 'schedule.every']);
  });
});
