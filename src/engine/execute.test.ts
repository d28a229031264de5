import assert from 'node:assert/strict';
import { afterEach, describe, test } from 'node:test';
import { type EngineBench, engineBench, streamOf } from '../../test/support/engine-run.ts';
import { Batch } from '../connectors/batch.ts';
import type { StreamDefinition, SyncDefinition } from './definition.ts';
import type { Counts } from './run.ts';

const benches: EngineBench[] = [];
afterEach(() => {
  for (const bench of benches.splice(0)) bench.close();
});

function bench(streams: readonly StreamDefinition[], sql: string, more: Partial<SyncDefinition> = {}): EngineBench {
  const made = engineBench(streams, more);
  made.source.exec(sql);
  benches.push(made);
  return made;
}

const PEOPLE = `create table people (id integer primary key, name text, changed text not null default '2026-01-01 00:00:00')`;
const fill = (from: number, to: number): string =>
  `insert into people (id, name) select value, 'n' || value from generate_series_${from}_${to}`.replace(
    /generate_series_\d+_\d+/,
    `(with recursive s(value) as (select ${from} union all select value + 1 from s where value < ${to}) select value from s)`,
  );
const counts = ({ read, inserted, updated, deleted, unchanged, rejected }: Counts) => ({
  read,
  inserted,
  updated,
  deleted,
  unchanged,
  rejected,
});
const NOTHING = { read: 0, inserted: 0, updated: 0, deleted: 0, unchanged: 0, rejected: 0 };

describe('a mirror', () => {
  test('makes the target equal, counts what it did, and rewrites nothing that is equal', async () => {
    const b = bench([streamOf('people')], `${PEOPLE}; ${fill(1, 100)}`);
    const first = await b.run();
    assert.equal(first.status, 'succeeded', JSON.stringify(first));
    assert.deepEqual(counts(first.first), { ...NOTHING, read: 100, inserted: 100 });
    assert.deepEqual(counts((await b.run()).first), { ...NOTHING, read: 100, unchanged: 100 });
    b.source.exec(
      `update people set name = 'x' where id = 5; delete from people where id > 95; insert into people (id, name) values (200, 'new')`,
    );
    assert.deepEqual(counts((await b.run()).first), { ...NOTHING, read: 96, inserted: 1, updated: 1, unchanged: 94, deleted: 5 });
    assert.deepEqual(
      b.rows('people'),
      b.source
        .prepare('select * from people order by 1')
        .all()
        .map((row) => ({ ...row })),
    );
    assert.equal(b.streams[0]?.rows, 96);
  });

  test('whose end was not heard of is not done again: the target tells what this run did', async () => {
    const b = bench([streamOf('people')], `${PEOPLE}; ${fill(1, 50)}`);
    const { id, first } = await b.run();
    const again = await b.run({ id });
    assert.equal(again.status, 'succeeded');
    assert.deepEqual(counts(again.first), counts(first));
  });

  test('that finds nothing where there was something asks first, and leaves the target as it is', async () => {
    const b = bench([streamOf('people')], `${PEOPLE}; ${fill(1, 50)}`);
    await b.run();
    b.source.exec('delete from people');
    const asked = await b.run();
    assert.equal(asked.status, 'needs_approval');
    assert.equal(asked.error?.code, 'SOURCE_EMPTY');
    assert.deepEqual(asked.first.changes, { inserted: 0, updated: 0, unchanged: 0, deleted: 50 });
    assert.equal(b.rows('people').length, 50);
    assert.equal(b.streams[0]?.rows, 50, 'what was there before is not forgotten');
    const approved = await b.run({ id: asked.id, approved: true });
    assert.equal(approved.status, 'succeeded');
    assert.equal(approved.first.deleted, 50);
    assert.equal(b.rows('people').length, 0);
  });

  test('that would delete too much asks; with the approval of another run it does not go on', async () => {
    const b = bench([streamOf('people')], `${PEOPLE}; ${fill(1, 100)}`);
    await b.run();
    b.source.exec('delete from people where id > 70');
    const asked = await b.run();
    assert.equal(asked.error?.code, 'TOO_MANY_DELETES');
    b.source.exec(fill(71, 100));
    const healed = await b.run();
    assert.equal(healed.status, 'succeeded', 'what the refused run collected is of an earlier day');
    assert.deepEqual(counts(healed.first), { ...NOTHING, read: 100, unchanged: 100 });
  });
});

