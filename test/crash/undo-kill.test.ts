import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import { createPlace, onBothEngines } from '../support/databases.ts';
import type { ServiceProcess } from '../../src/cli/prove/service-process.ts';
import { startProcess } from '../support/process.ts';
import { addSource, ask, type Caller, reaches } from '../support/real-syncs.ts';
import { callService } from '../support/service.ts';
import { until } from '../support/until.ts';
import { oneIsEnough } from '../support/whole.ts';

const callerOf = ({ url, adminKey }: ServiceProcess): Caller => ({
  call: (method, path, options = {}) => callService(url, adminKey, method, path, options),
});

onBothEngines('a service that is killed', (engine) => {
  test('in the middle of a run whose rows are kept, and of an undo: each happens whole or not at all', oneIsEnough(engine), async () => {
    const [place, data] = [await createPlace(engine), await createPlace('postgres')];
    const target = new URL(data.databaseUrl ?? '');
    const db = new pg.Client({ connectionString: target.href });
    await db.connect();
    let service: ServiceProcess | undefined;
    try {
      // Rows take their time as long as there is something in `slow`.
      await db.query(`create table a (id int primary key, v text); insert into a select i, 'new' from generate_series(1, 60) i;
        create table b (id int primary key, v text); insert into b select i, 'old' from generate_series(21, 80) i;
        create table slow (s float8); insert into slow values (0.05);
        create function drag() returns trigger language plpgsql as $$ begin perform pg_sleep((select s from slow limit 1)); return coalesce(new, old); end $$;
        create trigger drag before insert or update or delete on b for each row execute function drag()`);
      const contents = async (): Promise<string> =>
        (await db.query(`select string_agg(id || v, ' ' order by id) as all from b`)).rows[0].all;
      const atWork = (): Promise<true> =>
        until('somebody to write', async () => {
          const { rows } = await db.query(
            `select 1 from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() and wait_event = 'PgSleep'`,
          );
          return rows.length > 0;
        }).then(() => true);
      const gone = (): Promise<unknown> =>
        until('what it did to be gone', async () => {
          const { rows } = await db.query(
            `select 1 from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() and state <> 'idle'`,
          );
          return rows.length === 0;
        });
      const kill = async (): Promise<ServiceProcess> => {
        await service?.kill();
        await db.query('delete from slow');
        await gone();
        service = await startProcess(place);
        return service;
      };
      service = await startProcess(place);
      const config = {
        host: target.hostname,
        port: Number(target.port),
        database: target.pathname.slice(1),
        user: target.username,
        password: 'x',
      };
      const end = await addSource(callerOf(service), 'postgres', config);
      const before = await contents();
      const { id } = await ask(callerOf(service), 'POST', '/sync', {
        name: 'killed',
        source_id: end,
        target_id: end,
        streams: [{ source: 'public.a', target: 'public.b', mode: 'mirror' }],
        guard: { max_delete_percent: 100 },
        undo: { keep: '1d' },
      });
      const { id: run } = await ask(callerOf(service), 'POST', `/sync/${id}/runs`);
      await atWork();
      let caller = callerOf(await kill());
      assert.equal(await contents(), before);
      await reaches(caller, run, ['succeeded']);
      const written = await contents();
      assert.notEqual(written, before);
      await db.query('insert into slow values (0.05)');
      const undoing = caller.call('POST', `/api/v1/datasync/runs/${run}/undo`).catch(() => undefined);
      await atWork();
      caller = callerOf(await kill());
      assert.equal(await undoing, undefined);
      assert.equal(await contents(), written);
      assert.equal((await ask(caller, 'GET', `/runs/${run}`)).undone, undefined);
      // It says that it is being undone until it is known that nobody does.
      const done = await until('the undo', async () => {
        const reply = await caller.call('POST', `/api/v1/datasync/runs/${run}/undo`);
        if (reply.status === 409) assert.match(reply.body.error.message, /is being undone at this moment/);
        return reply.status === 200 && reply.body.data.run.undone;
      });
      assert.deepEqual([done.restored, done.removed, done.left], [60, 20, 0]);
      assert.equal(await contents(), before);
    } finally {
      await service?.kill();
      await db.end();
      await data.remove();
      await place.remove();
    }
  });
});
