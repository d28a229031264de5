import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Handler, sendJson } from '../../../../test/support/api-server.ts';
import { failureOf, openHttp, readAll } from '../../../../test/support/http-connector.ts';
import { useApis } from '../../../../test/support/served-apis.ts';
import { validate } from '../config/validate.ts';

const { serve } = useApis();

interface Order {
  id: number;
  at: number;
  lines: unknown;
}

/** Orders with their lines inside, three a page, and refunds behind a path of their own, two a page. */
function shop(orders: Order[], refunds: Map<number, { no: number }[]> = new Map()) {
  const asked: string[] = [];
  const handler: Handler = ({ url }, response) => {
    const [, , id] = url.pathname.split('/');
    const page = Number(url.searchParams.get('page') ?? 1);
    if (id !== undefined) {
      asked.push(`${id}/${page}`);
      const all = refunds.get(Number(id));
      if (!all) return sendJson(response, { message: 'gone' }, 404);
      return sendJson(response, { data: all.slice((page - 1) * 2, page * 2), more: all.length > page * 2 });
    }
    const since = Number(url.searchParams.get('since') ?? 0);
    const found = orders.filter(({ at }) => at >= since);
    return sendJson(response, { data: found.slice((page - 1) * 3, page * 3), more: found.length > page * 3 });
  };
  return { handler, asked };
}

const paging = { type: 'page', more: 'more' };
const orders = {
  name: 'orders',
  path: '/orders',
  records: 'data',
  key: ['id'],
  fields: [
    { name: 'id', type: 'int64' },
    { name: 'changed', type: 'int64', path: 'at' },
  ],
  paging,
  incremental: { field: 'changed', param: 'since' },
};
const inherited = [
  { name: 'order_id', path: 'id' },
  { name: 'order_at', path: 'at' },
];
const lines = { name: 'lines', from: { stream: 'orders', list: 'lines', fields: inherited }, key: ['order_id', 'no'] };
const refunds = {
  name: 'refunds',
  path: '/orders/{id}/refunds',
  records: 'data',
  paging,
  key: ['order_id', 'no'],
  from: { stream: 'orders', params: [{ name: 'id', path: 'id' }], fields: inherited },
};
const request = { fields: ['order_id', 'no', 'order_at'], key: ['order_id', 'no'] };
const some = (): Order[] =>
  Array.from({ length: 8 }, (_, i) => ({ id: i + 1, at: i + 1, lines: Array.from({ length: i % 4 }, (_, no) => ({ no })) }));
const expectedLines = some().flatMap(({ id, at, lines: list }) =>
  (list as { no: number }[]).map(({ no }) => [String(id), String(no), String(at)]),
);

describe('a list inside of the records of another stream', () => {
  test('is a stream of its own, with the key of the other, and goes on from any batch', async () => {
    const api = await serve(shop(some()).handler);
    const session = await openHttp({ base_url: api.url, streams: [orders, lines] });
    const [described] = await session.discover(['lines']);
    assert.deepEqual(described?.cursors, ['order_at']);
    assert.deepEqual(
      described.fields.map(({ name, type }) => [name, type]),
      [
        ['no', 'int64'],
        ['order_id', 'int64'],
        ['order_at', 'int64'],
      ],
    );
    const { rows, batches } = await readAll(session, { stream: 'lines', ...request, batchRows: 1 });
    assert.deepEqual(rows, expectedLines);
    assert.ok(
      batches.every((batch) => batch.count <= 1),
      'a long list is cut',
    );
    assert.equal((await readAll(session, { stream: 'lines', ...request, limit: 4 })).rows.length, 4);
    for (const [at, { position }] of batches.entries()) {
      const rest = await readAll(session, { stream: 'lines', ...request, batchRows: 1, after: position });
      assert.deepEqual(
        rest.rows,
        batches.slice(at + 1).flatMap((batch) => batch.rows),
      );
    }
    assert.match((await session.check()).message, /2 of 2 streams answered/);
  });

  test('incrementally by the changes of the other', async () => {
    const all = some();
    const api = await serve(shop(all).handler);
    const session = await openHttp({ base_url: api.url, streams: [orders, lines] });
    const reading = { stream: 'lines', ...request, cursor: 'order_at' };
    const first = await readAll(session, reading);
    assert.deepEqual(first.rows, expectedLines);
    assert.deepEqual((await readAll(session, { ...reading, after: first.position })).rows, []);
    all.push({ id: 2, at: 9, lines: [{ no: 0 }, { no: 1 }] });
    const second = await readAll(session, { ...reading, after: first.position });
    assert.deepEqual(second.rows, [
      ['2', '0', '9'],
      ['2', '1', '9'],
    ]);
  });

  test('what is no list of objects is told', async () => {
    const api = await serve(
      shop([
        { id: 1, at: 1, lines: { no: 7 } },
        { id: 2, at: 2, lines: null },
        { id: 3, at: 3, lines: ['x', { no: 1 }] },
      ]).handler,
    );
    const session = await openHttp({
      base_url: api.url,
      streams: [orders, { ...lines, fields: request.fields.map((name) => ({ name, type: 'int64' })) }],
    });
    const { rows, rejects } = await readAll(session, { stream: 'lines', ...request });
    assert.deepEqual(rows, [
      ['1', '7', '1'],
      ['3', '1', '3'],
    ]);
    assert.deepEqual(rejects, [{ row: { order_id: 3, order_at: 3 }, reason: 'What is listed at "lines" is not a JSON object.' }]);
  });
});

