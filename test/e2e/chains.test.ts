import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createPlace, onEitherEngine, type Place } from '../support/databases.ts';
import { addSource, ask, type Body, madeUp, rowsIn, runToEnd, sqliteFile } from '../support/real-syncs.ts';
import { type Service, startService } from '../support/service.ts';
import { until } from '../support/until.ts';

const PATH = '/api/v1/datasync/sync';

onEitherEngine('synchronizations that run one after the other', (engine) => {
  let place: Place;
  let service: Service;
  /** Another node where there can be one. */
  let other: Service;
  let files = 0;
  before(async () => {
    place = await createPlace(engine);
    service = await startService(engine, { place });
    other = engine === 'postgres' ? await startService(engine, { place, environment: { SYNCLINE_ADMIN_KEY: 'a'.repeat(30) } }) : service;
  });
  after(async () => {
    if (other !== service) await other.close();
    await service.close();
    await place.remove();
  });

  const add = async (name: string, schedule: unknown, source: unknown = madeUp()): Promise<Body> => {
    const path = sqliteFile(place, `${files++}.db`);
    const [source_id, target_id] = [await addSource(service, 'fake', source), await addSource(service, 'sqlite', { path })];
    return { ...(await ask(service, 'POST', '/sync', { name, source_id, target_id, streams: [{ source: 't' }], schedule })), path };
  };
  const follow = (sync_id: string) => ({ type: 'after', sync_id });
  const put = (id: string, schedule: unknown, from = service) => from.call('PUT', `${PATH}/${id}`, { body: { schedule } });
  const runsOf = async (id: string): Promise<Body[]> => ask(service, 'GET', `/sync/${id}/runs`);
  const circle = (reply: { status: number; body: Body }) => {
    assert.equal(reply.status, 400, JSON.stringify(reply.body));
    const { field, reason } = reply.body.error.details;
    assert.equal(field, 'schedule.sync_id');
    return reason as string;
  };

  test('a chain runs to its end when its first one has run', async () => {
    const a = await add('a', { type: 'manual' });
    const b = await add('b', follow(a.id));
    const c = await add('c', follow(b.id));
    const beside = await add('beside', follow(a.id));
    assert.deepEqual([b.schedule, b.next_run_at, b.health], [follow(a.id), null, 'pending']);
    await runToEnd(service, a.id, { mode: 'preview' });
    const { id: first } = await runToEnd(service, a.id);
    for (const { id, path } of [b, c, beside]) {
      const [run] = await until('the run that follows', async () => {
        const found = await runsOf(id);
        return found[0]?.status === 'succeeded' && found;
      });
      assert.equal(run.trigger, 'change');
      assert.equal(run.triggered_by.type, 'run');
      assert.equal(run.triggered_by.id, id === c.id ? (await runsOf(b.id))[0].id : first);
      assert.equal(rowsIn(path, 't'), 10);
    }
    assert.equal((await runsOf(a.id))[0].triggered_by, null);
    const ended = async (id: string): Promise<string> => (await runsOf(id))[0].finished_at;
    assert.ok((await ended(a.id)) <= (await ended(b.id)) && (await ended(b.id)) <= (await ended(c.id)));
    // Once each, and not for the preview.
    for (const { id } of [b, c, beside]) assert.equal((await runsOf(id)).length, 1);
  });

  test('what fails is followed by nothing', async () => {
    const a = await add('fails', { type: 'manual' }, madeUp({ fail: [{ at: 'read', kind: 'auth' }] }));
    const b = await add('follows a failure', follow(a.id));
    const run = await runToEnd(service, a.id);
    const state = (await ask(service, 'GET', `/sync/${b.id}`)).last_run;
    assert.deepEqual([run.status, state], ['failed', null]);
  });

  test('the one before must be there, and be another', async () => {
    const a = await add('alone', { type: 'manual' });
    assert.match(circle(await put(a.id, follow(a.id))), /another synchronization/);
    const missing = 'syn_01kf9zzz5tf3sv8q0d1h6c2w7m';
    assert.match(circle(await put(a.id, follow(missing))), /no synchronization that there is/);
    const { source_id, target_id } = a;
    const definition = { name: 'x', source_id, target_id, streams: [{ source: 't' }], schedule: follow(missing) };
    circle(await service.post(PATH, definition));
    const { name: _, ...unsaved } = definition;
    circle(await service.post(`${PATH}/check`, unsaved));
    assert.equal((await service.post(`${PATH}/check`, { ...unsaved, schedule: follow(a.id) })).status, 200);
    const times = await service.post(`${PATH}/schedule`, { schedule: follow(a.id) });
    assert.deepEqual(times.body.data, { schedule: follow(a.id), next_times: [] });
    assert.equal((await put(a.id, { type: 'after' })).body.error.details.field, 'schedule.sync_id');
  });

  test('circles are refused, also when their parts are saved at once on two nodes', async () => {
    const made = [];
    for (const name of ['one', 'two', 'three']) made.push(await add(name, { type: 'manual' }));
    const [a, b, c] = made.map(({ id }) => id) as [string, string, string];
    assert.equal((await put(b, follow(a))).status, 200);
    assert.equal((await put(c, follow(b))).status, 200);
    assert.match(circle(await put(a, follow(c))), /^would make a circle: "one" → "two" → "three" → "one"$/);
    // One that hangs on a chain may be moved along it.
    assert.equal((await put(c, follow(a))).status, 200);
    for (let round = 0; round < 5; round++) {
      for (const id of [a, b, c]) await put(id, { type: 'manual' });
      const key = other === service ? service.adminKey : 'a'.repeat(30);
      const replies = await Promise.all([
        put(a, follow(b)),
        other.call('PUT', `${PATH}/${b}`, { body: { schedule: follow(c) }, key }),
        put(c, follow(a)),
      ]);
      assert.equal(replies.filter(({ status }) => status === 200).length, 2, replies.map(({ text }) => text).join('\n'));
      circle(replies.find(({ status }) => status !== 200) as (typeof replies)[0]);
    }
  });

  test('one that others run after is not deleted, and they are named', async () => {
    const a = await add('before', { type: 'manual' });
    const b = await add('behind', follow(a.id));
    const refused = await service.call('DELETE', `${PATH}/${a.id}`);
    assert.deepEqual([refused.status, refused.body.error.code], [409, 'IN_USE']);
    assert.match(refused.body.error.message, new RegExp(`"behind" \\(${b.id}\\) runs after it`));
    await put(b.id, { type: 'manual' });
    assert.equal((await service.call('DELETE', `${PATH}/${a.id}`)).status, 200);
    // Deleted while another is made to follow it: one of the two is refused.
    for (let round = 0; round < 5; round++) {
      const doomed = await add('doomed', { type: 'manual' });
      const [gone, saved] = await Promise.all([service.call('DELETE', `${PATH}/${doomed.id}`), put(b.id, follow(doomed.id))]);
      assert.deepEqual([gone.status, saved.status], saved.status === 200 ? [409, 200] : [200, 400], gone.text + saved.text);
      await put(b.id, { type: 'manual' });
    }
  });
});
