import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type ApiServer, type Handler, sendJson, startApi } from '../../../test/support/api-server.ts';
import { declared, openStreams, readManifestStream } from '../../../test/support/airbyte-manifest.ts';

let api: ApiServer;
let handle: Handler = (_, response) => sendJson(response, { data: [] });

before(async () => {
  api = await startApi((request, response) => handle(request, response));
});
after(() => api.close());

/** What a stream asks for, when the service answers so. */
async function asked(
  stream: object,
  answer: Handler = (_, response) => sendJson(response, { data: [] }),
  settings = {},
): Promise<{ urls: string[]; ids: (string | null)[] }> {
  handle = answer;
  api.received.length = 0;
  const manifest = openStreams([stream], { settings });
  const { records } = await readManifestStream(manifest, 'things');
  manifest.close();
  return { urls: api.received.map(({ url }) => decodeURIComponent(url.pathname + url.search)), ids: records.map(({ id }) => id ?? null) };
}

/** So many records, as pages by number, offset or token. */
function pages(count: number, size: number, startOf: (query: URLSearchParams) => number): Handler {
  return ({ url }, response) => {
    const start = startOf(url.searchParams);
    const data = Array.from({ length: Math.max(0, Math.min(size, count - start)) }, (_, index) => ({ id: start + index }));
    const next = start + size < count ? start + size : undefined;
    sendJson(
      response,
      { data, ...(next !== undefined && { next: `t${next}`, link: `${api.url}/things?from=${next}` }) },
      200,
      next === undefined ? {} : { link: `<${api.url}/things?from=${next}>; rel="next"`, 'X-Next': `t${next}` },
    );
  };
}

const ids = (count: number): string[] => Array.from({ length: count }, (_, index) => String(index));
const paginator = (pagination_strategy: object, more: object = {}): object => ({
  retriever: {
    paginator: {
      type: 'DefaultPaginator',
      pagination_strategy,
      page_token_option: { type: 'RequestOption', inject_into: 'request_parameter', field_name: 'from' },
      ...more,
    },
  },
});

test('an address of a base and a path, or a whole one, and no parameter twice', async () => {
  const url_base = `${api.url}/v1`;
  assert.deepEqual((await asked(declared(url_base, { path: '/a/b' }))).urls, ['/v1/a/b']);
  assert.deepEqual(
    (
      await asked(
        declared(`${url_base}/`, { path: 'a b/{{ config.shop }}?x=1', requester: { request_parameters: { x: '1', y: '2' } } }),
        undefined,
        { shop: 'ü' },
      )
    ).urls,
    ['/v1/a b/ü?x=1&y=2'],
  );
  assert.deepEqual((await asked(declared(url_base, { path: `${api.url}/other` }))).urls, ['/other']);
  assert.deepEqual((await asked(declared('x', { path: '', requester: { url_base: undefined, url: `${api.url}/whole` } }))).urls, [
    '/whole',
  ]);
});

test('parameters: lists several times, nothing where there is nothing, numbers as they are written', async () => {
  const request_parameters = {
    list: "{{ ['a', 'b'] }}",
    none: '{{ config.missing }}',
    version: '2.0',
    on: '{{ true }}',
    '{{ config.name }}': 'named',
  };
  assert.deepEqual((await asked(declared(api.url, { requester: { request_parameters } }), undefined, { name: 'own' })).urls, [
    '/things?list=a&list=b&version=2.0&on=True&own=named',
  ]);
});

test('bodies: JSON with typed values and nested options, forms, and text', async () => {
  const option = (field_path: string[]): object => ({ type: 'RequestOption', inject_into: 'body_json', field_path });
  const send = async (requester: object, more: object = {}): Promise<string> => {
    await asked(declared(api.url, { requester: { http_method: 'POST', ...requester }, ...more }), undefined, { n: 5 });
    const [{ headers, body } = { headers: {}, body: '' }] = api.received;
    return `${headers['content-type'] ?? ''} ${body}`;
  };
  const strategy = { type: 'OffsetIncrement', page_size: 10, inject_on_first_request: true };
  const paging = paginator(strategy, { page_token_option: option(['page', 'offset']), page_size_option: option(['page', 'limit']) });
  assert.equal(
    await send({ request_body_json: { page: { sort: 'id' }, n: '{{ config.n }}', gone: '{{ config.no }}', keep: null } }, paging),
    'application/json {"page":{"sort":"id","offset":0,"limit":10},"n":5}',
  );
  assert.equal(
    await send({ request_body: { type: 'RequestBodyJsonObject', value: { a: [1, '{{ config.n }}'] } } }),
    'application/json {"a":[1,5]}',
  );
  assert.equal(await send({ request_body_data: { a: 'x y', b: '{{ config.n }}' } }), 'application/x-www-form-urlencoded a=x+y&b=5');
  assert.equal(await send({ request_body_data: 'plain {{ config.n }}' }), ' plain 5');
  assert.equal(await send({ request_headers: { 'X-N': '{{ config.n }}', 'content-type': 'text/x' }, request_body_data: 'y' }), 'text/x y');
  assert.equal(api.received[0]?.headers['x-n'], '5');
});

