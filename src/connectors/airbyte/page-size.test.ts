import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import type { OutsideError } from '../../outside/errors.ts';
import { type ApiServer, sendJson, startApi } from '../../../test/support/api-server.ts';
import { declared, openStreams, readManifestStream, TestClock } from '../../../test/support/airbyte-manifest.ts';

const RECORDS = Array.from({ length: 20 }, (_, id) => ({ id }));

/** An API that cannot give more than so many records at once, from a place in its list on. */
let api: ApiServer;
let asked: string[] = [];
let most: (offset: number) => number = () => 20;
before(async () => {
  api = await startApi(({ url }, response) => {
    const [offset, limit] = [Number(url.searchParams.get('offset') ?? 0), Number(url.searchParams.get('limit'))];
    asked.push(`${offset}+${limit}`);
    if (limit > most(offset)) return sendJson(response, { message: 'too much' }, 502);
    const end = offset + limit;
    return sendJson(response, { data: RECORDS.slice(offset, end), next: end < RECORDS.length ? end : null });
  });
});
after(() => api.close());
beforeEach(() => {
  asked = [];
});

const option = (field_name: string): object => ({ type: 'RequestOption', inject_into: 'request_parameter', field_name });
const offsets = { type: 'OffsetIncrement', page_size: 8 };
const cursors = {
  type: 'CursorPagination',
  page_size: 8,
  cursor_value: '{{ response.next }}',
  stop_condition: '{{ last_page_size < page_size }}',
};

function stream(reduction: object | undefined, pagination_strategy: object = offsets, page_token_option = option('offset')): object {
  const filter = { type: 'HttpResponseFilter', http_codes: [502], action: 'REDUCE_PAGE_SIZE' };
  return declared(api.url, {
    requester: { error_handler: { type: 'DefaultErrorHandler', response_filters: [filter] } },
    retriever: {
      ...(reduction && { page_size_reduction: { type: 'PageSizeReduction', ...reduction } }),
      paginator: { type: 'DefaultPaginator', page_size_option: option('limit'), page_token_option, pagination_strategy },
    },
  });
}

async function read(...given: Parameters<typeof stream>): Promise<{ ids: number[]; waits: number[] }> {
  const clock = new TestClock('2024-01-01T00:00:00Z');
  const manifest = openStreams([stream(...given)], { clock });
  const { records } = await readManifestStream(manifest, 'things').finally(() => manifest.close());
  return { ids: records.map(({ id }) => Number(id)), waits: clock.waits };
}

const all = RECORDS.map(({ id }) => id);

test('pages become smaller when the API wants less, and stay so', async () => {
  most = () => 3;
  for (const strategy of [offsets, cursors]) {
    asked = [];
    assert.deepEqual(await read({}, strategy), { ids: all, waits: [500, 1000] });
    assert.deepEqual(asked, [
      '0+8',
      '0+4',
      ...Array.from({ length: 10 }, (_, page) => `${page * 2}+2`),
      ...(strategy === offsets ? ['20+2'] : []),
    ]);
  }
});

test('they become large again where the manifest says so', async () => {
  most = (offset) => (offset === 8 ? 4 : 8);
  assert.deepEqual(await read({ reset_policy: 'AFTER_SUCCESSFUL_PAGE', backoff_seconds: 3 }), { ids: all, waits: [3000] });
  assert.deepEqual(asked, ['0+8', '8+8', '8+4', '12+8', '20+8']);
});

test('an API that takes no size at all is given up, with the words of the manifest', async () => {
  most = () => 0;
  const givenUp = (words: RegExp, hint: RegExp) => (error: OutsideError) => {
    assert.deepEqual([error.kind, error.code], ['transient', 'API_FAILED']);
    assert.match(error.message, words);
    assert.match(error.hint ?? '', hint);
    return true;
  };
  await assert.rejects(read({ failure_message: 'Choose fewer fields.' }), givenUp(/even with pages of 1\.$/, /^Choose fewer fields\.$/));
  assert.deepEqual(asked, ['0+8', '0+4', '0+2', '0+1']);
  asked = [];
  await assert.rejects(
    read({ minimum_page_size: 5, retries_at_minimum_page_size: 2 }),
    givenUp(/even with pages of 5\.$/, /asked for less/),
  );
  assert.deepEqual(asked, ['0+8', '0+5', '0+5', '0+5']);
  asked = [];
  await assert.rejects(read({ max_attempts: 1 }), givenUp(/even with pages of 4\.$/, /asked for less/));
  assert.deepEqual(asked, ['0+8', '0+4']);
});

test('where the manifest does not say how, what the API wants is a failure', async () => {
  most = () => 4;
  await assert.rejects(read(undefined), { code: 'API_FAILED' });
  assert.deepEqual(asked, ['0+8']);
});