test('what was read, and what was made of it, is released when it is written, and nothing that is not', async (t) => {
  const released = t.mock.method(Batch.prototype, 'release');
  const batches = (): number => new Set(released.mock.calls.map((call) => call.this)).size;
  const changed = {
    fields: [
      { from: 'id', to: 'id' },
      { to: 'label', expression: 'name + "!"' },
    ],
  };
  const b = bench([streamOf('people', changed)], `${PEOPLE}; ${fill(1, 100)}`);
  assert.equal((await b.run()).status, 'succeeded');
  assert.equal(batches(), 2);
  const cast = {
    fields: [
      { from: 'id', to: 'id' },
      { from: 'name', to: 'number', type: 'int64' as const },
    ],
  };
  const refusing = bench([streamOf('people', cast)], `${PEOPLE}; ${fill(1, 100)}`, { on_reject: 'fail' });
  assert.equal((await refusing.run()).status, 'failed');
  assert.equal(batches(), 2);
});

test('rows of the same key are one row at the target, and that is told', async () => {
  for (const mode of ['mirror', 'incremental'] as const) {
    const b = bench(
      [streamOf('doubled', { mode, cursor: mode === 'mirror' ? null : 'n' })],
      `create table doubled (id integer, n integer); insert into doubled values (1, 1), (1, 2), (2, 3)`,
    );
    const { status } = await b.run();
    assert.equal(status, 'succeeded');
    assert.deepEqual(b.rows('doubled'), [
      { id: 1, n: 2 },
      { id: 2, n: 3 },
    ]);
    if (mode === 'mirror')
      assert.match(b.log.map(({ message }) => message).join(), /1 of the 3 rows have the same key \(id\) as another one/);
  }
});

test('rows whose key is empty are each put aside', async () => {
  const b = bench(
    [streamOf('keyless')],
    `create table keyless (id integer, v text); insert into keyless values (null, 'a'), (null, 'b'), (null, 'b'), (1, 'c')`,
  );
  assert.equal((await b.run()).first.rejected, 3);
  assert.equal(b.openRejects().length, 3);
});

describe('an incremental stream', () => {
  const incremental = streamOf('people', { mode: 'incremental', cursor: 'changed' });

  test('reads what is new or changed, and goes on where the target says it stands', async () => {
    const b = bench([incremental], `${PEOPLE}; ${fill(1, 100)}`);
    assert.deepEqual(counts((await b.run()).first), { ...NOTHING, read: 100, inserted: 100 });
    b.source.exec(
      `insert into people values (101, 'late', '2026-02-01 00:00:00'); update people set name = 'y', changed = '2026-02-02 00:00:00' where id = 1`,
    );
    const second = await b.run();
    assert.equal(second.first.inserted, 1);
    assert.equal(second.first.updated, 1);
    assert.deepEqual(
      b.rows('people'),
      b.source
        .prepare('select * from people order by 1')
        .all()
        .map((row) => ({ ...row })),
    );
  });

  test('of another generation begins anew', async () => {
    const b = bench([incremental], `${PEOPLE}; ${fill(1, 100)}`);
    await b.run();
    b.target.exec('delete from people where id < 50');
    (b.streams[0] as { generation: number }).generation++;
    const full = await b.run({ mode: 'full' });
    assert.deepEqual(counts(full.first), { ...NOTHING, read: 100, inserted: 49, unchanged: 51 });
  });
});

