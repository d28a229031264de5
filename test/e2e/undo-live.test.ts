import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { onEitherEngine } from '../support/databases.ts';
import { newDatabase, type TestDatabase } from '../support/postgres-database.ts';
import { type LogDatabase, startLogDatabase } from '../support/postgres-log.ts';
import { addSource, ask, type Body, reaches } from '../support/real-syncs.ts';
import { type Service, startService } from '../support/service.ts';
import { until } from '../support/until.ts';

onEitherEngine('a live run that is undone', (engine) => {
  let source: LogDatabase;
  let target: TestDatabase;
  let service: Service;
  before(async () => {
    source = await startLogDatabase();
    target = await newDatabase(source.server.url);
    service = await startService(engine);
  });
  after(async () => {
    await service.close();
    await target.close();
    await source.close();
  });

  test('each run is one of its own; it is paused first, and loaded anew when it is resumed', async () => {
    await source.run(`create table a (id int primary key, v text); insert into a values (1, 'one'), (2, 'two')`);
    const [source_id, target_id] = [
      await addSource(service, 'postgres', source.config),
      await addSource(service, 'postgres', target.config),
    ];
    const streams = [{ source: 'public.a', mode: 'cdc' }];
    const guard = { max_delete_percent: 100, allow_empty: true };
    const { id }: Body = await ask(service, 'POST', '/sync', { name: 'live', source_id, target_id, streams, guard, undo: { keep: '1d' } });
    const arrives = (rows: string): Promise<unknown> =>
      until(rows, async () => (await target.rows(`select string_agg(v, ' ' order by id) from a`).catch(() => []))[0]?.[0] === rows);
    const current = (): Promise<Body> =>
      until('a live run', async () => (await ask(service, 'GET', `/sync/${id}`)).current_run ?? undefined);
    const undo = (run: string) => service.call('POST', `/api/v1/datasync/runs/${run}/undo`);
    await arrives('one two');
    const first = await current();
    // Another run goes on where it was.
    await ask(service, 'POST', `/sync/${id}/pause`);
    await reaches(service, first.id, ['succeeded', 'cancelled']);
    await ask(service, 'POST', `/sync/${id}/resume`);
    await source.run(
      `update a set v = 'wrong'; insert into a values (3, 'three'); delete from a where id = 2; update a set id = 4 where id = 3`,
    );
    await arrives('wrong three');
    const second = await current();
    const busy = await undo(second.id);
    assert.equal(busy.status, 409);
    assert.match((await undo(first.id)).body.error.message, /filled "public.a"|is live/);
    await ask(service, 'POST', `/sync/${id}/pause`);
    await reaches(service, second.id, ['succeeded', 'cancelled']);
    const done = await undo(second.id);
    assert.equal(done.status, 200, done.text);
    const { restored, removed, left } = done.body.data.run.undone;
    assert.deepEqual([restored, removed, left], [2, 1, 0]);
    await arrives('one two');
    await source.run(`update a set v = 'right' where id = 1`);
    await ask(service, 'POST', `/sync/${id}/resume`);
    await arrives('right three');
  });
});
