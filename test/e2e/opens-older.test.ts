import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { keyringOf } from '../../src/datasync/sources/keyring-file.ts';
import { MIGRATIONS } from '../../src/db/migrations.ts';
import { sql } from '../../src/db/sql.ts';
import { settingsOf, syncline } from '../support/command-line.ts';
import { ENGINES, type Place } from '../support/databases.ts';
import { addSource, ask, type Body, reaches, rowsIn, runToEnd } from '../support/real-syncs.ts';
import { askAgain, NOT_IN_BACKUPS } from '../support/release/answers.ts';
import { allFixtures, answersOf, emptyPlaceOf, execute, knownOf, partOf, placeOf } from '../support/release/fixtures.ts';
import { WorldFiles } from '../support/release/world.ts';
import { type Service, type ServiceOptions, startService } from '../support/service.ts';
import { until } from '../support/until.ts';
import { checkWhole } from '../support/whole-shop.ts';

// What earlier releases have written is opened by this version, and nothing of it is lost: `npm run fixtures` made it.

/** However old the fixtures get, nothing of them is forgotten. */
const FOR_EVER = { SYNCLINE_RUN_DAYS: '36500', SYNCLINE_LOG_DAYS: '36500' };
/** Everything stays as it is while one looks. */
const LOOKING = { ...FOR_EVER, SYNCLINE_ROLE: 'api' };