describe('a stream that is only added to', () => {
  const append = streamOf('people', { mode: 'append', cursor: 'id' });

  test('has every row once, though the service was killed after every batch it wrote', async () => {
    const b = bench([append], `${PEOPLE}; ${fill(1, 40_000)}`);
    let done: Awaited<ReturnType<EngineBench['run']>> | undefined;
    const id = 'run_killed';
    for (let batches = 1; !done; batches++) {
      const stop = new AbortController();
      let seen = 0;
      const outcome = await b.run({
        id,
        signal: stop.signal,
        ports: {
          progress: (_, report) => {
            if (report.checkpoint !== null && ++seen > batches) stop.abort('handed_over');
          },
        },
      });
      assert.ok(outcome.status === 'handed_over' || outcome.status === 'succeeded', JSON.stringify(outcome.error));
      if (outcome.status === 'succeeded') done = outcome;
    }
    assert.deepEqual(
      counts(done.first),
      { ...NOTHING, read: 40_000, inserted: 40_000 },
      'and the counts are those of all attempts together',
    );
    assert.equal(b.rows('people').length, 40_000);
  });
});

test('what a run did that was cancelled before it could tell is told by the next one', async () => {
  const b = bench([streamOf('people', { mode: 'append', cursor: 'id' })], `${PEOPLE}; ${fill(1, 40_000)}`);
  const stop = new AbortController();
  const cancelled = await b.run({
    signal: stop.signal,
    ports: { progress: (_, { checkpoint }) => checkpoint !== null && stop.abort('cancelled') },
  });
  assert.equal(cancelled.status, 'cancelled');
  const written = b.rows('people').length;
  assert.ok(written > 0 && written < 40_000);
  const next = await b.run();
  assert.equal(b.recounts.get(cancelled.id)?.inserted, written);
  assert.equal(written + next.first.inserted, 40_000);
});

