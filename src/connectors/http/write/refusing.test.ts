import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sendJson } from '../../../../test/support/api-server.ts';
import { failureOf, readAll, writeRows } from '../../../../test/support/http-connector.ts';
import { useApis } from '../../../../test/support/served-apis.ts';
import type { Field } from '../../contract.ts';

// APIs that answer 200 and mean no, as all of GraphQL does.

const { open } = useApis({ max_wait_seconds: 10 });

const fields = [{ name: 'id', type: 'int64' }];
const request = { stream: 's', fields: ['id'] };
const graph = (errors: unknown, data: unknown = null): object => ({ data, errors });
const error = (code: string, message = 'no'): object => ({ message, extensions: { code } });

const FIELDS: Field[] = ['id', 'price'].map((name) => ({ name, type: 'text', nullable: true }));
const prices = { stream: 's', fields: FIELDS, key: ['id'], mode: 'upsert' } as const;
const rows = (count: number): string[][] => Array.from({ length: count }, (_, i) => [`p${i}`, '1']);

describe('an API that refuses a read with 200', () => {
  const paged = { path: '/graphql', records: 'data.items', fields, paging: { type: 'cursor', param: 'after', next: 'data.next' } };

  test('is not read to the end: by its code it is an error of rights, of ours, or passes', async () => {
    const cases: [string, string, string][] = [
      ['UNAUTHENTICATED', 'auth', 'UNAUTHORIZED'],
      ['GRAPHQL_VALIDATION_FAILED', 'config', 'REQUEST_REFUSED'],
      ['THROTTLED', 'transient', 'RATE_LIMITED'],
      ['INTERNAL_SERVER_ERROR', 'transient', 'API_FAILED'],
    ];
    for (const [code, kind, told] of cases) {
      const { session } = await open((_, response) => sendJson(response, graph([error(code, 'The token is old')])), paged, {
        max_wait_seconds: 0,
      });
      const failure = await failureOf(readAll(session, request));
      assert.deepEqual([failure.kind, failure.code], [kind, told]);
      assert.match(failure.message, /The token is old/);
      assert.match(failure.message, new RegExp(code));
      assert.equal((await failureOf(session.check())).kind, kind, 'a check finds it too');
      assert.equal((await failureOf(session.discover(['s']).then(() => readAll(session, request)))).kind, kind);
    }
  });

  test('in the middle, for a moment: the page is asked for again, and all is there once', async () => {
    let throttled = 1;
    const { api, session } = await open(({ url }, response) => {
      const page = Number(url.searchParams.get('after') ?? 0);
      if (page === 1 && throttled-- > 0) return sendJson(response, graph([error('THROTTLED')], { items: [], next: null }));
      return sendJson(response, { data: { items: [{ id: page }], next: page < 2 ? page + 1 : null } });
    }, paged);
    assert.deepEqual((await readAll(session, request)).rows, [['0'], ['1'], ['2']]);
    assert.equal(api.received.length, 4);
  });

  test('with half of the data beside the errors, before or behind them: none of the page is taken', async () => {
    const half = { items: [{ id: 1 }, { id: null }], next: null };
    for (const answer of [
      { data: half, errors: [error('DOWNSTREAM')] },
      { errors: [error('DOWNSTREAM')], data: half },
    ]) {
      const { session } = await open((_, response) => sendJson(response, answer), paged);
      const taken: unknown[] = [];
      const reading = (async () => {
        for await (const batch of session.read({ ...request, key: [] })) taken.push(...batch.rows);
      })();
      assert.equal((await failureOf(reading)).code, 'REQUEST_REFUSED');
      assert.deepEqual(taken, []);
    }
  });

  test('where the records are not declared, its errors are not taken for records', async () => {
    let isWell = false;
    const { session } = await open(
      (_, response) => sendJson(response, isWell ? { items: [{ id: 1 }] } : { errors: [{ message: 'Log in first', code: 401 }] }),
      { path: '/things' },
    );
    assert.equal((await failureOf(session.discover(['s']))).kind, 'auth');
    isWell = true;
    assert.deepEqual((await readAll(session, request)).rows, [['1']]);
  });

  test('an API that lists errors can be read; and one that tells success in its own way', async () => {
    const list = { errors: [{ id: 5 }], ok: true };
    const { session } = await open((_, response) => sendJson(response, list), { path: '/errors', records: 'errors', fields });
    assert.deepEqual((await readAll(session, request)).rows, [['5']]);
    const off = { path: '/things', records: 'items', fields, errors: { top_level: false } };
    const { session: warned } = await open((_, response) => sendJson(response, { items: [{ id: 1 }], errors: ['a warning'] }), off);
    assert.deepEqual((await readAll(warned, request)).rows, [['1']]);
    const slack = { path: '/list', records: 'items', fields, success: { path: 'ok', equals: 'true' } };
    const { session: refused } = await open((_, response) => sendJson(response, { ok: false, error: 'not_authed', items: [] }), slack);
    assert.equal((await failureOf(readAll(refused, request))).kind, 'auth');
    const single = { path: '/me', records: '/', fields };
    const { session: one } = await open((_, response) => sendJson(response, { id: 1, errors: [error('FORBIDDEN')] }), single);
    assert.equal((await failureOf(readAll(one, request))).kind, 'auth');
  });
});

