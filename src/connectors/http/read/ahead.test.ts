import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sendJson } from '../../../../test/support/api-server.ts';
import { openHttp, readAll } from '../../../../test/support/http-connector.ts';
import { requestsLeft } from '../../../../test/support/requests-left.ts';
import { useApis } from '../../../../test/support/served-apis.ts';
import { until } from '../../../../test/support/until.ts';

const { serve } = useApis();

const stream = {
  name: 'things',
  path: '/things',
  records: 'data',
  key: ['id'],
  fields: [{ name: 'id', type: 'int64' }],
  paging: { type: 'cursor', param: 'page', next: 'next' },
};

async function pagedApi(pages: number) {
  return serve(({ url }, response) => {
    const page = Number(url.searchParams.get('page') ?? 1);
    const data = Array.from({ length: 10 }, (_, i) => ({ id: page * 10 + i }));
    return sendJson(response, { data, next: page < pages ? page + 1 : null });
  });
}

test('the next page is on its way while the records of one are worked on, and no more than that', async () => {
  const api = await pagedApi(3);
  const session = await openHttp({ base_url: api.url, streams: [stream] });
  using left = requestsLeft(Number(new URL(api.url).port));
  const batches = session.read({ stream: 'things', fields: ['id'], key: ['id'], batchRows: 5 })[Symbol.asyncIterator]();
  const first = await batches.next();
  assert.equal(first.value?.count, 5);
  assert.deepEqual(left.paths, ['/things', '/things?page=2'], 'before anything is done with the first records');
  await until('page 2 is asked for', () => api.received.length === 2);
  assert.equal((await batches.next()).value?.count, 5);
  assert.equal(api.received.length, 2);
  await batches.return?.();
  assert.equal((await readAll(session, { stream: 'things', fields: ['id'] })).rows.length, 30, 'the session still reads');
  await session.close();
});

test('a sample asks for what it wants alone', async () => {
  const api = await pagedApi(3);
  const session = await openHttp({ base_url: api.url, streams: [stream] });
  assert.equal((await readAll(session, { stream: 'things', fields: ['id'], limit: 5 })).rows.length, 5);
  assert.equal(api.received.length, 1);
  await session.close();
});

test('what is wrong with the next page is told when its turn has come, behind what was read', async () => {
  const api = await serve(({ url }, response) =>
    url.searchParams.has('page')
      ? sendJson(response, { message: 'no such page' }, 400)
      : sendJson(response, { data: [{ id: 1 }, { id: 2 }], next: 2 }),
  );
  const session = await openHttp({ base_url: api.url, streams: [stream] });
  const rows: unknown[] = [];
  await assert.rejects(async () => {
    for await (const batch of session.read({ stream: 'things', fields: ['id'], key: ['id'] })) rows.push(...batch.rows);
  }, /no such page/);
  assert.deepEqual(rows, [['1'], ['2']]);
  await session.close();
});

test('a record that is none is rejected alone, though others are parsed with it', async () => {
  const broken = ['{"id":1}', '{"id":nonsense}', '{"id":3}', '7', '{"id":12345678901234567890}', '{"id":6}'];
  const api = await serve((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(`{"data":[${broken.join(',')}],"next":null}`);
  });
  const session = await openHttp({ base_url: api.url, streams: [stream] });
  const { rows, rejects } = await readAll(session, { stream: 'things', fields: ['id'] });
  assert.deepEqual(rows, [['1'], ['3'], ['6']]);
  assert.deepEqual(
    rejects.map(({ reason }) => reason),
    ['The record is not valid JSON.', 'The record is not a JSON object.', '"id" is not of the type int64: 12345678901234567890.'],
  );
  await session.close();
});
