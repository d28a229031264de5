import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { onEitherEngine } from '../support/databases.ts';
import { LOGGING } from '../support/mysql-log.ts';
import { type MysqlDatabase, mysqlDatabase } from '../support/mysql-database.ts';
import { startOwnMysql } from '../support/mysql-server.ts';
import { newDatabase, type TestDatabase } from '../support/postgres-database.ts';
import { addSource, ask, type Body } from '../support/real-syncs.ts';
import { type Service, startService } from '../support/service.ts';
import { until } from '../support/until.ts';

onEitherEngine('live synchronizations of a binary log', (engine) => {
  let server: Awaited<ReturnType<typeof startOwnMysql>>;
  let source: MysqlDatabase;
  let target: TestDatabase;
  let service: Service;
  const ends = { source_id: '', target_id: '' };
  before(async () => {
    server = await startOwnMysql(LOGGING);
    source = await mysqlDatabase(server.url);
    target = await newDatabase();
    service = await startService(engine);
    const { host, port, user, password, name: database } = source;
    ends.source_id = await addSource(service, 'mysql', { host, port, user, password, database, tls: 'disable' }, 'shop');
    ends.target_id = await addSource(service, 'postgres', target.config, 'copy');
  });
  after(async () => {
    await service.close();
    await source.close();
    await target.close();
    server.stop();
  });

  const arrives = (name: string, expected: readonly (readonly (string | null)[])[]): Promise<unknown> =>
    until(`${name} to be as it should`, async () => {
      const found = await target.rows(`select * from ${name} order by 1`).catch(() => []);
      return JSON.stringify(found) === JSON.stringify(expected);
    });

  test('the source says that it is prepared; it is loaded, follows, is paused, resumed, edited and deleted', async () => {
    const connection = await source.connect();
    const run = (...statements: string[]): Promise<void> =>
      statements.reduce((before, text) => before.then(async () => void (await connection.query(text))), Promise.resolve());
    const checked: Body = (await service.call('POST', `/api/v1/datasync/sources/${ends.source_id}/check`)).body.data;
    assert.deepEqual([checked.ok, checked.live_needs], [true, []]);
    await run('create table a (id int primary key, v varchar(20))', `insert into a values (1, 'one'), (2, 'two')`);
    await run('create table b (id int primary key, v varchar(20))', `insert into b values (1, 'b')`);
    const streams = (...names: string[]) => names.map((name) => ({ source: name, target: `public.${name}`, mode: 'cdc' }));
    const { id }: Body = await ask(service, 'POST', '/sync', { name: 'shop, live', ...ends, streams: streams('a') });
    const look = (): Promise<Body> => ask(service, 'GET', `/sync/${id}`);
    const isSynced = (): Promise<unknown> =>
      until('it to be live', async () => {
        const { health, current_run: current } = await look();
        return health === 'synced' && current?.live;
      });
    await isSynced();
    await run('begin', `insert into a values (3, 'three')`, `update a set v = 'two!' where id = 2`, 'delete from a where id = 1', 'commit');
    await arrives('a', [
      ['2', 'two!'],
      ['3', 'three'],
    ]);
    await until('its lag to be told', async () => (await look()).lag?.seconds < 60);
    await ask(service, 'POST', `/sync/${id}/pause`);
    await until('it to have ended', async () => (await look()).current_run === null);
    await run('alter table a add column note varchar(20)', `update a set note = 'x' where id = 3`);
    await ask(service, 'POST', `/sync/${id}/resume`);
    await arrives('a', [
      ['2', 'two!', null],
      ['3', 'three', 'x'],
    ]);
    await ask(service, 'PUT', `/sync/${id}`, { streams: streams('a', 'b') });
    await arrives('b', [['1', 'b']]);
    await isSynced();
    await run(`insert into b values (2, 'c')`, `update b set id = 9 where id = 1`);
    await arrives('b', [
      ['2', 'c'],
      ['9', 'b'],
    ]);
    await ask(service, 'DELETE', `/sync/${id}`);
    await until('nothing to be left to do', async () => {
      const { text } = await service.call('GET', '/api/v1/datasync/metrics', { headers: { accept: 'text/plain' } });
      return /syncline_log_releases_open 0/.test(text);
    });
  });
});
