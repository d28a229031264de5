import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { type Handler, type Received, sendJson } from '../../../../test/support/api-server.ts';
import { failureOf, openHttp, readAll } from '../../../../test/support/http-connector.ts';
import { useApis } from '../../../../test/support/served-apis.ts';

const { serve } = useApis();

const people = Array.from({ length: 25 }, (_, i) => ({ id: i + 1, name: `person ${i + 1}` }));
const everybody = people.map(({ id, name }) => [String(id), name]);

function numberOf(request: Received, name: string, fallback: number): number {
  return Number(request.url.searchParams.get(name) ?? fallback);
}

/** One API that pages in every way there is. */
const pages: Handler = (request, response) => {
  const size = 10;
  const { pathname, searchParams } = request.url;
  const slice = (from: number): typeof people => people.slice(from, from + size);
  switch (pathname) {
    case '/v1/none':
      return sendJson(response, people);
    case '/v1/page':
      return sendJson(response, { items: slice((numberOf(request, 'p', 1) - 1) * size) });
    case '/v1/page-404': {
      const page = slice((numberOf(request, 'page', 1) - 1) * size);
      return sendJson(response, page, page.length === 0 ? 404 : 200);
    }
    case '/v1/page-more': {
      const page = numberOf(request, 'page', 0);
      return sendJson(response, { items: slice(page * size), meta: { more: page < 2 } });
    }
    // It was asked for seven, and gives no more than four.
    case '/v1/offset':
      return sendJson(
        response,
        people.slice(numberOf(request, 'skip', 0), numberOf(request, 'skip', 0) + Math.min(4, numberOf(request, 'take', 0))),
      );
    case '/v1/cursor': {
      const from = numberOf(request, 'after', 0);
      const end = from + numberOf(request, 'limit', size);
      return sendJson(response, { data: people.slice(from, end), meta: { next: end < people.length ? end : null } });
    }
    case '/v1/stripe': {
      const from = numberOf(request, 'starting_after', 0);
      return sendJson(response, { data: slice(from), has_more: from + size < people.length });
    }
    case '/v1/next-url': {
      const from = numberOf(request, 'from', 0);
      return sendJson(response, {
        data: slice(from),
        links: { next: from + size < 25 ? `/v1/next-url?from=${from + size}&key=echo` : '' },
      });
    }
    case '/v1/link': {
      const from = numberOf(request, 'from', 0);
      const next = `<http://127.0.0.1:${String(request.headers.host).split(':')[1]}/v1/link?from=${from + size}>; rel="next"; title="a, b"`;
      return sendJson(response, slice(from), 200, { link: `</v1/link>; rel=first${from + size < 25 ? `, ${next}` : ''}` });
    }
    case '/v1/search': {
      const body = JSON.parse(request.body) as { query: string; page: { after?: number; size: number } };
      assert.equal(body.query, 'all');
      const from = body.page.after ?? 0;
      return sendJson(response, { hits: { hits: people.slice(from, from + body.page.size) }, next: from + 10 < 25 ? from + 10 : null });
    }
    case '/v1/teams/a%20b/people':
      assert.equal(searchParams.toString(), 'status=open', 'what stands in the path is not in the query too');
      return sendJson(response, people);
    default:
      return sendJson(response, { error: 'no such path' }, 404);
  }
};

