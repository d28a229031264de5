import { after, before, describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { liveBench, liveStream } from '../../../test/support/live-bench.ts';
import { useLog } from '../../../test/support/mysql-log.ts';
import { newDatabase, type TestDatabase } from '../../../test/support/postgres-database.ts';
import { until } from '../../../test/support/until.ts';

describe('a live run that follows a binary log', () => {
  const source = useLog();
  let target: TestDatabase;
  before(async () => {
    target = await newDatabase();
  });
  after(() => target.close());

  test('a table that is emptied before the log has told of a row of it', async () => {
    const { database } = source;
    const connection = await database.connect();
    await connection.query('create table t (id int primary key, v int)');
    await connection.query('insert into t values (1, 1), (2, 2)');
    const { host, port, user, password, name } = database;
    const config = { host, port, user, password, database: name, tls: 'disable' };
    const made = liveBench(
      { source: { type: 'mysql', config }, target: { type: 'postgres', config: target.config } },
      [liveStream('t', { target: 'public.t' })],
      { syncId: 'syn_emptied', guard: { max_delete_percent: 100, allow_empty: true } },
    );
    const first = made.start();
    await first.live();
    await first.stop();
    await connection.query('truncate t');
    const next = made.start();
    await until('the table to be empty', async () => (await target.rows('select id from t')).length === 0);
    await connection.query('insert into t values (3, 3)');
    await until('the row', async () => (await target.rows('select id from t')).length === 1);
    assert.equal((await next.stop()).status, 'handed_over');
    await connection.end();
  });
});
