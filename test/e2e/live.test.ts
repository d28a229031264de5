import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { onEitherEngine, type Place, preparedPlace } from '../support/databases.ts';
import { newDatabase, type TestDatabase } from '../support/postgres-database.ts';
import { type LogDatabase, startLogDatabase } from '../support/postgres-log.ts';
import { addSource, ask, type Body, reaches } from '../support/real-syncs.ts';
import { type Service, startService } from '../support/service.ts';
import { until } from '../support/until.ts';

onEitherEngine('live synchronizations', (engine) => {
  let source: LogDatabase;
  let target: TestDatabase;
  let place: Place;
  let service: Service;
  const ends = { source_id: '', target_id: '' };
  before(async () => {
    source = await startLogDatabase();
    target = await newDatabase(source.server.url);
    place = await preparedPlace(engine);
    service = await startService(engine, { place });
    ends.source_id = await addSource(service, 'postgres', source.config, 'shop');
    ends.target_id = await addSource(service, 'postgres', target.config, 'copy');
  });
  after(async () => {
    await service.close();
    await place.remove();
    await target.close();
    await source.close();
  });

  const table = (name: string): Promise<void> =>
    source.run(`create table ${name} (id int primary key, v text); insert into ${name} values (1, 'one'), (2, 'two')`);
  const create = (tables: readonly string[], more: object = {}): Promise<Body> =>
    ask(service, 'POST', '/sync', {
      name: tables.join(' and '),
      ...ends,
      streams: tables.map((name) => ({ source: `public.${name}`, mode: 'cdc' })),
      ...more,
    });
  const look = (id: string): Promise<Body> => ask(service, 'GET', `/sync/${id}`);
  const isSynced = (id: string): Promise<Body> =>
    until('it to be live', async () => {
      const sync = await look(id);
      return sync.health === 'synced' && sync.current_run?.live ? sync : undefined;
    });
  const arrives = (name: string, expected: readonly (readonly string[])[]): Promise<unknown> =>
    until(`${name} to be as it should`, async () => {
      const found = await target.rows(`select id, v from ${name} order by id`).catch(() => []);
      return JSON.stringify(found) === JSON.stringify(expected) || undefined;
    });
  const slots = (): Promise<(string | null)[][]> => source.rows('select slot_name from pg_replication_slots order by 1');

  test('what is asked for without sense is refused in words', async () => {
    await table('strict');
    const streams = [{ source: 'public.strict', mode: 'cdc' }];
    const refused = async (body: object): Promise<Record<string, string>> => {
      const reply = await service.call('POST', '/api/v1/datasync/sync', { body: { name: 's', ...ends, streams, ...body } });
      assert.equal(reply.status, 400, reply.text);
      return Object.fromEntries(reply.body.error.details.errors.map(({ field, reason }: Body) => [field, reason]));
    };
    assert.match((await refused({ schedule: { type: 'manual' } }))['schedule.type'] ?? '', /follow their source all the time/);
    assert.match((await refused({ max_retained: 'much' }))['max_retained'] ?? '', /500 MB or 10 GB/);
    assert.match((await refused({ max_retained: '10 kB' }))['max_retained'] ?? '', /at least 1 MB/);
    const mixed = [...streams, { source: 'public.strict', target: 'public.other', mode: 'mirror' }];
    assert.match((await refused({ streams: mixed }))['streams[1].mode'] ?? '', /cannot be mirror beside cdc/);
  });

  test('it is loaded, follows every change, and says how far it is', async () => {
    await table('first');
    const made = await create(['first'], { max_retained: '1.5 GB' });
    assert.deepEqual(
      { schedule: made.schedule, on_gap: made.on_gap, max_retained: made.max_retained, mode: made.streams[0].mode },
      { schedule: { type: 'on_change' }, on_gap: 'load', max_retained: '1500 MB', mode: 'cdc' },
    );
    const { current_run: run } = await isSynced(made.id);
    assert.deepEqual({ trigger: run.trigger, live: run.live, rolled: run.rolled }, { trigger: 'change', live: true, rolled: false });
    await source.run(`insert into first values (3, 'three'); update first set v = 'two!' where id = 2; delete from first where id = 1`);
    await arrives('first', [
      ['2', 'two!'],
      ['3', 'three'],
    ]);
    const told = await until('its lag to be told', async () => {
      const sync = await look(made.id);
      return sync.lag && sync.retained?.bytes !== null ? sync : undefined;
    });
    assert.ok(told.lag.seconds < 60, JSON.stringify(told.lag));
    assert.equal(told.retained.max, 1_500_000_000);
    const metrics = await service.call('GET', '/api/v1/datasync/metrics', { headers: { accept: 'text/plain' } });
    assert.match(metrics.text, new RegExp(`syncline_lag_seconds\\{sync_id="${made.id}",sync="first"\\} \\d`));
    assert.match(metrics.text, new RegExp(`syncline_retained_bytes\\{sync_id="${made.id}",sync="first"\\} \\d`));
    const again = await service.call('POST', `/api/v1/datasync/sync/${made.id}/runs`);
    assert.equal(again.status, 409);
    assert.match(again.body.error.message, /is live: its run .* follows the source all the time/);
  });

  test('it ends when it is paused, and goes on where it was when it is resumed', async () => {
    await table('paused');
    const { id } = await create(['paused']);
    const { current_run: run } = await isSynced(id);
    await ask(service, 'POST', `/sync/${id}/pause`);
    assert.equal((await reaches(service, run.id, ['succeeded'])).live, true);
    await source.run(`insert into paused values (3, 'three')`);
    assert.equal((await look(id)).current_run, null);
    await ask(service, 'POST', `/sync/${id}/resume`);
    await arrives('paused', [
      ['1', 'one'],
      ['2', 'two'],
      ['3', 'three'],
    ]);
    const next = await isSynced(id);
    assert.notEqual(next.current_run.id, run.id);
    const counted = await until('the change to be counted', async () => {
      const { totals } = (await look(id)).current_run;
      return totals.read > 0 && totals;
    });
    assert.equal(counted.read, 1, 'it was not loaded again');
  });

  test('to cancel its run pauses it, and says so', async () => {
    await table('cancelled');
    const { id } = await create(['cancelled']);
    const { current_run: run } = await isSynced(id);
    const reply = await service.call('POST', `/api/v1/datasync/runs/${run.id}/cancel`);
    assert.match(reply.body.message, /^The synchronization is paused/);
    await reaches(service, run.id, ['cancelled']);
    const sync = await look(id);
    assert.deepEqual({ status: sync.status, current: sync.current_run }, { status: 'paused', current: null });
    assert.match(sync.health_reason, /its live run was cancelled/);
    await ask(service, 'POST', `/sync/${id}/resume`);
    await isSynced(id);
  });

  test('a change of the definition is followed by the same run', async () => {
    await table('edited');
    await table('added');
    const { id } = await create(['edited']);
    const { current_run: run } = await isSynced(id);
    await ask(service, 'PUT', `/sync/${id}`, {
      streams: ['edited', 'added'].map((name) => ({ source: `public.${name}`, mode: 'cdc' })),
    });
    await arrives('added', [
      ['1', 'one'],
      ['2', 'two'],
    ]);
    const sync = await isSynced(id);
    assert.equal(sync.current_run.id, run.id);
    assert.equal(sync.current_run.streams.length, 2);
    await source.run(`begin; insert into edited values (3, 'three'); insert into added values (3, 'three'); commit`);
    await arrives('edited', [
      ['1', 'one'],
      ['2', 'two'],
      ['3', 'three'],
    ]);
  });

  test('a full run and a reset load what is asked for anew', async () => {
    await table('again');
    const { id } = await create(['again']);
    const { current_run: run } = await isSynced(id);
    const damage = async (): Promise<void> => {
      await target.run(`delete from again where id = 1`);
    };
    for (const anew of [
      () => ask(service, 'POST', `/sync/${id}/runs`, { mode: 'full', streams: ['public.again'] }),
      () => ask(service, 'POST', `/sync/${id}/reset`, { streams: ['public.again'] }),
    ]) {
      await damage();
      const answer = await anew();
      if (answer.mode) assert.equal(answer.id, run.id, 'the live run does it');
      await arrives('again', [
        ['1', 'one'],
        ['2', 'two'],
      ]);
      await isSynced(id);
    }
  });

  test('a preview shows beside it what loading would change', async () => {
    await table('shown');
    const { id } = await create(['shown']);
    const { current_run: live } = await isSynced(id);
    await target.run(`update shown set v = 'wrong' where id = 1; delete from shown where id = 2`);
    const preview = await ask(service, 'POST', `/sync/${id}/runs`, { mode: 'preview' });
    const { streams } = await reaches(service, preview.id, ['succeeded']);
    assert.deepEqual({ inserted: streams[0].changes.inserted, updated: streams[0].changes.updated }, { inserted: 1, updated: 1 });
    const sync = await look(id);
    assert.deepEqual({ id: sync.current_run.id, attempt: sync.current_run.attempt }, { id: live.id, attempt: 1 });
  });

  test('what was rejected is tried again between two turns of the live run', async () => {
    await source.run(`create table rejected (id int primary key, v text); insert into rejected values (1, 'one')`);
    await target.run(`create table rejected (id int primary key, v text check (v <> 'bad'))`);
    const { id } = await create(['rejected']);
    const { current_run: live } = await isSynced(id);
    await source.run(`insert into rejected values (2, 'bad')`);
    await until('the row to be rejected', async () => (await look(id)).health === 'degraded' || undefined);
    await target.run(`alter table rejected drop constraint rejected_v_check`);
    const retry = await ask(service, 'POST', `/sync/${id}/rejects/retry`);
    await reaches(service, retry.id, ['succeeded']);
    await arrives('rejected', [
      ['1', 'one'],
      ['2', 'bad'],
    ]);
    const sync = await isSynced(id);
    assert.equal(sync.current_run.id, live.id);
    await source.run(`insert into rejected values (3, 'three')`);
    await arrives('rejected', [
      ['1', 'one'],
      ['2', 'bad'],
      ['3', 'three'],
    ]);
  });

  test('what is no longer live, or deleted, leaves nothing behind at its source', async () => {
    await table('gone');
    await table('plain');
    const before = await slots();
    const [gone, plain] = [await create(['gone']), await create(['plain'])];
    await isSynced(gone.id);
    const { current_run: run } = await isSynced(plain.id);
    assert.equal((await slots()).length, before.length + 2);
    await service.call('DELETE', `/api/v1/datasync/sync/${gone.id}`);
    const edited = await ask(service, 'PUT', `/sync/${plain.id}`, { streams: [{ source: 'public.plain', mode: 'mirror' }] });
    assert.deepEqual(edited.schedule, { type: 'manual' });
    await reaches(service, run.id, ['succeeded']);
    await until('the source to have forgotten them', async () => (await slots()).length === before.length || undefined);
    assert.equal((await look(plain.id)).current_run, null);
  });

  test('it is live again after a restart of the service', async () => {
    await table('restarted');
    const { id } = await create(['restarted']);
    const { current_run: run } = await isSynced(id);
    await service.close();
    await source.run(`insert into restarted values (3, 'three')`);
    service = await startService(engine, { place });
    await arrives('restarted', [
      ['1', 'one'],
      ['2', 'two'],
      ['3', 'three'],
    ]);
    const sync = await isSynced(id);
    assert.equal(sync.current_run.id, run.id);
  });
});
