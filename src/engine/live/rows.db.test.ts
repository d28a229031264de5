import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { liveBench, type LiveBench, type LiveBenchOptions, liveStream, untilEqual } from '../../../test/support/live-bench.ts';
import { newDatabase, type TestDatabase } from '../../../test/support/postgres-database.ts';
import { type LogDatabase, startLogDatabase } from '../../../test/support/postgres-log.ts';
import { until } from '../../../test/support/until.ts';
import type { StreamDefinition } from '../definition.ts';

let source: LogDatabase;
let target: TestDatabase;
before(async () => {
  source = await startLogDatabase();
  target = await newDatabase();
});
after(async () => {
  await source.close();
  await target.close();
});

function bench(syncId: string, stream: StreamDefinition, more: LiveBenchOptions = {}): LiveBench {
  const ends = { source: { type: 'postgres', config: source.config }, target: { type: 'postgres', config: target.config } };
  return liveBench(ends, [stream], { syncId, ...more });
}

const AS_NUMBER = [
  { from: 'id', to: 'id' },
  { from: 'v', to: 'v', type: 'int64' as const },
];

describe('rows of a live run', () => {
  test('a row from before a column came is written where a filter stands', async () => {
    await source.run('create table filtered (id int primary key, v int); insert into filtered values (1, 1)');
    const made = bench('syn_filtered', liveStream('public.filtered', { filter: [{ field: 'v', op: '>', value: '0' }] }));
    const first = made.start();
    await first.live();
    await first.stop();
    // The next run plans with the column, and the log tells of a time before it.
    await source.run('insert into filtered values (2, 2), (3, -3)');
    await source.run('alter table filtered add column n int');
    await source.run('insert into filtered values (4, 4, 4)');
    const second = made.start({ id: 'run_filtered' });
    await second.live();
    await until('the last row', async () => (await target.rows('select 1 from filtered where id = 4')).length === 1);
    assert.deepEqual(await target.rows('select id, v, n from filtered order by 1'), [
      ['1', '1', null],
      ['2', '2', null],
      ['4', '4', '4'],
    ]);
    await second.stop();
  });

  test('a row that is looked up and cannot be used is quarantined, and nothing stops', async () => {
    await source.run(`create table looked (id int primary key, v text, big text); alter table looked alter column big set storage external;
      insert into looked values (1, '1', repeat('x', 5000))`);
    const made = bench('syn_looked', liveStream('public.looked', { fields: [...AS_NUMBER, { to: 'size', expression: 'size(big)' }] }));
    const first = made.start();
    await first.live();
    await first.stop();
    // The log does not tell the large value of either: the row is looked up, and it is the later one.
    await source.run("update looked set v = '2'; update looked set v = 'two'");
    const second = made.start({ id: 'run_looked' });
    await until('a reject', () => made.openRejects().length === 1);
    await source.run("update looked set v = '3'");
    await until('the row', async () => JSON.stringify(await target.rows('select v, size from looked')) === '[["3","5000"]]');
    await until('no rejects', () => made.openRejects().length === 0);
    assert.equal((await second.stop()).status, 'handed_over');
  });

  test('what is put right is taken out of quarantine, wherever in a transaction and under whatever key', async () => {
    await source.run("create table mended (id int primary key, v text); insert into mended values (1, '1')");
    const made = bench('syn_mended', liveStream('public.mended', { fields: AS_NUMBER }));
    const run = made.start();
    await run.live();
    await source.run("insert into mended values (2, 'two'), (3, 'three'), (4, 'four')");
    await until('three rejects', () => made.openRejects().length === 3);
    // Large enough to be given to the target in pieces: what is put right is in the first, what is wrong in the last.
    await source.run(`begin; update mended set v = '2' where id = 2; update mended set id = 30, v = '3' where id = 3;
      insert into mended values (5, 'five'); update mended set v = '5' where id = 5; update mended set v = 'one' where id = 1;
      insert into mended select n, repeat('1', 15) from generate_series(1000, 60000) n;
      update mended set v = '6' where id = 4; update mended set v = 'six' where id = 4; commit`);
    await until('the rows', async () => JSON.stringify(await target.rows('select count(*) from mended')) === '[["59006"]]');
    await until('two rejects', () => made.openRejects().length === 2);
    assert.deepEqual(await target.rows('select id, v from mended where id < 1000 order by 1'), [
      ['1', '1'],
      ['2', '2'],
      ['4', '6'],
      ['5', '5'],
      ['30', '3'],
    ]);
    assert.deepEqual(new Set(made.openRejects().map(({ key }) => key)), new Set(['["1"]', '["4"]']));
    await run.stop();
  });

  test('a run whose time is over finishes the transaction that it is in', async () => {
    await source.run('create table rolled (id int primary key, v text); insert into rolled values (1, $$1$$)');
    const stream = liveStream('public.rolled');
    const first = bench('syn_in_the_middle', stream).start();
    await first.live();
    await first.stop();
    await source.run("insert into rolled select n, repeat('x', 200) from generate_series(2, 30000) n");
    const lock = await target.client();
    await lock.query('begin; lock table rolled in share mode');
    const rollAfter = 2_000;
    const begun = performance.now();
    const run = bench('syn_in_the_middle', stream, { rollAfter, firstToken: 10n }).start({ id: 'run_in_the_middle' });
    await until('the first piece to wait', async () => (await target.rows('select 1 from pg_locks where not granted')).length > 0);
    assert.ok(performance.now() < begun + rollAfter, 'it was within the transaction before its time was over');
    await until('its time to be over', () => performance.now() > begun + rollAfter + 200);
    await lock.query('rollback');
    const { status, rolled, streams } = await run.outcome;
    assert.deepEqual([status, rolled, streams[0]?.report.inserted], ['succeeded', true, 29_999]);
    await untilEqual({ source, target }, 'rolled');
  });
});
