import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { createInterface } from 'node:readline';
import { after, before, test } from 'node:test';
import type { LogEntry } from '../../src/datasync/logs/entry.ts';
import { preparedPlace, onBothEngines, type Place } from '../support/databases.ts';
import { type Service, startService } from '../support/service.ts';
import { until } from '../support/until.ts';

const PATH = '/api/v1/datasync/logs';
const SYNC = 'syn_01kf9zzz5tf3sv8q0d1h6c2w7m';
const RUN = 'run_01kfa0v2m3f8rb4v3k7m2t9xqe';
const SOURCE = 'src_01kfa0v2m3f8rb4v3k7m2t9xqe';

interface Following {
  outgoing: ClientRequest;
  response: IncomingMessage;
  /** The next entry; undefined at the end. Empty lines are passed over. */
  // oxlint-disable-next-line no-explicit-any -- the tests look into entries of every shape
  next(): Promise<any>;
}

/** Asks with `follow=true` and reads line by line. */
async function follow(service: Service, query: string): Promise<Following> {
  const outgoing = request(`${service.url}${PATH}?follow=true&${query}`, { headers: { authorization: `Bearer ${service.adminKey}` } });
  outgoing.end();
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
  const lines = createInterface({ input: response })[Symbol.asyncIterator]();
  return {
    outgoing,
    response,
    next: async () => {
      for (;;) {
        const { value, done } = await lines.next();
        if (done) return undefined;
        if (value !== '') return JSON.parse(value);
      }
    },
  };
}

