import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { OutsideError } from '../../outside/errors.ts';
import { type ApiServer, sendJson, startApi } from '../../../test/support/api-server.ts';
import { declared, openStreams, readManifestStream, TestClock } from '../../../test/support/airbyte-manifest.ts';

let api: ApiServer;
/** What the service answers, one after the other; then it is well. */
let answers: { status: number; body?: unknown; headers?: Record<string, string> }[] = [];

before(async () => {
  api = await startApi((_, response) => {
    const { status, body = {}, headers = {} } = answers.shift() ?? { status: 200, body: { data: [{ id: 1 }] } };
    sendJson(response, body, status, headers);
  });
});
after(() => api.close());

const clock = new TestClock('2024-01-01T00:00:00Z');

/** Reads past these answers; answers the waits in seconds and the records. */
async function read(
  first: typeof answers,
  error_handler: object | undefined,
  more: Record<string, unknown> = {},
): Promise<{ waits: number[]; ids: (string | null)[]; told: string[] }> {
  answers = [...first];
  clock.waits.length = 0;
  const told: string[] = [];
  const manifest = openStreams([declared(api.url, { requester: { ...(error_handler && { error_handler }) } })], {
    clock,
    more,
    settings: { token: 'secret-token' },
    onTold: (message) => told.push(message),
  });
  const { records } = await readManifestStream(manifest, 'things').finally(() => manifest.close());
  return { waits: clock.waits.map((wait) => wait / 1000), ids: records.map(({ id }) => id ?? null), told };
}

const handler = (...response_filters: object[]): object => ({
  type: 'DefaultErrorHandler',
  response_filters: response_filters.map((filter) => ({ type: 'HttpResponseFilter', ...filter })),
});
const failing = (code: string, kind: string) => (error: OutsideError) => {
  assert.deepEqual([error.code, error.kind], [code, kind], error.message);
  return true;
};

test('what may pass is tried again, with waits that grow', async () => {
  assert.deepEqual((await read([{ status: 500 }, { status: 503 }, { status: 429 }], undefined)).waits, [1, 2, 4]);
  const { waits, told } = await read([{ status: 429, headers: { 'retry-after': '30' } }], undefined);
  assert.deepEqual(waits, [30]);
  assert.match(told[0] ?? '', /Waits 30 s/);
  await assert.rejects(
    read(
      Array.from({ length: 9 }, () => ({ status: 500 })),
      undefined,
    ),
    failing('API_FAILED', 'transient'),
  );
  assert.equal(clock.waits.length, 5);
  await assert.rejects(
    read([{ status: 429, headers: { 'retry-after': '3600' } }], undefined),
    (error: OutsideError) => error.code === 'RATE_LIMITED' && error.retryAfter === 3600,
  );
});

test('what does not pass is told by what it takes to recover', async () => {
  await assert.rejects(read([{ status: 401, body: { message: 'bad secret-token' } }], undefined), failing('UNAUTHORIZED', 'auth'));
  await assert.rejects(read([{ status: 403 }], undefined), failing('FORBIDDEN', 'auth'));
  await assert.rejects(read([{ status: 404 }], undefined), failing('PATH_MISSING', 'config'));
  await assert.rejects(
    read([{ status: 400, body: { errors: [{ detail: 'no such column' }] } }], undefined),
    (error: OutsideError) => /no such column/.test(error.message) && error.message.startsWith('Stream "things"'),
  );
});

test('filters of answers: by status, by a condition, by words', async () => {
  assert.deepEqual(await read([{ status: 404 }], handler({ http_codes: [404], action: 'IGNORE' })), {
    waits: [],
    ids: [],
    told: [`${new URL(api.url).host} answered 404, which the manifest ignores.`],
  });
  assert.deepEqual(
    (await read([{ status: 200, body: { error: 'busy' } }], handler({ predicate: "{{ 'error' in response }}", action: 'RETRY' }))).waits,
    [1],
  );
  assert.deepEqual(
    (
      await read(
        [{ status: 400, body: { message: 'try later please' } }],
        handler({ error_message_contains: 'try later', action: 'RATE_LIMITED' }),
      )
    ).waits,
    [1],
  );
  await assert.rejects(
    read(
      [{ status: 200, body: { code: 17 } }],
      handler({
        predicate: '{{ response.code == 17 }}',
        action: 'FAIL',
        failure_type: 'config_error',
        error_message: 'Seventeen: {{ response.code }}',
      }),
    ),
    (error: OutsideError) => error.kind === 'config' && /Seventeen: 17/.test(error.message),
  );
  assert.deepEqual(
    (await read([{ status: 500 }], handler({ http_codes: [500], action: 'SUCCESS' }))).ids,
    [],
    'nothing is read of an answer that is none',
  );
});

