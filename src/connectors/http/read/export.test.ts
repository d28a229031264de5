import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import { describe, test } from 'node:test';
import { type Handler, sendJson } from '../../../../test/support/api-server.ts';
import { failureOf, openHttp, readAll } from '../../../../test/support/http-connector.ts';
import { useApis } from '../../../../test/support/served-apis.ts';
import { validate } from '../config/validate.ts';

const { serve } = useApis();

const fields = [
  { name: 'id', type: 'int64' },
  { name: 'name', type: 'text' },
];
const job = { id: 'id', poll_path: '/exports/{id}', status: 'status', url: 'url', interval_seconds: 0.05 };
const stream = { name: 's', path: '/exports', method: 'POST', fields, key: ['id'], export: job };
const request = { stream: 's', fields: ['id', 'name'], key: ['id'] };
const records = Array.from({ length: 50 }, (_, i) => ({ id: i, name: `Nº "${i}", ${'x'.repeat(i)}\nnext` }));
const rows = records.map(({ id, name }) => [String(id), name]);
const jsonl = records.map((record) => JSON.stringify(record)).join('\n');
const csv = ['id,name', ...records.map(({ id, name }) => `${id},"${name.replaceAll('"', '""')}"`)].join('\r\n');

/** Makes exports that are ready at the second question. Files lie on another server, which must not see our key. */
async function shop(file: () => Buffer | string) {
  const state = { started: 0, asked: 0, isGone: false };
  const files = await serve(({ headers, url }, response) => {
    assert.equal(headers.authorization, undefined);
    assert.equal(url.searchParams.get('signature'), 'abc');
    return void response.end(file());
  });
  const handler: Handler = ({ method, url }, response) => {
    if (method === 'POST') return sendJson(response, { id: `e${++state.started}`, status: 'queued' });
    if (state.isGone) return sendJson(response, {}, 404);
    const isReady = state.asked++ % 2 === 1;
    assert.match(url.pathname, /^\/exports\/e\d+$/);
    return sendJson(response, { status: isReady ? 'Completed' : 'running', url: isReady ? `${files.url}/f?signature=abc` : null });
  };
  const api = await serve(handler);
  return { state, api };
}

describe('an export', () => {
  const formats: [name: string, export_: object, file: Buffer | string][] = [
    ['JSON Lines', {}, jsonl],
    ['JSON Lines with a last line break and a byte order mark', {}, `\ufeff${jsonl}\r\n\n`],
    ['JSON Lines, packed', {}, gzipSync(jsonl)],
    ['CSV', { format: 'csv' }, csv],
    ['CSV, packed', { format: 'csv' }, gzipSync(csv)],
    ['JSON', { format: 'json' }, JSON.stringify(records)],
  ];
  for (const [name, more, file] of formats)
    test(`${name}: started, waited for, downloaded; going on from any batch in the same export`, async () => {
      const { api, state } = await shop(() => file);
      const auth = { type: 'bearer', token: 'secret' };
      const session = await openHttp({ base_url: api.url, auth, streams: [{ ...stream, export: { ...job, ...more } }] });
      const { rows: found, batches } = await readAll(session, { ...request, batchRows: 9 });
      assert.deepEqual(found, rows);
      assert.equal(state.started, 1);
      for (const [at, { position }] of batches.entries()) {
        assert.doesNotMatch(position, /signature|abc/, 'an address may be signed');
        const rest = await readAll(session, { ...request, batchRows: 9, after: position });
        assert.deepEqual(
          rest.rows,
          batches.slice(at + 1).flatMap((batch) => batch.rows),
        );
      }
      assert.equal(state.started, 1);
    });

  test('one that is gone is made anew, unless rows must not come twice', async () => {
    const { api, state } = await shop(() => jsonl);
    const session = await openHttp({ base_url: api.url, streams: [stream] });
    const { batches } = await readAll(session, { ...request, batchRows: 20 });
    state.isGone = true;
    const reading = { ...request, after: batches[0]?.position ?? '' };
    const failure = await failureOf(readAll(session, { ...reading, once: true }));
    assert.deepEqual([failure.kind, failure.code], ['config', 'POSITION_EXPIRED']);
    const again = readAll(session, reading);
    state.isGone = false;
    // It is asked for the old one first; whichever answer that got, all rows are there in the end.
    assert.ok((await again).rows.length >= rows.length - 20);
  });

  test('by GraphQL, as shops do it: records of others are left out, or taken alone', async () => {
    const lines = [
      { id: 1, name: 'a' },
      { id: 2, name: 'b', __parentId: 1 },
      { id: 3, name: 'c' },
    ]
      .map((line) => JSON.stringify(line))
      .join('\n');
    const api = await serve(({ url, body }, response) => {
      if (url.pathname === '/file') return void response.end(lines);
      const { query, variables } = JSON.parse(body) as { query: string; variables: { id: string } };
      if (query.startsWith('mutation')) return sendJson(response, { data: { run: { bulkOperation: { id: 'gid://1' }, userErrors: [] } } });
      assert.equal(variables.id, 'gid://1');
      return sendJson(response, { data: { node: { status: 'COMPLETED', url: '/file' } } });
    });
    const shopLike = {
      id: 'data.run.bulkOperation.id',
      poll_path: '/graphql',
      poll_graphql: { query: 'query($id: ID!) { node(id: $id) { status url } }', variables: '{"id": "{id}"}' },
      status: 'data.node.status',
      url: 'data.node.url',
      errors: { path: 'data.run.userErrors' },
    };
    const made = (more: object) => ({
      ...stream,
      path: '/graphql',
      method: undefined,
      graphql: { query: 'mutation { run }' },
      export: { ...shopLike, ...more },
    });
    for (const [more, ids] of [
      [{ only_without: '__parentId' }, ['1', '3']],
      [{ only_with: '__parentId' }, ['2']],
    ] as const) {
      const config = JSON.parse(JSON.stringify({ base_url: api.url, streams: [made(more)] })) as object;
      assert.deepEqual(
        (await readAll(await openHttp(config), request)).rows.map(([id]) => id),
        ids,
      );
    }
  });

  test('nothing to export is no rows', async () => {
    const api = await serve(({ method }, response) => sendJson(response, method === 'POST' ? { id: 7 } : { status: 'done', url: null }));
    assert.deepEqual((await readAll(await openHttp({ base_url: api.url, streams: [stream] }), request)).rows, []);
  });

  test('one that changes incrementally asks for what is new', async () => {
    const seen: string[] = [];
    const api = await serve(({ method, url }, response) => {
      if (url.pathname === '/file') return void response.end('{"id":5,"name":"x"}');
      if (method !== 'POST') return sendJson(response, { status: 'done', url: '/file' });
      seen.push(url.search);
      return sendJson(response, { id: 1 });
    });
    const session = await openHttp({ base_url: api.url, streams: [{ ...stream, incremental: { field: 'id', param: 'since' } }] });
    const first = await readAll(session, { ...request, cursor: 'id' });
    const second = await readAll(session, { ...request, cursor: 'id', after: first.position });
    assert.deepEqual([first.rows.length, second.rows.length, seen], [1, 0, ['', '?since=5']]);
  });
});

