import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { after, before, test } from 'node:test';
import { onBothEngines } from '../support/databases.ts';
import { addSource, sqliteFile } from '../support/real-syncs.ts';
import { type Service, startService } from '../support/service.ts';

const PATH = '/api/v1/datasync/sync';

onBothEngines('synchronizations that write one table', (engine) => {
  let service: Service;
  let [from, to, elsewhere]: string[] = [];
  before(async () => {
    service = await startService(engine);
    const file = sqliteFile(service.place, 'from.db');
    const db = new DatabaseSync(file);
    db.exec('create table people (id integer primary key, name text); create table towns (id integer primary key)');
    db.close();
    from = await addSource(service, 'sqlite', { path: file });
    to = await addSource(service, 'sqlite', { path: sqliteFile(service.place, 'to.db') });
    elsewhere = await addSource(service, 'sqlite', { path: sqliteFile(service.place, 'elsewhere.db') });
  });
  after(() => service.close());

  const draft = (name: string, target: string, more: object = {}) => ({
    name,
    source_id: from,
    target_id: to,
    streams: [{ source: 'people', target }],
    schedule: { type: 'manual' },
    ...more,
  });
  const both = (one: string, other: string, table: string): string =>
    `"${one}" and "${other}" both write "${table}": what one writes the other may overwrite or delete. Give each tables of its own, unless this is meant.`;

  test('are told of when one is tried, made, changed and restored, and are saved all the same', async () => {
    const first = (await service.post(PATH, draft('first', 'folk'))).body.data;
    assert.deepEqual(first.warnings, []);
    // SQLite takes both spellings for one name.
    const second = (await service.post(PATH, draft('second', 'FOLK'))).body.data;
    assert.deepEqual(second.warnings, [both('first', 'second', 'folk')]);
    const tried = await service.post(`${PATH}/check`, draft('third', 'folk'));
    assert.deepEqual(tried.body.data.warnings, [both('first', 'third', 'folk'), both('second', 'third', 'FOLK')]);
    // What it writes itself is no reason.
    const itself = await service.post(`${PATH}/check`, { ...draft('first', 'folk'), sync_id: first.id });
    assert.deepEqual(itself.body.data.warnings, [both('second', 'first', 'FOLK')]);
    assert.equal((await service.get(`${PATH}/${second.id}`)).body.data.warnings, undefined);
    const moved = await service.call('PUT', `${PATH}/${second.id}`, { body: { streams: [{ source: 'people', target: 'people' }] } });
    assert.deepEqual(moved.body.data.warnings, []);
    const restored = await service.post(`${PATH}/${second.id}/versions/1/restore`);
    assert.deepEqual(restored.body.data.warnings, [both('first', 'second', 'folk')]);
    const other = await service.post(PATH, draft('at another target', 'folk', { target_id: elsewhere }));
    assert.deepEqual(other.body.data.warnings, []);
    for (const { id } of [first, second, other.body.data]) await service.call('DELETE', `${PATH}/${id}`);
  });

  test('many of them are counted, not listed', async () => {
    const streams = ['a', 'b', 'c', 'd', 'e'].map((target) => ({ source: 'people', target }));
    const ids: string[] = [];
    for (let n = 1; n <= 12; n++) {
      const { data } = (await service.post(PATH, draft(`w${n}`, '', { streams }))).body;
      ids.push(data.id);
      if (n === 2) assert.match(data.warnings[0], /both write "a", "b", "c" and 2 more:/);
      if (n === 12) assert.deepEqual([data.warnings.length, data.warnings.at(-1)], [11, '1 more synchronizations write tables of "w12".']);
    }
    for (const id of ids) await service.call('DELETE', `${PATH}/${id}`);
  });

  test('a plan tells of them, each pair once, also of one that is there and not part of the document', async () => {
    const there = (await service.post(PATH, draft('there', 'folk'))).body.data;
    const { data: sources } = (await service.get('/api/v1/datasync/sources')).body;
    const nameOf = (id: string | undefined): string => sources.find((source: { id: string }) => source.id === id).name;
    const entry = {
      source: nameOf(from),
      target: nameOf(to),
      streams: [{ source: 'people', target: 'folk' }],
      schedule: { type: 'manual' },
    };
    const plan = async (document: object): Promise<string[]> => {
      const reply = await service.post('/api/v1/datasync/config/plan', { document });
      assert.equal(reply.status, 200, reply.text);
      return reply.body.data.warnings;
    };
    assert.deepEqual(await plan({ version: 1, syncs: { one: entry, two: entry } }), [
      both('there', 'one', 'folk'),
      both('there', 'two', 'folk'),
      both('one', 'two', 'folk'),
    ]);
    assert.deepEqual(await plan({ version: 1, syncs: { one: { ...entry, streams: [{ source: 'people', target: 'alone' }] } } }), []);
    await service.call('DELETE', `${PATH}/${there.id}`);
  });
});
