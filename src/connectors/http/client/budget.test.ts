import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sendJson } from '../../../../test/support/api-server.ts';
import { openHttp, readAll, writeRows } from '../../../../test/support/http-connector.ts';
import { rowsOf, UPSERT, useApis } from '../../../../test/support/served-apis.ts';

const { serve, open } = useApis();

const stream = {
  path: '/s',
  records: 'data',
  key: ['id'],
  fields: [{ name: 'id', type: 'int64' }],
  paging: { type: 'page', more: 'more' },
};
const request = { stream: 's', fields: ['id'], key: ['id'] };

describe('a budget', () => {
  test('no more requests at once than allowed, of all streams together', async () => {
    let [now, most] = [0, 0];
    const { session } = await open(
      ({ method }, response) => {
        most = Math.max(most, ++now);
        // Answered when all that may come have come.
        setImmediate(() => setImmediate(() => (now--, sendJson(response, method === 'GET' ? { data: [{ id: 1 }], more: false } : {}))));
      },
      { ...stream, fields: [...stream.fields, { name: 'name', type: 'text' }], write: { path: '/s', modes: ['upsert'], parallel: 8 } },
      { requests_in_parallel: 2 },
    );
    const reads = Array.from({ length: 5 }, () => readAll(session, request));
    const [{ updated }] = await Promise.all([writeRows(session, UPSERT, rowsOf(20)), ...reads]);
    assert.equal(updated, 20);
    assert.ok(most <= 2, `${most} at once`);
  });

  test('one that waits for its turn can be stopped, and leaves the turn to others', async () => {
    const held: (() => void)[] = [];
    const { session } = await open((_, response) => void held.push(() => sendJson(response, { data: [{ id: 1 }], more: false })), stream, {
      requests_in_parallel: 1,
    });
    const first = readAll(session, request);
    const stop = new AbortController();
    const began = performance.now();
    const second = readAll(session, { ...request, signal: stop.signal }).catch((error: { code: string }) => error.code);
    const third = readAll(session, request);
    stop.abort();
    assert.equal(await second, 'ABORTED');
    assert.ok(performance.now() - began < 10_000, 'it does not wait until the first one gives up');
    const pump = setInterval(() => held.shift()?.(), 5);
    assert.deepEqual([(await first).rows.length, (await third).rows.length], [1, 1]);
    clearInterval(pump);
  });

  const spellings: [name: string, (seconds: number) => Record<string, string>][] = [
    ['RateLimit-Remaining and -Reset', (seconds) => ({ 'ratelimit-remaining': '0', 'ratelimit-reset': String(seconds) })],
    ['RateLimit, all in one', (seconds) => ({ ratelimit: `limit=10, remaining=0, reset=${seconds}` })],
    ['RateLimit, the newest', (seconds) => ({ ratelimit: `"default";r=0;t=${seconds}` })],
    [
      'X-RateLimit with a time',
      (seconds) => ({ 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(Math.ceil(Date.now() / 1000) + seconds) }),
    ],
  ];
  for (const [name, headers] of spellings)
    test(`${name}: when nothing is left, the next request waits until there is`, async () => {
      let [pages, closed] = [0, 0];
      const { session } = await open((_, response) => {
        assert.ok(performance.now() >= closed, 'too early');
        const isFirst = pages++ === 0;
        if (isFirst) closed = performance.now() + 900;
        return sendJson(response, { data: [{ id: pages }], more: isFirst }, 200, isFirst ? headers(1) : {});
      }, stream);
      assert.equal((await readAll(session, request)).rows.length, 2);
    });

  test('headers that make no sense are no reason to wait; long waits are told', async () => {
    for (const headers of [
      { 'ratelimit-remaining': '0' },
      { 'ratelimit-remaining': 'none', 'ratelimit-reset': '1e99' },
      { 'x-ratelimit-remaining': '5', 'x-ratelimit-reset': '60' },
      { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '1000000000' },
      { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '99999999' },
    ]) {
      let pages = 0;
      const { session } = await open(
        (_, response) => sendJson(response, { data: [{ id: ++pages }], more: pages < 3 }, 200, headers),
        stream,
      );
      assert.equal((await readAll(session, request)).rows.length, 3, JSON.stringify(headers));
    }
    const api = await serve((_, response) =>
      sendJson(response, { data: [{ id: 1 }], more: true }, 200, { 'ratelimit-remaining': '0', 'ratelimit-reset': '30' }),
    );
    const stop = new AbortController();
    const told: string[] = [];
    const session = await openHttp(
      { base_url: api.url, streams: [{ name: 's', ...stream }] },
      { signal: stop.signal, tell: (_, message) => (told.push(message), stop.abort()) },
    );
    await readAll(session, request).catch(() => {});
    assert.match(told[0] ?? '', /^Waits 30 s: the API says that no more requests are left until then/);
  });
});
