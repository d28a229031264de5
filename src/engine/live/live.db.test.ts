import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import {
  type LiveBench,
  liveBench,
  type LiveBenchOptions,
  liveStream,
  type LiveRunOfTest,
  untilEqual,
} from '../../../test/support/live-bench.ts';
import { newDatabase, type TestDatabase } from '../../../test/support/postgres-database.ts';
import { type LogDatabase, startLogDatabase } from '../../../test/support/postgres-log.ts';
import { until } from '../../../test/support/until.ts';
import type { StreamDefinition, SyncDefinition } from '../definition.ts';

let source: LogDatabase;
let target: TestDatabase;
const running: LiveRunOfTest[] = [];
before(async () => {
  source = await startLogDatabase();
  target = await newDatabase();
});
afterEach(async () => {
  await Promise.all(running.splice(0).map((run) => run.stop()));
});
after(async () => {
  await source.close();
  await target.close();
});

let count = 0;

/** A synchronization with a name of its own. */
function bench(streams: readonly StreamDefinition[], more: Partial<SyncDefinition> & Omit<LiveBenchOptions, 'folder'> = {}): LiveBench {
  return liveBench({ source: { type: 'postgres', config: source.config }, target: { type: 'postgres', config: target.config } }, streams, {
    syncId: `syn_${count++}`,
    ...more,
  });
}

async function started(made: LiveBench, options?: Parameters<LiveBench['start']>[0]): Promise<LiveRunOfTest> {
  const run = made.start(options);
  running.push(run);
  await run.live();
  return run;
}

const equal = (table: string, columns?: string): Promise<void> => untilEqual({ source, target }, table, columns);