describe('an API that refuses a write with 200', () => {
  const write = { path: '/graphql', modes: ['upsert'] };

  test('an old token stops the run: nothing is counted as written', async () => {
    const { api, session } = await open((_, response) => sendJson(response, graph([error('UNAUTHENTICATED', 'The token is old')])), {
      write,
    });
    const failure = await failureOf(writeRows(session, prices, rows(31)));
    assert.deepEqual([failure.kind, failure.code], ['auth', 'UNAUTHORIZED']);
    assert.match(failure.message, /The token is old/);
    assert.equal(api.received.length, 1);
  });

  test('what it says of a record is its reject; what passes is tried again with the same key', async () => {
    let throttled = 1;
    const { api, session } = await open(
      ({ body }, response) => {
        const { id } = JSON.parse(body) as { id: string };
        if (id === 'p0') return sendJson(response, { data: { update: { userErrors: [{ field: 'price', message: 'Too low' }] } } });
        if (id === 'p1') return sendJson(response, graph([error('BAD_USER_INPUT', 'Not a price')]));
        if (id === 'p2' && throttled-- > 0) return sendJson(response, graph([error('THROTTLED')]));
        return sendJson(response, { data: { update: { userErrors: [] } }, errors: [] });
      },
      { write: { ...write, errors: { path: 'data.update.userErrors' } } },
    );
    const { updated, rejects } = await writeRows(session, prices, rows(4));
    assert.equal(updated, 2);
    assert.deepEqual(
      rejects.map(({ index, reason }) => [index, reason]),
      [
        [0, 'The API refused it: Too low'],
        [1, 'The API refused it: Not a price'],
      ],
    );
    const keys = api.received.filter(({ body }) => body.includes('p2')).map(({ headers }) => headers['idempotency-key']);
    assert.deepEqual([keys.length, new Set(keys).size], [2, 1]);
  });

  test('bodies that say nothing are a success as ever', async () => {
    for (const body of ['', 'OK', '<ok/>', 'null', '[]', '{"errors":[]}', '{"errors":null}']) {
      const { session } = await open((_, response) => void response.writeHead(200).end(body), { write });
      assert.equal((await writeRows(session, prices, rows(1))).updated, 1, body);
    }
  });

  test('a removal that is refused so is a reject, and no deletion', async () => {
    const { session } = await open(
      ({ url }, response) => sendJson(response, url.pathname.endsWith('p0') ? { errors: ['It is in use'] } : {}),
      { write: { ...write, delete_path: '/things/{id}' } },
    );
    const { Batch } = await import('../../batch.ts');
    const writer = await session.write({ ...prices, owner: 'tests', token: 1n, create: false });
    const { deleted, rejects } = await writer.write(Batch.ofRows([['p0'], ['p1']], { position: 'p', operation: 'delete' }));
    assert.deepEqual([deleted, rejects.map(({ reason }) => reason)], [1, ['The API refused it: It is in use']]);
  });

  test('of a batch, each result is judged by its own condition, error and code', async () => {
    const batch = { ...write, batch_size: 5, wrapper: 'items', results: 'results' };
    const declared = { result_success: { path: 'state', equals: 'done' }, result_errors: { path: 'fault', message: 'text', code: 'kind' } };
    let throttled = 1;
    const { api, session } = await open(
      ({ body }, response) => {
        const { items } = JSON.parse(body) as { items: { id: string }[] };
        const results = items.map(({ id }) => {
          if (id === 'p1') return { state: 'failed', fault: { text: 'Too low', kind: 'PRICE' } };
          if (id === 'p2') return { state: 'odd' };
          if (id === 'p3' && throttled-- > 0) return { state: 'later', fault: { text: 'Later', kind: 'THROTTLED' } };
          return { state: 'done' };
        });
        // What is said of the whole says no more than the results.
        return sendJson(response, { results, errors: results.some(({ state }) => state !== 'done') ? ['some were refused'] : [] });
      },
      { write: { ...batch, ...declared } },
    );
    const { updated, rejects } = await writeRows(session, prices, rows(5).slice(0, 4));
    assert.deepEqual(
      [updated, rejects.map(({ index, reason }) => [index, reason])],
      [
        2,
        [
          [1, 'The API refused it: Too low'],
          [2, 'The API refused it: "state" is odd, not done'],
        ],
      ],
    );
    assert.deepEqual(
      api.received.map(({ body }) => (JSON.parse(body) as { items: { id: string }[] }).items.map(({ id }) => id)),
      [['p0', 'p1', 'p2', 'p3'], ['p3']],
    );
  });

  test('a batch that is refused as a whole is looked through for the bad record; one without rights stops', async () => {
    const batch = { ...write, batch_size: 4 };
    const { session } = await open(
      ({ body }, response) => sendJson(response, body.includes('p2') ? { errors: [{ message: 'p2 is bad' }] } : {}),
      { write: batch },
    );
    const { updated, rejects } = await writeRows(session, prices, rows(4));
    assert.deepEqual([updated, rejects.map(({ index }) => index)], [3, [2]]);
    const results = { ...batch, results: 'results' };
    const { session: rights } = await open(
      (_, response) => sendJson(response, { results: [{}, {}, {}, { error: { code: 'FORBIDDEN', message: 'no' } }] }),
      { write: results },
    );
    assert.equal((await failureOf(writeRows(rights, prices, rows(4)))).kind, 'auth');
  });
});

