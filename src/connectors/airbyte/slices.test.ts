import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type ApiServer, type Handler, sendJson, startApi } from '../../../test/support/api-server.ts';
import { read as readStream } from './read.ts';
import { declared, openStreams, readManifestStream, TestClock } from '../../../test/support/airbyte-manifest.ts';

let api: ApiServer;
let handle: Handler = () => {};

before(async () => {
  api = await startApi((request, response) => handle(request, response));
});
after(() => api.close());

const clock = new TestClock('2024-03-01T00:00:00Z');
const option = (field_name: string): object => ({ type: 'RequestOption', inject_into: 'request_parameter', field_name });
const list = (values: unknown, cursor_field = 'shop'): object => ({
  type: 'ListPartitionRouter',
  values,
  cursor_field,
  request_option: option(cursor_field),
});
const substream = (stream: object, more: object = {}): object => ({
  type: 'SubstreamPartitionRouter',
  parent_stream_configs: [{ type: 'ParentStreamConfig', stream, parent_key: 'id', partition_field: 'parent_id', ...more }],
});
const asked = (): string[] => api.received.map(({ url }) => decodeURIComponent(url.pathname + url.search));

/** What the last position says of the next run. */
const stateIn = (positions: readonly string[]): Record<string, unknown> =>
  (JSON.parse(positions.at(-1) ?? '{}') as { state: Record<string, unknown> }).state;

/** Two parents, each with two children of their own. */
const family: Handler = ({ url }, response) => {
  const [, kind, id] = url.pathname.split('/');
  if (kind === 'parents')
    return sendJson(response, { data: [{ id: 1, name: { first: 'A' } }, { id: null }, { id: 2, name: { first: 'B' } }] });
  return sendJson(response, { data: [1, 2].map((n) => ({ id: Number(id) * 10 + n })) });
};

async function read(streams: object[], name: string, settings = {}): Promise<Record<string, string | null>[]> {
  api.received.length = 0;
  const manifest = openStreams(streams, { clock, settings });
  const { records } = await readManifestStream(manifest, name);
  manifest.close();
  return records;
}

test('lists of values, and every combination of several', async () => {
  handle = (_, response) => sendJson(response, { data: [] });
  await read([declared(api.url, { retriever: { partition_router: list("{{ config['shops'] }}") } })], 'things', { shops: ['n', 's'] });
  assert.deepEqual(asked(), ['/things?shop=n', '/things?shop=s']);
  await read([declared(api.url, { retriever: { partition_router: [list(['n', 's']), list([1, 2], 'year')] } })], 'things');
  assert.deepEqual(
    asked().map((url) =>
      [...new URL(url, api.url).searchParams]
        .map(String)
        .toSorted((a, b) => (a < b ? -1 : 1))
        .join(),
    ),
    ['shop,n,year,1', 'shop,n,year,2', 'shop,s,year,1', 'shop,s,year,2'],
  );
});

test('streams by the records of another one, with more of these than the key', async () => {
  handle = family;
  const parent = declared(api.url, { name: 'parents' });
  const child = declared(api.url, {
    name: 'children',
    path: "/children/{{ stream_partition.parent_id }}?name={{ stream_partition.extra_fields['name.first'] }}",
    properties: { id: { type: 'integer' }, parent: { type: 'integer' } },
    retriever: { partition_router: substream(parent, { extra_fields: [['name', 'first']] }) },
    stream: { transformations: [{ type: 'AddFields', fields: [{ path: ['parent'], value: "{{ stream_slice['parent_id'] }}" }] }] },
  });
  assert.deepEqual(await read([child], 'children'), [
    { id: '11', parent: '1' },
    { id: '12', parent: '1' },
    { id: '21', parent: '2' },
    { id: '22', parent: '2' },
  ]);
  assert.deepEqual(asked(), ['/parents', '/children/1?name=A', '/children/2?name=B']);
});

test('several values in one request, and routers one after the other', async () => {
  handle = (_, response) => sendJson(response, { data: [] });
  const plain = { type: 'ListPartitionRouter', values: ['a', 'b', 'a', 'c'], cursor_field: 'id' };
  const grouping = { type: 'GroupingPartitionRouter', group_size: 2, underlying_partition_router: plain };
  await read(
    [declared(api.url, { path: "/things?ids={{ stream_partition['id'] | join(',') }}", retriever: { partition_router: grouping } })],
    'things',
  );
  assert.deepEqual(asked(), ['/things?ids=a,b', '/things?ids=c']);
  const union = { type: 'UnionPartitionRouter', partition_field: 'id', partition_routers: [plain, { ...plain, values: ['c', 'd'] }] };
  await read([declared(api.url, { path: '/things/{{ stream_partition.id }}', retriever: { partition_router: union } })], 'things');
  assert.deepEqual(asked(), ['/things/a', '/things/b', '/things/c', '/things/d']);
});

