import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import { startChaosProxy } from '../support/chaos-proxy.ts';
import { onEitherEngine } from '../support/databases.ts';
import { newDatabase } from '../support/postgres-database.ts';
import { addSource, ask, runToEnd } from '../support/real-syncs.ts';
import { startService } from '../support/service.ts';
import { until } from '../support/until.ts';

onEitherEngine('an undo at a target that is slow', (engine) => {
  test('a preview that takes too long says what to do, and an undo goes on after its answer', async () => {
    const service = await startService(engine, { undoAnswer: 300 });
    const data = await newDatabase();
    const other = new pg.Client({ connectionString: data.url });
    await other.connect();
    try {
      await data.run(`create table a (id int primary key, v text); insert into a values (1, 'new'), (2, 'new');
        create table b (id int primary key, v text); insert into b values (1, 'old')`);
      const end = await addSource(service, 'postgres', data.config);
      const { id } = await ask(service, 'POST', '/sync', {
        name: 'slow',
        source_id: end,
        target_id: end,
        streams: [{ source: 'public.a', target: 'public.b' }],
        undo: { keep: '1h' },
      });
      const run = await runToEnd(service, id);
      const undo = (preview: boolean) => service.call('POST', `/api/v1/datasync/runs/${run.id}/undo`, { body: { preview } });
      // Another has the table for itself, for as long as it likes.
      await other.query('begin; lock table b in access exclusive mode');
      const shown = await undo(true);
      assert.equal(shown.status, 503, shown.text);
      assert.match(shown.body.error.message, /could not be shown within 0\.3 seconds\. .* or undo it: that goes on after the answer/);
      const answered = await undo(false);
      assert.equal(answered.status, 200, answered.text);
      assert.equal(answered.body.data.run.undone, undefined);
      assert.match(answered.body.data.message, /It takes longer, and goes on\./);
      await other.query('rollback');
      const undone = await until('the undo', async () => (await ask(service, 'GET', `/runs/${run.id}`)).undone);
      assert.deepEqual([undone.restored, undone.removed, undone.left], [1, 1, 0]);
      assert.deepEqual(await data.rows('select id, v from b'), [['1', 'old']]);
      assert.equal((await ask(service, 'GET', `/sync/${id}`)).status, 'paused');
    } finally {
      await other.end();
      await service.close();
      await data.close();
    }
  });

  test('one whose target is away says so, and can be asked for again', async () => {
    const service = await startService(engine);
    const data = await newDatabase();
    const proxy = await startChaosProxy(data.config);
    try {
      await data.run(`create table a (id int primary key, v text); insert into a values (1, 'new');
        create table b (id int primary key, v text); insert into b values (1, 'old')`);
      const source_id = await addSource(service, 'postgres', data.config);
      const target_id = await addSource(service, 'postgres', { ...data.config, host: '127.0.0.1', port: proxy.port });
      const streams = [{ source: 'public.a', target: 'public.b' }];
      const { id } = await ask(service, 'POST', '/sync', { name: 'away', source_id, target_id, streams, undo: { keep: '1h' } });
      const run = await runToEnd(service, id);
      const undo = (preview: boolean) => service.call('POST', `/api/v1/datasync/runs/${run.id}/undo`, { body: { preview } });
      await proxy.shut();
      for (const preview of [true, false]) {
        const answered = await undo(preview);
        assert.equal(answered.status, 503, answered.text);
        assert.match(answered.body.error.message, /^The run run_\w+ cannot be undone now: /);
        assert.deepEqual(
          [answered.body.error.details.reason, answered.headers.get('retry-after')],
          ['try again when the target answers', '30'],
        );
      }
      assert.equal((await ask(service, 'GET', `/sync/${id}`)).status, 'active', 'it was not paused for nothing');
      await proxy.heal();
      const undone = await undo(false);
      assert.equal(undone.status, 200, undone.text);
      assert.deepEqual(await data.rows('select id, v from b'), [['1', 'old']]);
    } finally {
      await service.close();
      await proxy.close();
      await data.close();
    }
  });

  test('one that cannot be done after all is told in the logs of the run, as nobody waits for the answer', async () => {
    const service = await startService(engine, { undoAnswer: 300 });
    const data = await newDatabase();
    const other = new pg.Client({ connectionString: data.url });
    await other.connect();
    try {
      await data.run(`create table a (id int primary key, v text); insert into a values (1, 'new');
        create table b (id int primary key, v text); insert into b values (1, 'old')`);
      const end = await addSource(service, 'postgres', data.config);
      const { id } = await ask(service, 'POST', '/sync', {
        name: 'slow',
        source_id: end,
        target_id: end,
        streams: [{ source: 'public.a', target: 'public.b' }],
        undo: { keep: '1h' },
      });
      const run = await runToEnd(service, id);
      await other.query('begin; lock table b in access exclusive mode');
      assert.equal((await service.call('POST', `/api/v1/datasync/runs/${run.id}/undo`, { body: {} })).status, 200);
      await other.query('drop table b; commit');
      const told = await until('the logs to tell', async () =>
        (await ask(service, 'GET', `/logs?run_id=${run.id}&level=error`)).find(({ message }: { message: string }) =>
          message.startsWith('The run was not undone, and nothing was changed.'),
        ),
      );
      assert.ok(told);
      assert.equal((await ask(service, 'GET', `/sync/${id}`)).status, 'active', 'it was not paused for nothing');
    } finally {
      await other.end();
      await service.close();
      await data.close();
    }
  });
});
