import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { OutsideError } from '../../outside/errors.ts';
import { type ApiServer, type Handler, sendJson, startApi } from '../../../test/support/api-server.ts';
import {
  checkStreams,
  declared,
  discoverStreams,
  openStreams,
  readManifestStream,
  TestClock,
} from '../../../test/support/airbyte-manifest.ts';

let api: ApiServer;
let handle: Handler = () => {};

before(async () => {
  api = await startApi((request, response) => handle(request, response));
});
after(() => api.close());

const option = (field_name: string): object => ({ type: 'RequestOption', inject_into: 'request_parameter', field_name });

test('fields, keys and cursors are those of the manifest', async () => {
  const properties = {
    id: { type: ['integer', 'null'] },
    price: { type: 'number' },
    big: { type: 'string', airbyte_type: 'big_integer' },
    ok: { type: 'boolean' },
    day: { type: ['null', 'string'], format: 'date' },
    at: { type: 'string', format: 'date-time' },
    local: { type: 'string', format: 'date-time', airbyte_type: 'timestamp_without_timezone' },
    tags: { type: 'array' },
    inner: { type: 'object', properties: { key: { type: 'string' } } },
    either: { oneOf: [{ type: 'string' }, { type: 'integer' }] },
    many: { type: ['integer', 'number', 'null'] },
    any: {},
  };
  const incremental_sync = {
    type: 'DatetimeBasedCursor',
    cursor_field: "{{ parameters['cursor'] }}",
    $parameters: { cursor: 'at' },
    datetime_format: '%s',
    start_datetime: '0',
  };
  const manifest = openStreams([declared(api.url, { properties, stream: { primary_key: [['id'], ['inner', 'key']], incremental_sync } })]);
  const [stream] = await discoverStreams(manifest);
  assert.deepEqual(Object.fromEntries(stream?.fields.map(({ name, type }) => [name, type]) ?? []), {
    id: 'int64',
    price: 'decimal',
    big: 'decimal',
    ok: 'boolean',
    day: 'date',
    at: 'timestamptz',
    local: 'timestamp',
    tags: 'json',
    inner: 'json',
    either: 'text',
    many: 'decimal',
    any: 'json',
    'inner.key': 'text',
  });
  assert.deepEqual([stream?.key, stream?.cursors, stream?.writable], [['id', 'inner.key'], ['at'], false]);
  assert.deepEqual(
    stream?.fields.filter(({ nullable }) => !nullable).map(({ name }) => name),
    ['id', 'inner.key'],
  );
  manifest.close();
});

test('without a schema, the first records tell what they are; a schema may also be asked for', async () => {
  handle = ({ url }, response) =>
    url.pathname === '/fields'
      ? sendJson(response, {
          fields: [
            { key: 'id', kind: 'num' },
            { key: 'name', kind: 'txt' },
          ],
        })
      : sendJson(response, { data: [{ id: 1, name: 'a', at: '2024-01-01T00:00:00Z', more: {} }] });
  const sampled = openStreams([declared(api.url, { stream: { schema_loader: undefined } })]);
  const [one] = await discoverStreams(sampled);
  assert.deepEqual(
    one?.fields.map(({ name, type }) => `${name} ${type}`),
    ['id int64', 'name text', 'at timestamptz', 'more json'],
  );
  const retriever = {
    type: 'SimpleRetriever',
    requester: { type: 'HttpRequester', url_base: api.url, path: 'fields' },
    record_selector: { type: 'RecordSelector', extractor: { type: 'DpathExtractor', field_path: [] } },
  };
  const types_mapping = [
    { type: 'TypesMap', current_type: 'num', target_type: 'integer' },
    { type: 'TypesMap', current_type: 'txt', target_type: 'string' },
  ];
  const schema_type_identifier = {
    type: 'SchemaTypeIdentifier',
    schema_pointer: ['fields'],
    key_pointer: ['key'],
    type_pointer: ['kind'],
    types_mapping,
  };
  const asked = openStreams([
    declared(api.url, { stream: { schema_loader: { type: 'DynamicSchemaLoader', retriever, schema_type_identifier } } }),
  ]);
  const [two] = await discoverStreams(asked);
  assert.deepEqual(
    two?.fields.map(({ name, type }) => `${name} ${type}`),
    ['id int64', 'name text'],
  );
  for (const manifest of [sampled, asked]) manifest.close();
});

