import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { after, before, test } from 'node:test';
import type { Scope } from '../../src/http/scopes.ts';
import { onEitherEngine } from '../support/databases.ts';
import { madeUp, sqliteFile } from '../support/real-syncs.ts';
import { type Reply, type Service, startService } from '../support/service.ts';
import { until } from '../support/until.ts';

const BASE = '/api/v1/datasync';
const DATASYNC: Scope[] = ['datasync:read', 'datasync:write'];

onEitherEngine('shares of keys', (engine) => {
  let service: Service;
  let silent: Server;
  const sockets = new Set<Socket>();
  let greedy: string;
  let other: string;
  before(async () => {
    service = await startService(engine, { environment: { SYNCLINE_SOURCES_PER_KEY: '12', SYNCLINE_SYNCS_PER_KEY: '6' } });
    // Takes connections and says nothing.
    silent = createServer((socket) => sockets.add(socket.on('error', () => undefined))).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    [greedy, other] = [await service.keyWith(...DATASYNC), await service.keyWith(...DATASYNC)];
  });
  after(async () => {
    for (const socket of sockets) socket.destroy();
    silent.close();
    await service.close();
  });

  const call = (key: string, method: string, path: string, body?: unknown): Promise<Reply> =>
    service.call(method, BASE + path, { key, ...(body !== undefined && { body }) });
  const made = async (key: string, path: string, body: unknown): Promise<string> => {
    const { status, body: answer, text } = await call(key, 'POST', path, body);
    assert.equal(status, 200, text);
    return answer.data.id;
  };
  /** A synchronization of made-up rows, saved with this key. */
  const sync = async (key: string, rows: object, name: string): Promise<string> => {
    const source_id = await made(key, '/sources', { name: 'from', type: 'fake', config: madeUp(rows) });
    const target_id = await made(key, '/sources', { name: 'to', type: 'sqlite', config: { path: sqliteFile(service.place, name) } });
    return made(key, '/sync', { name, source_id, target_id, streams: [{ source: 't' }], schedule: { type: 'manual' } });
  };
  const statusOf = async (id: string): Promise<string> => (await call(service.adminKey, 'GET', `/runs/${id}`)).body.data.status;

  test('systems that hang hold up the key that has them asked, and nobody else', async () => {
    const { port } = silent.address() as AddressInfo;
    const config = { host: '127.0.0.1', port, database: 'd', user: 'u', password: 'p' };
    let answered = 0;
    const hanging = Array.from({ length: 8 }, async () => {
      const reply = await call(greedy, 'POST', '/sources/check', { type: 'postgres', config });
      answered++;
      return reply;
    });
    await until('systems to be asked', async () => sockets.size >= 2);
    const quick = { type: 'sqlite', config: { path: sqliteFile(service.place, 'quick.db') } };
    for (const key of [other, service.adminKey]) {
      const { body, text } = await call(key, 'POST', '/sources/check', quick);
      assert.equal(body.data.ok, true, text);
    }
    assert.equal(answered, 0, 'the others were answered while all of it still hung');
    assert.equal(sockets.size, 2);
    const replies = await Promise.all(hanging);
    // Some were asked in the end, some were told to come again; all in words.
    for (const { status, body, text } of replies) assert.ok(status === 503 || (status === 200 && body.data.ok === false), text);
  });

  test('runs that never end hold half of the places, and keys together leave one', async () => {
    const running: string[] = [];
    for (let i = 0; i < 4; i++) {
      const id = await sync(greedy, { count: 5, endless: true, delay_ms: 50 }, `greedy-${i}.db`);
      running.push(await made(greedy, `/sync/${id}/runs`, {}));
    }
    const states = async (): Promise<string[]> => Promise.all(running.map(statusOf));
    await until('two of them to run', async () => (await states()).filter((status) => status === 'running').length === 2);
    const [theirs, more] = [await sync(other, { count: 5, endless: true, delay_ms: 50 }, 'other.db'), await sync(other, {}, 'waits.db')];
    const long = await made(other, `/sync/${theirs}/runs`, {});
    await until('that of another key to run', async () => (await statusOf(long)) === 'running');
    const waits = await made(other, `/sync/${more}/runs`, {});
    const own = await sync(service.adminKey, {}, 'admin.db');
    const mine = await made(service.adminKey, `/sync/${own}/runs`, {});
    await until('that of the admin to end', async () => (await statusOf(mine)) === 'succeeded');
    assert.equal(await statusOf(waits), 'queued');
    assert.deepEqual((await states()).sort(), ['queued', 'queued', 'running', 'running']);
    // As soon as there is room, those that wait go on, whose key has had less first.
    await call(service.adminKey, 'POST', `/runs/${long}/cancel`);
    await until('what waited to end', async () => (await statusOf(waits)) === 'succeeded');
    for (const id of running) await call(service.adminKey, 'POST', `/runs/${id}/cancel`);
    await until('all to end', async () => (await states()).every((status) => status === 'cancelled'));
  });

  test('what a key has pointed elsewhere counts for it, whichever key made it', async () => {
    const config = madeUp({ count: 5, endless: true, delay_ms: 50 });
    const running: string[] = [];
    for (let i = 0; i < 3; i++) {
      const id = await sync(service.adminKey, {}, `taken-${i}.db`);
      const { source_id } = (await call(service.adminKey, 'GET', `/sync/${id}`)).body.data;
      assert.equal((await call(greedy, 'PUT', `/sources/${source_id}`, { config })).status, 200);
      running.push(await made(greedy, `/sync/${id}/runs`, {}));
    }
    const states = async (): Promise<string[]> => (await Promise.all(running.map(statusOf))).sort();
    await until('two to run', async () => (await states()).join() === 'queued,running,running');
    for (const id of running) await call(service.adminKey, 'POST', `/runs/${id}/cancel`);
    await until('all to end', async () => (await states()).every((status) => status === 'cancelled'));
  });

  test('a key has so many sources and synchronizations, also when it makes them at the same moment', async () => {
    const key = await service.keyWith(...DATASYNC);
    const source = { name: 's', type: 'fake', config: madeUp() };
    const replies = await Promise.all(Array.from({ length: 16 }, () => call(key, 'POST', '/sources', source)));
    assert.deepEqual(
      replies.map(({ status }) => status).sort((a, b) => a - b),
      [...Array<number>(12).fill(200), ...Array<number>(4).fill(409)],
    );
    const refused = replies.find(({ status }) => status === 409) as Reply;
    assert.equal(refused.body.error.details.reason, 'a key may have 12 sources (SYNCLINE_SOURCES_PER_KEY)');
    const [source_id = '', target_id = '', ...rest] = replies.flatMap(({ status, body }) =>
      status === 200 ? [body.data.id as string] : [],
    );
    const body = { name: 'n', source_id, target_id, streams: [{ source: 't', target: 'u' }], schedule: { type: 'manual' } };
    const syncs = [];
    for (let i = 0; i < 7; i++) syncs.push(await call(key, 'POST', '/sync', body));
    assert.deepEqual(
      syncs.map(({ status }) => status),
      [...Array<number>(6).fill(200), 409],
      syncs[0]?.text ?? '',
    );
    assert.match(syncs[6]?.body.error.message, /SYNCLINE_SYNCS_PER_KEY/);
    // Room comes back; others and the admin have theirs.
    assert.equal((await call(key, 'DELETE', `/sources/${rest[0]}`)).status, 200);
    assert.equal((await call(key, 'POST', '/sources', source)).status, 200);
    for (const one of [other, service.adminKey]) assert.equal((await call(one, 'POST', '/sources', source)).status, 200);
  });
});