test('paging by offset', async () => {
  const strategy = { type: 'OffsetIncrement', page_size: '{{ config.size }}' };
  const size = { page_size_option: { type: 'RequestOption', inject_into: 'request_parameter', field_name: 'limit' } };
  const answer = pages(7, 3, (query) => Number(query.get('from') ?? 0));
  assert.deepEqual(await asked(declared(api.url, paginator(strategy, size)), answer, { size: 3 }), {
    urls: ['/things?limit=3', '/things?from=3&limit=3', '/things?from=6&limit=3'],
    ids: ids(7),
  });
  const first = await asked(declared(api.url, paginator({ ...strategy, inject_on_first_request: true })), answer, { size: 3 });
  assert.equal(first.urls[0], '/things?from=0');
  assert.equal(
    (
      await asked(
        declared(api.url, paginator({ type: 'OffsetIncrement' })),
        pages(6, 3, (query) => Number(query.get('from') ?? 0)),
      )
    ).urls.length,
    3,
    'without a size, an empty page is the last',
  );
});

test('paging by number, also where a filter leaves records out', async () => {
  const answer = pages(7, 3, (query) => (Number(query.get('from') ?? 1) - 1) * 3);
  const strategy = { type: 'PageIncrement', page_size: 3, start_from_page: 1 };
  const { retriever } = paginator(strategy) as { retriever: object };
  const record_selector = {
    type: 'RecordSelector',
    extractor: { type: 'DpathExtractor', field_path: ['data'] },
    record_filter: { type: 'RecordFilter', condition: '{{ record.id % 2 == 0 }}' },
  };
  assert.deepEqual(await asked(declared(api.url, { retriever: { ...retriever, record_selector } }), answer), {
    urls: ['/things', '/things?from=2', '/things?from=3'],
    ids: ['0', '2', '4', '6'],
  });
});

test('paging by what the answer tells: a token, an address, a header, the last record', async () => {
  const from = (query: URLSearchParams): number => Number((query.get('from') ?? '0').replace('t', ''));
  const walk = async (strategy: object, more: object = {}): Promise<number> => {
    const { urls, ids: found } = await asked(
      declared(api.url, paginator({ type: 'CursorPagination', ...strategy }, more)),
      pages(7, 3, from),
    );
    assert.deepEqual(found, ids(7), JSON.stringify(strategy));
    return urls.length;
  };
  const path = { page_token_option: { type: 'RequestPath' } };
  assert.equal(await walk({ cursor_value: '{{ response.next }}' }), 3);
  assert.equal(await walk({ cursor_value: "{{ response.get('next', '') }}", stop_condition: '{{ not response.next }}' }), 3);
  assert.equal(await walk({ cursor_value: '{{ response.link }}' }, path), 3);
  assert.equal(
    await walk({ cursor_value: "{{ headers['link']['next']['url'] }}", stop_condition: "{{ 'next' not in headers['link'] }}" }, path),
    3,
  );
  assert.equal(await walk({ cursor_value: "{{ headers['X-Next'] }}" }), 3);
  assert.equal(await walk({ cursor_value: '{{ last_record.id + 1 }}', page_size: 3, stop_condition: '{{ last_page_size < 3 }}' }), 3);
});

test('properties that are asked for in several requests are joined by the key', async () => {
  const request_parameters = {
    fields: {
      type: 'QueryProperties',
      property_list: ['a', 'b', 'c'],
      always_include_properties: ['id'],
      property_chunking: {
        type: 'PropertyChunking',
        property_limit_type: 'property_count',
        property_limit: 2,
        record_merge_strategy: { type: 'GroupByKeyMergeStrategy', key: 'id' },
      },
    },
  };
  handle = ({ url }, response) => {
    const names = (url.searchParams.get('fields') ?? '').split(',');
    sendJson(response, { data: [1, 2].map((id) => Object.fromEntries(names.map((name) => [name, name === 'id' ? id : `${name}${id}`]))) });
  };
  api.received.length = 0;
  const properties = { id: { type: 'integer' }, a: { type: 'string' }, b: { type: 'string' }, c: { type: 'string' } };
  const manifest = openStreams([declared(api.url, { properties, requester: { request_parameters } })]);
  const { records } = await readManifestStream(manifest, 'things');
  assert.deepEqual(
    records,
    [1, 2].map((id) => ({ id: String(id), a: `a${id}`, b: `b${id}`, c: `c${id}` })),
  );
  assert.deepEqual(
    api.received.map(({ url }) => url.searchParams.get('fields')),
    ['id,a,b', 'id,c'],
  );
  manifest.close();
});
