import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { after, before, test } from 'node:test';
import { settingsOf, syncline } from '../../test/support/command-line.ts';
import { onEitherEngine } from '../../test/support/databases.ts';
import { addSource, ask, runToEnd, sqliteFile } from '../../test/support/real-syncs.ts';
import { type Service, startService } from '../../test/support/service.ts';

onEitherEngine('syncline undo', (engine) => {
  let service: Service;
  before(async () => {
    service = await startService(engine);
  });
  after(() => service.close());
  const cli = (...args: string[]) => syncline(['undo', ...args], { ...settingsOf(service.place), SYNCLINE_URL: service.url });

  test('shows what it would do, does it, and tells what was left', async () => {
    const path = sqliteFile(service.place, 'undo.db');
    const file = new DatabaseSync(path);
    file.exec(`create table a (id integer primary key, v text); insert into a values (1, 'new'), (2, 'new'), (3, 'new');
      create table b (id integer primary key, v text); insert into b values (1, 'old'), (2, 'old')`);
    const [source_id, target_id] = [await addSource(service, 'sqlite', { path }), await addSource(service, 'sqlite', { path })];
    const { id } = await ask(service, 'POST', '/sync', {
      name: 'undone',
      source_id,
      target_id,
      streams: [{ source: 'a', target: 'b' }],
      undo: { keep: '1h' },
    });
    const run = await runToEnd(service, id);
    file.exec(`update b set v = 'by hand' where id = 2`);
    const shown = await cli(run.id, '--preview');
    assert.equal(shown.code, 0, shown.stderr);
    assert.match(
      shown.stderr,
      /b: 1 row to restore, 1 row to remove, 1 row to leave\.\nLeft: b \{"id":"2"\} was changed since\.\n.*would be paused/,
    );
    const done = await cli(run.id);
    assert.equal(done.code, 0, done.stderr);
    assert.match(
      done.stderr,
      /Left: b \{"id":"2"\} was changed since\.\n1 row restored and 1 row removed\. 1 row was left, as .*Its synchronization is paused/,
    );
    assert.deepEqual(
      file
        .prepare('select id, v from b order by id')
        .all()
        .map((row) => Object.values(row)),
      [
        [1, 'old'],
        [2, 'by hand'],
      ],
    );
    file.close();
    const json = JSON.parse((await cli(run.id, '--json')).stdout) as { run: { undone: { restored: number } } };
    assert.equal(json.run.undone.restored, 1);
    const missing = await cli('run_01kfa0v2m3f8rb4v3k7m2t9xqe');
    assert.equal(missing.code, 1);
    assert.match(missing.stderr, /no run/i);
  });
});
