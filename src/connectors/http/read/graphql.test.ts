import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Handler, sendJson } from '../../../../test/support/api-server.ts';
import { failureOf, openHttp, readAll } from '../../../../test/support/http-connector.ts';
import { useApis } from '../../../../test/support/served-apis.ts';

const { serve, open } = useApis();

interface Asked {
  query: string;
  variables: { first?: number; after?: string; options?: { skip?: number; take?: number; filter?: { version: { gte: unknown } } } };
}

const QUERY =
  'query($first: Int, $after: String) { products(first: $first, after: $after) { nodes { id } pageInfo { hasNextPage endCursor } } }';
const byCursor = {
  path: '/graphql',
  graphql: { query: QUERY, variables: '{"first": 3}' },
  records: 'data.products.nodes',
  key: ['id'],
  fields: [{ name: 'id', type: 'int64' }],
  paging: { type: 'cursor', param: 'after', next: 'data.products.pageInfo.endCursor', more: 'data.products.pageInfo.hasNextPage' },
};
const request = { stream: 's', fields: ['id'], key: ['id'] };
const asked = (body: string): Asked => JSON.parse(body) as Asked;
const ids = (from: number, count: number) => Array.from({ length: count }, (_, i) => ({ id: from + i }));

/** A shop of ten products behind GraphQL, three a page. */
const shop: Handler = ({ method, body, headers }, response) => {
  assert.equal(method, 'POST');
  assert.equal(headers['content-type'], 'application/json');
  const { query, variables } = asked(body);
  assert.equal(query, QUERY);
  assert.equal(variables.first, 3);
  const after = Number(variables.after ?? 0);
  const nodes = ids(after + 1, Math.min(3, 10 - after));
  return sendJson(response, {
    data: { products: { nodes, pageInfo: { hasNextPage: after + 3 < 10, endCursor: String(after + nodes.length) } } },
  });
};

describe('GraphQL, reading', () => {
  test('pages by a cursor in the variables, going on from any batch', async () => {
    const { session } = await open(shop, byCursor);
    const { rows, batches } = await readAll(session, { ...request, batchRows: 2 });
    assert.deepEqual(
      rows.map(([id]) => Number(id)),
      ids(1, 10).map(({ id }) => id),
    );
    for (const [at, { position }] of batches.entries()) {
      const rest = await readAll(session, { ...request, batchRows: 2, after: position });
      assert.deepEqual(
        rest.rows,
        batches.slice(at + 1).flatMap((batch) => batch.rows),
      );
    }
    assert.match((await session.check()).message, /1 of 1 streams answered/);
  });

  test('pages by skip and take, and what is new as a number, inside of the variables', async () => {
    const seen: Asked['variables'][] = [];
    const { session } = await open(
      ({ body }, response) => {
        const { variables } = asked(body);
        seen.push(variables);
        const { skip = 0, take = 0, filter } = variables.options ?? {};
        const all = ids(1, 5)
          .map(({ id }) => ({ id, version: id }))
          .filter(({ version }) => filter === undefined || version >= Number(filter.version.gte));
        return sendJson(response, { data: { products: { items: all.slice(skip, skip + take) } } });
      },
      {
        path: '/graphql',
        graphql: { query: 'query($options: Options) { products(options: $options) { items { id version } } }' },
        records: 'data.products.items',
        key: ['id'],
        fields: [
          { name: 'id', type: 'int64' },
          { name: 'version', type: 'int64' },
        ],
        paging: { type: 'offset', offset_param: 'options.skip', limit_param: 'options.take', limit: 2 },
        incremental: { field: 'version', param: 'options.filter.version.gte' },
      },
    );
    const reading = { stream: 's', fields: ['id', 'version'], key: ['id'], cursor: 'version' };
    const first = await readAll(session, reading);
    assert.equal(first.rows.length, 5);
    assert.deepEqual(seen[0], { options: { skip: 0, take: 2 } });
    seen.length = 0;
    assert.equal((await readAll(session, { ...reading, after: first.position })).rows.length, 0);
    assert.deepEqual(seen[0], { options: { skip: 0, take: 2, filter: { version: { gte: 5 } } } });
  });

  test('errors in a 200: of rights, of the query, and of haste, which is tried again', async () => {
    for (const [code, kind, known] of [
      ['FORBIDDEN', 'auth', 'UNAUTHORIZED'],
      ['GRAPHQL_VALIDATION_FAILED', 'config', 'REQUEST_REFUSED'],
    ] as const) {
      const { session } = await open(
        (_, response) => sendJson(response, { errors: [{ message: 'No.', extensions: { code } }], data: null }),
        byCursor,
      );
      const failure = await failureOf(readAll(session, request));
      assert.deepEqual([failure.kind, failure.code], [kind, known]);
    }
    let answers = 0;
    const { session } = await open((received, response) => {
      if (answers++ > 0) return shop(received, response);
      return sendJson(response, { errors: [{ message: 'Throttled', extensions: { code: 'THROTTLED', retryAfter: 0.05 } }] });
    }, byCursor);
    assert.equal((await readAll(session, request)).rows.length, 10);
  });
});