test('a position holds no secret, even where the API leads to the next page with it', async () => {
  const settings = { token: 'very/secret token' };
  const spec = {
    type: 'Spec',
    connection_specification: { type: 'object', properties: { token: { type: 'string', airbyte_secret: true } } },
  };
  handle = ({ url }, response) => {
    if (url.searchParams.get('key') !== settings.token) return sendJson(response, {}, 401);
    const page = Number(url.searchParams.get('page') ?? 1);
    return sendJson(response, {
      data: [{ id: page }],
      ...(page < 3 && { next: `${api.url}/things?page=${page + 1}&key=${encodeURIComponent(settings.token)}` }),
    });
  };
  const authenticator = { type: 'ApiKeyAuthenticator', api_token: '{{ config.token }}', inject_into: option('key') };
  const paginator = {
    type: 'DefaultPaginator',
    pagination_strategy: { type: 'CursorPagination', cursor_value: '{{ response.next }}' },
    page_token_option: { type: 'RequestPath' },
  };
  const open = () =>
    openStreams([declared(api.url, { requester: { authenticator }, retriever: { paginator } })], { settings, more: { spec } });
  const manifest = open();
  const { positions } = await readManifestStream(manifest, 'things', { batchRows: 1 });
  for (const position of positions)
    assert.ok(!/secret/.test(position.replaceAll('secret token 1', '').replaceAll('⟦secret', '')), position);
  const again = open();
  const rest = await readManifestStream(again, 'things', { after: positions[0] ?? '' });
  assert.deepEqual(rest.records, [{ id: '2' }, { id: '3' }]);
  for (const one of [manifest, again]) one.close();
});

test('a stream with two ways to be read: in full at first, then by what is new', async () => {
  handle = ({ url }, response) =>
    sendJson(response, { data: [{ id: url.pathname === '/all' ? 1 : 2, at: '2024-01-0' + (url.pathname === '/all' ? 1 : 2) }] });
  const properties = { id: { type: 'integer' }, at: { type: 'string', format: 'date' } };
  const incremental_sync = { type: 'DatetimeBasedCursor', cursor_field: 'at', datetime_format: '%Y-%m-%d', start_datetime: '2024-01-01' };
  const way = (path: string): object => declared(api.url, { path, properties, stream: { incremental_sync } });
  const manifest = openStreams(
    [{ type: 'StateDelegatingStream', name: 'things', full_refresh_stream: way('/all'), incremental_stream: way('/new') }],
    { clock: new TestClock('2024-02-01T00:00:00Z') },
  );
  const first = await readManifestStream(manifest, 'things', { cursor: 'at' });
  const second = await readManifestStream(manifest, 'things', { cursor: 'at', after: first.positions.at(-1) ?? '' });
  assert.deepEqual(
    [first.records, second.records].map((records) => records.map(({ id }) => id)),
    [['1'], ['2']],
  );
  manifest.close();
});

test('an export that takes its time: made, looked at, fetched, removed; one that fails is made again', async () => {
  let [jobs, looks] = [0, 0];
  handle = ({ method, url }, response) => {
    const [, kind, id] = url.pathname.split('/');
    if (method === 'DELETE') return sendJson(response, {});
    if (kind === 'exports' && id === undefined) return sendJson(response, { id: ++jobs });
    if (kind === 'exports')
      return sendJson(response, {
        state: id === '1' ? 'broken' : ++looks < 3 ? 'busy' : 'done',
        files: [`${api.url}/files/1.csv`, `${api.url}/files/2.csv`],
      });
    return void response
      .writeHead(200, { 'content-type': 'text/csv' })
      .end(`id,name\n${url.pathname.endsWith('1.csv') ? '1,a\n2,' : '3,c'}\n`);
  };
  const requester = (path: string, http_method = 'GET'): object => ({ type: 'HttpRequester', url_base: api.url, path, http_method });
  const retriever = {
    type: 'AsyncRetriever',
    record_selector: {
      type: 'RecordSelector',
      extractor: { type: 'DpathExtractor', field_path: [] },
      record_filter: { type: 'RecordFilter', condition: "{{ record.id != '2' }}" },
    },
    creation_requester: requester('exports', 'POST'),
    polling_requester: requester("exports/{{ creation_response['id'] }}"),
    download_requester: { ...requester(''), url_base: undefined, url: '{{ download_target }}' },
    delete_requester: requester("exports/{{ creation_response['id'] }}", 'DELETE'),
    status_extractor: { type: 'DpathExtractor', field_path: ['state'] },
    download_target_extractor: { type: 'DpathExtractor', field_path: ['files'] },
    status_mapping: { running: ['busy'], completed: ['done'], failed: ['broken'], timeout: [] },
    download_decoder: { type: 'CsvDecoder' },
  };
  const clock = new TestClock('2024-01-01T00:00:00Z');
  const stream = { ...declared(api.url, { properties: { id: { type: 'integer' }, name: { type: 'string' } } }), retriever };
  const manifest = openStreams([stream], { clock });
  api.received.length = 0;
  const { records } = await readManifestStream(manifest, 'things');
  assert.deepEqual(records, [
    { id: '1', name: 'a' },
    { id: '3', name: 'c' },
  ]);
  assert.equal(jobs, 2);
  assert.deepEqual(
    clock.waits.filter((wait) => wait > 0),
    [5000, 5000],
  );
  assert.equal(api.received.at(-1)?.method, 'DELETE');
  manifest.close();
});

