// Files behind http, with real servers: good, bad and hostile.
import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { after, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { filesFolder } from '../../../../test/support/files-folder.ts';
import { freePort } from '../../../../test/support/postgres-server.ts';
import { startRawServer } from '../../../../test/support/raw-server.ts';

const folder = filesFolder();
const servers: Server[] = [];
after(() => {
  folder.remove();
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
});

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

interface Behaviour {
  ranges?: boolean;
  tag?: string;
  /** Ends each answer after so many bytes, without a word. */
  cutAfter?: number;
}

/** Sends a file as usual servers do. */
function sendFile(
  request: IncomingMessage,
  response: ServerResponse,
  bytes: Buffer,
  { ranges = true, tag = '"v1"', cutAfter }: Behaviour = {},
): void {
  const range = ranges ? /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '') : null;
  const isFresh = request.headers['if-range'] === undefined || request.headers['if-range'] === tag;
  const [from, to] =
    range && isFresh ? [Number(range[1]), range[2] ? Math.min(Number(range[2]) + 1, bytes.length) : bytes.length] : [0, bytes.length];
  const headers = { etag: tag, ...(ranges && { 'accept-ranges': 'bytes' }) };
  if (range && from >= bytes.length) return void response.writeHead(416, { 'content-range': `bytes */${bytes.length}` }).end();
  response.writeHead(range && isFresh ? 206 : 200, {
    ...headers,
    'content-length': to - from,
    ...(range && isFresh && { 'content-range': `bytes ${from}-${to - 1}/${bytes.length}` }),
  });
  if (request.method === 'HEAD') return void response.end();
  const part = bytes.subarray(from, to);
  if (cutAfter === undefined || part.length <= cutAfter) response.end(part);
  else response.write(part.subarray(0, cutAfter), () => response.destroy());
  return undefined;
}

const csv = Buffer.from(`id,text\n${Array.from({ length: 5000 }, (_, n) => `${n},"value ${n}, ${'x'.repeat(50)}"\n`).join('')}`);

describe('a file behind a URL', () => {
  test('is one stream, named after it, and read in batches that can be gone on from', async () => {
    const asked: (string | undefined)[] = [];
    const url = await serve((request, response) => {
      if (request.method === 'GET') asked.push(request.headers.range);
      sendFile(request, response, csv);
    });
    const { stream, rows, batches } = await folder.read({ url: `${url}/exports/orders.csv?key=1` }, { batchBytes: 50_000 });
    assert.deepEqual([stream.name, stream.writable, rows.length], ['orders', false, 5000]);
    asked.length = 0;
    const rest = await folder.read({ url: `${url}/exports/orders.csv?key=1` }, { batchBytes: 50_000, after: batches[2]?.position ?? '' });
    assert.deepEqual(
      rest.rows,
      batches.slice(3).flatMap((batch) => batch.rows),
    );
    assert.ok(
      asked.some((range) => /^bytes=\d{5,}-$/.test(range ?? '')),
      'what is known is not fetched again',
    );
    assert.deepEqual((await folder.read({ url: `${url}/exports/orders.csv?key=1` }, { after: batches.at(-1)?.position ?? '' })).rows, []);
    assert.doesNotMatch(batches[0]?.position ?? '', /key=1/, 'a query may hold a secret');
  });
  test('is read on and anew without ranges and tags, too', async () => {
    let bytes = csv;
    const url = await serve((request, response) => {
      response.setHeader('content-length', bytes.length);
      response.end(request.method === 'HEAD' ? undefined : bytes);
    });
    const one = await folder.read({ url: `${url}/a.csv` });
    assert.equal(one.rows.length, 5000);
    bytes = Buffer.concat([csv, Buffer.from('5000,new\n')]);
    assert.deepEqual((await folder.read({ url: `${url}/a.csv` }, { after: one.position })).rows, [['5000', 'new']]);
    bytes = Buffer.from('id,text\n7,other\n');
    assert.deepEqual((await folder.read({ url: `${url}/a.csv` }, { after: one.position })).rows, [['7', 'other']]);
  });
  test('goes on by itself when the connection is lost, where the server allows it', async () => {
    const url = await serve((request, response) => sendFile(request, response, csv, { cutAfter: 100_000 }));
    assert.equal((await folder.read({ url: `${url}/a.csv` })).rows.length, 5000);
    const poor = await serve((request, response) => sendFile(request, response, csv, { cutAfter: 100_000, ranges: false }));
    await assert.rejects(folder.read({ url: `${poor}/a.csv` }), { kind: 'transient', code: 'CONNECTION_LOST' });
  });
  test('may be packed, and may be Parquet', async () => {
    const packed = gzipSync(csv);
    const parquet = Buffer.from(
      parquetWriteBuffer({ columnData: [{ name: 'n', data: Array.from({ length: 1000 }, (_, n) => BigInt(n)), type: 'INT64' }] }),
    );
    for (const ranges of [true, false]) {
      const url = await serve((request, response) =>
        sendFile(request, response, request.url === '/a.csv.gz' ? packed : parquet, { ranges }),
      );
      assert.equal((await folder.read({ url: `${url}/a.csv.gz` })).rows.length, 5000);
      assert.equal((await folder.read({ url: `${url}/a.parquet` })).rows.length, 1000);
    }
  });
  test('several addresses are one stream, in order; what is not there is left out', async () => {
    const url = await serve((request, response) => {
      if (request.url === '/sales-2024.csv') response.writeHead(404).end();
      else sendFile(request, response, Buffer.from(`year\n${request.url?.slice(7, 11)}\n`));
    });
    const { stream, rows } = await folder.read({ url: `${url}/sales-{2023..2026}.csv` });
    assert.deepEqual([stream.name, rows], ['sales', [['2023'], ['2025'], ['2026']]]);
  });
});

