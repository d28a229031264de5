import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { onEitherEngine } from '../support/databases.ts';
import { newDatabase, type TestDatabase } from '../support/postgres-database.ts';
import { type LogDatabase, startLogDatabase } from '../support/postgres-log.ts';
import { addSource, ask, type Body } from '../support/real-syncs.ts';
import { type Service, startService } from '../support/service.ts';
import { until } from '../support/until.ts';

const PATIENCE = 60_000;

onEitherEngine('a live synchronization whose source is reached by another way', (engine) => {
  let source: LogDatabase;
  let other: TestDatabase;
  let target: TestDatabase;
  let service: Service;
  before(async () => {
    source = await startLogDatabase();
    other = await newDatabase(source.server.url);
    target = await newDatabase(source.server.url);
    service = await startService(engine);
  });
  after(async () => {
    await service.close();
    await target.close();
    await other.close();
    await source.close();
  });

  test('goes on when it is the same server, and leaves nothing behind when it is another database', async () => {
    await source.run(`create table a (id int primary key, v text); insert into a values (1, 'one')`);
    await other.run(`create table a (id int primary key, v text); insert into a values (7, 'seven')`);
    const source_id = await addSource(service, 'postgres', source.config, 'shop');
    const target_id = await addSource(service, 'postgres', target.config, 'copy');
    const { id }: Body = await ask(service, 'POST', '/sync', {
      name: 'moves',
      source_id,
      target_id,
      streams: [{ source: 'public.a', mode: 'cdc' }],
      guard: { max_delete_percent: 100, allow_empty: true },
    });
    const arrives = (...ids: string[]): Promise<unknown> =>
      until(
        `the rows ${ids.join(', ')}`,
        async () => String(await target.rows('select id from a order by id').catch(() => [])) === String(ids),
        PATIENCE,
      );
    const slots = (): Promise<unknown[]> => source.rows('select slot_name from pg_replication_slots');
    const nothingIsOwed = async (): Promise<boolean> => {
      const { text } = await service.call('GET', '/api/v1/datasync/metrics', { headers: { accept: 'text/plain' } });
      return /syncline_log_releases_open 0/.test(text);
    };
    await until('it to be live', async () => (await ask(service, 'GET', `/sync/${id}`)).health === 'synced', PATIENCE);
    const before = await slots();
    assert.equal(before.length, 1);
    await ask(service, 'PUT', `/sources/${source_id}`, { config: { ...source.config, host: 'localhost' } });
    assert.equal(await nothingIsOwed(), false);
    await until('it to be found out that it is the same', nothingIsOwed, PATIENCE);
    await source.run(`insert into a values (2, 'two')`);
    await arrives('1', '2');
    assert.deepEqual(await slots(), before);
    assert.deepEqual(await ask(service, 'GET', `/logs?sync_id=${id}&level=warn`), [], 'nothing was loaded anew');
    await ask(service, 'PUT', `/sources/${source_id}`, { config: { ...source.config, database: other.config.database } });
    await arrives('7');
    await until('the first database to have forgotten it', nothingIsOwed, PATIENCE);
    const after = await slots();
    assert.equal(after.length, 1);
    assert.notDeepEqual(after, before);
  });
});
