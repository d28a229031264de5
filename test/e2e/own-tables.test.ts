import assert from 'node:assert/strict';
import { copyFileSync, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, test } from 'node:test';
import pg from 'pg';
import { onBothEngines, type Place } from '../support/databases.ts';
import { addSource, runToEnd } from '../support/real-syncs.ts';
import { type Service, startService } from '../support/service.ts';

// A user who may make sources knows the address of a database, perhaps that of Syncline's own, and must not become admin by that.

const BASE = '/api/v1/datasync';
const KEY = { id: 'key_0', name: 'mine', scopes: '["admin"]', created_at: '2026-11-01T00:00:00.000Z' };

const attack = (target: string) => ({
  source: 'keys',
  target,
  mode: 'append',
  cursor: 'n',
  fields: [{ from: 'id' }, { from: 'name' }, { from: 'scopes', type: 'json' }, { from: 'created_at' }],
});

onBothEngines('our own tables', (engine) => {
  let service: Service;
  let place: Place;
  let db: pg.Client;
  let key: string;
  let from: string;
  let own: string;
  before(async () => {
    // With SQLite as our own database, the attack is on the PostgreSQL of another installation.
    const other = engine === 'sqlite' ? await startService('postgres') : undefined;
    service = await startService(engine);
    place = other?.place ?? service.place;
    if (other) await other.app.close();
    db = new pg.Client({ connectionString: place.databaseUrl });
    await db.connect();
    key = await service.keyWith('datasync:read', 'datasync:write');
    const folder = join(service.place.dataDir, 'files');
    mkdirSync(folder, { recursive: true });
    const loot = new DatabaseSync(join(folder, 'loot.db'));
    loot.exec('create table keys (n integer primary key, id text not null, name text, scopes text, created_at text)');
    loot.prepare('insert into keys (id, name, scopes, created_at) values (?, ?, ?, ?)').run(...Object.values(KEY));
    loot.close();
    from = await addSource(service, 'sqlite', { path: 'loot.db' }, 'from');
    const { hostname, port, pathname, username } = new URL(place.databaseUrl ?? '');
    own = await addSource(
      service,
      'postgres',
      { host: hostname, port: Number(port), database: pathname.slice(1), user: username, password: 'x' },
      'own',
    );
  });
  after(async () => {
    await db.end();
    if (place !== service.place) await place.remove();
    await service.close();
  });

  const count = async (): Promise<number> => Number((await db.query('select count(*) from keys')).rows[0].count);

  test('none of them is offered, and a sample of one is refused in words', async () => {
    const streams = await service.get(`${BASE}/sources/${own}/streams`, { key });
    assert.deepEqual([streams.status, streams.body.data.map(({ name }: { name: string }) => name)], [200, []]);
    for (const name of ['public.keys', 'public.key_secrets', 'syncline_jobs.job']) {
      const sample = await service.get(`${BASE}/sources/${own}/streams/${name}/sample`, { key });
      assert.ok(sample.status >= 400 && sample.status < 500, sample.text);
      assert.match(sample.text, /Syncline's own/);
    }
  });

  test('a synchronization into one or out of one is not saved', async () => {
    const save = (body: object) => service.post(`${BASE}/sync`, { name: 'attack', ...body }, { key });
    for (const target of ['public.keys', 'keys', 'public.orders', 'syncline_jobs.anything']) {
      const reply = await save({ source_id: from, target_id: own, streams: [attack(target)] });
      assert.equal(reply.status, 400, reply.text);
      assert.deepEqual(reply.body.error.details.field, 'streams[0].target');
      assert.match(reply.body.error.details.reason, /Syncline's own/);
    }
    const out = await save({ source_id: own, target_id: from, streams: [{ source: 'public.key_secrets', target: 'stolen' }] });
    assert.deepEqual([out.status, out.body.error.details.field], [400, 'streams[0].source'], out.text);
    const trial = await service.post(
      `${BASE}/sync/check`,
      { name: 'trial', source_id: own, target_id: from, streams: [{ source: 'public.keys', target: 'stolen' }], sample_of: 0 },
      { key },
    );
    assert.equal(trial.status, 400, trial.text);
  });

  test('what was saved before it led to one of them fails when it runs, and nothing is written', async () => {
    await db.query('create table mine (like keys)');
    const saved = await service.post(
      `${BASE}/sync`,
      { name: 'later', source_id: from, target_id: own, streams: [attack('public.mine')] },
      { key },
    );
    assert.equal(saved.status, 200, saved.text);
    const before = await count();
    await db.query('create rule onwards as on insert to mine do instead insert into keys select new.*');
    const run = await runToEnd(service, saved.body.data.id);
    assert.equal(run.status, 'failed');
    assert.match(run.error.message, /Syncline's own tables/);
    assert.equal(await count(), before);
  });

  test('a file of SQLite that holds a Syncline is no source, wherever it lies', async () => {
    const files = join(service.place.dataDir, 'files');
    if (engine === 'sqlite')
      for (const end of ['', '-wal', '-shm']) {
        const file = join(service.place.dataDir, `syncline.db${end}`);
        if (existsSync(file)) copyFileSync(file, join(files, `backup.db${end}`));
      }
    else {
      const shop = await startService('sqlite');
      await shop.app.close();
      copyFileSync(join(shop.place.dataDir, 'syncline.db'), join(files, 'backup.db'));
      await shop.place.remove();
    }
    const source = await addSource(service, 'sqlite', { path: 'backup.db' }, 'backup');
    for (const reply of [
      await service.post(`${BASE}/sources/${source}/check`, undefined, { key }),
      await service.get(`${BASE}/sources/${source}/streams`, { key }),
      await service.get(`${BASE}/sources/${source}/streams/keys/sample`, { key }),
      await service.post(`${BASE}/sync`, { name: 'attack', source_id: from, target_id: source, streams: [attack('keys')] }, { key }),
    ])
      assert.match(reply.text, /is the database of a Syncline/);
  });
});