describe('what queries cost, by the server’s own figures', () => {
  /** An account of 100 points that fills up by 400 a second; a query costs 60. One that is not covered is an error. */
  function account({ isSlow = false } = {}) {
    const state = { left: 100, at: performance.now(), refused: 0 };
    const rate = isSlow ? 1 : 400;
    const handler: Handler = (received, response) => {
      const now = performance.now();
      state.left = Math.min(100, state.left + ((now - state.at) * rate) / 1000);
      state.at = now;
      const figures = () => ({
        cost: { requestedQueryCost: 60, throttleStatus: { maximumAvailable: 100, currentlyAvailable: state.left, restoreRate: rate } },
      });
      // A little less, as clocks are not as exact as sums.
      if (state.left < 59) {
        state.refused++;
        return sendJson(response, { errors: [{ message: 'Throttled', extensions: { code: 'THROTTLED' } }], extensions: figures() });
      }
      state.left -= 60;
      const write = response.end.bind(response);
      response.end = ((text: string) => write(JSON.stringify({ ...(JSON.parse(text) as object), extensions: figures() }))) as never;
      return shop(received, response);
    };
    return { state, handler };
  }

  test('are waited for before the next request, so that none is refused', async () => {
    const { state, handler } = account();
    const { session } = await open(handler, byCursor);
    assert.equal((await readAll(session, request)).rows.length, 10);
    assert.equal(state.refused, 0);
  });

  test('a long wait is told in the log; one that is too long is left to the schedule', async () => {
    const { state, handler } = account({ isSlow: true });
    const api = await serve(handler);
    const told: string[] = [];
    const stop = new AbortController();
    const patient = await openHttp(
      { base_url: api.url, streams: [{ name: 's', ...byCursor }] },
      { tell: (_, message) => (told.push(message), stop.abort()), signal: stop.signal },
    );
    assert.equal((await failureOf(readAll(patient, request))).code, 'ABORTED');
    assert.match(told[0] ?? '', /^Waits \d+ s: the API says that no more requests are left until then/);
    assert.equal(state.refused, 0);
    const hasty = await openHttp({ base_url: api.url, streams: [{ name: 's', ...byCursor }], max_wait_seconds: 1 });
    const failure = await failureOf(readAll(hasty, request));
    assert.deepEqual([failure.kind, failure.code], ['transient', 'RATE_LIMITED']);
    assert.ok((failure.retryAfter ?? 0) > 10);
  });

  test('figures that make no sense are no reason to wait', async () => {
    const costs = [
      {},
      { requestedQueryCost: 'much' },
      { requestedQueryCost: 1e9, throttleStatus: { maximumAvailable: 10, currentlyAvailable: -5, restoreRate: 0 } },
    ];
    for (const cost of costs) {
      const { session } = await open((received, response) => {
        const write = response.end.bind(response);
        response.end = ((text: string) => write(JSON.stringify({ ...(JSON.parse(text) as object), extensions: { cost } }))) as never;
        return shop(received, response);
      }, byCursor);
      assert.equal((await readAll(session, request)).rows.length, 10);
    }
  });
});