describe('rows that are refused', () => {
  const MIXED = `create table people (id integer primary key, age text, changed integer)`;
  const mapped = (mode: 'mirror' | 'incremental' | 'append'): StreamDefinition =>
    streamOf('people', {
      mode,
      cursor: mode === 'mirror' ? null : 'changed',
      fields: [
        { from: 'id', to: 'id' },
        { from: 'age', to: 'age', type: 'int64' },
        { from: 'changed', to: 'changed' },
      ],
    });
  const SOME = `${MIXED}; insert into people values (1, '30', 1), (2, 'old', 2), (3, '50', 3)`;

  for (const mode of ['mirror', 'incremental', 'append'] as const) {
    test(`are put aside with field, value and row, and the others arrive (${mode})`, async () => {
      const b = bench([mapped(mode)], SOME);
      const { status, first } = await b.run();
      assert.equal(status, 'partial');
      assert.deepEqual(counts(first), { ...NOTHING, read: 3, inserted: 2, rejected: 1 });
      const [reject] = b.openRejects();
      assert.equal(reject?.field, 'age');
      assert.match(reject?.reason ?? '', /old/);
      assert.deepEqual(reject?.row, { id: '2', age: 'old', changed: '2' });
      assert.equal(reject?.key, '["2"]');
      assert.equal(b.rows('people').length, 2);
    });
  }

  test('leave in a mirror what the target has of them, until they are good again or gone', async () => {
    const b = bench([mapped('mirror')], SOME.replace('old', '40'), { guard: { max_delete_percent: 40, allow_empty: false } });
    await b.run();
    b.source.exec(`update people set age = 'old', changed = 9 where id = 2; update people set age = '31' where id = 1`);
    const shown = await b.run({ mode: 'preview' });
    assert.deepEqual([shown.first.changes?.deleted, shown.first.changes?.updated, shown.first.rejected], [0, 1, 1]);
    const { status, first } = await b.run();
    assert.equal(status, 'partial');
    assert.deepEqual(counts(first), { ...NOTHING, read: 3, updated: 1, unchanged: 1, rejected: 1 });
    assert.deepEqual(b.rows('people')[1], { id: 2, age: 40, changed: 2 }, 'the old version stays as it was');
    assert.equal(b.openRejects()[0]?.key, '["2"]');
    b.source.exec('delete from people where id = 2');
    const gone = await b.run();
    assert.deepEqual(counts(gone.first), { ...NOTHING, read: 2, unchanged: 2, deleted: 1 });
    assert.deepEqual([gone.status, b.openRejects()], ['succeeded', []]);
  });

  test('are found in a mirror by the key that the target has, with its names and types', async () => {
    const stream = streamOf('people', {
      key: ['area', 'id'],
      fields: [
        { from: 'age', to: 'age', type: 'int64' },
        { from: 'id', to: 'number', type: 'text' },
        { from: 'area', to: 'region' },
      ],
    });
    const b = bench(
      [stream],
      `create table people (id integer, area text, age text, primary key (area, id)); insert into people values (1, 'n', '1'), (1, 's', '2'), (2, 's', '3')`,
    );
    await b.run();
    b.source.exec(`update people set age = 'bad' where area = 's'`);
    assert.deepEqual(counts((await b.run()).first), { ...NOTHING, read: 3, unchanged: 1, rejected: 2 });
    assert.equal(b.rows('people').length, 3);
  });

  test('by the reader or by the target leave in a mirror what the target has of them, too', async () => {
    const b = bench(
      [streamOf('people')],
      `create table people (id integer primary key, age integer); insert into people select value, value from (with recursive s(value) as (select 1 union all select value + 1 from s where value < 1000) select value from s)`,
    );
    b.target.exec('create table people (id integer primary key, age integer check (age < 10000))');
    await b.run();
    b.source.exec(
      `update people set age = 'unreadable' where id = 500; update people set age = 99999 where id = 600; delete from people where id = 700`,
    );
    const { status, first } = await b.run();
    assert.equal(status, 'partial', JSON.stringify(first));
    assert.deepEqual(counts(first), { ...NOTHING, read: 999, unchanged: 997, deleted: 1, rejected: 2 });
    assert.deepEqual(
      b.target
        .prepare('select id, age from people where id in (500, 600, 700) order by id')
        .all()
        .map((row) => ({ ...row })),
      [
        { id: 500, age: 500 },
        { id: 600, age: 600 },
      ],
    );
  });

  test('are taken out when they arrive after all: in a mirror by the next run', async () => {
    const b = bench([mapped('mirror')], SOME);
    await b.run();
    b.source.exec(`update people set age = '40' where id = 2`);
    assert.equal((await b.run()).status, 'succeeded');
    assert.deepEqual(b.openRejects(), []);
  });

  test('are taken out when a newer version of the row is written', async () => {
    const b = bench([mapped('incremental')], SOME);
    await b.run();
    b.source.exec(`update people set age = '40', changed = 9 where id = 2`);
    assert.equal((await b.run()).status, 'succeeded');
    assert.deepEqual(b.openRejects(), []);
  });

  test('tried again, they are read anew by their keys; what is still bad stays, what is gone goes', async () => {
    const b = bench(
      [mapped('incremental')],
      `${MIXED}; insert into people select value, 'bad' || value, value from (with recursive s(value) as (select 1 union all select value + 1 from s where value < 10) select value from s)`,
    );
    await b.run();
    assert.equal(b.openRejects().length, 10);
    // Corrected without a trace in the cursor: only a retry can find it.
    b.source.exec(`update people set age = '7' where id <= 7; delete from people where id = 8`);
    const retried = await b.run({ mode: 'rejects' });
    assert.equal(retried.status, 'partial');
    assert.deepEqual(counts(retried.first), { ...NOTHING, read: 9, inserted: 7, rejected: 2 });
    assert.deepEqual(
      b
        .openRejects()
        .map(({ key }) => key)
        .toSorted((a, b) => ((a ?? '') < (b ?? '') ? -1 : 1)),
      ['["10"]', '["9"]'],
    );
    b.source.exec(`insert into people values (11, '11', 11)`);
    assert.equal((await b.run()).first.inserted, 1, 'the position of the stream has not moved');
  });

  test('of a stream that is only added to are written as they were found, once', async () => {
    const b = bench([streamOf('people', { mode: 'append', cursor: 'changed' })], SOME);
    b.target.exec(`create table people (id integer primary key, age text check (age <> 'old'), changed integer)`);
    assert.equal((await b.run()).status, 'partial');
    b.target.exec(
      `alter table people rename to strict_people; create table people (id integer, age text, changed integer); insert into people select * from strict_people`,
    );
    const retried = await b.run({ mode: 'rejects' });
    assert.equal(retried.status, 'succeeded', JSON.stringify(retried));
    assert.deepEqual(b.openRejects(), []);
    const again = await b.run({ mode: 'rejects', id: retried.id });
    assert.equal(again.first.inserted, 1);
    assert.equal(b.rows('people').length, 3, 'though the end of the run was not heard of');
  });

  test('stop the stream when the definition says so, and nothing of their batch is written', async () => {
    const b = bench([mapped('mirror')], SOME, { on_reject: 'fail' });
    const { status, error } = await b.run();
    assert.equal(status, 'failed');
    assert.equal(error?.code, 'ROW_REJECTED');
    assert.deepEqual(b.rows('people'), []);
  });
});

