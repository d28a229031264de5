import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from '../../src/db/sql.ts';
import { settingsOf, syncline } from '../support/command-line.ts';
import { runStatement } from '../support/commands.ts';
import { onEitherEngine, type Place, preparedPlace } from '../support/databases.ts';
import { newDatabase, type TestDatabase } from '../support/postgres-database.ts';
import { addSource, ask, type Body } from '../support/real-syncs.ts';
import { type Service, startService } from '../support/service.ts';
import { until } from '../support/until.ts';

onEitherEngine('the proof of a synchronization', (engine) => {
  let source: TestDatabase;
  let target: TestDatabase;
  let place: Place;
  let service: Service;
  let id: string;
  before(async () => {
    [source, target] = await Promise.all([newDatabase(), newDatabase()]);
    place = await preparedPlace(engine);
    service = await startService(engine, { place });
    const [source_id, target_id] = [
      await addSource(service, 'postgres', source.config, 'from'),
      await addSource(service, 'postgres', target.config, 'to'),
    ];
    await source.run(
      `create table people (id int primary key, name text); insert into people select n, 'n' || n from generate_series(1, 50) n`,
    );
    ({ id } = await ask(service, 'POST', '/sync', {
      name: 'people',
      source_id,
      target_id,
      streams: [{ source: 'public.people', mode: 'mirror' }],
      verify: { every: '24h' },
    }));
  });
  after(async () => {
    await service.close();
    await place.remove();
    await Promise.all([source.close(), target.close()]);
  });

  const look = (): Promise<Body> => ask(service, 'GET', `/sync/${id}`);
  const over = (runId: string): Promise<Body> =>
    until(`the run ${runId} to be over`, async () => {
      const run = await ask(service, 'GET', `/runs/${runId}`);
      return run.finished_at !== null || run.status === 'needs_approval' ? run : undefined;
    });
  const done = async (mode: string): Promise<Body> => over((await ask(service, 'POST', `/sync/${id}/runs`, { mode })).id);
  const verifies = (): Promise<Body[]> =>
    ask(service, 'GET', `/sync/${id}/runs?limit=100`).then((runs) => runs.filter((run: Body) => run.mode === 'verify'));

  test('is asked for like a run, shown with the synchronization, and told of as an event, a metric and an alert', async () => {
    assert.deepEqual([(await look()).verify, (await look()).verified], [{ every: '24h' }, null]);
    await done('run');
    const equal = await done('verify');
    assert.equal(equal.status, 'succeeded');
    assert.partialDeepStrictEqual(equal.streams[0].proof, { result: 'equal', rows: 50, missing: 0, by: 'target', samples: [] });
    const { verified, health, last_run } = await look();
    assert.partialDeepStrictEqual(verified, { result: 'equal', rows: 50, digest: equal.streams[0].proof.digest, run_id: equal.id });
    assert.deepEqual([health, last_run.mode], ['synced', 'run'], 'a verify is not the last run');

    await target.run(`update people set name = 'x' where id = 7; delete from people where id = 8`);
    const differs = await done('verify');
    assert.partialDeepStrictEqual(differs.streams[0].proof, { result: 'differs', missing: 1, different: 1 });
    const worse = await look();
    assert.deepEqual([worse.health, worse.verified.result], ['degraded', 'differs']);
    assert.match(worse.health_reason, /1 missing, 0 extra, 1 different.*repair/);
    const metrics = await service.call('GET', '/api/v1/datasync/metrics', { headers: { accept: 'text/plain' } });
    assert.match(metrics.text, new RegExp(`syncline_verify_result\\{sync_id="${id}",sync="people",result="differs"\\} 1`));
    assert.match(metrics.text, new RegExp(`syncline_verify_differences\\{sync_id="${id}",sync="people",kind="missing"\\} 1`));
    const incident = await until('an incident', async () => {
      const { body } = await service.get('/api/v1/incidents');
      return body.data.find(({ rule }: Body) => rule === 'differs');
    });
    assert.match(incident.summary, /1 rows missing, 0 extra, 1 different/);
    const { body: events } = await service.get('/api/v1/events?limit=1000');
    const told = events.data.filter(({ type }: Body) => type === 'sync.verified');
    assert.deepEqual(
      told.map(({ data }: Body) => data.verified.result),
      ['equal', 'differs'],
    );
  });

  test('a repair writes what differs, can be looked at before, and is audited', async () => {
    const preview = await done('repair_preview');
    assert.partialDeepStrictEqual(preview.streams[0].changes, { inserted: 1, updated: 1, deleted: 0 });
    assert.equal((await target.rows('select count(*) from people'))[0]?.[0], '49');
    const repair = await done('repair');
    assert.deepEqual([repair.status, repair.totals.inserted, repair.totals.updated], ['succeeded', 1, 1]);
    assert.equal(repair.streams[0].proof.result, 'equal');
    const { health, verified } = await look();
    assert.deepEqual([health, verified.result, verified.run_id], ['synced', 'equal', repair.id]);
    const { body } = await service.get('/api/v1/audit?limit=1000');
    assert.ok(
      body.data.some((entry: Body) => entry.action === 'run.started' && entry.object_id === repair.id && entry.details.mode === 'repair'),
    );
  });

  test('what differed is not known any more once a run has written, and is compared again by itself; so is everything after an undo', async () => {
    await target.run(`update people set name = 'x' where id = 7`);
    const differs = await done('verify');
    const run = await done('run');
    assert.equal(run.totals.updated, 1);
    const mended = await look();
    assert.equal(mended.health, 'synced');
    assert.partialDeepStrictEqual(mended.verified, { result: 'differs', run_id: differs.id, since: { by: 'run', run_id: run.id } });
    assert.match(mended.health_reason, /they differed; the run run_\w+ has written since, so it is not known whether they still do\./);
    const [due] = await service.app.db.read.all<{ verify_at: string }>(sql`select verify_at from sync_state where sync_id = ${id}`);
    assert.equal(Date.parse(due?.verify_at ?? '') - Date.parse(mended.verified.at), 3_600_000, 'an hour after the last time');
    await done('run');
    assert.deepEqual((await look()).verified.since, mended.verified.since, 'a run that writes nothing says nothing new');
    const equal = await done('verify');
    assert.partialDeepStrictEqual((await look()).verified, { result: 'equal', run_id: equal.id, since: null });

    await ask(service, 'PUT', `/sync/${id}`, { undo: { keep: '1d' } });
    await source.run(`update people set name = 'new' where id = 9`);
    const undone = await done('run');
    assert.equal((await look()).verified.since, null, 'that both ends were equal, a run does not put in doubt');
    await ask(service, 'POST', `/runs/${undone.id}/undo`);
    assert.partialDeepStrictEqual((await look()).verified, { result: 'equal', since: { by: 'undo', run_id: undone.id } });
    await ask(service, 'POST', `/sync/${id}/resume`);
    await done('run');
    assert.equal((await look()).verified.since.by, 'run');
    assert.equal((await done('verify')).streams[0].proof.result, 'equal');
  });

  test('has a history: what was found each time, newest first', async () => {
    const all = await ask(service, 'GET', `/sync/${id}/runs?limit=100`);
    const proofs = await ask(service, 'GET', `/sync/${id}/runs?proofs=true&limit=100`);
    const kinds = new Set(['verify', 'repair', 'repair_preview']);
    assert.deepEqual(
      proofs.map((run: Body) => run.id),
      all.filter((run: Body) => kinds.has(run.mode)).map((run: Body) => run.id),
    );
    assert.ok(proofs.length < all.length);
    assert.deepEqual(
      proofs.toReversed().map((run: Body) => `${run.mode} ${run.streams[0].proof.result}`),
      ['verify equal', 'verify differs', 'repair_preview differs', 'repair equal', 'verify differs', 'verify equal', 'verify equal'],
    );
    for (const { streams } of proofs) assert.match(streams[0].proof.digest, /^[0-9a-f]{64}$/);
    const page = await service.get(`/api/v1/datasync/sync/${id}/runs?proofs=true&limit=2`);
    assert.deepEqual([page.body.data.length, page.body.total, page.body.next_cursor !== null], [2, proofs.length, true]);
    assert.equal((await service.get(`/api/v1/datasync/sync/${id}/runs?proofs=maybe`)).status, 400);
    const shown = await syncline(['verify', id, '--history'], { ...settingsOf(place), SYNCLINE_URL: service.url });
    assert.equal(shown.code, 0, shown.stderr);
    const [headings, newest, ...earlier] = shown.stdout.trimEnd().split('\n');
    assert.match(headings ?? '', /^AT +MODE +RESULT +ROWS +MISSING +EXTRA +DIFFERENT +DIGEST +RUN$/);
    assert.match(newest ?? '', /^\S+ +verify +equal +50 +0 +0 +0 +[0-9a-f]{16} +run_\w+$/);
    assert.equal(earlier.length, proofs.length - 1);
  });

  test('who may not write may not repair, and an interval that is none is refused', async () => {
    const reader = await service.keyWith('datasync:read');
    for (const mode of ['verify', 'repair'])
      assert.equal((await service.post(`/api/v1/datasync/sync/${id}/runs`, { mode }, { key: reader })).status, 403);
    for (const more of [[], ['--repair'], ['--repair-preview']]) {
      const refused = await syncline(['verify', id, ...more], { SYNCLINE_URL: service.url, SYNCLINE_KEY: reader });
      assert.equal(refused.code, 1);
      assert.match(refused.stderr, /datasync:write/);
    }
    for (const every of ['often', '10s', '0m']) {
      const reply = await service.call('PUT', `/api/v1/datasync/sync/${id}`, { body: { verify: { every } } });
      assert.deepEqual([reply.status, reply.body.error.details.field], [400, 'verify.every'], reply.text);
    }
  });

  test('comes by itself when its time has come, once', async () => {
    const before = (await verifies()).length;
    await service.app.db.write(runStatement, `update sync_state set verify_at = '2026-01-01T00:00:00.000Z' where sync_id = '${id}'`);
    const run = await until('a verify by itself', async () => {
      const found = await verifies();
      return found.length > before && found[0].finished_at !== null ? found[0] : undefined;
    });
    assert.deepEqual([run.trigger, run.streams[0].proof.result], ['schedule', 'equal']);
    assert.equal((await verifies()).length, before + 1);
    const off = await ask(service, 'PUT', `/sync/${id}`, { verify: null });
    assert.equal(off.verify, null);
  });
});