describe('rude exports', () => {
  const cases: [name: string, handler: Handler, more: object, expected: [string, string]][] = [
    ['no id', (_, response) => sendJson(response, {}), {}, ['config', 'EXPORT_UNKNOWN']],
    ['no JSON', (_, response) => void response.end('<html>'), {}, ['config', 'NOT_JSON']],
    [
      'failed',
      ({ method }, response) => sendJson(response, method === 'POST' ? { id: 1 } : { status: 'FAILED' }),
      {},
      ['transient', 'EXPORT_FAILED'],
    ],
    ['no status', ({ method }, response) => sendJson(response, method === 'POST' ? { id: 1 } : {}), {}, ['config', 'EXPORT_FAILED']],
    [
      'never ready',
      ({ method }, response) => sendJson(response, method === 'POST' ? { id: 1 } : { status: 'running' }),
      { max_minutes: 0.01 },
      ['transient', 'EXPORT_SLOW'],
    ],
    [
      'a file elsewhere',
      ({ method }, response) => sendJson(response, method === 'POST' ? { id: 1 } : { status: 'done', url: 'file:///etc/passwd' }),
      {},
      ['config', 'EXPORT_UNKNOWN'],
    ],
    [
      'a bomb',
      ({ method, url }, response) =>
        url.pathname === '/f'
          ? void response.end(gzipSync(Buffer.alloc(30_000_000, 0x20)))
          : sendJson(response, method === 'POST' ? { id: 1 } : { status: 'done', url: '/f' }),
      {},
      ['config', 'RESPONSE_TOO_LARGE'],
    ],
    [
      'packed and cut off',
      ({ method, url }, response) =>
        url.pathname === '/f'
          ? void response.end(gzipSync(jsonl).subarray(0, 200))
          : sendJson(response, method === 'POST' ? { id: 1 } : { status: 'done', url: '/f' }),
      {},
      ['transient', 'ANSWER_BROKEN'],
    ],
  ];
  for (const [name, handler, more, expected] of cases)
    test(name, async () => {
      const api = await serve(handler);
      const config = { base_url: api.url, max_wait_seconds: 0, max_response_mb: 20, streams: [{ ...stream, export: { ...job, ...more } }] };
      const failure = await failureOf(readAll(await openHttp(config), request));
      assert.deepEqual([failure.kind, failure.code], expected);
    });

  test('lines that are none, too short rows, and nesting without end are rejects', async () => {
    const file = ['{"id":1,"name":"a"}', 'nonsense', `{"id":2,"name":${'['.repeat(600)}${']'.repeat(600)}}`, '{"id":3,"name":"c"}'].join(
      '\n',
    );
    const { api } = await shop(() => file);
    const lines = await readAll(await openHttp({ base_url: api.url, streams: [stream] }), request);
    assert.deepEqual([lines.rows.map(([id]) => id), lines.rejects.length], [['1', '3'], 2]);
    const { api: other } = await shop(() => 'id,name\n1,a\n2\n3,c,d\n4,"""e"""\n5,');
    const cells = await readAll(
      await openHttp({ base_url: other.url, streams: [{ ...stream, export: { ...job, format: 'csv' } }] }),
      request,
    );
    assert.deepEqual(
      [cells.rows, cells.rejects.length],
      [
        [
          ['1', 'a'],
          ['4', '"e"'],
          ['5', null],
        ],
        2,
      ],
    );
  });
});

test('what is wrong in a declaration is named', () => {
  const faults = (change: object) =>
    validate({ base_url: 'http://a', streams: [{ ...stream, ...change }] } as never).map(({ field }) => field);
  assert.deepEqual(faults({}), []);
  assert.deepEqual(faults({ fields: undefined }), ['streams[0].fields']);
  assert.deepEqual(faults({ paging: { type: 'page' } }), ['streams[0].paging']);
  assert.deepEqual(faults({ export: { ...job, id: undefined } }), ['streams[0].export.id']);
  assert.deepEqual(faults({ export: { ...job, poll_path: '/x/{y}' } }), ['streams[0].export.poll_path']);
});
