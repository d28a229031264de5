import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type ApiServer, type Handler, sendJson } from '../../../../test/support/api-server.ts';
import { failureOf, openHttp, writeRows } from '../../../../test/support/http-connector.ts';
import { useApis } from '../../../../test/support/served-apis.ts';
import { Batch } from '../../batch.ts';
import type { Field } from '../../contract.ts';

const { serve } = useApis();

async function open(handler: Handler, write: object, more: object = {}, config: object = {}) {
  const api = await serve(handler);
  const session = await openHttp({ base_url: `${api.url}/v1`, streams: [{ name: 's', write, ...more }], max_wait_seconds: 1, ...config });
  return { api, session };
}

const field = (name: string, type: Field['type'] = 'text'): Field => ({ name, type, nullable: true });
const FIELDS = [field('id', 'int64'), field('name'), field('price', 'decimal')];
const request = { stream: 's', fields: FIELDS, key: ['id'] };
const ok: Handler = (_, response) => sendJson(response, {}, 201);
const bodies = (api: ApiServer): unknown[] => api.received.map(({ body }) => JSON.parse(body) as unknown);

describe('writing over HTTP', () => {
  test('each record as JSON, with all its digits', async () => {
    const { api, session } = await open(ok, { path: '/things' });
    const fields = [
      field('id', 'int64'),
      field('price', 'decimal'),
      field('at', 'timestamptz'),
      field('ok', 'boolean'),
      field('data', 'json'),
      field('bytes', 'binary'),
    ];
    const row = [
      '9007199254740993',
      '0.10000000000000000001',
      '2026-11-15 04:42:11.123456+00',
      't',
      '{"n":12345678901234567890}',
      '\\x00ff',
    ];
    const result = await writeRows(session, { stream: 's', fields }, [row, [null, null, null, null, null, null]]);
    assert.deepEqual(result, { inserted: 2, updated: 0, unchanged: 0, deleted: 0, rejects: [] });
    assert.equal(
      api.received[0]?.body,
      '{"id":9007199254740993,"price":0.10000000000000000001,"at":"2026-11-15T04:42:11.123456Z","ok":true,"data":{"n":12345678901234567890},"bytes":"AP8="}',
    );
    assert.equal(api.received[1]?.body, '{"id":null,"price":null,"at":null,"ok":null,"data":null,"bytes":null}');
    assert.deepEqual(
      [api.received[0].method, api.received[0].url.pathname, api.received[0].headers['content-type']],
      ['POST', '/v1/things', 'application/json'],
    );
  });

  test('by PUT to the path of the record, nested, wrapped, and without nulls', async () => {
    const { api, session } = await open(
      (_, response) => sendJson(response, {}),
      { modes: ['upsert'], method: 'PUT', path: '/things/{id}', path_fields: 'omit', nulls: 'omit', wrapper: 'thing' },
      {
        key: ['id'],
        fields: [
          { name: 'id', type: 'int64' },
          { name: 'name', type: 'text', path: 'owner.name' },
          { name: 'price', type: 'decimal', path: 'owner.price' },
        ],
      },
    );
    const rows = [
      ['1', 'Ann', '1.50'],
      ['2', null, null],
      [null, 'x', null],
      ['1', 'Bob', null],
    ];
    const { rejects, ...changes } = await writeRows(session, { ...request, mode: 'upsert' }, rows);
    assert.deepEqual(changes, { inserted: 0, updated: 2, unchanged: 0, deleted: 0 });
    assert.deepEqual(rejects, [{ index: 2, row: { id: null, name: 'x', price: null }, field: 'id', reason: 'The key is null.' }]);
    assert.deepEqual(
      api.received.map(({ method, url, body }) => `${method} ${url.pathname} ${body}`),
      ['PUT /v1/things/2 {"thing":{}}', 'PUT /v1/things/1 {"thing":{"owner":{"name":"Bob"}}}'],
    );
  });

  test('with what goes along with every request, such as a mutation of GraphQL', async () => {
    const query = 'mutation($input: Price!) { priceUpdate(input: $input) { userErrors { message } } }';
    const write = { path: '/graphql', body: JSON.stringify({ query, variables: { n: 1 } }), wrapper: 'variables.input' };
    const { api, session } = await open(ok, write);
    await writeRows(session, request, [['9007199254740993', 'a', '1.10']]);
    assert.equal(
      api.received[0]?.body,
      `{"query":${JSON.stringify(query)},"variables":{"n":1,"input":{"id":9007199254740993,"name":"a","price":1.10}}}`,
    );
  });

  test('a value cannot climb out of its place in the path', async () => {
    const { api, session } = await open(ok, { modes: ['upsert'], path: '/things/{name}/x' });
    const names = ['a/b', '..', '.', '', '../../admin', 'ü ?#%', '%2e%2e'];
    const { rejects } = await writeRows(
      session,
      { ...request, key: ['name'], mode: 'upsert' },
      names.map((name, i) => [String(i), name, null]),
    );
    assert.deepEqual(
      rejects.map(({ index, field: at }) => [index, at]),
      [
        [1, 'name'],
        [2, 'name'],
        [3, 'name'],
      ],
    );
    assert.deepEqual(
      api.received.map(({ url }) => url.pathname),
      ['/v1/things/a%2Fb/x', '/v1/things/..%2F..%2Fadmin/x', '/v1/things/%C3%BC%20%3F%23%25/x', '/v1/things/%252e%252e/x'],
    );
  });

  test('batches, and the bad records of a batch found one by one', async () => {
    const refusesOdd: Handler = ({ body }, response) => {
      const { items } = JSON.parse(body) as { items: { id: number }[] };
      return items.some(({ id }) => id === 5 || id === 8) ? sendJson(response, { error: 'id is taken' }, 422) : sendJson(response, {}, 201);
    };
    const { api, session } = await open(refusesOdd, { path: '/bulk', batch_size: 6, wrapper: 'items' });
    const rows = Array.from({ length: 10 }, (_, i) => [String(i + 1), null, null]);
    const { rejects, inserted } = await writeRows(session, request, rows);
    assert.equal(inserted, 8);
    assert.deepEqual(
      rejects.map(({ index, reason }) => [index, reason]),
      [
        [4, 'The API refused it (422): id is taken'],
        [7, 'The API refused it (422): id is taken'],
      ],
    );
    const accepted = bodies(api)
      .map((body) => (body as { items: { id: number }[] }).items.map(({ id }) => id))
      .filter((ids) => !ids.includes(5) && !ids.includes(8));
    assert.deepEqual(
      accepted.flat().sort((a, b) => a - b),
      [1, 2, 3, 4, 6, 7, 9, 10],
      'the others are written once each',
    );
  });

  test('one result for each record of a batch', async () => {
    const { session } = await open(
      (_, response) =>
        sendJson(
          response,
          {
            results: [
              { status: 201 },
              { status: 409, message: 'exists' },
              { error: { message: 'bad price' } },
              { success: true, error: null },
            ],
          },
          207,
        ),
      { path: '/bulk', batch_size: 4, results: 'results' },
    );
    const rows = Array.from({ length: 4 }, (_, i) => [String(i + 1), null, null]);
    const { rejects, inserted } = await writeRows(session, request, rows);
    assert.equal(inserted, 2);
    assert.deepEqual(
      rejects.map(({ index, reason }) => [index, reason]),
      [
        [1, 'The API refused it: exists'],
        [2, 'The API refused it: bad price'],
      ],
    );
    assert.equal((await failureOf(writeRows(session, request, rows.slice(0, 3)))).code, 'RESULTS_MISSING');
    const { session: undeclared } = await open((_, response) => sendJson(response, {}, 207), { path: '/bulk', batch_size: 4 });
    assert.equal((await failureOf(writeRows(undeclared, request, rows))).code, 'RESULTS_UNKNOWN');
  });

  test('the idempotency key is the same for the same record of the same batch, and no other', async () => {
    const { api, session } = await open(ok, { path: '/things' });
    const rows = [
      ['1', 'a', null],
      ['1', 'a', null],
    ];
    await writeRows(session, request, rows);
    await writeRows(session, request, rows);
    await writeRows(session, request, rows, 'p2');
    await writeRows(session, { ...request, owner: 'another' }, rows);
    await writeRows(session, request, [['1', 'changed', null]]);
    const keys = api.received.map(({ headers }) => String(headers['idempotency-key']));
    assert.deepEqual(keys.slice(0, 2), keys.slice(2, 4));
    assert.equal(new Set(keys).size, keys.length - 2);
    for (const key of keys) assert.match(key, /^[0-9a-f]{48}$/);
    const { api: other, session: custom } = await open(ok, { path: '/things', idempotency_header: 'X-Request-Id' });
    await writeRows(custom, request, rows.slice(0, 1));
    assert.equal(String(other.received[0]?.headers['x-request-id']).length, 48);
    const { api: none, session: without } = await open(ok, { path: '/things', idempotency_header: '' });
    await writeRows(without, request, rows.slice(0, 1));
    assert.equal(none.received[0]?.headers['idempotency-key'], undefined);
  });

  test('a batch that was cut off is written again without harm', async () => {
    const store = new Map<string, unknown>();
    let failures = 1;
    const { session } = await open(
      ({ headers, body }, response) => {
        // The API takes the third record, but its answer is lost.
        const isLost = store.size === 2 && failures-- > 0;
        store.set(String(headers['idempotency-key']), JSON.parse(body));
        return isLost ? void response.destroy() : sendJson(response, {}, 201);
      },
      { path: '/things' },
      {},
      { max_wait_seconds: 0 },
    );
    const rows = Array.from({ length: 5 }, (_, i) => [String(i), null, null]);
    const error = await failureOf(writeRows(session, request, rows));
    assert.equal(error.kind, 'transient');
    await writeRows(session, request, rows);
    assert.equal(store.size, 5, 'every record once');
  });

  test('refusals by what they mean', async () => {
    const cases: [number, string, string, string][] = [
      [401, 'POST', 'auth', 'UNAUTHORIZED'],
      [403, 'POST', 'auth', 'FORBIDDEN'],
      [404, 'POST', 'config', 'PATH_MISSING'],
      [405, 'POST', 'config', 'REQUEST_REFUSED'],
      [415, 'POST', 'config', 'REQUEST_REFUSED'],
      [500, 'POST', 'transient', 'API_FAILED'],
      [503, 'POST', 'transient', 'UNAVAILABLE'],
      [429, 'POST', 'transient', 'RATE_LIMITED'],
      [302, 'POST', 'config', 'REDIRECT_REFUSED'],
    ];
    for (const [status, method, kind, code] of cases) {
      const { session } = await open(
        (_, response) => sendJson(response, { message: 'no' }, status, { 'retry-after': '99', location: '/elsewhere' }),
        { path: '/things', method },
      );
      const error = await failureOf(writeRows(session, request, [['1', 'a', null]]));
      assert.deepEqual([error.kind, error.code], [kind, code], String(status));
      if (status >= 500) assert.doesNotMatch(error.message, /no\.$/, 'what an API says when it breaks may be a record');
    }
    const { session } = await open((_, response) => sendJson(response, { message: 'gone' }, 404), {
      path: '/things/{id}',
      method: 'PATCH',
    });
    const { rejects } = await writeRows(session, request, [['1', 'a', null]]);
    assert.equal(rejects[0]?.reason, 'The API refused it (404): gone', 'where the path names the record, it is the record that is missing');
  });

  test('waits when it is asked to, and then goes on', async () => {
    let refusals = 1;
    const { api, session } = await open(
      (_, response) => (refusals-- > 0 ? sendJson(response, {}, 429, { 'retry-after': '0.1' }) : sendJson(response, {}, 201)),
      { path: '/things' },
    );
    assert.equal((await writeRows(session, request, [['1', 'a', null]])).inserted, 1);
    assert.equal(api.received.length, 2);
    assert.equal(api.received[0]?.headers['idempotency-key'], api.received[1]?.headers['idempotency-key']);
  });

  test('several at once, when declared', async () => {
    let [now, most] = [0, 0];
    const { session } = await open(
      async (_, response) => {
        most = Math.max(most, ++now);
        await new Promise((resolve) => setImmediate(resolve));
        now--;
        return sendJson(response, {}, 201);
      },
      { path: '/things', parallel: 4 },
    );
    const rows = Array.from({ length: 60 }, (_, i) => [String(i), null, null]);
    assert.equal((await writeRows(session, request, rows)).inserted, 60);
    assert.ok(most >= 2 && most <= 4, `${most} at once`);
  });

  test('removes by key', async () => {
    const { api, session } = await open(
      ({ url }, response) =>
        sendJson(response, { message: 'it has orders' }, url.pathname.endsWith('/2') ? 404 : url.pathname.endsWith('/3') ? 409 : 204),
      { path: '/things', delete_path: '/things/{id}', modes: ['upsert'] },
    );
    const writer = await session.write({ ...request, mode: 'upsert', owner: 'o', token: 1n, create: false });
    const result = await writer.write(Batch.ofRows([['1'], ['2'], ['3'], [null]], { position: 'p', operation: 'delete' }));
    assert.deepEqual(
      { ...result, rejects: result.rejects.map(({ index, reason }) => [index, reason]) },
      {
        inserted: 0,
        updated: 0,
        unchanged: 1,
        deleted: 1,
        rejects: [
          [2, 'The API refused to remove it (409): it has orders'],
          [3, 'The key stands in the path of the API, and this value cannot.'],
        ],
      },
    );
    assert.deepEqual(
      api.received.map(({ method, url }) => `${method} ${url.pathname}`),
      ['DELETE /v1/things/1', 'DELETE /v1/things/2', 'DELETE /v1/things/3'],
    );
    const kept = await session.write({ ...request, mode: 'upsert', owner: 'o', token: 1n, create: false, deletes: 'keep' });
    assert.equal((await kept.write(Batch.ofRows([['1']], { position: 'p', operation: 'delete' }))).deleted, 0);
    assert.equal(api.received.length, 3, 'what is to be kept is not asked to go');
    const { session: keeps } = await open(ok, { path: '/things' });
    const other = await keeps.write({ ...request, mode: 'append', owner: 'o', token: 1n, create: false });
    assert.equal((await failureOf(other.write(Batch.ofRows([['1']], { position: 'p', operation: 'delete' })))).code, 'DELETE_UNSUPPORTED');
  });

  test('what is not declared is refused before anything is written', async () => {
    const { api, session } = await open(
      ok,
      { path: '/things/{code}' },
      {
        fields: [
          { name: 'id', type: 'int64' },
          { name: 'code', type: 'text' },
        ],
      },
    );
    const codes: [object, string][] = [
      [{ stream: 'other' }, 'STREAM_MISSING'],
      [{ mode: 'mirror' }, 'MODE_UNSUPPORTED'],
      [{ mode: 'upsert' }, 'MODE_UNSUPPORTED'],
      [{ fields: [field('id', 'int64')] }, 'FIELD_MISSING'],
      [{ fields: [field('id', 'int64'), field('code'), field('more')] }, 'FIELD_MISSING'],
    ];
    for (const [change, code] of codes) {
      const error = await failureOf(writeRows(session, { ...request, ...change }, [['1', 'a', null]]));
      assert.deepEqual([error.kind, error.code], ['config', code]);
    }
    const readOnly = await openHttp({ base_url: api.url, streams: [{ name: 's', path: '/' }] });
    assert.equal((await failureOf(writeRows(readOnly, request, []))).code, 'STREAM_READ_ONLY');
    assert.equal(api.received.length, 0);
  });
});
