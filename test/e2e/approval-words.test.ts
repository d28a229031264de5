import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { after, before, test } from 'node:test';
import { type Ended, settingsOf, syncline } from '../support/command-line.ts';
import { onEitherEngine } from '../support/databases.ts';
import { addSource, ask, reaches, rowsIn, runToEnd, sqliteFile } from '../support/real-syncs.ts';
import { type Service, startService } from '../support/service.ts';
import { until } from '../support/until.ts';

// A run of several streams of which the guard has stopped one: wherever it is told of, what was written is told, and what was not.

onEitherEngine('a run that waits for approval', (engine) => {
  let service: Service;
  let from: DatabaseSync;
  let into: string;
  let id: string;
  before(async () => {
    service = await startService(engine);
    const file = sqliteFile(service.place, 'from.db');
    into = sqliteFile(service.place, 'into.db');
    from = new DatabaseSync(file);
    from.exec(`create table people (id integer primary key, name text); create table orders (id integer primary key);
      with recursive n(i) as (select 1 union all select i + 1 from n where i < 300) insert into people select i, 'p' || i from n`);
    const ends = {
      source_id: await addSource(service, 'sqlite', { path: file }),
      target_id: await addSource(service, 'sqlite', { path: into }),
    };
    const streams = [{ source: 'orders' }, { source: 'people' }];
    id = (await ask(service, 'POST', '/sync', { name: 'both', ...ends, streams })).id;
    assert.equal((await runToEnd(service, id)).status, 'succeeded');
    from.exec('delete from people where id <= 100; insert into orders values (1), (2)');
  });
  after(async () => {
    from.close();
    await service.close();
  });

  const WHY = 'The run would delete 100 of the 300 rows of "people" (33.3 %); 20 % are allowed. "people" was left as it is.';
  const WRITTEN = 'Written: "orders". Not written: "people".';

  test('says on the command line what it has written', async () => {
    const ended: Ended = await syncline(['run', 'both'], { ...settingsOf(service.place), SYNCLINE_URL: service.url });
    assert.equal(ended.code, 4, ended.stderr);
    assert.ok(ended.stderr.includes(`people: ${WHY}`), ended.stderr);
    assert.match(
      ended.stderr,
      new RegExp(
        `^${WRITTEN.replaceAll('.', '\\.')} \`syncline runs approve run_\\w+\` lets it go on, \`syncline runs cancel run_\\w+\` ends it\\.$`,
        'm',
      ),
    );
    assert.equal(ended.stderr.split(WHY).length, 2, 'and says it once');
    assert.deepEqual([rowsIn(into, 'orders'), rowsIn(into, 'people')], [2, 300]);
  });

  test('says so in the API, the health, the log and the event', async () => {
    const { health_reason, current_run: run } = await ask(service, 'GET', `/sync/${id}`);
    assert.equal(run.error.message, `${WHY} ${WRITTEN}`);
    assert.equal(run.streams[1].error.message, WHY, 'of the stream itself only what is true of it');
    assert.ok(health_reason.startsWith(`${WHY} ${WRITTEN} Approve the run ${run.id}`), health_reason);
    await until('the line of the log', async () => {
      const entries: { message: string }[] = await ask(service, 'GET', `/logs?run_id=${run.id}`);
      return entries.some(({ message }) => message.startsWith(`The run waits for approval. ${WHY} ${WRITTEN}`));
    });
    const feed = (await service.get('/api/v1/events?limit=1000')).body.data;
    const told = feed.find(({ type, data }: { type: string; data: { id: string } }) => type === 'run.needs_approval' && data.id === run.id);
    assert.equal(told.data.error.message, `${WHY} ${WRITTEN}`);
    await ask(service, 'POST', `/runs/${run.id}/approve`);
    await reaches(service, run.id, 'succeeded');
    assert.equal(rowsIn(into, 'people'), 200);
  });
});
