import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Handler, sendJson } from '../../../../test/support/api-server.ts';
import { failureOf, writeRows } from '../../../../test/support/http-connector.ts';
import { rowsOf, UPSERT, useApis } from '../../../../test/support/served-apis.ts';
import { Batch } from '../../batch.ts';
import { validate } from '../config/validate.ts';

const { open } = useApis({ max_wait_seconds: 5 });

interface Asked {
  query: string;
  variables: Record<string, { id: string; name: string }>;
}
const asked = (body: string): Asked => JSON.parse(body) as Asked;

const graphql = {
  call: 'productUpdate(input: $input) { product { id } userErrors { field message } }',
  variables: [{ name: 'input', type: 'ProductInput!' }],
};
const write = { path: '/graphql', modes: ['upsert', 'append'], graphql };

/** Answers each call by what `fate` says of its record: nothing is well, a text is an error of the user's. */
function shop(fate: (id: string) => string | undefined): { handler: Handler; requests: Asked[] } {
  const requests: Asked[] = [];
  const handler: Handler = ({ body }, response) => {
    const { query, variables } = asked(body);
    requests.push({ query, variables });
    const data = Object.fromEntries(
      [...query.matchAll(/(r\d+): productUpdate\(input: \$(input_\d+)\)/g)].map(([, alias = '', name = '']) => {
        const id = variables[name]?.id ?? '';
        const message = fate(id);
        return [
          alias,
          message === undefined ? { product: { id }, userErrors: [] } : { product: null, userErrors: [{ field: ['name'], message }] },
        ];
      }),
    );
    return sendJson(response, { data });
  };
  return { handler, requests };
}