const key = ['id'];
const STREAMS = [
  { name: 'none', path: '/none', key },
  { name: 'page', path: '/page', key, paging: { type: 'page', param: 'p' } },
  { name: 'page-404', path: '/page-404', key, paging: { type: 'page' } },
  { name: 'page-more', path: '/page-more', key, paging: { type: 'page', start: 0, more: 'meta.more' } },
  { name: 'offset', path: '/offset', key, paging: { type: 'offset', offset_param: 'skip', limit_param: 'take', limit: 7 } },
  { name: 'cursor', path: '/cursor', key, paging: { type: 'cursor', param: 'after', next: '/meta/next', size_param: 'limit', size: 5 } },
  { name: 'stripe', path: '/stripe', key, paging: { type: 'cursor', param: 'starting_after', last_field: 'id', more: 'has_more' } },
  { name: 'next-url', path: '/next-url', key, paging: { type: 'next_url', next: 'links.next' } },
  { name: 'link', path: '/link', key, paging: { type: 'link_header' } },
  {
    name: 'search',
    path: '/search',
    key,
    method: 'POST',
    body: '{"query":"all"}',
    params_in: 'body',
    paging: { type: 'cursor', param: 'page.after', next: 'next', size_param: 'page.size', size: 10 },
  },
  {
    name: 'path',
    path: '/teams/{team}/people',
    params: [
      { name: 'team', value: 'a b' },
      { name: 'status', value: 'open' },
    ],
  },
];

