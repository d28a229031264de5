import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { checkRefusal, type OpenApiDocument } from '../support/openapi-check.ts';
import { type RawAnswer, RawConnection, requestBytes } from '../support/raw-http.ts';
import { type Service, startService } from '../support/service.ts';

// Clients that misbehave below the level of requests. The database has no part in this, so one engine is enough.

const ORDER = JSON.stringify({ customer_id: 'c', items: [{ product_id: 'p', quantity: 3, price: 19.99 }] });
const HUNDRED_MEGABYTES = 100 * 1024 * 1024;
const PIECE = Buffer.alloc(64 * 1024, ' ');

describe('hostile connections', () => {
  let service: Service;
  let document: OpenApiDocument;
  let port: number;
  let auth: string;
  before(async () => {
    service = await startService('sqlite');
    document = (await service.get('/openapi.json')).body;
    port = Number(new URL(service.url).port);
    auth = `Authorization: Bearer ${service.adminKey}\r\n`;
  });
  after(() => service.close());

  function open(): RawConnection {
    return new RawConnection(port);
  }

  async function send(bytes: string | Buffer): Promise<RawAnswer> {
    const connection = open();
    connection.write(bytes);
    const answer = await connection.answer();
    connection.close();
    return answer;
  }

  /** Writes pieces until nobody takes them any more, or all are written; answers how many bytes went out. */
  async function pour(connection: RawConnection, pieces: number, wrap: (piece: Buffer) => Buffer = (piece) => piece): Promise<number> {
    const { socket } = connection;
    for (let i = 0; i < pieces && connection.usable && socket.writable; i++) {
      if (!socket.write(wrap(PIECE))) {
        await new Promise<void>((resolve) => {
          const go = (): void => {
            for (const event of ['drain', 'close', 'data']) socket.off(event, go);
            resolve();
          };
          for (const event of ['drain', 'close', 'data']) socket.on(event, go);
        });
      }
    }
    return socket.bytesWritten;
  }

  function memory(): number {
    const { rss, external } = process.memoryUsage();
    return Math.max(rss, external);
  }

  test('a body of 100 MB is refused at once, without being read', async () => {
    const connection = open();
    const before = memory();
    connection.write(
      `POST /api/v1/orders HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${HUNDRED_MEGABYTES}\r\n${auth}\r\n`,
    );
    const [answer, written] = await Promise.all([connection.answer(), pour(connection, HUNDRED_MEGABYTES / PIECE.length)]);
    assertRefused(document, answer, 413, 'PAYLOAD_TOO_LARGE');
    assert.ok(written < 20 * 1024 * 1024, `${written} bytes were taken`);
    assert.ok(memory() - before < 50 * 1024 * 1024);
    connection.close();
  });

  test('a chunked body of 100 MB is refused as soon as it is too long', async () => {
    const connection = open();
    const before = memory();
    connection.write(
      `POST /api/v1/orders HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n${auth}\r\n`,
    );
    const chunk = (piece: Buffer): Buffer => Buffer.concat([Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n')]);
    const [answer, written] = await Promise.all([connection.answer(), pour(connection, HUNDRED_MEGABYTES / PIECE.length, chunk)]);
    assertRefused(document, answer, 413, 'PAYLOAD_TOO_LARGE');
    assert.ok(written < 20 * 1024 * 1024, `${written} bytes were taken`);
    assert.ok(memory() - before < 50 * 1024 * 1024);
    connection.close();
  });

  test('a line of 100 MB in a stream of products is refused without being kept', async () => {
    const connection = open();
    const before = memory();
    connection.write(
      `POST /api/v1/products/sync/batch HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-ndjson\r\n` +
        `Content-Length: ${HUNDRED_MEGABYTES}\r\n${auth}\r\n`,
    );
    assert.ok((await pour(connection, HUNDRED_MEGABYTES / PIECE.length)) > HUNDRED_MEGABYTES);
    const answer = await connection.answer();
    assert.equal(answer.status, 200);
    const { index, error } = JSON.parse(answer.text);
    assert.deepEqual([index, error.code], [0, 'PAYLOAD_TOO_LARGE']);
    assert.ok(memory() - before < 80 * 1024 * 1024, `${memory() - before} bytes more`);
    connection.close();
  });

  test('a flood of headers is refused, be they many or large', async () => {
    const head = `GET /api/v1/orders HTTP/1.1\r\nHost: x\r\n${auth}`;
    assertRefused(document, await send(`${head}${'a: b\r\n'.repeat(5000)}\r\n`), 413, 'PAYLOAD_TOO_LARGE');
    assertRefused(document, await send(`${head}a: ${'b'.repeat(100_000)}\r\n\r\n`), 413, 'PAYLOAD_TOO_LARGE');
    assertRefused(document, await send(`${head}${'b'.repeat(100_000)}: a\r\n\r\n`), 413, 'PAYLOAD_TOO_LARGE');
    assertRefused(
      document,
      await send(`GET /api/v1/orders?q=${'x'.repeat(100_000)} HTTP/1.1\r\nHost: x\r\n${auth}\r\n`),
      413,
      'PAYLOAD_TOO_LARGE',
    );
    assert.equal((await send(`${head}${'a: b\r\n'.repeat(500)}\r\n`)).status, 200);
  });

  test('clients that hang up midway leave nothing behind', async () => {
    // With room for one request at a time, one that is never let go would keep all others out.
    const narrow = await startService('sqlite', { environment: { SYNCLINE_MAX_IN_FLIGHT: '1' } });
    const place = Number(new URL(narrow.url).port);
    const key = { Authorization: `Bearer ${narrow.adminKey}`, 'Content-Type': 'application/json' };
    const whole = requestBytes('POST', '/api/v1/orders', key, ORDER);
    for (const length of [10, whole.length - ORDER.length, whole.length - 5, whole.length]) {
      const client = new RawConnection(place);
      await new Promise<void>((resolve) => client.socket.write(whole.subarray(0, length), () => resolve()));
      client.socket.resetAndDestroy();
      const deadline = Date.now() + 10_000;
      while ((await narrow.get('/api/v1/orders')).status !== 200) assert.ok(Date.now() < deadline, 'nobody is let in any more');
    }
    // Of the four only the last was complete; whether it came through before the line was cut is open, but no more than it.
    const { total, data } = (await narrow.get('/api/v1/orders')).body;
    assert.equal(total, data.length);
    assert.ok(total <= 1);
    await narrow.close();
  });

  test('pipelined requests are answered one by one, in their order', async () => {
    const connection = open();
    const names = Array.from({ length: 50 }, (_, i) => `pipelined-${i}`);
    connection.write(
      names.map((name) => `GET /api/v1/orders?limit=1 HTTP/1.1\r\nHost: x\r\nX-Request-Id: ${name}\r\n${auth}\r\n`).join(''),
    );
    for (const name of names) {
      const answer = await connection.answer();
      assert.equal(answer.status, 200);
      assert.equal(answer.headers.get('x-request-id'), name);
    }
    connection.close();
  });

  test('requests whose length can be read in two ways are refused, and what follows them is not read', async () => {
    const hidden = 'DELETE /api/v1/products/p HTTP/1.1\r\nHost: x\r\n\r\n';
    const head = `POST /api/v1/orders HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${auth}`;
    const forms = [
      'Content-Length: 5\r\nTransfer-Encoding: chunked\r\n',
      'Transfer-Encoding: chunked\r\nContent-Length: 5\r\n',
      'Content-Length: 5\r\nContent-Length: 6\r\n',
      'Content-Length: 5, 6\r\n',
      'Content-Length: +5\r\n',
      'Content-Length: -1\r\n',
      'Content-Length: 0x5\r\n',
      'Content-Length: 99999999999999999999999\r\n',
      'Transfer-Encoding: gzip\r\n',
      'Transfer-Encoding: chunked, identity\r\n',
      'Transfer-Encoding: xchunked\r\n',
      'Transfer-Encoding : chunked\r\n',
      'Content-Length : 5\r\n',
      ' Content-Length: 5\r\n',
    ];
    for (const form of forms) {
      const connection = open();
      connection.write(`${head}${form}\r\n0\r\n\r\n${hidden}`);
      assertRefused(document, await connection.answer(), 400, 'INVALID_PARAMS');
      assert.equal(await connection.ended(), '', form);
    }
  });

  test('chunks that are none are refused', async () => {
    const head = `POST /api/v1/orders HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n${auth}\r\n`;
    for (const chunk of ['zz\r\n', '-1\r\n', 'ffffffffffffffffff\r\n', '1\r\nabc', `1;${'x'.repeat(20_000)}\r\na`, '5\nabcde\n']) {
      assertRefused(document, await send(head + chunk), 400, 'INVALID_PARAMS');
    }
  });

  test('what is not HTTP at all is refused', async () => {
    for (const bytes of [
      '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03',
      'hello\r\n\r\n',
      'GET\r\n\r\n',
      'GET / HTTP/9.9\r\n\r\n',
      '\0\0\0\0\r\n\r\n',
      'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    ]) {
      assertRefused(document, await send(Buffer.from(bytes, 'latin1')), 400, 'INVALID_PARAMS');
    }
  });
});

describe('slow clients', () => {
  let service: Service;
  let document: OpenApiDocument;
  before(async () => {
    service = await startService('sqlite', { timeouts: { headers: 1000, request: 2000, idle: 5000 } });
    document = (await service.get('/openapi.json')).body;
  });
  after(() => service.close());

  /** Sends the head at once and the rest byte by byte, while others are served; answers what the client is told. */
  async function drip(head: string, rest: string): Promise<RawAnswer> {
    const slow = new RawConnection(Number(new URL(service.url).port));
    slow.write(head);
    let sent = 0;
    const drops = setInterval(() => slow.write(rest.charAt(sent++)), 50);
    try {
      const answer = slow.answer();
      for (let i = 0; i < 20; i++) assert.equal((await service.get('/api/v1/orders')).status, 200);
      const told = await answer;
      await slow.ended();
      assert.ok(sent < rest.length);
      return told;
    } finally {
      clearInterval(drops);
    }
  }

  test('a client that sends its headers byte by byte is told so and cut off, and others are served meanwhile', async () => {
    const answer = await drip('GET /api/v1/orders HTTP/1.1\r\nHost: x\r\n', `X-Slow: ${'x'.repeat(10_000)}`);
    assertRefused(document, answer, 400, 'INVALID_PARAMS');
  });

  test('a client that sends its body byte by byte is told so and cut off, and others are served meanwhile', async () => {
    const head = `POST /api/v1/orders HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${ORDER.length}\r\n`;
    const answer = await drip(`${head}Authorization: Bearer ${service.adminKey}\r\n\r\n`, ORDER);
    assertRefused(document, answer, 400, 'INVALID_PARAMS');
  });

  test('a client that connects and says nothing is cut off without a word, which it would take for the answer to what it asks next', async () => {
    const silent = new RawConnection(Number(new URL(service.url).port));
    await silent.ended();
    assert.equal(silent.socket.bytesRead, 0);
  });
});

function assertRefused(document: OpenApiDocument, answer: RawAnswer, status: number, code: string): void {
  assert.equal(answer.status, status, answer.text);
  const body = JSON.parse(answer.text);
  checkRefusal(document, answer.status, answer.headers, body);
  assert.equal(body.error.code, code);
}
