import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { after, before, test } from 'node:test';
import { onEitherEngine } from '../support/databases.ts';
import { type ApiServer, type Handler, sendJson, startApi } from '../support/api-server.ts';
import { addSource, ask, type Body, reaches, rowsIn, runOf, runToEnd, sqliteFile } from '../support/real-syncs.ts';
import { type Service, startService } from '../support/service.ts';
import { until } from '../support/until.ts';

onEitherEngine('synchronizations with an API that is not well', (engine) => {
  let service: Service;
  const servers: ApiServer[] = [];
  before(async () => {
    service = await startService(engine);
  });
  after(async () => {
    await service.close();
    await Promise.all(servers.map((server) => server.close()));
  });

  const serve = async (handler: Handler): Promise<ApiServer> => {
    const api = await startApi(handler);
    servers.push(api);
    return api;
  };
  const fields = ['product_id', 'price'].map((name) => ({ name, type: 'text' }));
  /** Prices of the shop into an API; 31 products are there. */
  const pricesInto = async (api: ApiServer, config: object = {}): Promise<string> => {
    for (let i = 0; i < 31; i++) {
      const product = { product_id: `p${i}`, name: `P${i}`, price: i, stock_quantity: 1, categories: [] };
      assert.equal((await service.post('/api/v1/products/sync', product)).status, 200);
    }
    const write = { path: '/graphql', modes: ['upsert'] };
    const target = await addSource(service, 'http', {
      base_url: api.url,
      streams: [{ name: 'prices', fields, key: ['product_id'], write }],
      ...config,
    });
    const hub = await addSource(service, 'hub', {});
    const mapped = fields.map(({ name }) => ({ from: name, to: name }));
    const streams = [{ source: 'products', target: 'prices', mode: 'incremental', cursor: 'updated_at', fields: mapped }];
    const schedule = { type: 'manual' };
    return (await ask(service, 'POST', '/sync', { name: 'Prices', source_id: hub, target_id: target, streams, schedule })).id;
  };

  test('31 price changes with an expired token are no success: the run fails and says why, and nothing is counted', async () => {
    const expired = { data: null, errors: [{ message: 'The access token has expired', extensions: { code: 'UNAUTHENTICATED' } }] };
    let isExpired = true;
    const api = await serve((_, response) => sendJson(response, isExpired ? expired : { data: {} }));
    const sync = await pricesInto(api);
    const run = await runToEnd(service, sync);
    assert.deepEqual([run.status, run.totals.inserted, run.totals.updated], ['failed', 0, 0]);
    assert.equal(run.error.kind, 'auth');
    assert.match(run.error.message, /The access token has expired/);
    isExpired = false;
    const again = await runToEnd(service, sync);
    assert.deepEqual([again.status, again.totals.read, again.totals.updated], ['succeeded', 31, 31]);
  });

  test('what was delivered before a fault counts and is not sent again; the run gets on, and its tries are counted anew', async () => {
    let broken = 250;
    let applied = 0;
    const api = await serve((_, response) => {
      if (++applied < broken) return sendJson(response, {}, 201);
      return sendJson(response, {}, 500);
    });
    const streams = [{ name: 'rows', fields: [{ name: 'id', type: 'int64' }], write: { path: '/rows' } }];
    const target = await addSource(service, 'http', { base_url: api.url, streams, max_wait_seconds: 0 });
    const source = await addSource(service, 'sqlite', { path: filled(sqliteFile(service.place, 'rows.db')) });
    const stream = { source: 'rows', target: 'rows', mode: 'append', cursor: 'id' };
    const sync = (await ask(service, 'POST', '/sync', { name: 'Rows', source_id: source, target_id: target, streams: [stream] })).id;
    const { id } = await ask(service, 'POST', `/sync/${sync}/runs`, {});
    const waiting = await reaches(service, id, 'retrying');
    assert.deepEqual([waiting.totals.read, waiting.totals.inserted], [200, 200], 'two slices of a hundred are settled');
    broken = Number.POSITIVE_INFINITY;
    applied = 0;
    const done = await reaches(service, id, 'succeeded', 60_000);
    assert.deepEqual([done.totals.read, done.totals.inserted, done.attempt], [400, 400, 2]);
    assert.equal(applied, 200, 'what counted is not sent again');
  });

  test('a read that breaks at page 6 delivers the five before, and goes on there', async () => {
    let isBroken = true;
    const api = await serve(({ url }, response) => {
      const page = Number(url.searchParams.get('page') ?? 1);
      if (page === 6 && isBroken)
        return sendJson(response, { items: [], errors: [{ message: 'no', extensions: { code: 'INTERNAL_SERVER_ERROR' } }] });
      return sendJson(response, { items: page <= 8 ? [{ id: page, name: `n${page}` }] : [] });
    });
    const things = { name: 'things', path: '/things', records: 'items', key: ['id'], paging: { type: 'page' } };
    const incremental = { field: 'id', param: 'since' };
    const typed = [
      { name: 'id', type: 'int64' },
      { name: 'name', type: 'text' },
    ];
    const streams = [{ ...things, incremental, fields: typed }];
    const source = await addSource(service, 'http', { base_url: api.url, streams, max_wait_seconds: 0 });
    const file = sqliteFile(service.place, 'things.db');
    const target = await addSource(service, 'sqlite', { path: file });
    const stream = { source: 'things', target: 'things', mode: 'append', cursor: 'id' };
    const sync = (await ask(service, 'POST', '/sync', { name: 'Things', source_id: source, target_id: target, streams: [stream] })).id;
    const { id } = await ask(service, 'POST', `/sync/${sync}/runs`, {});
    const waiting = await reaches(service, id, 'retrying');
    assert.equal(waiting.totals.inserted, 5);
    assert.equal(rowsIn(file, 'things'), 5);
    isBroken = false;
    const before = api.received.length;
    await ask(service, 'POST', `/runs/${id}/cancel`);
    await until('the run to be over', async () => (await runOf(service, id)).status === 'cancelled');
    const rest: Body = await runToEnd(service, sync);
    assert.deepEqual([rest.status, rest.totals.inserted, rowsIn(file, 'things')], ['succeeded', 3, 8]);
    const asked = api.received.slice(before).map(({ url }) => url.searchParams.get('page'));
    assert.ok(!asked.includes('5'), `pages that were read are not asked for again: ${asked.join(', ')}`);
  });
});

function filled(path: string): string {
  const database = new DatabaseSync(path);
  database.exec(`create table rows (id integer primary key);
    insert into rows with recursive s(n) as (select 1 union all select n + 1 from s where n < 400) select n from s`);
  database.close();
  return path;
}
