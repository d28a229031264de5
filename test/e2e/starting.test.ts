import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import pg from 'pg';
import { SCHEMA_VERSION } from '../../src/db/migrate.ts';
import { createPlace, onBothEngines, type Place } from '../support/databases.ts';
import { launch } from '../support/process.ts';
import { startService } from '../support/service.ts';
import { startChaosProxy } from '../support/chaos-proxy.ts';
import { until } from '../support/until.ts';

async function placeFor(t: TestContext, engine: 'sqlite' | 'postgres'): Promise<Place> {
  const place = await createPlace(engine);
  t.after(() => place.remove());
  return place;
}

/** Starts the program, which is meant to give up; answers what it said. */
async function failingStart(t: TestContext, place: Place, environment: Record<string, string>, code: number): Promise<string> {
  const { service, ready } = launch(place, { environment });
  t.after(() => service.kill());
  await assert.rejects(ready);
  assert.deepEqual(await service.ended, { code, signal: null });
  assert.doesNotMatch(service.logs(), /\n +at /, 'no stack trace');
  return service.logs();
}

/** Runs statements on the database of a service that does not run. */
async function administer({ dataDir, databaseUrl }: Place, statement: string): Promise<object[]> {
  if (databaseUrl === undefined) {
    const database = new DatabaseSync(join(dataDir, 'syncline.db'));
    const rows = database.prepare(statement).all();
    database.close();
    return rows;
  }
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const { rows } = await client.query<object>(statement);
  await client.end();
  return rows;
}

/** All that is in the database, in short. */
async function fingerprint(place: Place): Promise<string> {
  if (place.databaseUrl === undefined)
    return createHash('sha256')
      .update(readFileSync(join(place.dataDir, 'syncline.db')))
      .digest('hex');
  const tables = (await administer(place, "select table_name from information_schema.tables where table_schema = 'public' order by 1")) as {
    table_name: string;
  }[];
  const content = [];
  for (const { table_name } of tables) content.push(table_name, await administer(place, `select * from ${table_name} order by 1`));
  return JSON.stringify(content);
}

onBothEngines('starting', (engine) => {
  test('a database newer than the program is refused with a clear message, and unchanged', { timeout: 60_000 }, async (t) => {
    const place = await placeFor(t, engine);
    await (await startService(engine, { place })).close();
    await administer(place, "insert into migrations (number, name, applied_at, needs) values (9999, 'of the future', '2030-01-01', 9999)");
    const before = await fingerprint(place);
    await assert.rejects(
      startService(engine, { place }),
      /The database is of a newer Syncline \(schema 9999, this program knows \d+\)\. Nothing was changed\./,
    );
    assert.equal(await fingerprint(place), before);
    const said = await failingStart(t, place, {}, 1);
    assert.match(said, /^Syncline did not start\. .*newer Syncline \(schema 9999/m);
    assert.equal(await fingerprint(place), before);
    await administer(place, 'delete from migrations where number = 9999');
    await (await startService(engine, { place })).close();
  });

  test('a port that is in use is told, with what to do', { timeout: 60_000 }, async (t) => {
    const occupier = await startService('sqlite');
    t.after(() => occupier.close());
    const place = await placeFor(t, engine);
    const { port } = new URL(occupier.url);
    const said = await failingStart(t, place, { PORT: port }, 1);
    assert.match(said, new RegExp(`^Port ${port} on 127\\.0\\.0\\.1 is in use\\. .* with PORT=`, 'm'));
    const ofMetrics = await failingStart(t, place, { SYNCLINE_METRICS_PORT: port }, 1);
    assert.match(ofMetrics, new RegExp(`^Port ${port} on 127\\.0\\.0\\.1 is in use\\. .* with SYNCLINE_METRICS_PORT=`, 'm'));
    assert.equal((await occupier.get('/healthz')).status, 200);
  });
});

test('settings that are not right are told all at once', { timeout: 60_000 }, async (t) => {
  const place = await placeFor(t, 'sqlite');
  const wrong = {
    PORT: 'eighty',
    LOG_LEVEL: 'loud',
    DATABASE_URL: 'mysql://x',
    SYNCLINE_RATE_LIMIT: '-1',
    SYNCLINE_CURRENCY: 'euro',
    SYNCLINE_ADMIN_KEY: 'short-secret',
    SYNCLINE_TYPO: '1',
  };
  const said = await failingStart(t, place, wrong, 2);
  for (const name of Object.keys(wrong)) assert.match(said, new RegExp(`^ +- ${name} `, 'm'));
  assert.ok(!said.includes('short-secret'), 'a secret is not repeated');
});

test('a second service on the same data directory is refused, and the first goes on', { timeout: 60_000 }, async (t) => {
  const place = await placeFor(t, 'sqlite');
  const first = await startService('sqlite', { place });
  t.after(() => first.close());
  const said = await failingStart(t, place, {}, 1);
  assert.ok(said.includes(`Another Syncline is using this data directory (${place.dataDir}).`), said);
  assert.match(said, /SYNCLINE_DATA_DIR/);
  assert.equal((await first.post('/api/v1/products/sync', { product_id: 'p', name: 'P', price: 1 })).status, 200);
});

test('five processes that start at once on one empty PostgreSQL database', { timeout: 120_000 }, async (t) => {
  const place = await placeFor(t, 'postgres');
  const nodes = Array.from({ length: 5 }, () => launch(place, {}));
  t.after(() => Promise.all(nodes.map(({ service }) => service.kill())));
  await Promise.all(nodes.map(({ ready }) => ready));
  assert.equal(nodes.filter(({ service }) => service.logs().includes('shown this once')).length, 1, 'one admin key is made');
  const applied = (await administer(place, 'select number from migrations order by number')) as { number: string }[];
  assert.deepEqual(
    applied.map((row) => Number(row.number)),
    Array.from({ length: SCHEMA_VERSION }, (_, i) => i + 1),
  );
  for (const { service } of nodes) {
    assert.doesNotMatch(service.logs(), /"level":"error"/);
    const answer = await fetch(`${service.url}/api/v1/nodes`, { headers: { authorization: `Bearer ${service.adminKey}` } });
    const { total, data } = (await answer.json()) as { total: number; data: { problems: string[] }[] };
    assert.equal(total, 5);
    assert.deepEqual(
      data.flatMap(({ problems }) => problems),
      [],
    );
  }
  for (const { service } of nodes) assert.deepEqual(await service.stop(), { code: 0, signal: null });
  assert.deepEqual(await administer(place, 'select id from nodes'), []);
});

test('a database that is not there yet is waited for', { timeout: 60_000 }, async (t) => {
  const place = await placeFor(t, 'postgres');
  const { hostname, port } = new URL(place.databaseUrl ?? '');
  const proxy = await startChaosProxy({ host: hostname, port: Number(port) });
  t.after(() => proxy.close());
  await proxy.shut();
  const databaseUrl = Object.assign(new URL(place.databaseUrl ?? ''), { port: String(proxy.port) }).href;
  const { service, ready } = launch({ ...place, databaseUrl }, {});
  t.after(() => service.kill());
  await until('it to say that it waits', () => service.logs().includes('the database is not there yet'));
  await proxy.heal();
  await ready;
  assert.deepEqual(await service.stop(), { code: 0, signal: null });
});
