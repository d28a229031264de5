import { after, before, test } from 'node:test';
import { onEitherEngine } from '../support/databases.ts';
import { newDatabase, type TestDatabase } from '../support/postgres-database.ts';
import { type LogDatabase, startLogDatabase } from '../support/postgres-log.ts';
import { addSource, ask, type Body } from '../support/real-syncs.ts';
import { type Service, startService } from '../support/service.ts';
import { until } from '../support/until.ts';

onEitherEngine('a live synchronization that is paused', (engine) => {
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

  test('does not fill the disk of its source, and is loaded anew when it goes on', async () => {
    await source.run("create table a (id int primary key, v text); insert into a values (1, 'one')");
    const [source_id, target_id] = [
      await addSource(service, 'postgres', source.config, 'shop'),
      await addSource(service, 'postgres', target.config, 'copy'),
    ];
    const streams = [{ source: 'public.a', mode: 'cdc' }];
    const { id } = await ask(service, 'POST', '/sync', { name: 's', source_id, target_id, streams, max_retained: '1 MB' });
    const look = (): Promise<Body> => ask(service, 'GET', `/sync/${id}`);
    const has = (count: string): Promise<unknown> =>
      until('the rows', async () => (await target.rows('select count(*) from a').catch(() => []))[0]?.[0] === count);
    await until('it to be live', async () => (await look()).health === 'synced');
    await ask(service, 'POST', `/sync/${id}/pause`);
    await source.run("insert into a select n, repeat('x', 200) from generate_series(2, 20000) n");
    await until('the slot to be gone', async () => (await source.rows('select 1 from pg_replication_slots')).length === 0);
    const told = (): Promise<unknown> => ask(service, 'GET', `/logs?sync_id=${id}&level=error`);
    await until('it to be told', async () => JSON.stringify(await told()).includes('so that its disk does not fill up'));
    await ask(service, 'POST', `/sync/${id}/resume`);
    await has('20000');
  });
});
