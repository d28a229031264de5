import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, test } from 'node:test';
import { newDatabase, type TestDatabase } from '../support/postgres-database.ts';
import { addSource, ask, runToEnd, sqliteFile } from '../support/real-syncs.ts';
import { type Reply, type Service, startService } from '../support/service.ts';

describe('structure of a synchronization', { timeout: 120_000 }, () => {
  let service: Service;
  let from: TestDatabase;
  let to: TestDatabase;
  before(async () => {
    [service, from, to] = await Promise.all([startService('sqlite'), newDatabase(), newDatabase()]);
    await from.run(`create table t (id serial primary key, v text not null default 'x', w int generated always as (1) stored);
      create index t_v on t (v); insert into t (v) values ('a')`);
  });
  after(() => Promise.all([service.close(), from.close(), to.close()]));

  test('is taken between systems that can, told, kept, and refused elsewhere in words', async () => {
    const [source, target] = [
      await addSource(service, 'postgres', from.config, 'from'),
      await addSource(service, 'postgres', to.config, 'to'),
    ];
    const csv = await addSource(service, 'files', { path: join(service.place.dataDir, 'files', 'rows.csv') }, 'file');
    const body = { name: 'moved', source_id: source, target_id: target, streams: [{ source: 'public.t' }] };
    const faultOf = ({ body: { error } }: Reply): string => `${error?.details?.field}: ${error?.details?.reason}`;
    const refused = /^structure: cannot be full from "from" \(postgres\) to "file" \(files\): .*Leave it out, or choose data$/;
    for (const path of ['/sync', '/sync/check'])
      assert.match(
        faultOf(await service.call('POST', `/api/v1/datasync${path}`, { body: { ...body, target_id: csv, structure: 'full' } })),
        refused,
      );

    const made = await ask(service, 'POST', '/sync', body);
    assert.equal(made.structure, 'data');
    assert.equal((await ask(service, 'PUT', `/sync/${made.id}`, { structure: 'full' })).structure, 'full');
    assert.equal((await ask(service, 'PUT', `/sync/${made.id}`, { name: 'else' })).structure, 'full');
    assert.match(faultOf(await service.call('PUT', `/api/v1/datasync/sync/${made.id}`, { body: { target_id: csv } })), refused);

    const run = await runToEnd(service, made.id);
    assert.deepEqual(
      [run.status, run.streams[0].warnings],
      ['succeeded', ['The column "w" is computed at the source; here it is a plain one, with what was read.']],
    );
    const indexes = `select indexname from pg_indexes where tablename = 't' order by 1`;
    assert.deepEqual(await to.rows(indexes), [['t_pkey'], ['t_v']]);
    assert.deepEqual(await to.rows(`insert into t default values returning id, v`), [['2', 'x']]);

    // To another system comes what both know, and the log of the run has the rest by name.
    const path = sqliteFile(service.place, 'x.db');
    const other = await addSource(service, 'sqlite', { path }, 'other');
    const copied = await ask(service, 'POST', '/sync', { ...body, name: 'copied', target_id: other, structure: 'full' });
    const { status, streams } = await runToEnd(service, copied.id);
    const left =
      'The expression that computes the column "w" is left out: it is in the words of the source (postgres), which this target does not know.';
    assert.deepEqual([status, streams[0].warnings], ['succeeded', [left]]);
    const file = new DatabaseSync(path);
    assert.match(String(file.prepare(`select sql from sqlite_schema where name = 't'`).get()?.['sql']), /"v" TEXT not null default 'x'/);
    assert.deepEqual({ ...file.prepare(`insert into t default values returning id, v`).get() }, { id: 2, v: 'x' });
    file.close();
  });
});