test('several handlers: the first that does not fail counts', async () => {
  const composite = {
    type: 'CompositeErrorHandler',
    error_handlers: [
      { ...handler({ predicate: "{{ response.kind == 'a' }}", action: 'IGNORE' }), max_retries: 1 },
      {
        ...handler({ http_codes: [418], action: 'RETRY' }),
        backoff_strategies: [{ type: 'ConstantBackoffStrategy', backoff_time_in_seconds: 7 }],
      },
    ],
  };
  assert.deepEqual((await read([{ status: 404, body: { kind: 'a' } }], composite)).ids, []);
  assert.deepEqual((await read([{ status: 418 }], composite)).waits, [7]);
  await assert.rejects(read([{ status: 418 }, { status: 418 }], composite), failing('API_FAILED', 'transient'));
});

test('waits as the manifest wants them', async () => {
  const waits = async (strategy: object, headers: Record<string, string> = {}, body: unknown = {}): Promise<number[]> =>
    (
      await read(
        [
          { status: 500, headers, body },
          { status: 500, headers, body },
        ],
        { type: 'DefaultErrorHandler', backoff_strategies: [strategy] },
      )
    ).waits;
  assert.deepEqual(await waits({ type: 'ConstantBackoffStrategy', backoff_time_in_seconds: 3 }), [3, 3]);
  assert.deepEqual(await waits({ type: 'ExponentialBackoffStrategy', factor: 2 }), [4, 8]);
  assert.deepEqual(await waits({ type: 'WaitTimeFromHeader', header: 'X-Wait', regex: '[0-9]+' }, { 'x-wait': '12 seconds' }), [12, 12]);
  // A pattern that would try every way there is must not hold up the run.
  const began = performance.now();
  const endless = { type: 'WaitTimeFromHeader', header: 'X-Wait', regex: '(1+)+x' };
  await waits(endless, { 'x-wait': `${'1'.repeat(40)}!` });
  assert.ok(performance.now() - began < 20_000);
  assert.deepEqual(await waits({ type: 'WaitTimeFromHeader', header: 'X-Wait' }), [1, 2], 'without the header, ours');
  const until = String(Math.ceil(clock.now() / 1000) + 20);
  assert.deepEqual(await waits({ type: 'WaitUntilTimeFromHeader', header: 'X-Reset', min_wait: 5 }, { 'x-reset': until }), [20, 5]);
  assert.deepEqual(await waits({ type: 'WaitTimeFromResponse', wait_time_in_seconds: '{{ response.wait }}' }, {}, { wait: 9 }), [9, 9]);
  await assert.rejects(
    waits({ type: 'WaitTimeFromHeader', header: 'X-Wait', max_waiting_time_in_seconds: 60 }, { 'x-wait': '90' }),
    failing('RATE_LIMITED', 'transient'),
  );
});

test('a budget of requests', async () => {
  const rates = [{ type: 'Rate', limit: 2, interval: 'PT10S' }];
  const api_budget = {
    type: 'HTTPAPIBudget',
    policies: [
      {
        type: 'MovingWindowCallRatePolicy',
        rates,
        matchers: [{ type: 'HttpRequestRegexMatcher', method: 'GET', url_path_pattern: '/things' }],
      },
    ],
  };
  const { waits } = await read(
    [{ status: 500 }, { status: 500 }, { status: 500 }],
    { type: 'DefaultErrorHandler', backoff_strategies: [{ type: 'ConstantBackoffStrategy', backoff_time_in_seconds: 1 }] },
    { api_budget },
  );
  assert.deepEqual(waits, [1, 1, 8, 1, 1].slice(0, waits.length));
  assert.ok(waits.includes(8), 'the third within ten seconds waits');
});

test('a component that is not known is refused by name', async () => {
  await assert.rejects(
    read([], { type: 'WishfulErrorHandler' }),
    (error: OutsideError) => error.kind === 'config' && /WishfulErrorHandler/.test(error.message),
  );
});