test('a record that does not fit is a reject, and the others are read', async () => {
  handle = (_, response) => sendJson(response, { data: [{ id: 1, n: 1 }, { id: 2, n: 'many' }, { n: 3 }, 'text', { id: 4 }] });
  const manifest = openStreams([declared(api.url, { properties: { id: { type: 'integer' }, n: { type: 'integer' } } })]);
  const { records, rejects } = await readManifestStream(manifest, 'things');
  assert.deepEqual(records, [
    { id: '1', n: '1' },
    { id: '4', n: null },
  ]);
  assert.deepEqual(
    rejects.map(({ field }) => field),
    ['n', 'id', 'id'],
  );
  manifest.close();
});

test('custom code is named, and the streams without it work', async () => {
  handle = (_, response) => sendJson(response, { data: [{ id: 1 }] });
  const custom = declared(api.url, {
    name: 'special',
    stream: { transformations: [{ type: 'CustomTransformation', class_name: 'source_x.components.Magic' }] },
  });
  const manifest = openStreams([declared(api.url), custom], {
    more: { check: { type: 'CheckStream', stream_names: ['special', 'things'] } },
  });
  assert.deepEqual(
    (await discoverStreams(manifest)).map(({ name, unusable }) => [name, unusable]),
    [
      ['things', undefined],
      ['special', 'it needs custom code in Python, which Syncline does not run: source_x.components.Magic'],
    ],
  );
  const { message, warnings } = await checkStreams(manifest);
  assert.match(message, /1 stream that can be read; tried: things/);
  assert.match(warnings.join(), /cannot be read: special \(source_x\.components\.Magic\)/);
  await assert.rejects(
    readManifestStream(manifest, 'special', { fields: ['id'] }),
    (error: OutsideError) => error.kind === 'config' && error.code === 'CUSTOM_CODE' && /Magic/.test(error.message),
  );
  manifest.close();
});

test('a check says what is wrong with the settings', async () => {
  handle = (_, response) => sendJson(response, { message: 'no such key' }, 401);
  const manifest = openStreams([declared(api.url)]);
  await assert.rejects(
    checkStreams(manifest),
    (error: OutsideError) => error.kind === 'auth' && /Stream "things".*no such key/.test(error.message),
  );
  manifest.close();
});

test('a record that is nested without end is a reject; where it has to be changed, the read says so', async () => {
  handle = (_, response) => sendJson(response, `{"data":[{"id":1,"x":${'['.repeat(200_000)}${']'.repeat(200_000)}}]}`);
  const properties = { id: { type: 'integer' }, x: { type: 'array' } };
  const plain = openStreams([declared(api.url, { properties })]);
  const { records, rejects } = await readManifestStream(plain, 'things');
  assert.deepEqual([records.length, rejects.length], [0, 1]);
  const transformations = [{ type: 'KeysToLower' }];
  const changed = openStreams([declared(api.url, { properties, stream: { transformations } })]);
  await assert.rejects(
    readManifestStream(changed, 'things'),
    (error: OutsideError) => error.kind === 'data' && error.code === 'RECORD_TOO_DEEP',
  );
  for (const manifest of [plain, changed]) manifest.close();
});

test('a stream that cannot be looked at does not hide the others', async () => {
  handle = (_, response) => sendJson(response, {}, 403);
  const manifest = openStreams([declared(api.url), declared(api.url, { name: 'closed', stream: { schema_loader: undefined } })]);
  const streams = await discoverStreams(manifest);
  assert.deepEqual(
    streams.map(({ name, fields }) => `${name} ${fields.length}`),
    ['things 1', 'closed 0'],
  );
  assert.match(streams[1]?.note ?? '', /does not allow/);
  manifest.close();
});
