import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type ApiServer, sendJson, startApi } from '../../../test/support/api-server.ts';
import { declared, openStreams } from '../../../test/support/airbyte-manifest.ts';
import { requestsLeft } from '../../../test/support/requests-left.ts';
import { read } from './read.ts';

let api: ApiServer;
before(async () => {
  api = await startApi(({ url }, response) => {
    const page = Number(url.searchParams.get('page') ?? 1);
    return sendJson(response, { data: [{ id: page * 2 }, { id: page * 2 + 1 }], next: page < 3 ? page + 1 : null });
  });
});
after(() => api.close());

const paginator = {
  type: 'DefaultPaginator',
  page_token_option: { type: 'RequestOption', inject_into: 'request_parameter', field_name: 'page' },
  pagination_strategy: { type: 'CursorPagination', cursor_value: '{{ response.next }}' },
};

test('the request for the next page has left before the records of one are worked with; a sample asks for what it wants alone', async () => {
  const manifest = openStreams([declared(api.url, { retriever: { paginator } })]);
  const request = { stream: 'things', key: ['id'], fields: ['id'] };
  using whole = requestsLeft(api.port);
  const batches = read(manifest, { ...request, batchRows: 1 });
  assert.deepEqual((await batches.next()).value?.rows, [['2']]);
  assert.deepEqual(whole.paths, ['/things', '/things?page=2']);
  await batches.return(undefined);
  using sample = requestsLeft(api.port);
  for await (const { rows } of read(manifest, { ...request, limit: 1 })) assert.deepEqual(rows, [['2']]);
  assert.deepEqual(sample.paths, ['/things']);
  manifest.close();
});
