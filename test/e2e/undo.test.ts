import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, test } from 'node:test';
import pg from 'pg';
import { createPlace, ENGINES, type Place } from '../support/databases.ts';
import { addSource, ask, type Body, hasTable, reaches, runToEnd, sqliteFile } from '../support/real-syncs.ts';
import { type Reply, type Service, startService } from '../support/service.ts';
import { until } from '../support/until.ts';
import { oneIsEnough } from '../support/whole.ts';

const RUNS = '/api/v1/datasync/runs';

for (const engine of ENGINES)
  describe(`undo (${engine})`, { timeout: 120_000 }, () => {
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

    const postgres = (): Promise<string> => {
      const { hostname, port, pathname, username } = url;
      return addSource(service, 'postgres', {
        host: hostname,
        port: Number(port),
        database: pathname.slice(1),
        user: username,
        password: 'secret',
      });
    };
    const sync = async (streams: unknown[], more: object = {}): Promise<string> =>
      (
        await ask(service, 'POST', '/sync', {
          name: 'undone',
          source_id: await postgres(),
          target_id: await postgres(),
          streams,
          undo: { keep: '7d' },
          ...more,
        })
      ).id;
    const rows = async (table: string): Promise<string> =>
      (await db.query(`select string_agg(t::text, ' ' order by id) as all from ${table} t`)).rows[0].all;
    const undo = (id: string, body?: unknown, key?: string | null): Promise<Reply> =>
      service.call('POST', `${RUNS}/${id}/undo`, { ...(body !== undefined && { body }), ...(key !== undefined && { key }) });

    test('asks for a key, a scope and a body that it knows', async () => {
      const id = 'run_01kfa0v2m3f8rb4v3k7m2t9xqe';
      assert.equal((await undo(id, {}, null)).status, 401);
      assert.equal((await undo(id, {}, await service.keyWith('datasync:read'))).status, 403);
      assert.equal((await undo(id, { preview: 'yes' })).body.error.details.field, 'preview');
      assert.equal((await undo(id)).status, 404);
    });

    test('a repair: what it put right is as it was before', async () => {
      await db.query(
        `create table damaged (id int primary key, name text); insert into damaged select i, 'n' || i from generate_series(1, 4) i`,
      );
      const id = await sync([{ source: 'public.damaged', target: 'public.damaged_copy', mode: 'mirror' }], {
        guard: { max_delete_percent: 100 },
      });
      await runToEnd(service, id);
      await db.query(
        `update damaged_copy set name = 'by hand' where id = 2; delete from damaged_copy where id = 3; insert into damaged_copy values (9, 'extra')`,
      );
      const before = await rows('damaged_copy');
      const repair = await runToEnd(service, id, { mode: 'repair' });
      assert.equal(await rows('damaged_copy'), await rows('damaged'));
      const done = await undo(repair.id);
      assert.equal(done.status, 200, done.text);
      assert.equal(await rows('damaged_copy'), before);
    });

    test('a mirror: shows what it would do, gives the rows back, leaves and lists what others changed, and pauses', async () => {
      await db.query(
        `create table people (id int primary key, name text, at timestamptz(6)); insert into people select i, 'n' || i, now() from generate_series(1, 5) i`,
      );
      const id = await sync([{ source: 'public.people', target: 'public.people_copy', mode: 'mirror' }], {
        guard: { max_delete_percent: 100 },
      });
      const first = await runToEnd(service, id);
      const refused = await undo(first.id);
      assert.equal(refused.status, 409);
      assert.match(refused.body.error.message, /filled "public.people_copy", which had no rows/);
      assert.equal((await ask(service, 'GET', `/sync/${id}`)).status, 'active');
      const before = await rows('people_copy');
      await db.query(`update people set name = 'wrong'; delete from people where id = 2; insert into people values (6, 'new', now())`);
      const run = await runToEnd(service, id);
      await db.query(`update people_copy set name = 'by hand' where id = 3`);
      const shown = await undo(run.id, { preview: true });
      const { preview, message } = shown.body.data;
      assert.deepEqual([preview.restored, preview.removed, preview.left], [4, 1, 1], shown.text);
      assert.match(message, /would be paused/);
      const [stream] = preview.streams;
      assert.deepEqual(stream.rows_left, [{ target: 'public.people_copy', key: { id: '3' }, reason: 'changed' }]);
      const back = stream.samples.find((sample: Body) => sample.change === 'insert');
      assert.deepEqual([back.key, back.before, back.after.name], [{ id: '2' }, null, 'n2']);
      assert.equal((await ask(service, 'GET', `/runs/${run.id}`)).undone, undefined);
      const done = await undo(run.id);
      assert.equal(done.status, 200, done.text);
      const { undone } = done.body.data.run;
      assert.deepEqual([undone.restored, undone.removed, undone.left, undone.rows_left.length], [4, 1, 1, 1]);
      assert.equal(await rows('people_copy'), before.replace('3,n3', '3,"by hand"'));
      const paused = await ask(service, 'GET', `/sync/${id}`);
      assert.equal(paused.status, 'paused');
      assert.match(paused.health_reason, new RegExp(`${run.id} was undone`));
      assert.deepEqual((await ask(service, 'GET', `/runs/${run.id}`)).undone, undone);
      // Again it is what it was, and not done twice.
      await db.query(`update people_copy set name = 'later' where id = 1`);
      assert.deepEqual((await undo(run.id)).body.data.run.undone, undone);
      assert.equal((await undo(run.id, { preview: true })).status, 409);
      const { data: events } = (await service.get('/api/v1/events?limit=1000')).body;
      const told = events.filter((event: Body) => event.type === 'run.undone' && event.object_id === run.id);
      assert.equal(told.length, 1);
      assert.equal(told[0].data.undone.removed, 1);
      await until('the audit', async () => {
        const { data: audit } = (await service.get(`/api/v1/audit?object_id=${run.id}`)).body;
        const actions = audit.map((entry: Body) => entry.action).filter((action: string) => action.startsWith('run.und'));
        return actions.toSorted().join() === 'run.undo_previewed,run.undo_started,run.undone';
      });
      const { data: logs } = (await service.get(`/api/v1/datasync/logs?run_id=${run.id}`)).body;
      assert.ok(logs.some(({ message: words }: Body) => words.startsWith('The run was undone: 4 rows restored and 1 row removed.')));
    });

    test('an incremental run: newest first, and what was taken back is read again', async () => {
      await db.query(`create table things (id int primary key, v text, changed int); insert into things select i, 'old', i from generate_series(1, 4) i;
        create table things_copy (like things including all); insert into things_copy values (1, 'other', 0)`);
      const stream = { source: 'public.things', target: 'public.things_copy', mode: 'incremental', cursor: 'changed' };
      const id = await sync([stream]);
      const runs = [await runToEnd(service, id)];
      for (const n of [5, 6]) {
        await db.query(`update things set v = 'v${n}', changed = ${n} where id <= ${n - 4}`);
        runs.push(await runToEnd(service, id));
      }
      const older = await undo(runs[0].id);
      assert.equal(older.status, 409);
      assert.match(older.body.error.message, new RegExp(`${runs[2].id}, ${runs[1].id}`));
      for (const run of runs.toReversed()) assert.equal((await undo(run.id)).status, 200);
      assert.equal(await rows('things_copy'), '(1,other,0)');
      assert.equal((await service.call('POST', `/api/v1/datasync/sync/${id}/runs`)).status, 409, 'it is paused');
      await ask(service, 'POST', `/sync/${id}/resume`);
      const again = await runToEnd(service, id);
      assert.equal(again.totals.read, 4);
      assert.equal(await rows('things_copy'), await rows('things'));
      // And that one can be undone as well.
      assert.equal((await undo(again.id)).status, 200);
      assert.equal(await rows('things_copy'), '(1,other,0)');
    });

    test('is refused while a run is under way, and what was done at the target and not heard of is only written down', async () => {
      await db.query(`create table slow (id int primary key, v text); insert into slow select i, 'a' from generate_series(1, 3) i; create table slow_copy (like slow including all);
        insert into slow_copy values (1, 'z')`);
      const id = await sync([{ source: 'public.slow', target: 'public.slow_copy', mode: 'mirror' }]);
      const run = await runToEnd(service, id);
      await db.query('begin; lock table slow_copy');
      const { id: busy } = await ask(service, 'POST', `/sync/${id}/runs`);
      const refused = await undo(run.id);
      await db.query('commit');
      await reaches(service, busy, ['succeeded']);
      assert.equal(refused.status, 409, refused.text);
      assert.match(refused.body.error.message, new RegExp(`The run ${busy}`));
      // As if the service had died between the two.
      const outcome = { target: 'public.slow_copy', restored: 1, removed: 2, left: 0, rows_left: [] };
      await db.query(`update _syncline_undo set outcome = $1 where run = $2`, [JSON.stringify(outcome), run.id]);
      const before = await rows('slow_copy');
      const { undone } = (await undo(run.id)).body.data.run;
      assert.deepEqual([undone.restored, undone.removed], [1, 2]);
      assert.equal(await rows('slow_copy'), before);
    });

    test('is refused in words where it cannot be, and goes with the definition', oneIsEnough(engine), async () => {
      const path = sqliteFile(service.place, `undo-${engine}.db`);
      const file = new DatabaseSync(path);
      file.exec(
        `create table a (id integer primary key, v text); insert into a values (1, 'x'); create table b (id integer primary key, v text); insert into b values (1, 'y')`,
      );
      const [source, target] = [await addSource(service, 'sqlite', { path }), await addSource(service, 'sqlite', { path })];
      const folder = await addSource(service, 'files', { path: '.', format: 'csv' });
      const make = (more: object): Promise<Reply> =>
        service.call('POST', '/api/v1/datasync/sync', {
          body: { name: 'u', source_id: source, target_id: target, streams: [{ source: 'a', target: 'b' }], ...more },
        });
      const faultOf = ({ body }: Reply): string => `${body.error?.details?.field}: ${body.error?.details?.reason}`;
      assert.match(faultOf(await make({ undo: { keep: 'a week' } })), /^undo.keep: must be a number and a unit/);
      assert.match(
        faultOf(await make({ undo: { keep: '7d' }, target_id: folder, streams: [{ source: 'a', target: 'b.csv' }] })),
        /^undo: cannot be set: .* cannot keep what runs replace/,
      );
      assert.match(
        faultOf(await make({ undo: { keep: '7d' }, streams: [{ source: 'a', target: 'b', mode: 'append', cursor: 'id' }] })),
        /^undo: .*only adds rows/,
      );
      const made = await make({ undo: { keep: '1h' } });
      const { id, undo: rule } = made.body.data;
      assert.deepEqual(rule, { keep: '1h', max_rows: 1_000_000 });
      const run = await runToEnd(service, id);
      assert.deepEqual([run.status, run.totals.updated], ['succeeded', 1]);
      assert.ok(hasTable(path, '_syncline_undo'));
      await ask(service, 'PUT', `/sync/${id}`, { undo: null });
      await until('the file to forget', () => !hasTable(path, '_syncline_undo'));
      assert.match((await undo(run.id)).body.error.message, /keeps nothing of the run/);
      file.close();
    });
  });
