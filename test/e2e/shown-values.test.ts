import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { after, before, test } from 'node:test';
import { edit } from '../dashboard/support/sample-world.ts';
import { onEitherEngine } from '../support/databases.ts';
import { newDatabase } from '../support/postgres-database.ts';
import { addSource, ask, reaches, rowsIn, runToEnd, sqliteFile } from '../support/real-syncs.ts';
import { type Service, startService } from '../support/service.ts';

onEitherEngine('what people are shown of rows', (engine) => {
  let service: Service;
  let file: string;
  let into: string;
  let ends: { source_id: string; target_id: string };
  before(async () => {
    service = await startService(engine);
    file = sqliteFile(service.place, 'from.db');
    into = sqliteFile(service.place, 'to.db');
    edit(
      file,
      'create table people (id integer primary key, age text, paid boolean, letter text)',
      `insert into people values (1, '36', true, 't'), (2, 'unknown', false, 'f'), (3, '9007199254740993', null, 'x')`,
      'create table visits (id integer primary key, age text, paid boolean)',
      `insert into visits values (1, 'unknown', true), (2, 'unknown', false), (3, '7', null)`,
    );
    ends = {
      source_id: await addSource(service, 'sqlite', { path: file }, 'from'),
      target_id: await addSource(service, 'sqlite', { path: into }, 'to'),
    };
  });
  after(() => service.close());

  test('booleans are booleans in what is tried, previewed and rejected; text that looks like one stays text', async () => {
    const fields = ['id', 'paid', 'letter'].map((from) => ({ from }));
    const streams = [{ source: 'people', fields: [...fields, { from: 'age', type: 'int64' }] }];
    const tried = await ask(service, 'POST', '/sync/check', { ...ends, streams, sample_of: 0 });
    const [first, second, third] = tried.sample.rows;
    assert.deepEqual(first.before, { id: '1', paid: true, letter: 't', age: '36' });
    assert.deepEqual(first.after, { id: '1', paid: true, letter: 't', age: '36' });
    assert.deepEqual(second.before, { id: '2', paid: false, letter: 'f', age: 'unknown' });
    assert.deepEqual(third.after, { id: '3', paid: null, letter: 'x', age: '9007199254740993' });

    const { id } = await ask(service, 'POST', '/sync', { name: 'people', ...ends, streams });
    const preview = await runToEnd(service, id, { mode: 'preview' });
    assert.deepEqual(preview.streams[0].changes.samples[0], {
      change: 'insert',
      key: { id: '1' },
      before: null,
      after: { id: '1', paid: true, letter: 't', age: '36' },
    });
    await runToEnd(service, id);
    const [reject] = await ask(service, 'GET', `/sync/${id}/rejects`);
    assert.deepEqual([reject.key, reject.row], [['2'], { id: '2', paid: false, letter: 'f', age: 'unknown' }]);
  });

  test('a row that is rejected is tried again with what it held', async () => {
    const visits = (age: object) => [
      { source: 'visits', mode: 'append', fields: [{ from: 'id' }, { from: 'paid' }, { to: 'age', ...age }] },
    ];
    const streams = visits({ from: 'age', type: 'int64' });
    const { id } = await ask(service, 'POST', '/sync', { name: 'visits', ...ends, streams });
    await runToEnd(service, id);
    const rows = (await ask(service, 'GET', `/sync/${id}/rejects`)).map(({ row }: { row: object }) => row);
    assert.deepEqual(rows, [
      { id: '1', paid: true, age: 'unknown' },
      { id: '2', paid: false, age: 'unknown' },
    ]);
    await ask(service, 'PUT', `/sync/${id}`, { streams: visits({ expression: '7' }) });
    const { id: run } = await ask(service, 'POST', `/sync/${id}/rejects/retry`);
    await reaches(service, run, 'succeeded');
    const db = new DatabaseSync(into, { readOnly: true });
    assert.deepEqual(
      db
        .prepare('select paid from visits order by id')
        .all()
        .map(({ paid }) => paid),
      [1, 0, null],
    );
    db.close();
  });

  test('booleans in the key of a row that is put aside are booleans too, and it is found again by them', async () => {
    edit(
      file,
      'create table votes (yes boolean not null, letter text not null, n integer not null, age text, primary key (yes, letter))',
      `insert into votes values (true, 't', 1, 'unknown'), (false, 'f', 2, 'unknown'), (true, 'x', 3, '7')`,
    );
    const fields = [{ from: 'yes' }, { from: 'letter' }, { from: 'n' }, { from: 'age', type: 'int64' }];
    const streams = [{ source: 'votes', mode: 'incremental', cursor: 'n', fields }];
    const { id } = await ask(service, 'POST', '/sync', { name: 'votes', ...ends, streams });
    await runToEnd(service, id);
    const keys = async () => (await ask(service, 'GET', `/sync/${id}/rejects`)).map(({ key }: { key: unknown[] }) => key);
    assert.deepEqual(new Set((await keys()).map(String)), new Set(['true,t', 'false,f']));
    assert.deepEqual(new Set((await keys()).flat().map((value: unknown) => typeof value)), new Set(['boolean', 'string']));
    edit(file, `update votes set age = '8'`);
    const { id: run } = await ask(service, 'POST', `/sync/${id}/rejects/retry`);
    await reaches(service, run, 'succeeded');
    assert.deepEqual([rowsIn(into, 'votes'), await keys()], [3, []]);
  });

  test('what a boolean field is compared with is true or false, and means the same when it is sent again', async () => {
    const filter = [
      { field: 'paid', op: 'in', value: [true, 'F'] },
      { field: 'letter', op: '=', value: 't' },
    ];
    const streams = [{ source: 'people', target: 'paid', filter }];
    const sync = await ask(service, 'POST', '/sync', { name: 'paid', ...ends, streams });
    const shown = [
      { field: 'paid', op: 'in', value: ['true', 'false'] },
      { field: 'letter', op: '=', value: 't' },
    ];
    assert.deepEqual(sync.streams[0].filter, shown);
    const again = await ask(service, 'PUT', `/sync/${sync.id}`, { streams: sync.streams });
    assert.deepEqual(again.streams[0].filter, shown);
    const { body } = await service.get(`/api/v1/events?types=sync.updated,sync.created&limit=1000`);
    assert.doesNotMatch(JSON.stringify(body), /"type":"boolean"/);
    await runToEnd(service, sync.id);
    assert.equal(rowsIn(into, 'paid'), 1);
  });

  test('what a check found is told in sentences that end once', async () => {
    const postgres = await newDatabase();
    await postgres.run(
      `create table one (id int); create table two (id int); alter database "${postgres.config.database}" set default_transaction_read_only = on`,
    );
    const source = await addSource(service, 'postgres', postgres.config, 'read only');
    await ask(service, 'POST', `/sources/${source}/check`);
    const { status_message } = await ask(service, 'GET', `/sources/${source}`);
    assert.match(status_message, /, 2 tables and views\. Only reading is possible: default_transaction_read_only is on\.$/);
    await postgres.close();
  });
});
