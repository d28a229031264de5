import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { benchesOfTests, countsOf, type EngineBench, NOTHING, streamOf } from '../../test/support/engine-run.ts';
import { Batch } from '../connectors/batch.ts';
import { OutsideError } from '../outside/errors.ts';

const bench = benchesOfTests();

const PEOPLE = `create table people (id integer primary key, name text, changed text not null default '2026-01-01 00:00:00')`;
const fill = (from: number, to: number): string =>
  `insert into people (id, name) select value, 'n' || value from generate_series_${from}_${to}`.replace(
    /generate_series_\d+_\d+/,
    `(with recursive s(value) as (select ${from} union all select value + 1 from s where value < ${to}) select value from s)`,
  );

describe('a mirror', () => {
  test('makes the target equal, counts what it did, and rewrites nothing that is equal', async () => {
    const b = bench([streamOf('people')], `${PEOPLE}; ${fill(1, 100)}`);
    const first = await b.run();
    assert.equal(first.status, 'succeeded', JSON.stringify(first));
    assert.deepEqual(countsOf(first.first), { ...NOTHING, read: 100, inserted: 100 });
    assert.deepEqual(countsOf((await b.run()).first), { ...NOTHING, read: 100, unchanged: 100 });
    b.source.exec(
      `update people set name = 'x' where id = 5; delete from people where id > 95; insert into people (id, name) values (200, 'new')`,
    );
    assert.deepEqual(countsOf((await b.run()).first), { ...NOTHING, read: 96, inserted: 1, updated: 1, unchanged: 94, deleted: 5 });
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
    assert.deepEqual(countsOf(again.first), countsOf(first));
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
    assert.deepEqual(countsOf(healed.first), { ...NOTHING, read: 100, unchanged: 100 });
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

describe('an incremental stream', () => {
  const incremental = streamOf('people', { mode: 'incremental', cursor: 'changed' });

  test('reads what is new or changed, and goes on where the target says it stands', async () => {
    const b = bench([incremental], `${PEOPLE}; ${fill(1, 100)}`);
    assert.deepEqual(countsOf((await b.run()).first), { ...NOTHING, read: 100, inserted: 100 });
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
    assert.deepEqual(countsOf(full.first), { ...NOTHING, read: 100, inserted: 49, unchanged: 51 });
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
      countsOf(done.first),
      { ...NOTHING, read: 40_000, inserted: 40_000 },
      'and the counts are those of all attempts together',
    );
    assert.equal(b.rows('people').length, 40_000);
  });

  test('need not be given the key: what is read in its order is only added', async () => {
    const fields = [{ from: 'name', to: 'name' }] as const;
    const b = bench([{ ...append, fields }], `${PEOPLE}; ${fill(1, 3)}`);
    const first = await b.run();
    assert.equal(first.status, 'succeeded', JSON.stringify(first.error));
    b.source.exec(fill(4, 5));
    assert.equal((await b.run()).first.inserted, 2, 'it goes on behind the last key');
    assert.deepEqual(
      b.rows('people'),
      ['n1', 'n2', 'n3', 'n4', 'n5'].map((name) => ({ name })),
    );
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

  test('that another worker has taken over says so, and calls it no fault', async () => {
    const b = bench([streamOf('people')], `${PEOPLE}; ${fill(1, 10)}`);
    const { status, error } = await b.run({ signal: AbortSignal.abort('fenced') });
    assert.deepEqual([status, error?.kind, error?.code], ['failed', 'fenced', 'FENCED']);
    assert.deepEqual(
      b.log.map(({ level, message }) => `${level}: ${message}`),
      ['info: Another worker has taken over this work.'],
    );
  });

  test('that was asleep, and finds its connections ended by the one who has taken over, says so too', async () => {
    const b = bench([streamOf('people')], `${PEOPLE}; ${fill(1, 10)}`);
    const open = async (): Promise<never> => {
      throw new OutsideError('transient', 'CONNECTION_LOST', 'The server closed the connection.');
    };
    const told = async (isOurs: boolean): Promise<(string | undefined)[]> => {
      const { error } = await b.run({ ports: { open, isOurs: async () => isOurs } });
      return [error?.code, b.log.at(-1)?.level];
    };
    assert.deepEqual(await told(false), ['FENCED', 'info']);
    assert.deepEqual(await told(true), ['CONNECTION_LOST', 'error']);
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
