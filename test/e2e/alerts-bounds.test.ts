import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { newId } from '../../src/lib/ids.ts';
import { runStatement } from '../support/commands.ts';
import { type ApiServer, startApi } from '../support/api-server.ts';
import { onEitherEngine } from '../support/databases.ts';
import { type Service, startService } from '../support/service.ts';
import { until } from '../support/until.ts';
import { sampled } from '../support/whole.ts';

const PATH = '/api/v1/alerts';
const PER_KEY = 40;
/** So many incidents, each told to all alerts of a key. */
const MANY = sampled(15, 50);

onEitherEngine('bounds of alerts', (engine) => {
  let service: Service;
  let hanging: ApiServer;
  let chat: ApiServer;
  let quoting: ApiServer;
  before(async () => {
    hanging = await startApi(() => new Promise(() => {}));
    chat = await startApi((_, response) => void response.end('ok'));
    quoting = await startApi(({ url }, response) => void response.writeHead(404).end(`Cannot POST ${url.pathname}`));
    service = await startService(engine, { environment: { SYNCLINE_ALERTS_PER_KEY: String(PER_KEY) } });
  });
  after(async () => {
    for (const api of [hanging, chat, quoting]) await api.close();
    await service.close();
  });

  const run = async (statement: string): Promise<void> => void (await service.app.db.write(runStatement, statement));
  const slack = (url: string, more: object = {}) => ({
    name: 'operations',
    channel: { type: 'slack', url },
    rules: [{ type: 'endpoint_paused' }],
    ...more,
  });
  const add = async (body: object, key?: string): Promise<string> => {
    const reply = await service.post(PATH, body, key === undefined ? {} : { key });
    assert.equal(reply.status, 200, reply.text);
    return reply.body.data.id;
  };
  /** Endpoints that Syncline has paused: each is an incident. */
  const pause = async (count: number): Promise<void> => {
    const ids = Array.from({ length: count }, () => newId('whk', Date.now()).id);
    const rows = (row: (id: string) => string): string => ids.map(row).join(', ');
    await run(`insert into webhooks (id, name, url, types, payload, signature, secrets, headers, max_in_flight, scopes, version, created_at, updated_at)
      values ${rows((id) => `('${id}', 'shop ${id}', 'http://h', '[]', 'full', 'symmetric', '[]', '{}', 8, '[]', 1, 'x', 'x')`)}`);
    await run(`insert into webhook_state (webhook_id, status, status_at, reason, position, failures)
      values ${rows((id) => `('${id}', 'paused', '2026-11-16T00:00:00.000Z', 'It failed for 5 days.', 0, 9)`)}`);
  };
  const clear = async (): Promise<void> => {
    await run('delete from webhook_state');
    await run('delete from webhooks');
    await run('delete from alerts');
    await run('delete from incidents');
  };

  test('a key has so many alerts, and those that hang hold up nobody, not even others of the same key', async () => {
    const [key, other] = [await service.keyWith('webhooks'), await service.keyWith('webhooks')];
    for (let n = 0; n < PER_KEY - 1; n++) await add(slack(hanging.url), key);
    await add(slack(`${chat.url}/same`), key);
    const full = await service.post(PATH, slack(chat.url), { key });
    assert.deepEqual([full.status, full.body.error.details.reason], [409, `a key may have ${PER_KEY} alerts (SYNCLINE_ALERTS_PER_KEY)`]);
    await add(slack(`${chat.url}/other`), other);
    await pause(5);
    const told = (path: string): number => chat.received.filter(({ url }) => url.pathname === path).length;
    await until('all that are told', () => told('/other') === 5 && told('/same') === 5, 25_000);
    await clear();
  });

  test('however many there are to tell, the interface answers', async () => {
    const key = await service.keyWith('webhooks');
    for (let n = 0; n < PER_KEY; n++) await add(slack(`${chat.url}/many`), key);
    const timeOf = async (): Promise<number> => {
      const from = performance.now();
      await service.get(`${PATH}?limit=1`);
      return performance.now() - from;
    };
    const atRest: number[] = [];
    for (let n = 0; n < 20; n++) atRest.push(await timeOf());
    await pause(MANY);
    const times: number[] = [];
    const told = (): number => chat.received.filter(({ url }) => url.pathname === '/many').length;
    await until('all of them', async () => {
      times.push(await timeOf());
      return told() === PER_KEY * MANY;
    });
    const middleOf = (found: number[]): number => found.toSorted((one, another) => one - another)[Math.floor(found.length / 2)] ?? 0;
    const [middle, rest] = [middleOf(times), middleOf(atRest)];
    // Other tests are at work beside this one, on the same processors: what an answer takes without anything to tell is the measure then.
    assert.ok(middle < Math.max(250, 10 * rest), `in the middle an answer took ${middle} ms, and ${rest} ms at rest`);
    await clear();
  });

  test('an address that the other side quotes is shown to nobody, and an error only to those who may hear of the rules', async () => {
    const id = await add(slack(`${quoting.url}/services/T0001/SECRET-PART`, { rules: [{ type: 'endpoint_paused' }, { type: 'failing' }] }));
    const { error } = (await service.post(`${PATH}/${id}/test`)).body.data;
    assert.match(error, /^The receiver answered 404\. It said: Cannot POST \*{8}\./);
    await pause(1);
    const shown = async (as?: string) => (await service.get(`${PATH}/${id}`, as === undefined ? {} : { key: as })).body.data;
    await until('the failure', async () => (await shown()).status === 'failing', 20_000);
    assert.match((await shown()).error, /Cannot POST \*{8}/);
    const hooks = await service.keyWith('webhooks');
    assert.partialDeepStrictEqual(await shown(hooks), { status: 'failing', error: null });
    assert.ok(!(await service.get(`${PATH}/${id}/messages`)).text.includes('SECRET-PART'));
    assert.ok(!(await service.get(PATH, { key: hooks })).text.includes('Cannot POST'));
    await clear();
  });

  test('an alert with fewer rules than before tells and shows no more than those', async () => {
    const id = await add(slack(`${hanging.url}/narrowed`, { rules: [{ type: 'endpoint_paused' }, { type: 'key_expires' }] }));
    const expires_at = new Date(Date.now() + 2 * 86_400_000).toISOString();
    const { id: ending } = (await service.post('/api/v1/keys', { name: 'ends soon', scopes: ['orders:read'], expires_at })).body.data;
    await run(`update keys set created_at = '2020-01-01T00:00:00.000Z' where id = '${ending}'`);
    await pause(1);
    const messages = async (as?: string): Promise<string[]> =>
      (await service.get(`${PATH}/${id}/messages`, as === undefined ? {} : { key: as })).body.data
        .map(({ rule, status }: { rule: string; status: string }) => `${rule} ${status}`)
        .sort();
    await until('both messages', async () => (await messages()).length === 2, 30_000);
    assert.equal((await service.call('PUT', `${PATH}/${id}`, { body: { rules: [{ type: 'endpoint_paused' }] } })).body.data.waiting, 1);
    assert.deepEqual(await messages(), ['endpoint_paused waiting', 'key_expires skipped']);
    const hooks = await service.keyWith('webhooks');
    assert.deepEqual(await messages(hooks), ['endpoint_paused waiting']);
    // One that was left to wait by a version before is not sent where such a key says.
    await run(`update alert_messages set status = 'waiting', next_at = '9999' where status = 'skipped'`);
    const moved = { channel: { type: 'slack', url: `${chat.url}/moved` } };
    assert.equal((await service.call('PUT', `${PATH}/${id}`, { key: hooks, body: moved })).status, 200);
    assert.ok((await messages()).includes('key_expires skipped'));
    await service.call('DELETE', `/api/v1/keys/${ending}`);
    await clear();
  });

  test('tests take turns', async () => {
    const [key, other] = [await service.keyWith('webhooks'), await service.keyWith('webhooks')];
    const id = await add(slack(`${hanging.url}/test`), key);
    const good = await add(slack(`${chat.url}/test`), other);
    const reached = (): number => hanging.received.filter(({ url }) => url.pathname === '/test').length;
    const answers = Array.from({ length: 80 }, () => service.post(`${PATH}/${id}/test`, undefined, { key }).then(({ status }) => status));
    await until('the first', () => reached() > 0, 10_000);
    assert.equal((await service.post(`${PATH}/${good}/test`, undefined, { key: other })).body.data.delivered, true);
    assert.equal(await Promise.race(answers), 503);
    const refused = (): Promise<number> =>
      Promise.all(answers.map((one) => Promise.race([one, new Promise((resolve) => setImmediate(resolve, 0))]))).then(
        (list) => list.filter((status) => status === 503).length,
      );
    await until('the rest is refused', async () => (await refused()) === 76, 20_000);
    assert.equal(reached(), 4);
  });
});