const cursor = (more: object = {}): object => ({
  type: 'DatetimeBasedCursor',
  cursor_field: 'at',
  datetime_format: '%Y-%m-%d',
  start_datetime: '2024-01-01',
  start_time_option: option('from'),
  end_time_option: option('to'),
  ...more,
});
const dated = { id: { type: 'integer' }, at: { type: 'string', format: 'date' } };

test('a second run asks from where the first came to, and gives what is new only', async () => {
  const things = [
    { id: 1, at: '2024-01-05' },
    { id: 2, at: '2024-02-10' },
  ];
  handle = ({ url }, response) =>
    sendJson(response, {
      data: things.filter(({ at }) => at >= (url.searchParams.get('from') ?? '') && at <= (url.searchParams.get('to') ?? '')),
    });
  const manifest = openStreams(
    [declared(api.url, { properties: dated, stream: { incremental_sync: cursor({ step: 'P1M', cursor_granularity: 'P1D' }) } })],
    { clock },
  );
  api.received.length = 0;
  const first = await readManifestStream(manifest, 'things', { cursor: 'at' });
  assert.deepEqual(
    first.records.map(({ id }) => id),
    ['1', '2'],
  );
  assert.deepEqual(asked(), ['/things?from=2024-01-01&to=2024-01-31', '/things?from=2024-02-01&to=2024-03-01']);
  things.push({ id: 3, at: '2024-02-10' }, { id: 4, at: '2024-02-20' });
  api.received.length = 0;
  const second = await readManifestStream(manifest, 'things', { cursor: 'at', after: first.positions.at(-1) ?? '' });
  assert.deepEqual(
    second.records.map(({ id }) => id),
    ['3', '4'],
    'the one at the boundary is known',
  );
  assert.deepEqual(asked(), ['/things?from=2024-02-10&to=2024-03-01']);
  const third = await readManifestStream(manifest, 'things', { cursor: 'at', after: second.positions.at(-1) ?? '' });
  assert.deepEqual(third.records, []);
  const full = await readManifestStream(manifest, 'things');
  assert.equal(full.records.length, 4, 'without a cursor everything is read');
  manifest.close();
});

test('each partition has a state of its own; one that is new begins where all have come to', async () => {
  const at: Record<string, string> = { n: '2024-01-10', s: '2024-02-10', w: '2024-02-15' };
  handle = ({ url }, response) => {
    const shop = url.searchParams.get('shop') ?? '';
    sendJson(response, {
      data: (at[shop] ?? '') >= (url.searchParams.get('from') ?? '') ? [{ id: shop.charCodeAt(0), at: at[shop] }] : [],
    });
  };
  const settings = { shops: ['n', 's'] };
  const manifest = openStreams(
    [
      declared(api.url, {
        properties: dated,
        retriever: { partition_router: list('{{ config.shops }}') },
        stream: { incremental_sync: cursor() },
      }),
    ],
    { clock, settings },
  );
  const first = await readManifestStream(manifest, 'things', { cursor: 'at' });
  settings.shops.push('w');
  api.received.length = 0;
  const second = await readManifestStream(manifest, 'things', { cursor: 'at', after: first.positions.at(-1) ?? '' });
  assert.deepEqual(
    asked()
      .map((url) => new URL(url, api.url).searchParams)
      .map((query) => `${query.get('shop')} ${query.get('from')}`),
    ['n 2024-01-10', 's 2024-02-10', 'w 2024-02-10'],
  );
  assert.deepEqual(
    second.records.map(({ id }) => id),
    ['119'],
  );
  manifest.close();
});

test('with incremental_dependency, the parent is asked for what is new too', async () => {
  const parents = [{ id: 1, at: '2024-01-10' }];
  handle = ({ url }, response) => {
    const from = url.searchParams.get('from') ?? '';
    const isParent = url.pathname === '/parents';
    sendJson(response, {
      data: isParent ? parents.filter(({ at }) => at >= from) : [{ id: Number(url.pathname.split('/')[2]), at: '2024-01-20' }],
    });
  };
  const parent = declared(api.url, { name: 'parents', properties: dated, stream: { incremental_sync: cursor() } });
  const child = declared(api.url, {
    name: 'children',
    path: '/children/{{ stream_partition.parent_id }}',
    properties: dated,
    retriever: { partition_router: substream(parent, { incremental_dependency: true }) },
    stream: { incremental_sync: cursor() },
  });
  const manifest = openStreams([child], { clock });
  const first = await readManifestStream(manifest, 'children', { cursor: 'at' });
  assert.equal(first.records.length, 1);
  assert.deepEqual(stateIn(first.positions)['parent_state'], { parents: { at: '2024-01-10' } });
  parents.push({ id: 2, at: '2024-02-10' });
  const other = openStreams([child], { clock });
  api.received.length = 0;
  await readManifestStream(other, 'children', { cursor: 'at', after: first.positions.at(-1) ?? '' });
  assert.deepEqual(
    asked().map((url) => url.replace('&to=2024-03-01', '')),
    ['/parents?from=2024-01-10', '/children/1?from=2024-01-20', '/children/2?from=2024-01-20'],
  );
  for (const one of [manifest, other]) one.close();
});

