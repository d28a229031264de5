import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { counted, useUnreadableApis } from '../../../test/support/unreadable-api.ts';

const { bench } = useUnreadableApis();

describe('a mirror into a target that cannot be read back', () => {
  test('sends what is new, different or gone, and nothing else', async () => {
    const { source, runs, api } = await bench("insert into things values (1, 'a'), (2, 'b'), (3, 'c'), (4, 'd'), (5, 'e'), (6, 'f')");
    assert.deepEqual(counted(await runs.run()), { read: 6, inserted: 6, updated: 0, deleted: 0, unchanged: 0, rejected: 0 });
    assert.equal(api.asked().length, 6);
    assert.deepEqual(counted(await runs.run()), { read: 6, inserted: 0, updated: 0, deleted: 0, unchanged: 6, rejected: 0 });
    assert.deepEqual(api.asked(), []);
    source.exec("update things set v = 'B' where id = 2; delete from things where id = 3; insert into things values (7, 'g')");
    assert.deepEqual(counted(await runs.run()), { read: 6, inserted: 1, updated: 1, deleted: 1, unchanged: 4, rejected: 0 });
    assert.deepEqual(
      api.asked().toSorted((one, other) => one.localeCompare(other)),
      ['DELETE 3', 'PUT 2', 'PUT 7'],
    );
    // What comes again is another thing to the target than what it has had: it must not take it for the same.
    source.exec("update things set v = 'b' where id = 2; insert into things values (3, 'c')");
    assert.deepEqual(counted(await runs.run()), { read: 7, inserted: 1, updated: 1, deleted: 0, unchanged: 5, rejected: 0 });
    assert.equal(new Set(api.keys).size, api.keys.length);
    assert.equal(api.records.size, 7);
  });

  test('shows beforehand what it would do', async () => {
    const { source, runs, api } = await bench("insert into things values (1, 'a'), (2, 'b'), (3, 'c'), (4, 'd'), (5, 'e'), (6, 'f')");
    await runs.run();
    source.exec("update things set v = 'B' where id = 2; delete from things where id = 3; insert into things values (7, 'g')");
    api.asked();
    const { first } = await runs.run({ mode: 'preview' });
    const { samples, ...changes } = first.changes ?? assert.fail();
    assert.deepEqual(changes, { inserted: 1, updated: 1, deleted: 1, unchanged: 4 });
    assert.deepEqual(
      new Set(samples?.map(({ change, key }) => `${change} ${String(key?.['id'])}`)),
      new Set(['update 2', 'insert 7', 'delete 3']),
    );
    assert.deepEqual(api.asked(), []);
  });

  test('removes many only when a person agrees, and what others have put there never', async () => {
    const { source, runs, api } = await bench(
      'with recursive n (i) as (select 1 union all select i + 1 from n where i < 100) insert into things select i, i from n',
    );
    await runs.run();
    api.records.set('900', { id: 900, v: 'of another' });
    source.exec('delete from things where id > 50');
    api.asked();
    const held = await runs.run();
    assert.deepEqual([held.status, held.error?.code, held.first.changes?.deleted], ['needs_approval', 'TOO_MANY_DELETES', 50]);
    assert.deepEqual(api.asked(), []);
    const approved = await runs.run({ id: held.id, approved: true });
    assert.deepEqual([approved.status, approved.first.deleted, approved.first.unchanged], ['succeeded', 50, 50]);
    assert.deepEqual([...api.records.keys()].length, 51);
    source.exec('delete from things');
    assert.equal((await runs.run()).error?.code, 'SOURCE_EMPTY');
  });

  test('what is refused is a reject, is tried again, and is not removed', async () => {
    const refused = new Set(['PUT 2']);
    const { source, runs, api } = await bench("insert into things values (1, 'a'), (2, 'b'), (3, 'c')", {
      judge: (asked) => (refused.has(asked) ? 422 : undefined),
    });
    assert.deepEqual(counted(await runs.run()), { read: 3, inserted: 2, updated: 0, deleted: 0, unchanged: 0, rejected: 1 });
    api.asked();
    assert.equal((await runs.run()).status, 'partial');
    assert.deepEqual(api.asked(), ['PUT 2']);
    refused.clear();
    assert.deepEqual(counted(await runs.run()), { read: 3, inserted: 1, updated: 0, deleted: 0, unchanged: 2, rejected: 0 });
    assert.equal(runs.openRejects().length, 0);
    // It was changed into something that is refused: what is there stays.
    refused.add('PUT 2');
    source.exec("update things set v = 'x' where id = 2");
    await runs.run();
    assert.equal(api.records.get('2')?.v, 'b');
  });

  test('a run that is interrupted goes on, sends nothing twice that was accepted, and counts everything once', async () => {
    let left = 0;
    const { runs, api, source } = await bench(
      'with recursive n (i) as (select 1 union all select i + 1 from n where i < 300) insert into things select i, i from n',
      {
        judge: () => (left-- > 0 ? undefined : 503),
      },
    );
    const totals: Record<string, number> = {};
    let run = { status: '', id: '' };
    for (let tries = 0; run.status !== 'succeeded'; tries++) {
      assert.ok(tries < 50, 'it does not get on');
      left = 110;
      const outcome = await runs.run(run.id === '' ? {} : { id: run.id });
      run = outcome;
      Object.assign(totals, counted(outcome));
    }
    assert.deepEqual(totals, { read: 300, inserted: 300, updated: 0, deleted: 0, unchanged: 0, rejected: 0 });
    assert.equal(api.records.size, 300);
    left = 10_000;
    source.exec('delete from things where id % 10 = 0');
    api.asked();
    assert.deepEqual(counted(await runs.run()), { read: 270, inserted: 0, updated: 0, deleted: 30, unchanged: 270, rejected: 0 });
    assert.equal(api.asked().length, 30);
  });

  test('everything is sent anew when that is wanted, and what is gone is still known', async () => {
    const { source, runs, api } = await bench("insert into things values (1, 'a'), (2, 'b'), (3, 'c'), (4, 'd'), (5, 'e'), (6, 'f')");
    await runs.run();
    source.exec('delete from things where id = 6');
    const [stream = assert.fail()] = runs.streams;
    stream.generation++;
    stream.note = null;
    api.asked();
    assert.deepEqual(counted(await runs.run({ mode: 'full' })), {
      read: 5,
      inserted: 0,
      updated: 5,
      deleted: 1,
      unchanged: 0,
      rejected: 0,
    });
    assert.equal(api.asked().length, 6);
  });

  test('with deletes "keep" what is gone stays', async () => {
    const { source, runs, api } = await bench("insert into things values (1, 'a'), (2, 'b')", { deletes: 'keep' });
    await runs.run();
    source.exec('delete from things where id = 2');
    assert.equal((await runs.run()).first.deleted, 0);
    assert.equal(api.records.size, 2);
  });

  test('the ledger stays about as large as what the target has', async () => {
    const { source, runs } = await bench(
      'with recursive n (i) as (select 1 union all select i + 1 from n where i < 100) insert into things select i, i from n',
    );
    for (let round = 0; round < 14; round++) {
      source.exec(`update things set v = 'round ${round}'; delete from things where id = ${round + 1}`);
      assert.equal((await runs.run()).status, 'succeeded');
    }
    const lines = runs.streams[0]?.ledger.flatMap(({ entries }) => entries.split('\n').slice(0, -1)) ?? [];
    assert.ok(lines.length < 700, `${lines.length} lines`);
    const after = await runs.run();
    assert.deepEqual(counted(after), { read: 86, inserted: 0, updated: 0, deleted: 0, unchanged: 86, rejected: 0 });
  });
});