describe('check says what is wrong', () => {
  const check = async (url: string, config: Record<string, unknown> = {}, networks = 'any') =>
    (await folder.session({ url, ...config }, networks)).check();
  test('the server refuses, has nothing, is busy, or wants a key', async () => {
    const url = await serve((request, response) => {
      if (request.url === '/key.csv' && request.headers.authorization === 'Bearer good') return sendFile(request, response, csv);
      const status = { '/none.csv': 404, '/key.csv': 401, '/bad.csv': 403, '/busy.csv': 503, '/odd.csv': 418 }[request.url ?? ''] ?? 500;
      return void response.writeHead(status, status === 503 ? { 'retry-after': '7' } : {}).end();
    });
    await assert.rejects(check(`${url}/none.csv`), { kind: 'config', code: 'FILE_MISSING', field: 'url' });
    await assert.rejects(check(`${url}/key.csv`), { kind: 'auth', code: 'URL_FORBIDDEN', field: 'authorization' });
    await assert.rejects(check(`${url}/key.csv`, { authorization: 'Bearer wrong' }), { kind: 'auth', message: /^((?!wrong).)*$/ });
    assert.match((await check(`${url}/key.csv`, { authorization: 'Bearer good' })).message, /CSV/);
    await assert.rejects(check(`${url}/bad.csv`), { kind: 'auth', code: 'URL_FORBIDDEN' });
    await assert.rejects(check(`${url}/busy.csv`), { kind: 'transient', code: 'SERVER_BUSY', retryAfter: 7 });
    await assert.rejects(check(`${url}/odd.csv`), { kind: 'config', code: 'URL_REFUSED' });
  });
  test('the host is not known, the port is closed, or the answer is no TLS', async () => {
    await assert.rejects(check('http://no-such-host.invalid/a.csv'), { code: /HOST_UNKNOWN|DNS_FAILED/ });
    await assert.rejects(check(`http://127.0.0.1:${await freePort()}/a.csv`), { kind: 'transient', code: 'PORT_CLOSED' });
    const url = await serve((request, response) => sendFile(request, response, csv));
    await assert.rejects(check(`${url.replace('http', 'https')}/a.csv`), { kind: 'config', code: 'TLS_REFUSED' });
  });
  test('addresses out of reach are refused: literal, mapped, named, and behind a redirect', async () => {
    await assert.rejects(check('http://169.254.169.254/latest/a.csv'), { code: 'ADDRESS_REFUSED' });
    await assert.rejects(check('http://[::ffff:169.254.169.254]/a.csv'), { code: 'ADDRESS_REFUSED' });
    const url = await serve((request, response) => {
      if (request.url === '/there.csv') return sendFile(request, response, csv);
      const location =
        {
          '/metadata.csv': 'http://169.254.169.254/a.csv',
          '/loop.csv': '/loop.csv',
          '/file.csv': 'file:///etc/passwd',
          '/good.csv': '/there.csv',
        }[request.url ?? ''] ?? '/there.csv';
      return void response.writeHead(302, { location }).end();
    });
    await assert.rejects(check(`${url}/a.csv`, {}, 'public'), { code: 'ADDRESS_REFUSED' });
    await assert.rejects(check(url.replace('127.0.0.1', 'localhost').concat('/a.csv'), {}, 'public'), { code: 'ADDRESS_REFUSED' });
    await assert.rejects(check(`${url}/metadata.csv`), { code: 'ADDRESS_REFUSED' });
    await assert.rejects(check(`${url}/loop.csv`), { code: 'TOO_MANY_REDIRECTS' });
    await assert.rejects(check(`${url}/file.csv`), { code: 'REDIRECT_REFUSED' });
    assert.match((await check(`${url}/good.csv`)).message, /CSV/);
  });
  test('a key is not carried to another server', async () => {
    const seen: (string | undefined)[] = [];
    const other = await serve((request, response) => {
      seen.push(request.headers.authorization);
      sendFile(request, response, csv);
    });
    const url = await serve((_, response) => void response.writeHead(302, { location: `${other}/a.csv` }).end());
    await check(`${url}/a.csv`, { authorization: 'Bearer canary' });
    assert.ok(seen.length > 0 && seen.every((key) => key === undefined));
  });
  test('a server that changes to another protocol, or breaks off, holds nobody', async (context) => {
    const switching = await startRawServer(
      (socket) => void socket.write('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'),
    );
    const half = await startRawServer((socket) => void socket.end('HTTP/1.1 200 OK\r\ncontent-le'));
    context.after(() => Promise.all([switching.close(), half.close()]));
    await assert.rejects(check(`${switching.url}/a.csv`), { kind: 'config', code: 'NOT_HTTP', field: 'url' });
    await assert.rejects(check(`${half.url}/a.csv`), { kind: 'transient', code: /CONNECTION_LOST|REQUEST_FAILED/ });
  });
  test('a server that never answers is given up within ten seconds', async () => {
    const url = await serve(() => {});
    const started = performance.now();
    await assert.rejects(check(`${url}/a.csv`), { kind: 'transient', code: 'TIMEOUT' });
    assert.ok(performance.now() - started < 10_000);
  });
});
