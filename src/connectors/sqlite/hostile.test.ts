import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { database, open } from '../../../test/support/sqlite-files.ts';

test('a row beyond the limit is an error before it is fetched', async () => {
  const path = database("create table t (id integer primary key, v blob); insert into t values (1, x'00'), (2, zeroblob(500000000));");
  const session = await open(path);
  assert.equal((await session.discover())[0]?.fields.length, 2);
  const before = process.memoryUsage().rss;
  await assert.rejects(
    async () => {
      for await (const _ of session.read({ stream: 't', fields: ['id', 'v'], key: ['id'] }));
    },
    { kind: 'data', code: 'ROW_TOO_LARGE' },
  );
  assert.ok(process.memoryUsage().rss - before < 100e6, 'it is not held in memory');
  let rows = 0;
  for await (const batch of session.read({ stream: 't', fields: ['id'], key: ['id'] })) rows += batch.count;
  assert.equal(rows, 2, 'without the field, the row can be read');
});

test('a view without end is refused', async () => {
  const path = database(
    'create table t (id); create view v as with recursive n(n) as (select 1 union all select n + 1 from n) select count(*) as c from n;',
  );
  const session = await open(path);
  await assert.rejects(
    async () => {
      for await (const _ of session.read({ stream: 'v', fields: ['c'], key: [] }));
    },
    { kind: 'config', code: 'VIEW_REFUSED' },
  );
  assert.deepEqual((await session.discover()).map(({ name }) => name).sort(), ['t', 'v']);
});

test('a view that is broken does not hide the other streams', async () => {
  const path = database('create table t (id); create view v as select id from t; create view w as select x from nowhere;');
  const session = await open(path);
  assert.deepEqual((await session.discover()).map(({ name }) => name).sort(), ['t', 'v']);
  await assert.rejects(
    async () => {
      for await (const _ of session.read({ stream: 'w', fields: ['x'], key: [] }));
    },
    { kind: 'config' },
  );
});

test('a table that changes its shape between two pages', async () => {
  const path = database(`create table t (id integer primary key, v text); insert into t values (1, 'a'), (2, 'b'), (3, 'c');`);
  const session = await open(path);
  const read = async (change: string): Promise<number> => {
    let rows = 0;
    for await (const batch of session.read({ stream: 't', fields: ['id', 'v'], key: ['id'], batchBytes: 1 })) {
      rows += batch.count;
      if (rows === 1) database(change, path);
    }
    return rows;
  };
  assert.equal(await read('alter table t add column w text'), 3);
  await assert.rejects(read('alter table t rename column v to x'), { kind: 'config', code: 'FIELD_MISSING' });
  await assert.rejects(read('drop table t'), { kind: 'config' });
});

test('names and values cannot become statements', async () => {
  const path = database(
    `create table "x""; drop table y; --" (id integer primary key, "a""b" text); create table y (id); insert into "x""; drop table y; --" values (1, 'v');`,
  );
  const session = await open(path);
  const stream = 'x"; drop table y; --';
  const filters = [{ field: 'a"b', op: '=' as const, value: `v' or '1'='1` }];
  for await (const batch of session.read({ stream, fields: ['id', 'a"b'], key: ['id'], filters })) assert.equal(batch.count, 0);
  assert.equal((await session.discover()).length, 2);
});

test('five thousand tables are discovered in a few seconds of a processor', async (t) => {
  const path = database('');
  const made = new DatabaseSync(path);
  made.exec('begin');
  for (let n = 0; n < 5000; n++) {
    made.exec(`create table t${n} (id integer primary key, name text, amount decimal, at datetime, note text)`);
    made.exec(`insert into t${n} values (1, 'a', 1.5, '2026-11-15 00:00:00', null), (2, 'b', 2, '2026-11-15 00:00:01', 'x')`);
  }
  made.exec('commit');
  made.close();
  const session = await open(path);
  // Of the processor, which others may need at the same time.
  const start = process.cpuUsage();
  const streams = await session.discover();
  const { user, system } = process.cpuUsage(start);
  const seconds = (user + system) / 1e6;
  t.diagnostic(`${seconds.toFixed(2)} s`);
  assert.equal(streams.length, 5000);
  assert.equal(streams[0]?.fields[3]?.type, 'timestamp');
  assert.ok(seconds < 5, `${seconds} s`);
});