describe('a run', () => {
  test('does its other streams though one is broken, and says which and why', async () => {
    const b = bench([streamOf('gone'), streamOf('people')], `${PEOPLE}; ${fill(1, 10)}`);
    const { status, error, streams } = await b.run();
    assert.equal(status, 'failed');
    assert.equal(error?.kind, 'config');
    assert.match(error?.message ?? '', /"gone"/);
    assert.deepEqual(
      streams.map(({ report }) => report.status),
      ['failed', 'succeeded'],
    );
    assert.equal(b.rows('people').length, 10);
  });

  test('that is cancelled says so', async () => {
    const b = bench([streamOf('people')], `${PEOPLE}; ${fill(1, 10)}`);
    const { status, first } = await b.run({ signal: AbortSignal.abort('cancelled') });
    assert.deepEqual([status, first.status], ['cancelled', 'cancelled']);
  });

  test('that was overtaken writes nothing', async () => {
    const b = bench([streamOf('people')], `${PEOPLE}; ${fill(1, 10)}`);
    await b.run({ token: 9n });
    b.source.exec(`insert into people (id, name) values (99, 'z')`);
    const { status, error } = await b.run({ token: 8n });
    assert.deepEqual([status, error?.kind], ['failed', 'fenced']);
    assert.equal(b.rows('people').length, 10);
  });

  test('a preview tells what would change, with samples, and changes nothing', async () => {
    const b = bench([streamOf('people')], `${PEOPLE}; ${fill(1, 100)}`);
    const empty = await b.run({ mode: 'preview' });
    assert.deepEqual(empty.first.changes?.inserted, 100, JSON.stringify(empty));
    assert.equal(b.target.prepare(`select count(*) as n from sqlite_master`).get()?.['n'], 0, 'not even a table');
    await b.run();
    b.source.exec(
      `update people set name = 'x' where id = 5; delete from people where id > 60; insert into people (id, name) values (200, 'new')`,
    );
    const before = b.rows('people');
    const { status, first } = await b.run({ mode: 'preview' });
    assert.equal(status, 'succeeded');
    const { samples = [], ...changes } = first.changes ?? assert.fail();
    assert.deepEqual(changes, { inserted: 1, updated: 1, unchanged: 59, deleted: 40 });
    assert.deepEqual(
      samples.map(({ change }) => change),
      ['insert', 'update', 'delete', 'delete', 'delete', 'delete', 'delete'],
    );
    assert.deepEqual(samples[1]?.key, { id: '5' });
    assert.deepEqual([samples[1]?.before?.['name'], samples[1]?.after?.['name']], ['n5', 'x']);
    assert.deepEqual(b.rows('people'), before);
  });
});
