import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { checkAnswer, checkRefusal, type OpenApiDocument } from '../support/openapi-check.ts';
import { type RawAnswer, RawConnection } from '../support/raw-http.ts';
import { type Service, startService } from '../support/service.ts';

// Requests that are HTTP, but odd. The database has no part in this, so one engine is enough.

const ORDER = JSON.stringify({ customer_id: 'c', items: [{ product_id: 'p', quantity: 3, price: 19.99 }] });

describe('hostile requests', () => {
  let service: Service;
  let document: OpenApiDocument;
  let key: string;
  before(async () => {
    service = await startService('sqlite');
    document = (await service.get('/openapi.json')).body;
    key = `Authorization: Bearer ${service.adminKey}`;
  });
  after(() => service.close());

  async function send(lines: readonly string[], body = '', head = false): Promise<RawAnswer> {
    const connection = new RawConnection(Number(new URL(service.url).port));
    connection.write(Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body}`, 'latin1'));
    const answer = await connection.answer({ head });
    connection.close();
    return answer;
  }

  function assertRefused(answer: RawAnswer, status: number, code: string, field?: string): void {
    assert.equal(answer.status, status, answer.text);
    const body = JSON.parse(answer.text);
    checkRefusal(document, answer.status, answer.headers, body);
    assert.equal(body.error.code, code, answer.text);
    if (field !== undefined) assert.equal(body.error.details.field, field, answer.text);
  }

  async function post(headers: readonly string[], body = ORDER): Promise<RawAnswer> {
    const lines = [
      'POST /api/v1/orders HTTP/1.1',
      'Host: x',
      'Content-Type: application/json',
      `Content-Length: ${Buffer.byteLength(body)}`,
    ];
    const answer = await send([...lines, ...headers], body);
    checkAnswer(document, 'POST', '/api/v1/orders', answer.status, answer.headers, JSON.parse(answer.text));
    return answer;
  }

  describe('paths', () => {
    const cases: [target: string, status: number, code: string, field?: string][] = [
      ['/api/v1/orders/%zz', 400, 'INVALID_PARAMS', 'path'],
      ['/api/v1/orders/%', 400, 'INVALID_PARAMS', 'path'],
      ['/api/v1/orders/%ff', 400, 'INVALID_PARAMS', 'path'],
      ['/api/v1/orders/%00', 400, 'INVALID_PARAMS', 'id'],
      ['/api/v1/orders?customer_id=%zz', 400, 'INVALID_PARAMS', 'customer_id'],
      ['/api/v1/orders?customer_id=%00', 400, 'INVALID_PARAMS', 'customer_id'],
      ['/api/v1/orders?%00=1', 400, 'INVALID_PARAMS', '\uFFFD'],
      ['/api/v1/orders?customer_id=%ED%A0%80', 400, 'INVALID_PARAMS', 'customer_id'],
      [`/api/v1/orders/${'x'.repeat(10_000)}`, 400, 'INVALID_PARAMS', 'path'],
      [`/api/v1/${'x/'.repeat(5000)}`, 404, 'NOT_FOUND', 'path'],
      [`/api/v1/orders?customer_id=${'x'.repeat(10_000)}`, 400, 'INVALID_PARAMS', 'customer_id'],
      [`/api/v1/orders?${'limit=1&'.repeat(1500)}`, 400, 'INVALID_PARAMS', 'limit'],
      [`/api/v1/orders?${Array.from({ length: 1500 }, (_, i) => `a${i}=1&`).join('')}`, 400, 'INVALID_PARAMS', 'a0'],
      ['//api/v1/orders', 404, 'NOT_FOUND', 'path'],
      ['/api//v1/orders', 404, 'NOT_FOUND', 'path'],
      ['/api/v1/../v1/orders', 404, 'NOT_FOUND', 'path'],
      ['/api/v1/%2e%2e/v1/orders', 404, 'NOT_FOUND', 'path'],
      ['/api/v1/orders/../keys', 404, 'NOT_FOUND', 'path'],
      ['/api/v1/orders\\', 404, 'NOT_FOUND', 'path'],
      ['/API/V1/ORDERS', 404, 'NOT_FOUND', 'path'],
      ['/api/v1/orders;limit=1', 404, 'NOT_FOUND', 'path'],
    ];
    for (const [target, status, code, field] of cases) {
      test(`${target.slice(0, 60)} is ${code}`, async () => {
        assertRefused(await send([`GET ${target} HTTP/1.1`, 'Host: x', key]), status, code, field);
      });
    }

    test('a trailing slash, a full address and percent-encoded letters lead to the same resource, and need a key as well', async () => {
      for (const target of ['/api/v1/orders/', 'http://x/api/v1/orders', 'https://x:1/api/v1/orders?limit=1', '/%61pi/v1/%6frders']) {
        const answer = await send([`GET ${target} HTTP/1.1`, 'Host: x', key]);
        assert.equal(answer.status, 200, target);
        checkAnswer(document, 'GET', '/api/v1/orders', 200, answer.headers, JSON.parse(answer.text));
        assertRefused(await send([`GET ${target} HTTP/1.1`, 'Host: x']), 401, 'UNAUTHORIZED', 'Authorization');
      }
    });

    test('bytes that no address may hold are refused', async () => {
      for (const target of ['/api/v1/orders/\xff', '/api/v1/orders/\t', '/api/v1/or ders', '/api/v1/orders\x00', 'api/v1/orders', '']) {
        assertRefused(await send([`GET ${target} HTTP/1.1`, 'Host: x', key]), 400, 'INVALID_PARAMS');
      }
    });
  });

  describe('methods', () => {
    for (const method of ['TRACE', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND', 'M-SEARCH', 'QUERY']) {
      test(`${method} is not allowed on the list of orders`, async () => {
        const answer = await send([`${method} /api/v1/orders HTTP/1.1`, 'Host: x', 'Content-Length: 0', key]);
        assertRefused(answer, 405, 'METHOD_NOT_ALLOWED');
        assert.deepEqual(answer.headers.get('allow')?.split(', ').sort(), ['GET', 'HEAD', 'POST']);
        // A TRACE that sends back what it got would give away the key.
        assert.ok(!answer.text.includes(service.adminKey));
      });
    }

    test('methods that do not exist, and CONNECT, are refused', async () => {
      for (const method of ['FOO', 'get', 'GE\tT', '']) {
        assertRefused(await send([`${method} /api/v1/orders HTTP/1.1`, 'Host: x', key]), 400, 'INVALID_PARAMS');
      }
      assertRefused(await send(['CONNECT x:443 HTTP/1.1', 'Host: x', key]), 400, 'INVALID_PARAMS');
    });

    test('HEAD answers like GET, without a body', async () => {
      const head = await send(['HEAD /api/v1/orders HTTP/1.1', 'Host: x', key], '', true);
      const get = await send(['GET /api/v1/orders HTTP/1.1', 'Host: x', key]);
      assert.equal(head.status, 200);
      assert.equal(head.headers.get('content-length'), get.headers.get('content-length'));
    });
  });

  describe('the protocol', () => {
    test('HTTP/1.0 is served, and the connection closed', async () => {
      const connection = new RawConnection(Number(new URL(service.url).port));
      connection.write(`GET /api/v1/orders HTTP/1.0\r\n${key}\r\n\r\n`);
      assert.equal((await connection.answer()).status, 200);
      assert.equal(await connection.ended(), '');
    });

    test('HTTP/1.1 without a Host is refused', async () => {
      assertRefused(await send(['GET /api/v1/orders HTTP/1.1', key]), 400, 'INVALID_PARAMS', 'Host');
    });

    test('Expect: 100-continue is met, and other expectations are ignored', async () => {
      const connection = new RawConnection(Number(new URL(service.url).port));
      const head = ['POST /api/v1/orders HTTP/1.1', 'Host: x', 'Content-Type: application/json', `Content-Length: ${ORDER.length}`, key];
      connection.write(`${[...head, 'Expect: 100-continue'].join('\r\n')}\r\n\r\n`);
      assert.equal((await connection.answer()).status, 100);
      connection.write(ORDER);
      assert.equal((await connection.answer()).status, 200);
      connection.close();
      assert.equal((await send([...head, 'Expect: miracles'], ORDER)).status, 200);
    });

    test('a body where none is looked for does not become the next request', async () => {
      const hidden = `DELETE /api/v1/products/p HTTP/1.1\r\nHost: x\r\n${key}\r\n\r\n`;
      const connection = new RawConnection(Number(new URL(service.url).port));
      for (const name of ['first', 'second']) {
        const head = ['GET /api/v1/orders HTTP/1.1', 'Host: x', `X-Request-Id: ${name}`, `Content-Length: ${hidden.length}`, key];
        connection.write(`${head.join('\r\n')}\r\n\r\n${hidden}`);
      }
      for (const name of ['first', 'second']) {
        const answer = await connection.answer();
        assert.equal(answer.status, 200);
        assert.equal(answer.headers.get('x-request-id'), name);
      }
      connection.close();
    });

    test('an upgrade that we do not know is ignored', async () => {
      const answer = await send(['GET /api/v1/orders HTTP/1.1', 'Host: x', 'Connection: Upgrade', 'Upgrade: websocket', key]);
      assert.equal(answer.status, 200);
    });
  });

  describe('Authorization', () => {
    const get = (...headers: string[]): Promise<RawAnswer> => send(['GET /api/v1/orders HTTP/1.1', 'Host: x', ...headers]);

    test('is taken in any case of the scheme and with spaces around the key', async () => {
      const token = service.adminKey;
      for (const value of [`bearer ${token}`, `BEARER ${token}`, `Bearer   ${token}`, `Bearer ${token}   `, `  Bearer ${token}`]) {
        assert.equal((await get(`Authorization: ${value}`)).status, 200, value);
        assert.equal((await get(`aUTHORIZATION:${value}`)).status, 200, value);
      }
    });

    test('is refused when it is spelt wrongly', async () => {
      const token = service.adminKey;
      const wrong = [
        '',
        'Bearer',
        token,
        `Bearer${token}`,
        `Bearer\t${token}`,
        `Token ${token}`,
        `Bearer ${token},`,
        `Bearer ${token} ${token}`,
      ];
      for (const value of [...wrong, `Bearer ${'x'.repeat(9000)}`, 'Bearer \xff', `Bearer ${token.slice(0, -1)}`]) {
        assertRefused(await get(`Authorization: ${value}`), 401, 'UNAUTHORIZED', 'Authorization');
      }
    });

    test('given twice is refused, whichever is right', async () => {
      assertRefused(await get(key, 'Authorization: Bearer wrong'), 400, 'INVALID_PARAMS');
      assertRefused(await get('Authorization: Bearer wrong', key), 400, 'INVALID_PARAMS');
      assertRefused(await get('Authorization: ', key), 400, 'INVALID_PARAMS');
      assertRefused(await get(key, key), 400, 'INVALID_PARAMS');
    });
  });

  describe('X-Request-Id', () => {
    test('of the caller comes back when it is harmless, and else is replaced', async () => {
      const idFor = async (given: string): Promise<string | undefined> =>
        (await send(['GET /api/v1/orders HTTP/1.1', 'Host: x', key, `X-Request-Id: ${given}`])).headers.get('x-request-id');
      assert.equal(await idFor('order-4711_a.b'), 'order-4711_a.b');
      for (const odd of ['', 'a b', 'x'.repeat(101), '<script>', 'a\tb', '\xff', '"']) assert.match((await idFor(odd)) ?? '', /^req_\w+$/);
    });
  });

  describe('Idempotency-Key', () => {
    test('of 255 characters is taken, and bound to the body', async () => {
      const name = `Idempotency-Key: ${'~'.repeat(255)}`;
      const first = await post([key, name]);
      assert.equal(first.status, 200);
      const again = await post([key, name]);
      assert.equal(again.text, first.text);
      assert.equal(again.headers.get('idempotent-replayed'), 'true');
      assertRefused(await post([key, name], ORDER.replace('19.99', '20')), 400, 'IDEMPOTENCY_KEY_REUSED', 'Idempotency-Key');
    });

    test('that is empty, too long, or of other than printable ASCII is refused', async () => {
      for (const value of ['', ' ', 'x'.repeat(256), 'a\tb', 'clé', '\xc3\xa9', '\x7f']) {
        const answer = await send(
          [
            'POST /api/v1/orders HTTP/1.1',
            'Host: x',
            'Content-Type: application/json',
            `Content-Length: ${ORDER.length}`,
            key,
            `Idempotency-Key: ${value}`,
          ],
          ORDER,
        );
        assertRefused(answer, 400, 'INVALID_PARAMS', value === '\x7f' ? undefined : 'Idempotency-Key');
      }
    });

    test('with control characters is not even HTTP', async () => {
      for (const value of ['a\x00b', 'a\x01b', 'a\rb', 'a\nb']) {
        const head = ['POST /api/v1/orders HTTP/1.1', 'Host: x', 'Content-Type: application/json', `Content-Length: ${ORDER.length}`, key];
        assertRefused(await send([...head, `Idempotency-Key: ${value}`], ORDER), 400, 'INVALID_PARAMS');
      }
    });
  });

  describe('Content-Type', () => {
    test('may carry parameters and be in any case', async () => {
      for (const type of [
        'application/json;charset=utf-8',
        'Application/JSON',
        'application/json; a="b;c"',
        'application/json ; charset=UTF-8',
      ]) {
        const head = ['POST /api/v1/orders HTTP/1.1', 'Host: x', `Content-Type: ${type}`, `Content-Length: ${ORDER.length}`, key];
        assert.equal((await send(head, ORDER)).status, 200, type);
      }
    });
  });
});