describe('a live run', () => {
  test('loads what is there, and follows', async () => {
    await source.run('create table a (id int primary key, v text); insert into a select n, n::text from generate_series(1, 1000) n');
    const run = await started(bench([liveStream('public.a')]));
    await equal('a');
    await source.run(
      "insert into a values (2000, 'new'); update a set v = 'changed' where id = 5; delete from a where id = 6; update a set id = 3000 where id = 7",
    );
    await equal('a');
    const outcome = await run.stop();
    assert.equal(outcome.status, 'handed_over');
    const [{ report } = assert.fail()] = outcome.streams;
    assert.deepEqual([report.inserted, report.updated, report.deleted, report.rejected], [1001, 2, 1, 0]);
  });

  test('goes on where it was, whoever goes on', async () => {
    await source.run('create table b (id int primary key, v text); insert into b select n, n::text from generate_series(1, 10) n');
    const made = bench([liveStream('public.b')]);
    await (await started(made)).stop();
    await source.run("update b set v = 'between'; insert into b values (11, 'x')");
    const run = await started(made);
    await equal('b');
    const outcome = await run.stop();
    const [{ report } = assert.fail()] = outcome.streams;
    assert.deepEqual([report.inserted, report.updated], [1, 10]);
    assert.ok(!made.log.some(({ message }) => /anew/.test(message)));
  });

  test('joins without a gap or a double, however much changes while it loads', async () => {
    await source.run(`create table c (id int primary key, v int not null, big text);
      insert into c select n, 0, repeat(md5(n::text), 100) from generate_series(1, 20000) n`);
    const made = bench([liveStream('public.c')]);
    const client = await source.client();
    const enough = new AbortController();
    let turns = 0;
    const changing = (async () => {
      for (; !enough.signal.aborted; turns++) {
        await client.query('begin');
        await client.query(`update c set v = v + 1 where id % 997 = ${turns % 997}`);
        await client.query(`insert into c values (${100_000 + turns}, 1, 'x')`);
        await client.query(`delete from c where id = ${100_000 + turns - 3}`);
        await client.query(turns % 5 === 0 ? 'rollback' : 'commit');
      }
    })();
    const run = await started(made);
    const joined = turns;
    await until('some more turns', () => turns > joined + 100);
    enough.abort();
    await changing;
    await equal('c', 'id, v, md5(big)');
    assert.ok(joined > 0, 'something changed while it loaded');
    const outcome = await run.stop();
    assert.equal(outcome.streams[0]?.report.rejected, 0);
  });

  test('a stream that comes later is loaded while the others stay live', async () => {
    await source.run(`create table d1 (id int primary key, v text); create table d2 (id int primary key, v text);
      insert into d1 values (1, 'a'); insert into d2 select n, n::text from generate_series(1, 5000) n`);
    const syncId = `syn_later_${count++}`;
    await (await started(bench([liveStream('public.d1')], { syncId }))).stop();
    await source.run("insert into d1 values (2, 'b')");
    const made = bench([liveStream('public.d1'), liveStream('public.d2')], { syncId, firstToken: 10n });
    const held = Promise.withResolvers<void>();
    const run = made.start({
      id: 'run_later',
      ports: {
        keepRows: async () => {
          // The load of the second is held at its end: the first one goes on meanwhile.
          await held.promise;
        },
      },
    });
    running.push(run);
    await equal('d1');
    await source.run(
      "insert into d1 values (3, 'c'); update d2 set v = 'late' where id = 7; insert into d2 values (9000, 'late'); delete from d2 where id = 8",
    );
    await equal('d1');
    assert.equal(run.reports.get(1)?.live, 'loading');
    held.resolve();
    await run.live();
    await equal('d2');
    await source.run("insert into d2 values (9001, 'live'); insert into d1 values (4, 'd')");
    await equal('d2');
    await equal('d1');
    const outcome = await run.stop();
    assert.deepEqual([outcome.streams[0]?.report.inserted, outcome.streams[0]?.report.unchanged], [3, 0]);
  });

  test('an edited mapping, filters and expressions hold for changes, too', async () => {
    await source.run(`create table e (id int primary key, price numeric, kind text, big text);
      alter table e alter column big set storage external;
      insert into e select n, n, case when n % 2 = 0 then 'even' else 'odd' end, repeat('x', 5000) from generate_series(1, 10) n`);
    const fields = [
      { from: 'id', to: 'id', type: 'text' as const },
      { from: 'price', to: 'cost' },
      { from: 'big', to: 'big' },
      { to: 'size', expression: 'size(big)' },
    ];
    const filter = [{ field: 'kind', op: '=' as const, value: 'even' }];
    await started(bench([liveStream('public.e', { fields, filter })]));
    const shown = (): Promise<unknown[]> => target.rows('select id, cost, length(big), size from e order by id::int');
    const has = (...rows: string[][]) => until(JSON.stringify(rows), async () => JSON.stringify(await shown()) === JSON.stringify(rows));
    await has(...[2, 4, 6, 8, 10].map((n) => [`${n}`, `${n}`, '5000', '5000']));
    // Out of the filter, into it, beside it; the large value is not in the log when it does not change.
    await source.run(
      "update e set kind = 'odd' where id = 2; update e set kind = 'even' where id = 1; update e set price = 99 where id in (3, 4)",
    );
    await source.run('delete from e where id in (5, 6); update e set id = 80 where id = 8');
    await has(['1', '1', '5000', '5000'], ['4', '99', '5000', '5000'], ['10', '10', '5000', '5000'], ['80', '8', '5000', '5000']);
  });

  test('what the target or the mapping refuses is quarantined, and taken out when it is right', async () => {
    await source.run('create table f (id int primary key, v text); insert into f values (1, $$1$$)');
    await target.run('create table f (id int primary key, v int check (v < 100))');
    const made = bench([
      liveStream('public.f', {
        fields: [
          { from: 'id', to: 'id' },
          { from: 'v', to: 'v', type: 'int64' },
        ],
      }),
    ]);
    const run = await started(made);
    await source.run("insert into f values (2, '2'), (3, 'three'), (4, '400'); update f set v = 'one' where id = 1");
    await until('three rejects', () => made.openRejects().length === 3);
    await until('the row', async () => JSON.stringify(await target.rows('select * from f order by 1')) === '[["1","1"],["2","2"]]');
    await source.run("update f set v = '3' where id = 3; delete from f where id = 4; update f set v = '11' where id = 1");
    await until('no rejects', () => made.openRejects().length === 0);
    assert.deepEqual(await target.rows('select * from f order by 1'), [
      ['1', '11'],
      ['2', '2'],
      ['3', '3'],
    ]);
    const outcome = await run.stop();
    assert.equal(outcome.streams[0]?.report.rejected, 3);
  });

  test('a stream that cannot be written stops itself and no other', async () => {
    await source.run('create table g1 (id int primary key, v int); create table g2 (id int primary key, v int)');
    await target.run('create table g1 (id int primary key, v int check (v < 100))');
    const made = bench([liveStream('public.g1'), liveStream('public.g2')], { on_reject: 'fail' });
    const run = await started(made);
    await source.run('begin; insert into g1 values (1, 1); insert into g2 values (1, 1); commit');
    await equal('g1');
    await source.run('begin; insert into g2 values (2, 2); insert into g1 values (2, 200); commit');
    await until('the first stops', () => run.reports.get(0)?.live === 'stopped');
    await source.run('insert into g2 values (3, 3); insert into g1 values (3, 3)');
    await equal('g2');
    assert.deepEqual(await target.rows('select id from g1'), [['1']]);
    assert.match(run.reports.get(0)?.error?.message ?? '', /refused/);
    assert.deepEqual([run.reports.get(1)?.live, run.reports.get(1)?.inserted], ['live', 3]);
  });

  test('a truncate and a mass delete wait for a person, once', async () => {
    await source.run('create table h (id int primary key, v int); insert into h select n, n from generate_series(1, 100) n');
    const made = bench([liveStream('public.h')]);
    const run = await started(made);
    await source.run('delete from h where id <= 50');
    const held = await run.outcome;
    assert.deepEqual([held.status, held.error?.code], ['needs_approval', 'TOO_MANY_DELETES']);
    assert.deepEqual(await target.rows('select count(*) from h'), [['100']]);
    const id = 'run_001';
    const next = made.start({ id, approved: true });
    running.push(next);
    await equal('h');
    await source.run('insert into h values (500, 1)');
    // Else both may come in one step, which is then held as a whole.
    await equal('h');
    await source.run('truncate h');
    const again = await next.outcome;
    assert.deepEqual([again.status, again.error?.code], ['needs_approval', 'TRUNCATED']);
    assert.deepEqual(await target.rows('select count(*) from h'), [['51']]);
    const last = made.start({ approved: true });
    running.push(last);
    await equal('h');
  });

  test('a table that changes is followed: a new column, one with a default, another type, a new name', async () => {
    await source.run('create table i (id int primary key, v int); insert into i values (1, 1), (2, 2)');
    const made = bench([liveStream('public.i')], { rollAfter: 3_600_000 });
    let run = await started(made);
    await source.run("alter table i add column note text; update i set note = 'x' where id = 1; insert into i values (3, 3, 'y')");
    await equal('i', 'id, v, note');
    // A default is in every row, and no log tells so: the stream is loaded anew by the next run.
    await source.run('alter table i add column n int default 7; insert into i values (4, 4, null, 8)');
    const goOn = async (): Promise<void> => {
      const { status, rolled } = await run.outcome;
      assert.deepEqual([status, rolled], ['succeeded', true]);
      run = await started(made);
    };
    await goOn();
    await equal('i', 'id, v, note, n');
    await source.run('alter table i alter column v type numeric using v / 2.0; update i set v = 0.25 where id = 3');
    await goOn();
    await equal('i', 'id, v::numeric + 0, note, n');
    await source.run('alter table i rename column note to remark; insert into i values (5, 5, $$z$$, 1)');
    await goOn();
    await equal('i', 'id, remark, n');
    await source.run('alter table i drop column n; insert into i values (6, 6, null)');
    await equal('i', 'id, remark');
  });

  test('after its time it is closed, and the next one goes on', async () => {
    await source.run('create table j (id int primary key, v int); insert into j values (1, 1)');
    const syncId = `syn_rolled_${count++}`;
    const first = await bench([liveStream('public.j')], { syncId, rollAfter: 300 }).start().outcome;
    assert.deepEqual([first.status, first.rolled], ['succeeded', true]);
    await source.run('insert into j values (2, 2)');
    const next = await started(bench([liveStream('public.j')], { syncId, firstToken: 10n }), { id: 'run_next' });
    await equal('j');
    const { streams } = await next.stop();
    assert.equal(streams[0]?.report.inserted, 1);
  });

  test('a slot that is gone is noticed, and the streams are loaded anew, unless a person is to be asked', async () => {
    await source.run('create table k (id int primary key, v int); insert into k select n, n from generate_series(1, 50) n');
    const made = bench([liveStream('public.k')]);
    await (await started(made)).stop();
    const drop = "select pg_drop_replication_slot(slot_name) from pg_replication_slots where not active and slot_name like '%syn_%'";
    await source.rows(drop);
    await source.run('update k set v = -v where id <= 20; delete from k where id = 50');
    const run = await started(made);
    await equal('k');
    assert.ok(
      made.log.some(({ message }) => /loaded anew/.test(message)),
      JSON.stringify(made.log),
    );
    await run.stop();
    const asking = bench([liveStream('public.k')], { on_gap: 'stop' });
    await (await started(asking)).stop();
    await source.rows(drop);
    const stopped = await asking.start().outcome;
    assert.deepEqual([stopped.status, stopped.error?.kind, stopped.error?.code], ['failed', 'gap', 'SLOT_LOST']);
  });

  test('what the source keeps is bounded, whether it is followed or the target is away', async () => {
    await source.run('create table l (id int primary key, v text); insert into l values (1, $$a$$)');
    const made = bench([liveStream('public.l')], { max_retained: 1_000_000 });
    await (await started(made)).stop();
    const slots = (): Promise<unknown[]> => source.rows("select 1 from pg_replication_slots where slot_name like '%syn_%' and not active");
    const before = (await slots()).length;
    await source.run("insert into l select n, repeat('x', 200) from generate_series(2, 20000) n");
    const away = { type: 'postgres', config: { ...target.config, port: 1 } };
    const failing = liveBench({ source: { type: 'postgres', config: source.config }, target: away }, [liveStream('public.l')], {
      syncId: `syn_${count - 1}`,
      max_retained: 1_000_000,
      firstToken: 10n,
    });
    const outcome = await failing.start().outcome;
    assert.deepEqual([outcome.status, outcome.error?.kind], ['failed', 'transient']);
    assert.ok(
      failing.log.some(({ message }) => /given up/.test(message)),
      JSON.stringify(failing.log),
    );
    assert.equal((await slots()).length, before - 1);
    await started(bench([liveStream('public.l')], { syncId: `syn_${count - 1}`, firstToken: 20n }), { id: 'run_later' });
    await equal('l');
  });
});
