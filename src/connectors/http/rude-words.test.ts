import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { type Handler, sendJson } from '../../../test/support/api-server.ts';
import { failureOf, openHttp, readAll, writeRows } from '../../../test/support/http-connector.ts';
import { rowsOf, UPSERT, useApis } from '../../../test/support/served-apis.ts';
import type { Field } from '../contract.ts';
import { FoundRecord } from './answer/found-record.ts';
import { LoopGuard } from './read/loops.ts';
import { retryAfterOf } from './client/refusals.ts';

// APIs that say what they mean in words, places and orders of their own.

const { open, serve } = useApis({ max_wait_seconds: 0 });

const write = { path: '/things', modes: ['upsert'] };
const fields = ['id', 'error', 'ok'].map((name) => ({ name, type: 'text' }));

describe('a 200 with the words of a refusal beside no `errors`', () => {
  test('success or ok that is false, and error, are a refusal of what is written', async () => {
    const cases: [object, string | undefined][] = [
      [{ success: false, message: 'The quota is used up' }, 'The API refused it: The quota is used up'],
      [{ ok: false }, 'The API refused it'],
      [{ error: 'Too low' }, 'The API refused it: Too low'],
      [{ error: { message: 'Too low' } }, 'The API refused it: Too low'],
      [{ error: '', success: true, ok: true }, undefined],
      [{ error: null, success: 'false' }, undefined],
    ];
    for (const [answer, reason] of cases) {
      const { session } = await open((_, response) => sendJson(response, answer), { write });
      const { updated, rejects } = await writeRows(session, UPSERT, rowsOf(1));
      assert.deepEqual([updated, rejects[0]?.reason], [reason === undefined ? 1 : 0, reason], JSON.stringify(answer));
    }
    for (const answer of [{ ok: false, error: 'invalid_auth' }, { error: { code: 'UNAUTHENTICATED' } }]) {
      const { session } = await open((_, response) => sendJson(response, answer), { write });
      assert.equal((await failureOf(writeRows(session, UPSERT, rowsOf(1)))).kind, 'auth', JSON.stringify(answer));
    }
  });

  test('unless it is declared otherwise, or the record has such a member itself', async () => {
    const { session } = await open((_, response) => sendJson(response, { error: 'x' }), {
      write: { ...write, errors: { top_level: false } },
    });
    assert.equal((await writeRows(session, UPSERT, rowsOf(1))).updated, 1);
    const echo: Handler = ({ body }, response) => sendJson(response, JSON.parse(body));
    const { session: own } = await open(echo, { write, fields });
    const typed: Field[] = fields.map(({ name }) => ({ name, type: 'text', nullable: true }));
    assert.equal((await writeRows(own, { ...UPSERT, fields: typed }, [['a', 'It broke', 'no']])).updated, 1);
  });

  test('a read is refused by them too, but a record that is the answer may have them', async () => {
    const paged = { path: '/things', records: 'data', fields: [{ name: 'id', type: 'text' }] };
    for (const answer of [
      { success: false, data: [] },
      { error: 'no', data: [{ id: 1 }] },
      { ok: false, data: [] },
    ]) {
      const { session } = await open((_, response) => sendJson(response, answer), paged);
      assert.equal((await failureOf(readAll(session, { stream: 's', fields: ['id'] }))).code, 'REQUEST_REFUSED', JSON.stringify(answer));
    }
    const { session: one } = await open((_, response) => sendJson(response, { id: 1, error: 'It broke', ok: false }), {
      path: '/job',
      records: '/',
      fields,
    });
    assert.deepEqual((await readAll(one, { stream: 's', fields: ['id', 'error'] })).rows, [['1', 'It broke']]);
  });
});