for (const fixture of allFixtures()) {
  describe(`what ${fixture.release} has written on ${fixture.engine}`, () => {
    const known = knownOf(fixture);
    const answers = answersOf(fixture);

    async function startAt(t: TestContext, place: Place, options: ServiceOptions): Promise<Service> {
      const service = await startService(place.databaseUrl ? 'postgres' : 'sqlite', { place, ...options });
      t.after(() => service.close());
      return service;
    }

    async function opened(t: TestContext, options: ServiceOptions): Promise<Service> {
      const place = await placeOf(fixture);
      const service = await startAt(t, place, options);
      t.after(() => place.remove());
      return service;
    }

    async function demandAll(service: Service, leaveOut?: readonly string[]): Promise<void> {
      const { expected, actual } = await askAgain(service, answers, leaveOut);
      for (const path of Object.keys(expected)) assert.deepEqual(actual[path], expected[path], path);
      await checkWhole(service.app.db.read);
    }

    test('is all there: every answer is the same, keys open, secrets can be read', async (t) => {
      const service = await opened(t, { environment: LOOKING });
      await demandAll(service);
      for (const [name, key] of Object.entries(known.keys)) assert.equal((await service.get('/api/v1/me', { key })).body.data.name, name);
      const keyring = keyringOf(undefined, service.place.dataDir);
      const rows = await service.app.db.read.all<{ id: string; secrets: string }>(
        sql`select id, secrets from sources where secrets is not null`,
      );
      assert.deepEqual(Object.fromEntries(rows.map(({ id, secrets }) => [id, JSON.parse(keyring.decrypt(secrets, id))])), known.secrets);
    });

    test('does not take an order twice that was asked for once', async (t) => {
      const { idempotencyKey, body, answer } = known.order;
      const service = await opened(t, { environment: LOOKING, clock: () => known.madeAt });
      const { total } = (await service.get('/api/v1/orders')).body;
      const headers = { 'idempotency-key': idempotencyKey };
      assert.deepEqual((await service.post('/api/v1/orders', body, { headers })).body.data, answer);
      assert.equal((await service.get('/api/v1/orders')).body.total, total);
    });

    test('goes on: runs that waited or were cut off, what is followed, what was rejected', async (t) => {
      const service = await opened(t, { environment: FOR_EVER });
      const files = new WorldFiles(service.place.dataDir);
      const { runs, syncs } = known;
      for (const id of [runs.queued, runs.retrying, runs.running])
        assert.equal((await reaches(service, id ?? '', ['succeeded', 'failed'], 60_000)).status, 'succeeded');
      await ask(service, 'POST', `/runs/${runs.needs_approval}/approve`);
      await reaches(service, runs.needs_approval ?? '', 'succeeded');

      const { status, totals } = await runToEnd(service, syncs['catalogue'] ?? '');
      assert.deepEqual([status, totals.inserted + totals.updated], ['succeeded', 0], 'it goes on where it stood');
      assert.ok(totals.read < 3, `${totals.read} rows were read again`);

      files.write('readings.csv', ['id,value', '1,10', '2,20', '3,30', '4,40']);
      const retried = await ask(service, 'POST', `/sync/${syncs['readings']}/rejects/retry`);
      await reaches(service, retried.id, 'succeeded');
      assert.deepEqual(await ask(service, 'GET', `/sync/${syncs['readings']}/rejects`), []);

      files.write('gone.csv', ['id,name,born', '7,Hedy,1914-11-09']);
      assert.equal((await ask(service, 'POST', `/sync/${syncs['gone']}/resume`)).status, 'active');
      const { id: again } = await ask(service, 'POST', `/sync/${syncs['gone']}/runs`);
      await reaches(service, again, 'needs_approval');
    });

    test('takes what is new: orders, products, keys, sources and synchronizations', async (t) => {
      const service = await opened(t, { environment: { ...FOR_EVER, SYNCLINE_SOURCES_PER_KEY: '1' } });
      const { data, total } = (await service.get('/api/v1/orders')).body;
      assert.equal(data.length, total);
      const order = await service.post('/api/v1/orders', { customer_id: 'c', items: [{ product_id: 'mug', quantity: 1, price: 1 }] });
      assert.equal(order.status, 200, order.text);
      const product = await service.post('/api/v1/products/sync', { product_id: 'new', name: 'New', price: 1 });
      assert.equal(product.status, 200, product.text);
      assert.equal((await service.get('/api/v1/orders', { key: await service.keyWith('orders:read') })).body.total, total + 1);
      const copy = join(service.place.dataDir, 'files', 'copy.db');
      await until('the new order to be copied', () => rowsIn(copy, 'orders') === total + 1);

      const body = { name: 'too many', type: 'sqlite', config: { path: 'more.db' } };
      const refused = await service.post('/api/v1/datasync/sources', body, { key: known.keys.keeper });
      assert.equal(refused.status, 409, 'what a key has made counts for it');
      const sources: Body[] = await ask(service, 'GET', '/sources');
      const source_id = sources.find(({ name }) => name === 'folder').id;
      const target_id = await addSource(service, 'sqlite', { path: 'more.db' });
      const streams = [{ source: 'people', mode: 'mirror', key: ['id'] }];
      const { id } = await ask(service, 'POST', '/sync', { name: 'new', source_id, target_id, streams });
      assert.equal((await runToEnd(service, id)).status, 'succeeded');
      await checkWhole(service.app.db.read);
    });

    // On SQLite one process has the file to itself.
    const skip = fixture.engine === 'sqlite';
    test('is left alone while a node of that release is at work that this version cannot work beside', { skip }, async (t) => {
      const place = await placeOf(fixture);
      t.after(() => place.remove());
      const [{ schema }] = (await execute(place, 'select max(number)::int as schema from migrations')) as [{ schema: number }];
      if (!MIGRATIONS.some(({ needs = 0 }) => needs > schema)) return t.skip('they work side by side');
      await execute(
        place,
        `insert into nodes (id, host, pid, role, version, schema_version, max_runs, started_at, seen_at, clock_ahead_ms, secret_marks)
          select 'nod_old', 'the-old-one', 1, 'all', '${fixture.release}', ${schema}, 4, at, at, 0, '[]'
          from to_char(clock_timestamp() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at`,
      );
      const started = startService(fixture.engine, { place, environment: LOOKING });
      await assert.rejects(started, /Nodes of older versions are at work .*: the-old-one \(.*\)\. Nothing was changed\./);
      assert.deepEqual(await execute(place, 'select max(number)::int as schema from migrations'), [{ schema }]);
      await execute(place, `delete from nodes where id = 'nod_old'`);
      const service = await startService(fixture.engine, { place, environment: LOOKING });
      try {
        await demandAll(service);
      } finally {
        await service.close();
      }
    });

    for (const engine of ENGINES) {
      test(`can be restored from its backup on ${engine}`, async (t) => {
        const place = await emptyPlaceOf(fixture, engine);
        const ended = await syncline(['restore', partOf(fixture, 'backup')], settingsOf(place));
        assert.equal(ended.code, 0, ended.stderr);
        const looking = await startService(engine, { place, environment: LOOKING });
        try {
          await demandAll(looking, NOT_IN_BACKUPS);
        } finally {
          await looking.close();
        }
        const service = await startAt(t, place, { environment: FOR_EVER });
        t.after(() => place.remove());
        await reaches(service, known.runs.queued ?? '', 'succeeded', 60_000);
      });
    }
  });
}

test('fixtures of every engine are there', () => {
  assert.deepEqual([...new Set(allFixtures().map(({ engine }) => engine))], [...ENGINES]);
});
