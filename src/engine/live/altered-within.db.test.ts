import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { liveBench, liveStream } from '../../../test/support/live-bench.ts';
import { type MysqlDatabase, mysqlDatabase } from '../../../test/support/mysql-database.ts';
import { type LogDatabase, startLogDatabase } from '../../../test/support/postgres-log.ts';
import { until } from '../../../test/support/until.ts';

let source: LogDatabase;
let target: MysqlDatabase;
before(async () => {
  source = await startLogDatabase();
  target = await mysqlDatabase();
});
after(async () => {
  await source.close();
  await target.close();
});

test('a table that is altered in the middle of a transaction, where the target cannot do so: the same run makes it again, at once', async () => {
  await source.run('create table a (id int primary key, v int); create table b (id int primary key, v int)');
  await source.run('insert into a values (1, 1); insert into b values (1, 1)');
  const { host, port, user, password, name } = target;
  const made = liveBench(
    {
      source: { type: 'postgres', config: source.config },
      target: { type: 'mysql', config: { host, port, user, password, database: name, tls: 'disable' } },
    },
    [liveStream('public.a', { target: 'a' }), liveStream('public.b', { target: 'b' })],
    { syncId: 'syn_within' },
  );
  const run = made.start();
  await run.live();
  await source.run(`begin; update a set v = 2; alter table b add column n int; insert into b values (2, 2, 3);
    alter table a add column n int; insert into a values (2, 2, 4); commit`);
  await until(
    'both tables as they are now',
    async () => {
      const seen = await Promise.all(['a', 'b'].map((table) => target.query(`select * from ${table} order by id`)));
      return (
        JSON.stringify(seen) ===
        JSON.stringify([
          [
            ['1', '2', null],
            ['2', '2', '4'],
          ],
          [
            ['1', '1', null],
            ['2', '2', '3'],
          ],
        ])
      );
    },
    20_000,
  );
  const { status, streams } = await run.stop();
  assert.equal(status, 'handed_over', JSON.stringify(made.log));
  assert.deepEqual(
    streams.map(({ report: { inserted, updated } }) => [inserted, updated]),
    [
      [2, 1],
      [2, 0],
    ],
    'what was taken back is not counted',
  );
  assert.deepEqual(
    made.log.filter(({ level }) => level === 'error'),
    [],
  );
});