describe('results of a batch', () => {
  const batch = { ...write, batch_size: 4, results: 'results' };
  const refusedOf = async (results: unknown[]): Promise<[number | undefined, string][]> => {
    const { session } = await open((_, response) => sendJson(response, { results }), { write: batch });
    const { updated, rejects } = await writeRows(session, UPSERT, rowsOf(4));
    assert.equal(updated, 4 - rejects.length);
    return rejects.map(({ index, reason }) => [index, reason]);
  };

  test('may have the status as a text, as a number alone, or beside a word', async () => {
    assert.deepEqual(await refusedOf([{ status: '200' }, { status: '422', message: 'bad' }, 422, 200]), [
      [1, 'The API refused it: bad'],
      [2, 'The API refused it: 422'],
    ]);
    assert.deepEqual(await refusedOf([{ status: 'error', code: 409, message: 'twice' }, false, true, null]), [
      [0, 'The API refused it: twice'],
      [1, 'The API refused it'],
    ]);
  });

  test('with an empty error are a success', async () => {
    assert.deepEqual(await refusedOf([{ error: '' }, { error: {} }, { error: [] }, { error: null, success: true }]), []);
  });

  test('that name their records are told apart by that, in whichever order they come', async () => {
    await fc.assert(
      fc.asyncProperty(fc.shuffledSubarray([0, 1, 2, 3], { minLength: 4 }), fc.nat(3), async (order, bad) => {
        const results = order.map((at) => ({ id: `p${at}`, ...(at === bad && { error: 'bad' }) }));
        assert.deepEqual(await refusedOf(results), [[bad, 'The API refused it: bad']]);
      }),
      { numRuns: 10 },
    );
    // Names that are not those of the records say nothing about the order.
    assert.deepEqual(await refusedOf([{ id: 9 }, { id: 8, error: 'bad' }, { id: 7 }, { id: 6 }]), [[1, 'The API refused it: bad']]);
  });
});

test('a wait that is over already is none: our own is kept', () => {
  const told = (text: string): number | undefined => retryAfterOf({ 'retry-after': text });
  for (const text of ['0', '-5', '-1.5', 'Wed, 21 Oct 2015 07:28:00 GMT', 'soon', '1e9', '']) assert.equal(told(text), undefined, text);
  assert.deepEqual([told('1.5'), told('1000000000')], [1.5, 86_400]);
});

test('a page that comes again in another order is the same page', () => {
  const records = ['{"id":1}', '{"id":2}', '{"id":3}'].map((text) => new FoundRecord(Buffer.from(text), 0, text.length, false));
  const page = (guard: LoopGuard, some: FoundRecord[]): void => {
    for (const record of some) guard.record(record);
    guard.leave(some.length);
  };
  const guard = new LoopGuard({ hasKey: true, maxPages: 100 });
  page(guard, records);
  page(guard, records.slice(1));
  assert.throws(() => page(guard, records.toReversed()), { code: 'PAGING_LOOP' });
  const keyless = new LoopGuard({ hasKey: false, maxPages: 100 });
  for (let i = 0; i < 10; i++) page(keyless, i % 2 ? records : records.toReversed());
  assert.throws(() => page(keyless, records), { code: 'PAGING_LOOP' });
});

describe('a token server', () => {
  const opened = async (answers: ((response: Parameters<Handler>[1]) => void)[], config: object = {}) => {
    const handler: Handler = ({ url }, response) =>
      url.pathname === '/token' ? answers.shift()?.(response) : sendJson(response, [{ id: 1 }]);
    const api = await serve(handler);
    const auth = { type: 'oauth2_client_credentials', token_url: `${api.url}/token`, client_id: 'me', client_secret: 'hidden-secret' };
    const streams = [{ name: 's', path: '/things', fields: [{ name: 'id', type: 'text' }] }];
    return openHttp({ base_url: api.url, auth, streams, max_wait_seconds: 0, ...config });
  };
  const reading = { stream: 's', fields: ['id'] };

  test('that refuses with 200 is quoted, and one that shows a web page is told so', async () => {
    const refusing = await opened([
      (response) => sendJson(response, { error: 'invalid_client', error_description: 'hidden-secret is old' }),
    ]);
    const failure = await failureOf(readAll(refusing, reading));
    assert.deepEqual([failure.kind, failure.code], ['auth', 'TOKEN_REFUSED']);
    assert.match(failure.message, /\*\*\* is old/);
    const page = await opened([(response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<html>Log in</html>')]);
    assert.match((await failureOf(readAll(page, reading))).message, /gave no token, but a web page/);
  });

  test('that stumbles is asked again in place', async () => {
    const stumble = (response: Parameters<Handler>[1]): void => sendJson(response, {}, 503);
    const token = (response: Parameters<Handler>[1]): void => sendJson(response, { access_token: 't', expires_in: 60 });
    const session = await opened([stumble, stumble, token], { max_wait_seconds: 10 });
    assert.deepEqual((await readAll(session, reading)).rows, [['1']]);
    assert.equal((await failureOf(readAll(await opened([stumble]), reading))).code, 'TOKEN_FAILED');
  });
});