onBothEngines('logs', (engine) => {
  let place: Place;
  let service: Service;
  let now = Date.parse('2026-10-01T12:00:00.000Z');
  before(async () => {
    place = await preparedPlace(engine);
    service = await startService(engine, { place, clock: () => now });
  });
  after(async () => {
    await service.close();
    await place.remove();
  });

  const add = async (...entries: LogEntry[]): Promise<void> => {
    for (const entry of entries) {
      service.app.logs.add(entry);
      now += 1000;
    }
    await service.app.logs.flush();
  };
  const list = async (query: string) => {
    const { status, body, text } = await service.get(`${PATH}?${query}`);
    assert.equal(status, 200, text);
    return body as { data: { id: string; message: string; time: string }[]; total: number; next_cursor: string | null };
  };
  const messages = async (query: string): Promise<string[]> => (await list(query)).data.map(({ message }) => message);

  test('no key 401, wrong scope 403, bad parameters 400 naming them', async () => {
    assert.equal((await service.get(PATH, { key: null })).status, 401);
    assert.equal((await service.get(PATH, { key: await service.keyWith('orders:read', 'datasync:write') })).status, 403);
    assert.equal((await service.get(PATH, { key: await service.keyWith('datasync:read') })).status, 200);
    for (const [query, field] of [
      ['level=loud', 'level'],
      ['sync_id=x', 'sync_id'],
      [`run_id=${SYNC}`, 'run_id'],
      [`source_id=${SOURCE}'`, 'source_id'],
      ['from=yesterday', 'from'],
      ['to=2026-13-01', 'to'],
      ['q=', 'q'],
      ['q=--', 'q'],
      [`q=${'a%20b%20c%20'.repeat(6)}1%202%203%204%205%206%207%208%209%2010%2011%2012%2013%2014`, 'q'],
      ['limit=0', 'limit'],
      ['cursor=x', 'cursor'],
      ['follow=yes', 'follow'],
      ['follow=true&offset=1', 'follow'],
      ['follow=true&to=2026-10-01', 'follow'],
      ['run=1', 'run'],
    ] as const) {
      const { status, body } = await service.get(`${PATH}?${query}`);
      assert.equal(status, 400, query);
      assert.equal(body.error.details.field, field, query);
    }
  });

  test('entries come newest first, whole, and by every filter', async () => {
    await add(
      { level: 'info', message: 'Service started.' },
      { level: 'info', syncId: SYNC, runId: RUN, message: 'Run started.' },
      { level: 'warn', syncId: SYNC, runId: RUN, stream: 'public.orders', message: '3 rows rejected.', data: { rejected: 3 } },
      {
        level: 'error',
        syncId: SYNC,
        runId: RUN,
        sourceId: SOURCE,
        message: 'The connection to ERP was refused.',
        data: { password: 'x' },
      },
      { level: 'debug', message: 'Looking around.' },
    );
    const { body } = await service.get(PATH);
    assert.equal(body.total, 5);
    assert.equal(body.next_cursor, null);
    assert.match(body.data[1].id, /^log_[0-9a-z]{26}$/);
    assert.deepEqual(body.data[1], {
      id: body.data[1].id,
      time: '2026-10-01T12:00:03.000Z',
      level: 'error',
      sync_id: SYNC,
      run_id: RUN,
      stream: null,
      source_id: SOURCE,
      message: 'The connection to ERP was refused.',
      data: { password: '********' },
    });
    const ids = body.data.map(({ id }: { id: string }) => id);
    assert.deepEqual(ids, ids.toSorted().toReversed());

    assert.deepEqual(await messages(`sync_id=${SYNC}&level=warn`), ['The connection to ERP was refused.', '3 rows rejected.']);
    assert.deepEqual(await messages(`run_id=${RUN}&level=error`), ['The connection to ERP was refused.']);
    assert.deepEqual(await messages(`source_id=${SOURCE}`), ['The connection to ERP was refused.']);
    assert.deepEqual(await messages('level=info&q=START'), ['Run started.', 'Service started.']);
    assert.deepEqual(await messages('q=connection%20erp'), ['The connection to ERP was refused.']);
    assert.deepEqual(await messages('q=nect'), [], 'a word is found by its beginning only');
    assert.deepEqual(await messages(`q=run&sync_id=${SYNC}&run_id=${RUN}`), ['Run started.']);
    assert.deepEqual(await messages('from=2026-10-01T12:00:01Z&to=2026-10-01T12:00:03.000Z'), ['3 rows rejected.', 'Run started.']);
    assert.deepEqual(await messages('from=2026-10-01T12:00:04.0000001Z'), [], 'a time between two milliseconds is after the first');
    assert.deepEqual(await messages('sync_id=syn_nobody'), []);
  });

  test('pages by offset and by cursor; the cursor stays right while entries arrive', async () => {
    const all = await messages('limit=1000');
    const paged: string[] = [];
    for (let query = 'limit=2'; ; ) {
      const { data, total, next_cursor } = await list(query);
      paged.push(...data.map(({ message }) => message));
      assert.ok(total >= all.length);
      if (next_cursor === null) break;
      await add({ level: 'debug', message: 'one more' });
      query = `limit=2&cursor=${next_cursor}`;
    }
    assert.deepEqual(paged, all);
    assert.deepEqual(await messages(`limit=2&offset=${2 + 2}`), all.slice(2, 4));
    assert.deepEqual(await messages('offset=1000000'), []);
  });

  test('follow starts with the last entries, oldest first, and sends new ones as they come', async () => {
    const first = await follow(service, `limit=2&sync_id=${SYNC}`);
    assert.equal(first.response.headers['content-type'], 'application/x-ndjson');
    assert.equal((await first.next()).message, '3 rows rejected.');
    assert.equal((await first.next()).message, 'The connection to ERP was refused.');
    const nothing = await follow(service, 'q=rendezvous&level=warn&limit=3');
    const started = performance.now();
    await add({ level: 'info', message: 'Another rendezvous, too quiet.' }, { level: 'info', syncId: SYNC, message: 'Hello.' });
    assert.equal((await first.next()).message, 'Hello.');
    assert.ok(performance.now() - started < 800, 'on the same node nobody waits for the next look');
    await add({ level: 'error', message: 'The rendezvous failed.', data: { n: 1 } });
    assert.partialDeepStrictEqual(await nothing.next(), { message: 'The rendezvous failed.', data: { n: 1 } });
    first.outgoing.destroy();
    nothing.outgoing.destroy();
    await add({ level: 'info', message: 'Nobody is listening.' });
  });

  test('HEAD asks for the headers only, and gets them', async () => {
    const { status, text } = await service.call('HEAD', `${PATH}?follow=true`);
    assert.equal(status, 200);
    assert.equal(text, '');
  });

  if (engine === 'postgres') {
    test('follow hears of what other nodes write', async () => {
      const other = await startService(engine, { place, clock: () => now });
      const following = await follow(service, 'limit=1&level=error');
      await following.next();
      other.app.logs.add({ level: 'error', message: 'From the other node.' });
      assert.equal((await following.next()).message, 'From the other node.');
      following.outgoing.destroy();
      await other.close();
    });
  }

  test('what was added is on disk after a stop, and followers end with it', async () => {
    const following = await follow(service, 'limit=1&q=goodbye');
    service.app.logs.add({ level: 'info', message: 'Goodbye.' });
    const ended = following.next().then(async (entry) => entry ?? following.next());
    const started = performance.now();
    await service.close();
    assert.ok(performance.now() - started < 3000);
    await ended;
    assert.ok(following.response.complete, 'the answer was ended, not cut off');
    service = await startService(engine, { place, clock: () => now });
    assert.deepEqual(await messages('q=goodbye'), ['Goodbye.']);
  });

  test('entries are forgotten after their days', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] });
    await service.close();
    service = await startService(engine, { place, clock: () => now, environment: { SYNCLINE_LOG_DAYS: '2' } });
    now += 24 * 3_600_000;
    await add({ level: 'info', message: 'Still young.' });
    now += 47 * 3_600_000;
    t.mock.timers.tick(60_000);
    await until('the others are gone', async () => (await list('')).total === 1);
    assert.deepEqual(await messages(''), ['Still young.']);
    assert.equal((await list('level=info')).total, 1);
  });
});