describe('mutations', () => {
  test('one for each record; what the user did wrong makes it a reject', async () => {
    const { handler, requests } = shop((id) => (id === 'p1' ? 'Name is taken' : undefined));
    const { session } = await open(handler, { write });
    const { updated, rejects } = await writeRows(session, UPSERT, rowsOf(3));
    assert.equal(updated, 2);
    assert.deepEqual(
      rejects.map(({ index, reason }) => [index, reason]),
      [[1, 'The API refused it: Name is taken']],
    );
    assert.deepEqual(requests[0], {
      query: `mutation($input_0: ProductInput!) { r0: ${graphql.call.replace('$input', '$input_0')} }`,
      variables: { input_0: { id: 'p0', name: 'x' } },
    });
  });

  test('several in one request, each with its result', async () => {
    const { handler, requests } = shop((id) => (/[37]/.test(id) ? `no ${id}` : undefined));
    const { session } = await open(handler, { write: { ...write, batch_size: 4 } });
    const { updated, rejects } = await writeRows(session, UPSERT, rowsOf(10));
    assert.deepEqual(
      [updated, rejects.map(({ index, reason }) => [index, reason]), requests.length],
      [
        8,
        [
          [3, 'The API refused it: no p3'],
          [7, 'The API refused it: no p7'],
        ],
        3,
      ],
    );
    assert.deepEqual(Object.keys(requests[0]?.variables ?? {}), ['input_0', 'input_1', 'input_2', 'input_3']);
  });

  test('an error with a path is that record’s; where it takes all results with it, those behind are sent again', async () => {
    const done: string[] = [];
    const handler: Handler = ({ body }, response) => {
      const { variables } = asked(body);
      for (const [at, { id }] of Object.values(variables).entries()) {
        if (id === 'p2') return sendJson(response, { data: null, errors: [{ message: 'No such product', path: [`r${at}`] }] });
        done.push(id);
      }
      return sendJson(response, { data: Object.fromEntries(Object.keys(variables).map((_, i) => [`r${i}`, { userErrors: [] }])) });
    };
    const { session } = await open(handler, { write: { ...write, batch_size: 5 } });
    const { inserted, rejects } = await writeRows(session, { ...UPSERT, mode: 'append' }, rowsOf(5));
    assert.deepEqual([inserted, done], [4, ['p0', 'p1', 'p3', 'p4']], 'each once');
    assert.deepEqual(
      rejects.map(({ index, reason }) => [index, reason]),
      [[2, 'The API refused it: No such product']],
    );
  });

  test('a request that is refused as a whole is halved until the bad one is found', async () => {
    const handler: Handler = ({ body }, response) => {
      const { variables } = asked(body);
      const bad = Object.values(variables).some(({ id }) => id === 'p5');
      if (bad) return sendJson(response, { errors: [{ message: 'Variable "$input_5" got invalid value' }] }, 400);
      return sendJson(response, { data: Object.fromEntries(Object.keys(variables).map((_, i) => [`r${i}`, { userErrors: [] }])) });
    };
    const { session } = await open(handler, { write: { ...write, batch_size: 8 } });
    const { updated, rejects } = await writeRows(session, UPSERT, rowsOf(8));
    assert.deepEqual([updated, rejects.map(({ index }) => index)], [7, [5]]);
  });

  test('records that come too fast are sent again, alone; rights that are missing stop the run', async () => {
    let hurried = 0;
    const handler: Handler = ({ body }, response) => {
      const { variables } = asked(body);
      const errors = Object.values(variables).flatMap(({ id }, i) =>
        id === 'p1' && hurried++ === 0
          ? [{ message: 'Throttled', path: [`r${i}`], extensions: { code: 'THROTTLED', retryAfter: 0.01 } }]
          : [],
      );
      const data = Object.fromEntries(
        Object.keys(variables).map((_, i) => [`r${i}`, errors.some(({ path }) => path[0] === `r${i}`) ? null : {}]),
      );
      return sendJson(response, { data, ...(errors.length > 0 && { errors }) });
    };
    const { api, session } = await open(handler, { write: { ...write, batch_size: 3 } });
    const { updated, rejects } = await writeRows(session, UPSERT, rowsOf(3));
    assert.deepEqual([updated, rejects], [3, []]);
    assert.deepEqual(
      api.received.map(({ body }) => Object.keys(asked(body).variables).length),
      [3, 1],
    );
    const { session: strange } = await open(
      (_, response) =>
        sendJson(response, { data: { r0: null }, errors: [{ message: 'No.', path: ['r0'], extensions: { code: 'FORBIDDEN' } }] }),
      { write },
    );
    const failure = await failureOf(writeRows(strange, UPSERT, rowsOf(1)));
    assert.deepEqual([failure.kind, failure.code], ['auth', 'UNAUTHORIZED']);
  });

  test('results of several types: an error has a code of its own', async () => {
    const { session } = await open(
      (_, response) =>
        sendJson(response, { data: { r0: { __typename: 'StockError', errorCode: 'NO_STOCK', message: 'There is no stock.' } } }),
      { write },
    );
    const { rejects } = await writeRows(session, UPSERT, rowsOf(1));
    assert.deepEqual(rejects[0]?.reason, 'The API refused it: There is no stock.');
  });

  test('answers of which nothing can be concluded are no success', async () => {
    for (const [answer, code] of [
      [{}, 'RESULTS_MISSING'],
      [{ data: null }, 'RESULTS_MISSING'],
      [[], 'RESULTS_MISSING'],
    ] as const) {
      const { session } = await open((_, response) => sendJson(response, answer), { write });
      assert.equal((await failureOf(writeRows(session, UPSERT, rowsOf(1)))).code, code, JSON.stringify(answer));
    }
    for (const answer of [{ data: {} }, { data: { r0: null } }, { data: { r0: [] } }]) {
      const { session } = await open((_, response) => sendJson(response, answer), { write });
      const { rejects } = await writeRows(session, UPSERT, rowsOf(1));
      assert.match(rejects[0]?.reason ?? '', /answered nothing for this record/, JSON.stringify(answer));
    }
  });

  test('removes with a mutation, by the key', async () => {
    const { api, session } = await open(
      ({ body }, response) => {
        const isGone = (JSON.parse(body) as { variables: { id_0: string } }).variables.id_0 === 'p1';
        return sendJson(response, { data: { r0: { userErrors: isGone ? [{ message: 'It is needed' }] : [] } } });
      },
      {
        write: {
          ...write,
          graphql_delete: {
            call: 'productDelete(id: $id) { userErrors { message } }',
            variables: [{ name: 'id', type: 'ID!', field: 'id' }],
          },
        },
      },
    );
    const writer = await session.write({ ...UPSERT, owner: 'tests', token: 1n, create: false, deletes: 'delete' });
    const { deleted, rejects } = await writer.write(Batch.ofRows([['p0'], ['p1']], { position: 'p', operation: 'delete' }));
    assert.deepEqual([deleted, rejects.map(({ index, reason }) => [index, reason])], [1, [[1, 'The API refused it: It is needed']]]);
    assert.equal(
      asked(api.received[0]?.body ?? '').query,
      'mutation($id_0: ID!) { r0: productDelete(id: $id_0) { userErrors { message } } }',
    );
  });

  test('what is wrong in a declaration is named', () => {
    const faults = (change: object) =>
      validate({ base_url: 'http://a', streams: [{ name: 's', write: { ...write, ...change } }] } as never).map(
        ({ field, reason }) => `${field} ${reason}`,
      );
    assert.deepEqual(faults({}), []);
    assert.deepEqual(faults({ wrapper: 'x' }), [
      'streams[0].write.wrapper must be left out with `graphql`, which says what is sent and answered',
    ]);
    assert.match(
      faults({ graphql: { ...graphql, variables: [{ name: 'inputs', type: 'X' }] } }).join(),
      /variables\[0\]\.name does not stand.*call has \$input/,
    );
    assert.match(faults({ graphql: { ...graphql, call: '{ x(a: $input) }' } }).join(), /must begin with the name of a field/);
  });
});
