import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { failureOf, openHttp, readAll, writeRows } from '../../../test/support/http-connector.ts';
import { startRawServer } from '../../../test/support/raw-server.ts';
import { rowsOf, UPSERT, useApis } from '../../../test/support/served-apis.ts';

// APIs that break the rules in a way of which nothing may be concluded but that it went wrong.

const { open } = useApis({ max_wait_seconds: 0 });

const write = { path: '/things', modes: ['upsert'], delete_path: '/things/{id}' };

describe('an answer to a write that is not what it should be', () => {
  const answered = (body: string, more: object = {}, type = 'application/json') =>
    open((_, response) => void response.writeHead(200, { 'content-type': type }).end(body), { write: { ...write, ...more } });

  test('JSON that breaks off is no success: it is tried again', async () => {
    for (const body of ['{"data":null,"errors":[{"mess', '[', '{"id":1', '\ufeff {"id":"a']) {
      const { session } = await answered(body);
      const { kind, code } = await failureOf(writeRows(session, UPSERT, rowsOf(1)));
      assert.deepEqual([kind, code], ['transient', 'JSON_TRUNCATED'], body);
    }
    let answers = 0;
    const { api, session } = await open(
      (_, response) => void response.end(answers++ === 0 ? '{"errors":[' : '{}'),
      { write },
      { max_wait_seconds: 5 },
    );
    assert.equal((await writeRows(session, UPSERT, rowsOf(1))).updated, 1);
    assert.equal(new Set(api.received.map(({ headers }) => headers['idempotency-key'])).size, 1);
  });

  test('JSON with something else behind it is no success', async () => {
    for (const body of ['{"errors":["no"]}garbage', '{}{"errors":["no"]}', '{"errors":[NaN]}', '[]]']) {
      const { session } = await answered(body);
      const { kind, code } = await failureOf(writeRows(session, UPSERT, rowsOf(1)));
      assert.deepEqual([kind, code], ['config', 'NOT_JSON'], body);
    }
  });

  test('a web page is no success, unless it is said that the API answers so', async () => {
    const page = '<!DOCTYPE html>\n<html><head><title>Sign in</title></head></html>';
    const pages: [string, string][] = [
      [page, 'text/html; charset=utf-8'],
      [page, 'application/json'],
      ['Please sign in', 'text/html'],
    ];
    for (const [body, type] of pages) {
      const { session } = await answered(body, {}, type);
      const failure = await failureOf(writeRows(session, UPSERT, rowsOf(1)));
      assert.deepEqual([failure.kind, failure.code], ['config', 'NOT_JSON'], body);
      assert.match(failure.message, /a web page.* instead of JSON/);
      assert.match(failure.hint ?? '', /login page/);
      const { session: told } = await answered(body, { errors: { web_page: false } }, type);
      assert.equal((await writeRows(told, UPSERT, rowsOf(1))).updated, 1);
    }
  });

  test('one that is too long to see its end is no success', async () => {
    const { session } = await answered(JSON.stringify({ data: 'x'.repeat(17 * 1024 * 1024), errors: ['no'] }));
    const failure = await failureOf(writeRows(session, UPSERT, rowsOf(1)));
    assert.deepEqual([failure.kind, failure.code], ['config', 'RESPONSE_TOO_LARGE']);
  });
});

test('an API that changes to another protocol ends the request rather than nothing at all', { timeout: 20_000 }, async (context) => {
  const server = await startRawServer(
    (socket) => void socket.write('HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n'),
  );
  context.after(() => server.close());
  const streams = [{ name: 's', path: '/things', fields: [{ name: 'id', type: 'text' }] }];
  const session = await openHttp({ base_url: server.url, streams, timeout_seconds: 10, max_wait_seconds: 0 });
  const failure = await failureOf(readAll(session, { stream: 's', fields: ['id'] }));
  assert.deepEqual([failure.kind, failure.code], ['config', 'NOT_HTTP']);
  assert.match(failure.message, /127\.0\.0\.1.*another protocol \(101\)/);
});

test('a record that is rejected keeps the digits of numbers that no double holds, and can be handed on', async () => {
  const items = '[{"id":9223372036854775808,"more":{"list":[1e400,1]},"plain":1.5}]';
  const { session } = await open((_, response) => void response.end(items), {
    path: '/things',
    fields: [{ name: 'id', type: 'int64' }],
  });
  const { rejects } = await readAll(session, { stream: 's', fields: ['id'] });
  assert.deepEqual(structuredClone(rejects.map(({ row }) => row)), [
    { id: '9223372036854775808', more: { list: ['1e400', 1] }, plain: 1.5 },
  ]);
});

test('a conflict after an attempt whose answer was lost is rejected with that doubt; another one without', async () => {
  let attempts = 0;
  const { session } = await open(
    ({ body }, response) => {
      if (body.includes('p0') && attempts++ === 0) response.socket?.resetAndDestroy();
      else response.writeHead(409).end('{"message":"It is there"}');
    },
    { write },
    { max_wait_seconds: 5 },
  );
  const { rejects } = await writeRows(session, UPSERT, rowsOf(2));
  assert.deepEqual(
    rejects.map(({ reason }) => reason),
    [
      'The API refused it (409) when it was sent again after a fault; the first time it may have been taken: look it up there: It is there',
      'The API refused it (409): It is there',
    ],
  );
});