describe('an API that gives a member twice', () => {
  const twice = ['{"errors":[{"message":"no"}],"errors":[]}', '{"errors":[],"data":null,"\\u0065rrors":[{"message":"no"}]}'];

  test('has not said yes: what it was sent does not count as written, and the member is named', async () => {
    for (const answer of [...twice, '{"results":[{"ok":false,"ok":true}]}']) {
      const { session } = await open((_, response) => sendJson(response, answer), { write: { path: '/things', modes: ['upsert'] } });
      const failure = await failureOf(writeRows(session, prices, rows(1)));
      assert.deepEqual([failure.kind, failure.code], ['config', 'NOT_JSON'], answer);
      assert.match(failure.message, /The answer gives "(errors|results\[0\]\.ok)" more than once/);
    }
  });

  test('is not read: neither around its records, nor where the answer is the record', async () => {
    for (const answer of twice) {
      const envelope = answer.replace('{', '{"items":[{"id":1}],');
      for (const stream of [
        { path: '/things', records: 'items', fields },
        { path: '/things', fields },
      ]) {
        const { session } = await open((_, response) => sendJson(response, envelope), stream);
        assert.equal((await failureOf(readAll(session, request))).code, 'NOT_JSON', answer);
      }
      const { session } = await open((_, response) => sendJson(response, answer.replace('{', '{"id":1,')), {
        path: '/me',
        records: '/',
        fields,
      });
      assert.equal((await failureOf(readAll(session, request))).code, 'NOT_JSON', answer);
    }
  });
});

describe('an API that fails over a record each time', () => {
  const failing = (what: object) =>
    open(
      ({ body, url }, response) => sendJson(response, {}, body.includes('p2') || url.pathname.endsWith('p2') ? 500 : 200),
      {
        write: { path: '/things', modes: ['upsert'], delete_path: '/things/{id}', ...what },
      },
      { max_wait_seconds: 0 },
    );

  test('the error names the record by its key, and none of its values', async () => {
    const { session } = await failing({});
    const { kind, code, message } = await failureOf(
      writeRows(
        session,
        prices,
        rows(4).map(([id = '']) => [id, 'secret price']),
      ),
    );
    assert.deepEqual([kind, code], ['transient', 'API_FAILED']);
    assert.match(message, /\(500\) on POST \/things .* It was sent the record with id p2\.$/);
    assert.doesNotMatch(message, /secret/);
  });

  test('of a request with several, the first and the last', async () => {
    const { session } = await failing({ batch_size: 4 });
    const { message } = await failureOf(writeRows(session, prices, rows(4)));
    assert.match(message, /It was sent 4 records, from the one with id p0 to id p3\.$/);
  });

  test('and when it is removed', async () => {
    const { session } = await failing({});
    const { Batch } = await import('../../batch.ts');
    const writer = await session.write({ ...prices, owner: 'tests', token: 1n, create: false });
    const { message } = await failureOf(writer.write(Batch.ofRows([['p1'], ['p2']], { position: 'p', operation: 'delete' })));
    assert.match(message, /It was sent the record with id p2\.$/);
  });
});
