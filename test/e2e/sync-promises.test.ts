import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import pg from 'pg';
import { createPlace, ENGINES, type Place } from '../support/databases.ts';
import { addSource, ask, reaches, runToEnd } from '../support/real-syncs.ts';
import { type Service, startService } from '../support/service.ts';

// What a run promises when the rows, the systems or the people at either end do something wrong.

for (const engine of ENGINES)
  describe(`what a run promises (${engine})`, { timeout: 120_000 }, () => {
    let service: Service;
    let data: Place;
    let db: pg.Client;
    let url: URL;
    before(async () => {
      service = await startService(engine);
      data = await createPlace('postgres');
      url = new URL(data.databaseUrl ?? '');
      db = new pg.Client({ connectionString: url.href });
      await db.connect();
    });
    after(async () => {
      await service.close();
      await db.end();
      await data.remove();
    });

    const postgres = (user = url.username): Promise<string> =>
      addSource(service, 'postgres', {
        host: url.hostname,
        port: Number(url.port),
        database: url.pathname.slice(1),
        user,
        password: 'secret',
      });
    const sync = async (streams: unknown[], ends: { source?: string; target?: string } = {}, more: object = {}): Promise<string> => {
      const [source, target] = [ends.source ?? (await postgres()), ends.target ?? (await postgres())];
      return (await ask(service, 'POST', '/sync', { name: 'promises', source_id: source, target_id: target, streams, ...more })).id;
    };
    const count = async (table: string): Promise<number> => Number((await db.query(`select count(*) as n from ${table}`)).rows[0].n);

    test('one bad row in a thousand, of three kinds: the others arrive, each reject names field and value, and after the fix a retry empties the quarantine', async () => {
      await db.query(`create table people (id int primary key, age text, name text, level int);
        insert into people select i, case when i % 3000 = 1000 then 'old ' || i else '30' end,
          case when i % 3000 = 2000 then repeat('x', 30) else 'n' || i end, case when i % 3000 = 0 then -i else 1 end from generate_series(1, 9000) i;
        create table people_copy (id int primary key, age bigint, name varchar(20), level int check (level > 0));`);
      const fields = ['id', 'age', 'name', 'level'].map((name) => ({ from: name, to: name, ...(name === 'age' && { type: 'int64' }) }));
      const id = await sync(
        [{ source: 'public.people', target: 'public.people_copy', mode: 'incremental', cursor: 'id', fields }],
        {},
        { schema_changes: 'ignore' },
      );
      const run = await runToEnd(service, id);
      assert.equal(run.status, 'partial', JSON.stringify(run));
      assert.deepEqual([run.totals.read, run.totals.inserted, run.totals.rejected], [9000, 8991, 9]);
      assert.equal(await count('people_copy'), 8991);
      const { data: rejects } = (await service.get(`/api/v1/datasync/runs/${run.id}/rejects`)).body;
      const of = (key: number) => rejects.find((reject: { row: { id: string } }) => reject.row.id === String(key));
      assert.equal(of(1000).field, 'age');
      assert.match(of(1000).reason, /old 1000/);
      assert.equal(of(2000).field, 'name');
      assert.match(of(2000).reason, /long/);
      assert.match(of(3000).reason, /level|people_copy_level_check/);
      // The next run sees none of them, and all is not well for that.
      assert.equal((await runToEnd(service, id)).status, 'succeeded');
      const degraded = await ask(service, 'GET', `/sync/${id}`);
      assert.deepEqual([degraded.health, degraded.health_reason.slice(0, 21)], ['degraded', '9 rows are rejected. ']);
      assert.equal((await service.get(`/api/v1/datasync/sync/${id}/rejects`)).body.total, 9);
      // One kind is mended at the source, one in the target, one by hand.
      await db.query(
        `update people set age = '31' where age like 'old%'; alter table people_copy alter name type varchar(40); update people set level = 1`,
      );
      const retry = await ask(service, 'POST', `/sync/${id}/rejects/retry`);
      const retried = await reaches(service, retry.id, ['succeeded', 'partial', 'failed']);
      assert.equal(retried.status, 'succeeded', JSON.stringify(retried));
      assert.equal((await service.get(`/api/v1/datasync/runs/${run.id}/rejects?status=open`)).body.total, 0);
      assert.equal((await service.get(`/api/v1/datasync/sync/${id}/rejects`)).body.total, 0);
      assert.equal((await ask(service, 'GET', `/sync/${id}`)).health, 'synced');
      assert.equal(await count('people_copy'), 9000);
    });

    test('nothing from a source that had a lot: it asks, and the target is untouched', async () => {
      await db.query(
        `create table stock as select i as id, 'p' || i as name from generate_series(1, 50000) i; alter table stock add primary key (id)`,
      );
      const id = await sync([{ source: 'public.stock', target: 'public.stock_copy' }]);
      assert.equal((await runToEnd(service, id)).status, 'succeeded');
      await db.query('truncate stock');
      const { id: runId } = await ask(service, 'POST', `/sync/${id}/runs`);
      const run = await reaches(service, runId, ['needs_approval', 'succeeded', 'failed']);
      assert.equal(run.status, 'needs_approval');
      assert.match(run.error.message, /has no rows any more; the last time it had 50000/);
      assert.deepEqual(run.streams[0].changes, { inserted: 0, updated: 0, unchanged: 0, deleted: 50_000 });
      assert.equal(await count('stock_copy'), 50_000);
      assert.equal((await ask(service, 'GET', `/sync/${id}`)).health, 'needs_approval');
      await ask(service, 'POST', `/runs/${runId}/approve`);
      assert.equal((await reaches(service, runId, ['succeeded', 'failed'])).totals.deleted, 50_000);
      assert.equal(await count('stock_copy'), 0);
    });

    test('a password that is revoked fails the run with what to do, the target stays whole, and the next run heals it', async () => {
      const role = `reader_${engine}_${process.pid}`;
      await db.query(`create table secrets (id int primary key, v text); insert into secrets select i, 'v' from generate_series(1, 1000) i;
        create role ${role} login; grant select on secrets to ${role}`);
      const source = await postgres(role);
      const id = await sync([{ source: 'public.secrets', target: 'public.secrets_copy' }], { source });
      assert.equal((await runToEnd(service, id)).status, 'succeeded');
      await db.query(`alter role ${role} nologin; insert into secrets values (1001, 'v')`);
      const failed = await runToEnd(service, id);
      assert.equal(failed.status, 'failed');
      assert.equal(failed.error.kind, 'auth', JSON.stringify(failed.error));
      assert.ok(failed.error.hint, 'it says what to do');
      const { health, health_reason } = await ask(service, 'GET', `/sync/${id}`);
      assert.equal(health, 'failing');
      assert.match(health_reason, /\S/);
      assert.equal(await count('secrets_copy'), 1000);
      await db.query(`alter role ${role} login`);
      assert.equal((await runToEnd(service, id)).totals.inserted, 1);
      await db.query(`drop owned by ${role}; drop role ${role}`);
    });

    test('a column that is dropped fails its stream with a sentence, and the other stream goes on', async () => {
      await db.query(
        `create table a (id int primary key, name text); insert into a values (1, 'x'); create table b (like a including all); insert into b values (1, 'y')`,
      );
      const fields = [
        { from: 'id', to: 'id' },
        { from: 'name', to: 'name' },
      ];
      const id = await sync([
        { source: 'public.a', target: 'public.a_copy', fields },
        { source: 'public.b', target: 'public.b_copy' },
      ]);
      assert.equal((await runToEnd(service, id)).status, 'succeeded');
      await db.query(`alter table a drop column name; insert into b values (2, 'z')`);
      const run = await runToEnd(service, id);
      assert.equal(run.status, 'failed');
      assert.deepEqual(
        run.streams.map(({ status }: { status: string }) => status),
        ['failed', 'succeeded'],
      );
      assert.match(run.error.message, /"public\.a".*"name"/);
      assert.equal(await count('b_copy'), 2);
      await db.query(`alter table a add column name text`);
      assert.equal((await runToEnd(service, id)).status, 'succeeded');
    });

    test('a column that is new appears at the target; ignored, it does not; and stop says what changed', async () => {
      await db.query(`create table grows (id int primary key); insert into grows values (1)`);
      const ids: Record<string, string> = {};
      for (const schema_changes of ['apply', 'ignore', 'stop']) {
        ids[schema_changes] = await sync([{ source: 'public.grows', target: `public.grows_${schema_changes}` }], {}, { schema_changes });
        assert.equal((await runToEnd(service, ids[schema_changes])).status, 'succeeded');
      }
      await db.query(`alter table grows add column size numeric(10,2) default 1.50`);
      assert.equal((await runToEnd(service, ids['apply'] ?? '')).status, 'succeeded');
      assert.equal((await db.query('select size::text from grows_apply')).rows[0].size, '1.50');
      assert.equal((await runToEnd(service, ids['ignore'] ?? '')).status, 'succeeded');
      assert.equal((await db.query('select * from grows_ignore')).fields.length, 1);
      const stopped = await runToEnd(service, ids['stop'] ?? '');
      assert.equal(stopped.status, 'failed');
      assert.match(stopped.error.message, /"size" \(decimal\) is new/);
    });
  });