describe('a request for each record of another stream', () => {
  const given = new Map(Array.from({ length: 8 }, (_, i) => [i + 1, Array.from({ length: (i * 2) % 6 }, (_, no) => ({ no }))]));
  const expected = [...given].flatMap(([id, list]) => list.map(({ no }) => [String(id), String(no), String(id)]));

  test('reads all its pages, and goes on from any batch without a gap', async () => {
    const { handler } = shop(some(), given);
    const api = await serve(handler);
    const session = await openHttp({ base_url: api.url, streams: [orders, refunds] });
    const { rows, batches } = await readAll(session, { stream: 'refunds', ...request, batchRows: 1 });
    assert.deepEqual(rows, expected);
    for (const [at, { position }] of batches.entries()) {
      const rest = await readAll(session, { stream: 'refunds', ...request, batchRows: 1, after: position });
      assert.deepEqual(
        rest.rows,
        batches.slice(at + 1).flatMap((batch) => batch.rows),
        position,
      );
    }
    assert.match((await session.check()).message, /2 of 2 streams answered/);
  });

  test('incrementally: only for those that changed', async () => {
    const all = some();
    const { handler, asked } = shop(all, given);
    const api = await serve(handler);
    const session = await openHttp({ base_url: api.url, streams: [orders, refunds] });
    const reading = { stream: 'refunds', ...request, cursor: 'order_at' };
    const first = await readAll(session, reading);
    assert.deepEqual(first.rows, expected);
    asked.length = 0;
    all.push({ id: 3, at: 20, lines: [] });
    const second = await readAll(session, { ...reading, after: first.position });
    assert.deepEqual(asked, ['3/1', '3/2']);
    assert.equal(second.rows.length, 4);
  });

  test('another record in the place of the one that was cut off is read from its beginning', async () => {
    const all = some();
    const { handler } = shop(all, given);
    const api = await serve(handler);
    const session = await openHttp({ base_url: api.url, streams: [orders, refunds] });
    const { batches } = await readAll(session, { stream: 'refunds', ...request, batchRows: 1 });
    const inSecond = batches.find(({ position }) => position.includes('"child"'));
    assert.ok(inSecond);
    all.splice(1, 1);
    const { rows } = await readAll(session, { stream: 'refunds', ...request, after: inSecond.position });
    assert.deepEqual(
      rows.filter(([id]) => id === '3').map(([, no]) => no),
      ['0', '1', '2', '3'],
    );
  });

  test('one that is gone has nothing; a path where there is nothing for any is wrong', async () => {
    const { handler } = shop(some(), new Map([[4, [{ no: 1 }]]]));
    const api = await serve(handler);
    const fields = request.fields.map((name) => ({ name, type: 'int64' }));
    const session = await openHttp({ base_url: api.url, streams: [orders, { ...refunds, fields }] });
    assert.deepEqual((await readAll(session, { stream: 'refunds', ...request })).rows, [['4', '1', '4']]);
    const other = await serve(shop(some()).handler);
    const wrong = await openHttp({ base_url: other.url, streams: [orders, { ...refunds, fields }] });
    const failure = await failureOf(readAll(wrong, { stream: 'refunds', ...request }));
    assert.deepEqual([failure.kind, failure.code], ['config', 'PATH_MISSING']);
  });

  test('pages in a circle are noticed, for each record anew', async () => {
    const api = await serve(({ url }, response) => {
      if (!url.pathname.includes('refunds')) return sendJson(response, { data: [{ id: 1, at: 1 }], more: false });
      return sendJson(response, { data: [{ no: 1 }], more: true });
    });
    const session = await openHttp({ base_url: api.url, streams: [orders, refunds] });
    assert.equal((await failureOf(readAll(session, { stream: 'refunds', ...request }))).code, 'PAGING_LOOP');
  });

  test('what the path needs and a record does not have is named', async () => {
    const api = await serve((_, response) => sendJson(response, { data: [{ at: 1 }], more: false }));
    const fields = request.fields.map((name) => ({ name, type: 'int64' }));
    const failure = await failureOf(
      readAll(await openHttp({ base_url: api.url, streams: [orders, { ...refunds, fields }] }), { stream: 'refunds', ...request }),
    );
    assert.deepEqual([failure.kind, failure.code], ['config', 'FIELD_MISSING']);
  });
});

test('a declaration that makes no sense is refused by its member', () => {
  const faults = (stream: object) =>
    validate({ base_url: 'http://a', streams: [orders, stream] } as never).map(({ field, reason }) => `${field} ${reason}`);
  assert.deepEqual(faults(lines), []);
  assert.deepEqual(faults(refunds), []);
  assert.deepEqual(faults({ ...lines, from: { ...lines.from, stream: 'none' } }), [
    'streams[1].from.stream must be the name of another stream',
  ]);
  assert.deepEqual(faults({ ...lines, path: '/x' }), ['streams[1].path must be left out: the records stand in those of the other stream']);
  assert.match(faults({ ...refunds, from: { stream: 'orders' } }).join(), /path has \{id\}, but there is no parameter/);
  assert.match(faults({ ...lines, incremental: orders.incremental }).join(), /what is new is told by the other stream/);
  assert.match(
    faults({ ...lines, from: { ...lines.from, params: [{ name: 'a', path: 'b' }] } }).join(),
    /from\.params is only for requests/,
  );
});