describe('reading over HTTP', () => {
  test('every kind of paging reads all records once, and resumes after any batch', async () => {
    const api = await serve(pages);
    const session = await openHttp({ base_url: `${api.url}/v1/`, streams: STREAMS });
    for (const { name } of STREAMS) {
      const request = { stream: name, fields: ['id', 'name'], batchBytes: 100 };
      const { rows, batches } = await readAll(session, request);
      assert.deepEqual(rows, everybody, name);
      assert.ok(batches.length > 5, name);
      let done = 0;
      for (const { position, count } of batches) {
        done += count;
        const rest = await readAll(session, { ...request, after: position });
        assert.deepEqual(rest.rows, everybody.slice(done), `${name} after ${position}`);
      }
    }
    await session.close();
  });

  test('a position keeps no key', async () => {
    const api = await serve(pages);
    const auth = { type: 'query', name: 'key', value: 'a-secret-key' };
    const session = await openHttp({ base_url: `${api.url}/v1`, auth, streams: STREAMS });
    const { batches, rows } = await readAll(session, { stream: 'next-url', fields: ['id', 'name'], batchBytes: 150 });
    assert.equal(rows.length, 25);
    assert.ok(batches.some(({ position }) => position.includes('from=10')));
    for (const { position } of batches) assert.doesNotMatch(position, /key=|secret/);
    assert.ok(
      api.received.every(({ url }) => url.searchParams.getAll('key').join() === 'a-secret-key'),
      'and the key is sent with every page, once',
    );
  });

  test('positions of another stream, paging or place are refused', async () => {
    const api = await serve(pages);
    const session = await openHttp({ base_url: `${api.url}/v1`, streams: STREAMS });
    const bad = [
      { stream: 'page', page: 'x' },
      { stream: 'page', page: -1 },
      { stream: 'cursor', page: 1 },
      { stream: 'cursor', page: '{' },
      { stream: 'none', page: 1 },
      { stream: 'next-url', page: 'http://elsewhere.test/' },
      { stream: 'link', page: 'file:///etc/passwd' },
      { stream: 'page', skip: -1 },
      { stream: 'page', mark: {} },
      { stream: 'offset', page: 1, cursor: 'id' },
    ];
    for (const position of bad) {
      const stream = position.stream;
      const error = await failureOf(readAll(session, { stream, fields: ['id'], after: JSON.stringify(position) }));
      assert.deepEqual([error.kind, error.code], ['config', 'POSITION_INVALID'], JSON.stringify(position));
    }
    const error = await failureOf(readAll(session, { stream: 'page', fields: ['id'], after: '{"stream":"offset"}' }));
    assert.equal(error.code, 'POSITION_INVALID');
  });

  test('a stream that is gone is not taken for one that has ended', async () => {
    let isGone = false;
    const api = await serve((request, response) => (isGone ? sendJson(response, {}, 404) : pages(request, response)));
    const session = await openHttp({ base_url: `${api.url}/v1`, streams: STREAMS });
    const request = { stream: 'page-404', fields: ['id'], batchBytes: 100 };
    const { batches } = await readAll(session, request);
    const late = batches.at(-2)?.position ?? '';
    isGone = true;
    assert.equal((await failureOf(readAll(session, { ...request, after: late }))).code, 'PATH_MISSING');
    const behind = JSON.stringify({ stream: 'page-404', page: 4 });
    assert.equal((await failureOf(readAll(session, { ...request, after: behind }))).code, 'PATH_MISSING');
    isGone = false;
    assert.deepEqual((await readAll(session, { ...request, after: behind })).rows, []);
  });

  test('a read whose signal is given stops although others wait for the same first page', async () => {
    const api = await serve(() => {});
    const session = await openHttp({ base_url: api.url, streams: [{ name: 's', path: '/' }] });
    const others = failureOf(session.discover(['s']));
    const stop = new AbortController();
    const reading = failureOf(readAll(session, { stream: 's', fields: ['id'], signal: stop.signal }));
    stop.abort();
    assert.equal((await reading).code, 'ABORTED');
    await session.close();
    assert.equal((await others).code, 'ABORTED');
  });

  test('an abort ends a read in the middle of a page', async () => {
    const api = await serve(pages);
    const session = await openHttp({ base_url: `${api.url}/v1`, streams: STREAMS });
    const stop = new AbortController();
    let batches = 0;
    const reading = (async () => {
      for await (const _ of session.read({ stream: 'none', fields: ['id'], key, batchBytes: 1, signal: stop.signal }))
        if (++batches === 3) stop.abort();
    })();
    assert.equal((await failureOf(reading)).code, 'ABORTED');
    assert.equal(batches, 3);
  });

  test('packed answers are unpacked', async () => {
    const packers = {
      gzip: gzipSync,
      br: brotliCompressSync,
      zstd: zstdCompressSync,
      deflate: deflateSync,
      identity: (data: Buffer) => data,
    };
    const api = await serve((request, response) => {
      const name = request.url.pathname.slice(1) as keyof typeof packers;
      response.writeHead(200, { 'content-encoding': name, 'content-type': 'application/json' });
      response.end(packers[name]?.(Buffer.from(JSON.stringify(people))) ?? 'odd');
    });
    const names = Object.keys(packers);
    const session = await openHttp({ base_url: api.url, streams: [...names, 'odd'].map((name) => ({ name, path: `/${name}` })) });
    for (const name of names) assert.deepEqual((await readAll(session, { stream: name, fields: ['id', 'name'] })).rows, everybody, name);
    assert.equal((await failureOf(readAll(session, { stream: 'odd', fields: ['id'] }))).code, 'ENCODING_UNKNOWN');
    assert.match(String(api.received[0]?.headers['accept-encoding']), /gzip.*br.*zstd/);
  });

  test('no digit is lost, and what is not of its type is rejected', async () => {
    const records = `[
      {"id": 9007199254740993, "price": 0.10000000000000000001, "at": "2026-11-15T05:42:11.123456+01:00", "ok": true, "extra": {"n": 12345678901234567890}},
      {"id": 2, "price": "12.50", "at": null},
      {"id": "three", "price": 1},
      {"price": 1},
      {"id": 5, "price": 1, "ok": "yes"},
      "six",
      {"id": 7, "at": "2026-11-15T04:42:11.123456789Z"},
      {"id": 8, "extra": "half \\ud800"},
      {"id": 9, "customer": {"name": "Zoë"}},
      {"id": 10, "customer": {"name": "half \\ud800"}}
    ]`;
    const api = await serve((_, response) => sendJson(response, records));
    const fields = [
      { name: 'id', type: 'int64' },
      { name: 'price', type: 'decimal' },
      { name: 'at', type: 'timestamptz' },
      { name: 'ok', type: 'boolean' },
      { name: 'extra', type: 'json' },
      { name: 'customer', type: 'text', path: 'customer.name' },
    ];
    const session = await openHttp({ base_url: api.url, streams: [{ name: 's', path: '/', records: '/', key, fields }] });
    const { rows, rejects } = await readAll(session, { stream: 's', fields: fields.map(({ name }) => name) });
    assert.deepEqual(rows, [
      ['9007199254740993', '0.10000000000000000001', '2026-11-15 04:42:11.123456+00', 't', '{"n":12345678901234567890}', null],
      ['2', '12.50', null, null, null, null],
      ['8', null, null, null, '"half \\ud800"', null],
      ['9', null, null, null, null, 'Zoë'],
    ]);
    assert.deepEqual(
      rejects.map(({ field, reason }) => [field, reason]),
      [
        ['id', '"id" is not of the type int64: "three".'],
        ['id', '"id" is missing.'],
        ['ok', '"ok" is not of the type boolean: "yes".'],
        [undefined, 'The record is not a JSON object.'],
        ['at', '"at" is not of the type timestamptz: "2026-11-15T04:42:11.123456789Z".'],
        ['customer', '"customer" is not of the type text: "half \ufffd".'],
      ],
    );
    assert.deepEqual(rejects[0]?.row, { id: 'three', price: 1 });
    assert.deepEqual(rejects[3]?.row, { raw: '"six"' });
  });

  test('without declared fields, names and types come from the first page', async () => {
    const api = await serve((_, response) =>
      sendJson(response, {
        errors: [],
        result: {
          list: [
            { id: 1, total: 1, at: '2026-11-15T04:42:11Z', tags: ['a'], note: null },
            { id: 2, total: 1.5, at: '2026-11-15T04:42:12Z', tags: [], name: 'x' },
          ],
        },
      }),
    );
    const session = await openHttp({
      base_url: api.url,
      streams: [
        { name: 's', path: '/', key },
        { name: 'broken', path: '/', records: 'nowhere' },
      ],
    });
    const [stream, broken] = await session.discover();
    assert.deepEqual(
      stream?.fields.map(({ name, type, nullable }) => [name, type, nullable]),
      [
        ['id', 'int64', false],
        ['total', 'decimal', true],
        ['at', 'timestamptz', true],
        ['tags', 'json', true],
        ['note', 'text', true],
        ['name', 'text', true],
      ],
    );
    assert.match(stream?.note ?? '', /"result\.list"/);
    assert.match(broken?.note ?? '', /no "nowhere"; it has errors, result/, 'one stream that is out of order does not hide the others');
    assert.equal((await failureOf(session.discover(['broken']))).code, 'RECORDS_MISSING');
    const { rows } = await readAll(session, { stream: 's', fields: ['name', 'id', 'total'] });
    assert.deepEqual(rows, [
      [null, '1', '1'],
      ['x', '2', '1.5'],
    ]);
    const error = await failureOf(readAll(session, { stream: 's', fields: ['nothing'] }));
    assert.deepEqual([error.code, error.message], ['FIELD_MISSING', 'Stream "s": There is no field "nothing".']);
  });

  test('what cannot be read is refused by name', async () => {
    const api = await serve(pages);
    const streams = [
      { name: 'none', path: '/none' },
      { name: 'written', write: { path: '/x' } },
    ];
    const session = await openHttp({ base_url: `${api.url}/v1`, streams });
    const codes: [object, string][] = [
      [{ stream: 'other' }, 'STREAM_MISSING'],
      [{ stream: 'written' }, 'STREAM_NOT_READABLE'],
      [{ stream: 'none', cursor: 'id' }, 'CURSOR_UNSUPPORTED'],
      [{ stream: 'none', filters: [{ field: 'id', op: '=', value: '1' }] }, 'FILTERS_UNSUPPORTED'],
    ];
    for (const [request, code] of codes) {
      const error = await failureOf(readAll(session, { stream: '', fields: ['id'], ...request }));
      assert.deepEqual([error.kind, error.code], ['config', code]);
    }
  });
});