test('the first page of a child is taken out of its parent in a first read, also where that is taken up again', async () => {
  handle = ({ url }, response) => {
    const parents = [1, 2, 3].map((id) => ({ id, children: { data: [{ id: id * 10 }] } }));
    sendJson(response, { data: url.pathname === '/parents' ? parents : [] });
  };
  const child = declared(api.url, {
    name: 'children',
    path: '/children/{{ stream_partition.parent_id }}',
    retriever: { partition_router: substream(declared(api.url, { name: 'parents' }), { lazy_read_pointer: ['children'] }) },
  });
  api.received.length = 0;
  const ids: (string | null)[] = [];
  let after: string | undefined;
  for (let attempt = 0; attempt < 3; attempt++) {
    const manifest = openStreams([child], { clock });
    for await (const batch of readStream(manifest, {
      stream: 'children',
      key: ['id'],
      fields: ['id'],
      batchRows: 1,
      ...(after && { after }),
    })) {
      ids.push(...batch.rows.map(([id]) => id ?? null));
      after = batch.position;
      break;
    }
    manifest.close();
  }
  assert.deepEqual(ids, ['10', '20', '30']);
  assert.deepEqual([...new Set(asked())], ['/parents']);
});

test('a feed is read until a record is too old; what the API gives too much is left out', async () => {
  const feed = Array.from({ length: 9 }, (_, index) => ({ id: 9 - index, at: `2024-01-0${9 - index}` }));
  handle = ({ url }, response) => {
    const start = Number(url.searchParams.get('page') ?? 0);
    sendJson(response, { data: feed.slice(start, start + 3) });
  };
  const paginator = {
    type: 'DefaultPaginator',
    pagination_strategy: { type: 'OffsetIncrement', page_size: 3 },
    page_token_option: option('page'),
  };
  const stream = (sync: object): object =>
    declared(api.url, {
      properties: dated,
      retriever: { paginator },
      stream: {
        incremental_sync: { ...cursor(sync), start_datetime: '2024-01-05', start_time_option: undefined, end_time_option: undefined },
      },
    });
  assert.deepEqual(
    (await read([stream({ is_data_feed: true })], 'things')).map(({ id }) => id),
    ['9', '8', '7', '6', '5'],
  );
  assert.deepEqual(asked(), ['/things', '/things?page=3']);
  assert.deepEqual(
    (await read([stream({ is_client_side_incremental: true })], 'things')).map(({ id }) => id),
    ['9', '8', '7', '6', '5'],
  );
  assert.equal(asked().length, 4);
});

test('a read that is cut off anywhere goes on without a gap and without a record twice', async () => {
  const parents = Array.from({ length: 5 }, (_, index) => ({ id: index + 1 }));
  const paged = (url: URL, all: readonly object[], size: number): object => {
    const start = Number(url.searchParams.get('page') ?? 0);
    return { data: all.slice(start, start + size), ...(start + size < all.length && { next: start + size }) };
  };
  handle = ({ url }, response) => {
    const [, kind, id] = url.pathname.split('/');
    if (kind === 'parents') return sendJson(response, paged(url, parents, 2));
    const month = (url.searchParams.get('from') ?? '').slice(0, 7);
    const children = Array.from({ length: 5 }, (_, index) => ({ id: `${id}/${month}/${index}`, at: `${month}-0${index + 1}` }));
    return sendJson(response, paged(url, children, 2));
  };
  const paginator = {
    type: 'DefaultPaginator',
    pagination_strategy: { type: 'CursorPagination', cursor_value: '{{ response.next }}' },
    page_token_option: option('page'),
  };
  const parent = declared(api.url, { name: 'parents', retriever: { paginator } });
  const child = declared(api.url, {
    name: 'children',
    path: '/children/{{ stream_partition.parent_id }}',
    properties: { id: { type: 'string' }, at: { type: 'string', format: 'date' } },
    retriever: { paginator, partition_router: substream(parent) },
    stream: { incremental_sync: cursor({ step: 'P1M', cursor_granularity: 'P1D' }) },
  });
  const open = () => openStreams([child], { clock });
  const manifest = open();
  const whole = await readManifestStream(manifest, 'children', { cursor: 'at', batchRows: 1 });
  const all = whole.records.map(({ id }) => id);
  assert.equal(new Set(all).size, 50);
  assert.equal(all.length, 50);
  for (const [index, after] of whole.positions.slice(0, -1).entries()) {
    const again = open();
    const rest = await readManifestStream(again, 'children', { cursor: 'at', after });
    assert.deepEqual(
      rest.records.map(({ id }) => id),
      all.slice(index + 1),
      `behind ${index + 1}`,
    );
    assert.deepEqual(stateIn(rest.positions), stateIn(whole.positions), 'it ends as if nothing had been');
    again.close();
  }
  manifest.close();
});
