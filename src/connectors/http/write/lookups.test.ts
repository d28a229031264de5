import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Handler, sendJson } from '../../../../test/support/api-server.ts';
import { failureOf, writeRows } from '../../../../test/support/http-connector.ts';
import { rowsOf, UPSERT, useApis } from '../../../../test/support/served-apis.ts';
import { Batch } from '../../batch.ts';
import { validate } from '../config/validate.ts';

const { open } = useApis();

const lookup = { field: 'id', into: 'number', path: '/articles', param: 'sku', records: 'data', match: 'sku', take: 'id' };
const write = { path: '/articles/{number}', method: 'PATCH', modes: ['upsert'], lookups: [lookup], delete_path: '/articles/{number}' };

/** Articles that we know by a number of ours, p0 and so on, and the API by its own, 100 and so on. */
function shop(count = 1000) {
  const asked: string[] = [];
  const written: [path: string, body: unknown][] = [];
  const handler: Handler = ({ method, url, body }, response) => {
    if (method === 'PATCH' || method === 'DELETE') {
      written.push([url.pathname, body === '' ? undefined : JSON.parse(body)]);
      return sendJson(response, {});
    }
    const skus = (url.searchParams.get('sku') ?? '').split(',');
    asked.push(skus.join(','));
    const data = skus.flatMap((sku) => (Number(sku.slice(1)) < count ? [{ id: 100 + Number(sku.slice(1)), sku }] : []));
    return sendJson(response, { data });
  };
  return { handler, asked, written };
}

describe('lookups', () => {
  test('what the API calls by another name: in the path and in the body; each is asked for once', async () => {
    const { handler, asked, written } = shop(2);
    const { session } = await open(handler, { write });
    const { updated, rejects } = await writeRows(session, UPSERT, rowsOf(3));
    assert.equal(updated, 2);
    assert.deepEqual(
      rejects.map(({ index, field, reason, row }) => [index, field, reason, row]),
      [[2, 'id', 'The API has nothing of this value.', { id: 'p2', name: 'x' }]],
    );
    assert.deepEqual(written, [
      ['/articles/100', { name: 'x', number: 100 }],
      ['/articles/101', { name: 'x', number: 101 }],
    ]);
    await writeRows(session, UPSERT, rowsOf(3));
    assert.deepEqual(asked, ['p0', 'p1', 'p2', 'p2'], 'what was found is remembered, what was not may be there by now');
    const writer = await session.write({ ...UPSERT, owner: 'tests', token: 1n, create: false, deletes: 'delete' });
    const removed = await writer.write(Batch.ofRows([['p0'], ['p9']], { position: 'p', operation: 'delete' }));
    assert.deepEqual([removed.deleted, removed.rejects.length, written.at(-1)?.[0]], [1, 1, '/articles/100']);
  });

  test('several at once', async () => {
    const { handler, asked } = shop();
    const { session } = await open(handler, { write: { ...write, lookups: [{ ...lookup, batch_size: 4 }] } });
    assert.equal((await writeRows(session, UPSERT, rowsOf(10))).updated, 10);
    assert.deepEqual(asked, ['p0,p1,p2,p3', 'p4,p5,p6,p7', 'p8,p9']);
  });

  test('by a path of its own, where 404 means that there is none; by GraphQL, into a mutation', async () => {
    const { session } = await open(
      ({ method, url }, response) => {
        if (method === 'PATCH') return sendJson(response, {});
        return url.pathname === '/by/p0' ? sendJson(response, { id: 'x-1' }) : sendJson(response, {}, 404);
      },
      { write: { ...write, lookups: [{ field: 'id', into: 'number', path: '/by/{value}', records: '/' }] } },
    );
    const { updated, rejects } = await writeRows(session, UPSERT, rowsOf(2));
    assert.deepEqual([updated, rejects.map(({ index }) => index)], [1, [1]]);
    const bodies: string[] = [];
    const { session: other } = await open(
      ({ body }, response) => {
        bodies.push(body);
        const { query, variables } = JSON.parse(body) as { query: string; variables: { skus: string[] } };
        if (query.startsWith('mutation')) return sendJson(response, { data: { r0: { id: '7' } } });
        return sendJson(response, { data: { variants: { items: variables.skus.map((sku) => ({ id: '7', sku })) } } });
      },
      {
        write: {
          path: '/graphql',
          modes: ['upsert'],
          graphql: {
            call: 'update(id: $id, name: $name) { id }',
            variables: [
              { name: 'id', type: 'ID!', field: 'number' },
              { name: 'name', type: 'String!', field: 'name' },
            ],
          },
          lookups: [
            {
              field: 'id',
              into: 'number',
              path: '/graphql',
              param: 'skus',
              match: 'sku',
              records: 'data.variants.items',
              batch_size: 10,
              graphql: { query: 'query($skus: [String!]!) { variants }' },
            },
          ],
        },
      },
    );
    assert.equal((await writeRows(other, UPSERT, rowsOf(1))).updated, 1);
    assert.deepEqual((JSON.parse(bodies[1] ?? '') as { variables: unknown }).variables, { id_0: '7', name_0: 'x' });
  });

  test('the memory of them is bounded', async () => {
    const { handler, asked } = shop(1e9);
    const { session } = await open(handler, { write: { ...write, lookups: [{ ...lookup, batch_size: 1000 }], parallel: 16 } });
    const writer = await session.write({ ...UPSERT, owner: 'tests', token: 1n, create: false });
    await writer.write(Batch.ofRows([['p0', 'x']], { position: 'a' }));
    await writer.write(
      Batch.ofRows(
        Array.from({ length: 10_000 }, (_, i) => [`p${i + 1}`, 'x']),
        { position: 'b' },
      ),
    );
    asked.length = 0;
    await writer.write(
      Batch.ofRows(
        [
          ['p10000', 'x'],
          ['p0', 'x'],
        ],
        { position: 'c' },
      ),
    );
    assert.deepEqual(asked, ['p0'], 'the one that was asked for longest ago is forgotten');
  });

  test('an API that is unsure, refuses us or breaks stops the run', async () => {
    const cases: [Handler, string][] = [
      [
        (_, response) =>
          sendJson(response, {
            data: [
              { id: 1, sku: 'p0' },
              { id: 2, sku: 'p0' },
            ],
          }),
        'LOOKUP_AMBIGUOUS',
      ],
      [(_, response) => sendJson(response, {}, 401), 'UNAUTHORIZED'],
      [(_, response) => sendJson(response, '{"data":['), 'JSON_TRUNCATED'],
      [(_, response) => sendJson(response, {}, 404), 'PATH_MISSING'],
    ];
    for (const [handler, code] of cases) {
      const { session } = await open(handler, { write }, { max_wait_seconds: 0 });
      assert.equal((await failureOf(writeRows(session, UPSERT, rowsOf(1)))).code, code);
    }
  });

  test('what is wrong in a declaration is named', () => {
    const faults = (change: object) =>
      validate({ base_url: 'http://a', streams: [{ name: 's', write: { ...write, lookups: [{ ...lookup, ...change }] } }] } as never).map(
        ({ field }) => field,
      );
    assert.deepEqual(faults({}), []);
    assert.deepEqual(faults({ param: undefined }), ['streams[0].write.lookups[0].param']);
    assert.deepEqual(faults({ batch_size: 5, match: undefined }), ['streams[0].write.lookups[0].match']);
    assert.deepEqual(faults({ into: 'id' }), ['streams[0].write.lookups[0].into']);
    assert.deepEqual(faults({ path: '/x/{sku}', param: undefined }), ['streams[0].write.lookups[0].path']);
  });
});
