import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { actorCalled } from '../../src/http/caller.ts';
import { cancelRun } from '../../src/datasync/runs/ask.ts';
import type { RunRow } from '../../src/datasync/runs/rows/run-row.ts';
import { runStatement } from '../support/commands.ts';
import { onBothEngines } from '../support/databases.ts';
import { type Service, startService } from '../support/service.ts';
import { until } from '../support/until.ts';
import { framesOf } from '../support/server-events.ts';
import { addSync, enqueueForEver, FAR, streamOf } from '../support/sync-fixture.ts';

const BASE = '/api/v1/datasync';

onBothEngines('runs', (engine) => {
  let service: Service;
  before(async () => {
    service = await startService(engine);
  });
  after(() => service.close());

  const db = () => service.app.db;
  const set = (id: string, assignments: string) => db().write(runStatement, `update runs set ${assignments} where id = '${id}'`);
  const addRun = async (syncId?: string): Promise<RunRow> =>
    db().write(enqueueForEver, syncId ?? (await addSync(db(), { streams: [streamOf('a'), streamOf('b')] })));
  const addEnded = async (syncId?: string): Promise<RunRow> => {
    const { id } = await addRun(syncId);
    return db().write(cancelRun, { now: Date.now(), actor: actorCalled('k'), id });
  };

  test('no key 401, wrong scope 403, unknown 404, bad input 400 that names the field', async () => {
    const { id, sync_id } = await addEnded();
    const [reader, stranger] = [await service.keyWith('datasync:read'), await service.keyWith('orders:read')];
    const reads = [
      `/sync/${sync_id}/runs`,
      '/runs',
      `/runs/${id}`,
      `/runs/${id}/rejects`,
      `/runs/${id}/events`,
      `/sync/${sync_id}/rejects`,
    ];
    const writes = [
      `/sync/${sync_id}/runs`,
      `/runs/${id}/cancel`,
      `/runs/${id}/approve`,
      `/runs/${id}/rejects/retry`,
      `/runs/${id}/undo`,
      `/sync/${sync_id}/rejects/retry`,
    ];
    for (const path of reads) {
      assert.equal((await service.get(BASE + path, { key: null })).status, 401, path);
      assert.equal((await service.get(BASE + path, { key: stranger })).status, 403, path);
      assert.equal((await service.get(BASE + path, { key: reader })).status, 200, path);
      assert.equal((await service.get(`${BASE}${path}?nonsense=1`)).body.error.details.field, 'nonsense', path);
      assert.equal((await service.get(`${BASE}${path}?key=${service.adminKey}`, { key: null })).status, 401, path);
    }
    for (const path of writes) {
      assert.equal((await service.post(BASE + path, undefined, { key: null })).status, 401, path);
      assert.equal((await service.post(BASE + path, undefined, { key: reader })).status, 403, path);
    }
    for (const unknown of ['x', 'run_01kfa0v2m3f8rb4v3k7m2t9xqe', 'syn_01kfa0v2m3f8rb4v3k7m2t9xqe']) {
      for (const path of ['', '/rejects', '/events']) assert.equal((await service.get(`${BASE}/runs/${unknown}${path}`)).status, 404, path);
      for (const path of ['/cancel', '/approve', '/rejects/retry', '/undo']) {
        assert.equal((await service.post(`${BASE}/runs/${unknown}${path}`)).status, 404, path);
      }
      assert.equal((await service.get(`${BASE}/sync/${unknown}/runs`)).status, 404);
      assert.equal((await service.post(`${BASE}/sync/${unknown}/runs`)).status, 404);
      assert.equal((await service.get(`${BASE}/sync/${unknown}/rejects`)).status, 404);
      assert.equal((await service.post(`${BASE}/sync/${unknown}/rejects/retry`)).status, 404);
    }
    const fieldOf = async (path: string, body?: unknown): Promise<string> => {
      const reply = await (body === undefined ? service.get(BASE + path) : service.post(BASE + path, body));
      assert.equal(reply.status, 400, reply.text);
      return reply.body.error.details.field;
    };
    const runs = `/sync/${sync_id}/runs`;
    assert.equal(await fieldOf(runs, { mode: 'sideways' }), 'mode');
    assert.equal(await fieldOf(runs, { mode: 'rejects' }), 'mode');
    assert.equal(await fieldOf(runs, { streams: [] }), 'streams');
    assert.equal(await fieldOf(runs, { streams: ['a', 'nope'] }), 'streams[1]');
    assert.equal(await fieldOf(runs, { nope: 1 }), 'nope');
    assert.equal(await fieldOf(`/runs/${id}/cancel`, {}), 'body');
    assert.equal(await fieldOf('/runs?status=nope'), 'status');
    assert.equal(await fieldOf('/runs?sync_id=nope'), 'sync_id');
    assert.equal(await fieldOf('/runs?cursor=nope'), 'cursor');
    for (const path of [`/runs/${id}/rejects`, `/sync/${sync_id}/rejects`]) {
      assert.equal(await fieldOf(`${path}?status=nope`), 'status');
      assert.equal(await fieldOf(`${path}?cursor=nope`), 'cursor');
    }
  });

  test('a run is started with or without a body, and shown whole', async () => {
    const syncId = await addSync(db(), { streams: [streamOf('a'), streamOf('b', 'target of b')] });
    const started = await service.post(`${BASE}/sync/${syncId}/runs`, { mode: 'preview', streams: ['b'] });
    assert.equal(started.status, 200, started.text);
    const { data } = started.body;
    assert.match(data.id, /^run_[0-9a-z]{26}$/);
    assert.equal(started.headers.get('location'), `${BASE}/runs/${data.id}`);
    assert.partialDeepStrictEqual(data, {
      sync_id: syncId,
      status: 'queued',
      trigger: 'manual',
      mode: 'preview',
      attempt: 1,
      cancel_requested: false,
      next_attempt_at: null,
      started_at: null,
      finished_at: null,
      duration_ms: null,
      totals: { read: 0, inserted: 0, updated: 0, deleted: 0, unchanged: 0, rejected: 0, bytes: 0 },
      error: null,
    });
    assert.equal(data.streams.length, 1);
    assert.partialDeepStrictEqual(data.streams[0], { name: 'b', target: 'target of b', status: 'pending', read: 0, checkpoint: null });
    const other = await service.post(`${BASE}/sync/${await addSync(db())}/runs`);
    assert.partialDeepStrictEqual(other.body.data, { mode: 'run', status: 'queued' });
  });

  test('while one is under way another is a conflict that names it', async () => {
    const { id, sync_id } = await addRun();
    const refused = await service.post(`${BASE}/sync/${sync_id}/runs`);
    assert.equal(refused.status, 409);
    assert.equal(refused.body.error.code, 'CONFLICT');
    assert.match(refused.body.error.message, new RegExp(id));
    assert.equal(refused.body.error.details.run_id, id);
  });

  test('runs are listed newest first, by synchronization and by status, with exact totals and cursors', async () => {
    const syncId = await addSync(db());
    const ids: string[] = [];
    for (let n = 0; n < 5; n++) ids.unshift((await addEnded(syncId)).id);
    ids.unshift((await addRun(syncId)).id);
    const path = `${BASE}/sync/${syncId}/runs`;
    const idsOf = (reply: { body: { data: { id: string }[] } }): string[] => reply.body.data.map(({ id }) => id);
    const all = await service.get(path);
    assert.deepEqual(idsOf(all), ids);
    assert.deepEqual([all.body.total, all.body.next_cursor], [6, null]);
    const first = await service.get(`${path}?limit=4`);
    const second = await service.get(`${path}?limit=4&cursor=${first.body.next_cursor}`);
    assert.deepEqual([...idsOf(first), ...idsOf(second)], ids);
    assert.deepEqual([first.body.total, second.body.total, second.body.next_cursor], [6, 6, null]);
    assert.deepEqual(idsOf(await service.get(`${path}?status=cancelled&limit=2&offset=1`)), ids.slice(2, 4));
    assert.equal((await service.get(`${path}?status=failed`)).body.total, 0);

    assert.deepEqual(idsOf(await service.get(`${BASE}/runs?sync_id=${syncId}`)), ids);
    assert.deepEqual(idsOf(await service.get(`${BASE}/runs?sync_id=${syncId}&status=queued`)), ids.slice(0, 1));
    const newest = await service.get(`${BASE}/runs?limit=6`);
    assert.deepEqual(idsOf(newest), ids);
    const everything = await service.get(`${BASE}/runs?limit=1000`);
    assert.equal(everything.body.total, everything.body.data.length);
    const cancelled = await service.get(`${BASE}/runs?status=cancelled&limit=1000`);
    assert.equal(cancelled.body.total, cancelled.body.data.length);
    assert.equal((await service.get(`${BASE}/runs?offset=5000`)).body.data.length, 0);
  });

  test('cancelled at once while it waits, told to stop while it runs, 409 that says what is possible otherwise', async () => {
    const { id } = await addRun();
    const cancel = () => service.post(`${BASE}/runs/${id}/cancel`);
    const approve = () => service.post(`${BASE}/runs/${id}/approve`);
    const early = await approve();
    assert.deepEqual([early.status, early.body.error.code], [409, 'INVALID_TRANSITION']);
    assert.match(early.body.error.message, /Possible is: cancel/);
    await set(id, `status = 'running', token = 1, node = 'elsewhere', lease_until = '${FAR}', started_at = created_at`);
    const asked = await cancel();
    assert.deepEqual([asked.status, asked.body.data.status, asked.body.data.cancel_requested], [200, 'running', true]);
    assert.equal((await cancel()).status, 200);
    await set(id, `status = 'needs_approval', cancelled = 0, node = null, lease_until = null`);
    const done = await cancel();
    assert.deepEqual([done.status, done.body.data.status], [200, 'cancelled']);
    for (const again of [await cancel(), await approve()]) {
      assert.deepEqual([again.status, again.body.error.code], [409, 'INVALID_TRANSITION']);
      assert.match(again.body.error.message, /is over/);
    }
    const [told] = await until('the log tells it', async () => {
      const { data } = (await service.get(`${BASE}/logs?run_id=${id}`)).body;
      return data.length > 0 && data;
    });
    assert.partialDeepStrictEqual(told, { level: 'info', run_id: id, data: { status: 'cancelled' } });
    assert.match(told.message, /^The run is cancelled: /);
    const audit = (await service.get('/api/v1/audit?limit=1000')).body.data as { action: string; object_id: string }[];
    assert.deepEqual(
      audit.filter((entry) => entry.object_id === id).map(({ action }) => action),
      ['run.cancelled', 'run.cancelled'],
    );
  });

  test('approved, it waits to begin again', async () => {
    const { id } = await addRun();
    await set(id, `status = 'needs_approval'`);
    const approved = await service.post(`${BASE}/runs/${id}/approve`);
    assert.equal(approved.status, 200, approved.text);
    assert.partialDeepStrictEqual(approved.body.data, { id, status: 'queued', finished_at: null });
    const events = (await service.get(`/api/v1/events?limit=1000`)).body.data as { type: string; data: { id: string } }[];
    const own = events.filter(({ data }) => data.id === id).map(({ type }) => type);
    assert.deepEqual(own.slice(0, 2), ['run.queued', 'run.queued']);
  });

  test('rejects are shown digit by digit, filtered and paged, and tried again', async () => {
    const run = await addEnded();
    const none = await service.post(`${BASE}/runs/${run.id}/rejects/retry`);
    assert.deepEqual([none.status, none.body.error.code], [409, 'CONFLICT']);
    const insert = (id: string, stream: string, resolved: string) =>
      db().write(
        runStatement,
        `insert into rejects (id, sync_id, stream, target, identity, first_run_id, last_run_id, "key", "row", field, reason, unreadable,
          created_at, updated_at, resolved_at) values ('${id}', '${run.sync_id}', '${stream}', '${stream}', '${id}', '${run.id}', '${run.id}',
          '["7"]', '{"n":9007199254740993.10,"t":"x"}', 'n', 'is too long', 0, '${run.created_at}', '${run.created_at}', ${resolved})`,
      );
    const ids = [1, 2, 3].map((n) => `rej_01kfa0v2m3f8rb4v3k7m2t9xq${n}`);
    await insert(ids[0] as string, 'a', 'null');
    await insert(ids[1] as string, 'a', `'${run.created_at}'`);
    await insert(ids[2] as string, 'b', 'null');
    const path = `${BASE}/runs/${run.id}/rejects`;
    const all = await service.get(path);
    assert.match(all.text, /"row":\{"n":9007199254740993\.10,"t":"x"\}/);
    assert.equal(all.body.total, 3);
    assert.partialDeepStrictEqual(all.body.data[0], {
      id: ids[0],
      stream: 'a',
      target: 'a',
      status: 'open',
      field: 'n',
      reason: 'is too long',
      key: ['7'],
      first_run_id: run.id,
      last_run_id: run.id,
      resolved_at: null,
    });
    assert.equal(all.body.data[1].status, 'resolved');
    assert.equal((await service.get(`${path}?stream=a&status=open`)).body.total, 1);
    const first = await service.get(`${path}?limit=2`);
    const second = await service.get(`${path}?limit=2&cursor=${first.body.next_cursor}`);
    assert.deepEqual([first.body.data.length, second.body.data.length, second.body.next_cursor], [2, 1, null]);

    const ofSync = `${BASE}/sync/${run.sync_id}/rejects`;
    const open = await service.get(ofSync);
    assert.deepEqual(
      open.body.data.map(({ id }: { id: string }) => id),
      [ids[0], ids[2]],
    );
    assert.equal((await service.get(`${ofSync}?status=resolved`)).body.total, 1);
    assert.equal((await service.get(`${ofSync}?status=all&stream=a`)).body.total, 2);
    const page = await service.get(`${ofSync}?limit=1`);
    assert.equal((await service.get(`${ofSync}?limit=1&cursor=${page.body.next_cursor}`)).body.data[0].id, ids[2]);
    // However the runs since went, what is not at the target is told.
    await set((await addEnded(run.sync_id)).id, `status = 'succeeded'`);
    const { data } = (await service.get(`${BASE}/sync/${run.sync_id}`)).body;
    assert.equal(data.health, 'degraded');
    assert.match(data.health_reason, new RegExp(`^2 rows are rejected. See why at GET ${ofSync}`));

    const again = await service.post(`${ofSync}/retry`);
    assert.equal(again.status, 200, again.text);
    assert.partialDeepStrictEqual(again.body.data, { mode: 'rejects', trigger: 'retry', sync_id: run.sync_id });
    assert.equal(again.headers.get('location'), `${BASE}/runs/${again.body.data.id}`);
    await until(
      'it is over',
      async () => !/queued|running|retrying/.test((await service.get(`${BASE}/runs/${again.body.data.id}`)).body.data.status),
    );
    const retried = await service.post(`${path}/retry`);
    assert.equal(retried.status, 200, retried.text);
    assert.partialDeepStrictEqual(retried.body.data, { mode: 'rejects', trigger: 'retry', sync_id: run.sync_id });
    assert.equal(retried.headers.get('location'), `${BASE}/runs/${retried.body.data.id}`);
  });

  const follow = async (id: string, signal?: AbortSignal) => {
    const response = await fetch(`${service.url}${BASE}/runs/${id}/events`, {
      headers: { authorization: `Bearer ${service.adminKey}` },
      ...(signal && { signal }),
    });
    return { response, frames: framesOf(response) };
  };

  test('events tell the run as it goes on, and end with it', async () => {
    const { id } = await addRun();
    const { response, frames } = await follow(id);
    assert.equal(response.headers.get('content-type'), 'text/event-stream; charset=utf-8');
    assert.equal(response.headers.get('cache-control'), 'no-store');
    assert.partialDeepStrictEqual(await frames.next(), { value: { event: 'run', data: { id, status: 'queued' } } });
    await set(id, `rows_read = 7`);
    assert.partialDeepStrictEqual(await frames.next(), { value: { event: 'run', data: { totals: { read: 7 } } } });
    await service.post(`${BASE}/runs/${id}/cancel`);
    assert.partialDeepStrictEqual(await frames.next(), { value: { event: 'run', data: { status: 'cancelled' } } });
    assert.deepEqual((await frames.next()).value, { event: 'end', data: { id, status: 'cancelled' } });
    assert.equal((await frames.next()).done, true);
    // Who asks for the headers only is not kept waiting.
    const { id: other } = await addRun();
    const head = await fetch(`${service.url}${BASE}/runs/${other}/events`, {
      method: 'HEAD',
      headers: { authorization: `Bearer ${service.adminKey}` },
    });
    assert.equal(head.status, 200);
  });

  test('a client that goes away or is there at the end of the service holds nothing up', async () => {
    const { id } = await addRun();
    const leaving = new AbortController();
    const gone = await follow(id, leaving.signal);
    await gone.frames.next();
    leaving.abort();
    const staying = await follow(id);
    await staying.frames.next();
    const ended = Array.fromAsync(staying.frames);
    const began = performance.now();
    await service.close();
    assert.ok(performance.now() - began < 3_000);
    assert.deepEqual(await ended, []);
    service = await startService(engine);
  });
});
