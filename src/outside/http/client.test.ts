// What the client makes of servers that are good, slow, broken and hostile.
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import type { Socket } from 'node:net';
import { startApi, type Handler } from '../../../test/support/api-server.ts';
import { startRawServer, type RawServer, sayOften } from '../../../test/support/raw-server.ts';
import { AUTHORITY, CERTIFICATE, CERTIFICATE_KEY } from '../../../test/support/tls-certificates.ts';
import { until } from '../../../test/support/until.ts';
import { codeOf, OutsideError } from '../errors.ts';
import { reachOf } from '../reach.ts';
import type { Bounds } from './body.ts';
import { readText } from './body.ts';
import { type ClientOptions, createHttpClient, type HttpClient } from './client.ts';
import type { Problem } from './problem.ts';

const BOUNDS: Bounds = { timeout: 30_000, total: 60_000, bytes: 1_000_000, bytesPerSecond: 256, pace: 'so far' };
/** For servers that are not waited for; on a busy machine a good answer may take some hundred milliseconds. */
const SHORT: Bounds = { ...BOUNDS, timeout: 1000, total: 3000 };
const never = new AbortController().signal;

const cleaners: (() => unknown)[] = [];
after(async () => {
  for (const clean of cleaners) await clean();
});

/** A client that tells its problems as they are, without words. */
function clientWith(options: Partial<ClientOptions> & { bounds?: Bounds } = {}): HttpClient {
  const client = createHttpClient({
    reach: reachOf('any'),
    keepsConnections: false,
    unpacks: true,
    bounds: BOUNDS,
    explain: (problem) => new OutsideError('bug', problem.what, codeOf((problem as { error?: unknown }).error) ?? '', { cause: problem }),
    ...options,
  });
  cleaners.push(() => client.close());
  return client;
}

async function raw(answer: (socket: Socket, head: string) => void): Promise<RawServer> {
  const server = await startRawServer(answer);
  cleaners.push(() => server.close());
  return server;
}

async function api(handler: Handler, tls?: { key: string; cert: string }) {
  const server = await startApi(handler, tls);
  cleaners.push(() => server.close());
  return server;
}

/** Asks and reads all. */
async function get(client: HttpClient, url: string, signal = never): Promise<string> {
  const answer = await client.send({ method: 'GET', url: new URL(url), headers: {} }, signal);
  return readText(answer, Number.POSITIVE_INFINITY);
}

/** What went wrong, and the code of what the network said about it. */
async function problemOf(work: Promise<unknown>): Promise<[Problem['what'] | 'ABORTED', string]> {
  const error = await work.then(
    (answer) => assert.fail(`it should have failed, not answered ${String(answer).slice(0, 100)}`),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof OutsideError, String(error));
  return [error.code as Problem['what'], error.message];
}

const OK = 'HTTP/1.1 200 OK\r\n';

describe('an answer that does not come', () => {
  test('half a head, and the line is cut', async () => {
    for (const half of ['', 'HTTP/1.', OK, `${OK}content-le`, `${OK}content-length: 5\r\n`]) {
      const server = await raw((socket) => void socket.end(half));
      const [what] = await problemOf(get(clientWith(), server.url));
      assert.equal(what, 'failed', JSON.stringify(half));
    }
    const reset = await raw((socket) => void socket.resetAndDestroy());
    assert.deepEqual(await problemOf(get(clientWith(), reset.url)), ['failed', 'ECONNRESET']);
  });

  test('half a head, and then silence, or header after header, or one promise after the other', async () => {
    const rude: ((socket: Socket) => void)[] = [
      () => {},
      (socket) => void socket.write(`${OK}content-le`),
      (socket) => {
        socket.write(OK);
        sayOften(socket, () => 'x: y\r\n', 20);
      },
      (socket) => sayOften(socket, () => 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n', 20),
      (socket) => sayOften(socket, () => 'HTTP/1.1 100 Continue\r\n\r\n', 20),
    ];
    const suffer = async (answer: (socket: Socket) => void): Promise<void> => {
      const server = await raw(answer);
      const started = performance.now();
      assert.deepEqual(await problemOf(get(clientWith({ bounds: SHORT }), server.url)), ['mute', '']);
      assert.ok(performance.now() - started < 10_000);
      await until('the client hangs up', () => server.sockets.every((socket) => socket.destroyed));
    };
    await Promise.all(rude.map(suffer));
  });

  test('headers without end', async () => {
    const server = await raw((socket) => {
      socket.write(OK);
      sayOften(socket, () => `x-${Math.random()}: ${'y'.repeat(5000)}\r\n`, 1);
    });
    assert.deepEqual(await problemOf(get(clientWith(), server.url)), ['failed', 'HPE_HEADER_OVERFLOW']);
  });

  test('what is no HTTP, or leaves it', async () => {
    for (const words of ['SSH-2.0-OpenSSH_9.6\r\n', '\0\0\0\x0aJ\x8e\x01', `${OK}content-length: -1\r\n\r\n`]) {
      const server = await raw((socket) => void socket.write(words));
      const [what, code] = await problemOf(get(clientWith(), server.url));
      assert.deepEqual([what, code.slice(0, 4)], ['failed', 'HPE_'], words);
    }
    const other = await raw((socket) => void socket.write('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'));
    assert.deepEqual(await problemOf(get(clientWith(), other.url)), ['other protocol', '']);
    await until('the client hangs up', () => other.sockets.every((socket) => socket.destroyed));
  });
});

describe('an answer that lies about its length', () => {
  test('less than it said is no answer', async () => {
    for (const end of ['end', 'resetAndDestroy'] as const) {
      const server = await raw((socket) => socket.write(`${OK}content-length: 10\r\n\r\nhalf`, () => socket[end]()));
      assert.equal((await problemOf(get(clientWith(), server.url)))[0], 'broken');
      assert.equal((await problemOf(get(clientWith({ unpacks: false }), server.url)))[0], 'broken', 'as it is sent');
    }
    const chunked = await raw((socket) => void socket.end(`${OK}transfer-encoding: chunked\r\n\r\n5\r\nhello\r\n`));
    assert.equal((await problemOf(get(clientWith(), chunked.url)))[0], 'broken');
  });

  test('more than it said is not taken for the answer to the next request', async () => {
    const evil = `${OK}content-length: 4\r\n\r\nevil`;
    let asked = 0;
    const server = await raw((socket) => void socket.write(`${OK}content-length: 4\r\n\r\n${++asked}own${evil}`));
    const client = clientWith({ keepsConnections: true });
    for (const expected of ['1own', '2own', '3own']) assert.equal(await get(client, server.url), expected);
  });

  test('two lengths are none', async () => {
    for (const lengths of ['content-length: 2\r\ncontent-length: 3', 'content-length: 2\r\ntransfer-encoding: chunked']) {
      const server = await raw((socket) => void socket.end(`${OK}${lengths}\r\n\r\nok`));
      const [what, code] = await problemOf(get(clientWith(), server.url));
      assert.deepEqual([what, code.slice(0, 4)], ['failed', 'HPE_'], lengths);
    }
  });
});

describe('an answer that is slow', { concurrency: true }, () => {
  const begun = `${OK}content-length: 1000000\r\n\r\n`;

  test('goes silent, drips, or takes for ever', async () => {
    const silent = await raw((socket) => void socket.write(`${begun}something`));
    assert.deepEqual(await problemOf(get(clientWith({ bounds: SHORT }), silent.url)), ['silent', '']);
    const dripping = await raw((socket) => {
      socket.write(begun);
      sayOften(socket, () => '.', 20);
    });
    assert.deepEqual(await problemOf(get(clientWith({ bounds: SHORT }), dripping.url)), ['dripping', '']);
    const endless = await raw((socket) => {
      socket.write(begun);
      sayOften(socket, () => '.'.repeat(100), 20);
    });
    assert.deepEqual(await problemOf(get(clientWith({ bounds: SHORT }), endless.url)), ['endless', '']);
    for (const server of [silent, dripping, endless])
      await until('the client hangs up', () => server.sockets.every((socket) => socket.destroyed));
  });

  test('that began well and only drips now is found out where the pace counts anew each time', async () => {
    const server = await raw((socket) => {
      socket.write(begun + '.'.repeat(100_000));
      sayOften(socket, () => '.', 20);
    });
    assert.deepEqual(await problemOf(get(clientWith({ bounds: { ...SHORT, pace: 'each' } }), server.url)), ['dripping', '']);
    assert.deepEqual(await problemOf(get(clientWith({ bounds: SHORT }), server.url)), ['endless', '']);
  });

  test('is not to blame for a reader that takes its time', async () => {
    const pieces = Array.from({ length: 4 }, (_, n) => String(n).repeat(200_000));
    const server = await api((_, response) => void response.end(pieces.join('')));
    const readSlowly = async (unpacks: boolean): Promise<void> => {
      const client = clientWith({ unpacks, bounds: { ...SHORT, pace: 'each' } });
      const { body } = await client.send({ method: 'GET', url: new URL(server.url), headers: {} }, never);
      let [text, stops] = ['', 0];
      for await (const chunk of body) {
        text += chunk.toString('latin1');
        // Longer than the server may be silent, and in all longer than an answer may take.
        if (stops++ < 3) await pause(1100);
      }
      assert.equal(text, pieces.join(''));
    };
    await Promise.all([true, false].map(readSlowly));
  });
});

describe('an answer that is packed', () => {
  const packed = (encoding: string, body: Buffer): Promise<{ url: string }> =>
    api((_, response) => void response.writeHead(200, { 'content-encoding': encoding }).end(body));

  test('is unpacked, unless it is wanted as it was sent', async () => {
    const { url } = await packed('gzip', gzipSync('hello'));
    assert.equal(await get(clientWith(), url), 'hello');
    const answer = await clientWith({ unpacks: false }).send({ method: 'GET', url: new URL(url), headers: {} }, never);
    const chunks: Buffer[] = [];
    for await (const chunk of answer.body) chunks.push(chunk);
    assert.deepEqual(Buffer.concat(chunks), gzipSync('hello'));
  });

  test('and swells without end is ended at its bound', async () => {
    const { url } = await packed('gzip', gzipSync(Buffer.alloc(300_000_000)));
    const answer = await clientWith().send({ method: 'GET', url: new URL(url), headers: {} }, never);
    let bytes = 0;
    const read = async (): Promise<void> => {
      for await (const chunk of answer.body) bytes += chunk.length;
    };
    assert.equal((await problemOf(read()))[0], 'large');
    assert.ok(bytes <= 1_000_000, `${bytes} bytes were handed on`);
  });

  test('is broken when it cannot be unpacked, and refused when nobody knows how', async () => {
    const gzip = gzipSync(Buffer.from('hello '.repeat(1000)));
    for (const body of [gzip.subarray(0, 20), Buffer.from('no gzip at all')]) {
      const [what, code] = await problemOf(get(clientWith(), (await packed('gzip', body)).url));
      assert.deepEqual([what, code.slice(0, 2)], ['broken', 'Z_']);
    }
    for (const encoding of ['compress', 'gzip, br']) {
      assert.deepEqual(await problemOf(get(clientWith(), (await packed(encoding, gzip)).url)), ['packed', ''], encoding);
    }
  });
});

describe('where requests arrive', () => {
  test('an address that is not allowed is refused before anything is sent', async () => {
    const client = clientWith({ reach: reachOf('127.0.0.2/32') });
    const server = await raw(() => {});
    for (const host of ['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]', '2130706433', '0x7f.1'])
      assert.deepEqual(await problemOf(get(client, `http://${host}:${server.port}`)), ['failed', 'ADDRESS_REFUSED'], host);
    for (const host of ['169.254.169.254', '[::ffff:169.254.169.254]', '[fd00:ec2::254]'])
      assert.deepEqual(await problemOf(get(clientWith(), `http://${host}/latest/meta-data`)), ['failed', 'ADDRESS_REFUSED'], host);
    assert.equal(server.sockets.length, 0);
  });

  test('a name server that is believed too early is found out when the connection stands', async () => {
    const server = await raw(() => {});
    const reach = reachOf('127.0.0.2/32');
    const client = clientWith({
      reach: {
        ...reach,
        lookup: (_, options, callback) =>
          options.all ? callback(null, [{ address: '127.0.0.1', family: 4 }]) : callback(null, '127.0.0.1', 4),
      },
    });
    assert.deepEqual(await problemOf(get(client, `http://shop.test:${server.port}`)), ['failed', 'ADDRESS_REFUSED']);
    assert.equal(server.heads.length, 0, 'not a byte of a request arrived there');
  });

  test('a certificate has to be trusted, by the world or by who asks', async () => {
    const secure = await api((_, response) => void response.end('safe'), { key: CERTIFICATE_KEY, cert: CERTIFICATE });
    const [what, code] = await problemOf(get(clientWith(), secure.url));
    assert.equal(what, 'failed');
    assert.match(code, /UNABLE_TO_VERIFY_LEAF_SIGNATURE|UNABLE_TO_GET_ISSUER_CERT_LOCALLY/);
    assert.equal(await get(clientWith({ tls: { verify: true, ca: AUTHORITY } }), secure.url), 'safe');
    assert.equal(await get(clientWith({ tls: { verify: false } }), secure.url), 'safe');
    assert.equal((await problemOf(get(clientWith({ tls: { verify: true, ca: AUTHORITY } }), `https://[::1]:${secure.port}`)))[0], 'failed');
  });
});

describe('connections', () => {
  test('are kept where that is wanted, and closed otherwise', async () => {
    const server = await raw((socket) => void socket.write(`${OK}content-length: 2\r\n\r\nok`));
    const keeping = clientWith({ keepsConnections: true });
    for (let n = 0; n < 3; n++) assert.equal(await get(keeping, server.url), 'ok');
    assert.equal(server.sockets.length, 1);
    assert.match(server.heads[0] ?? '', /connection: keep-alive/i);
    keeping.close();
    await until('it is closed with the client', () => server.sockets[0]?.destroyed);
    for (let n = 0; n < 3; n++) assert.equal(await get(clientWith(), server.url), 'ok');
    assert.equal(server.sockets.length, 4);
    assert.match(server.heads.at(-1) ?? '', /connection: close/i);
    await until('they are closed by us', () => server.sockets.every((socket) => socket.destroyed));
  });

  test('a failure that nobody has read yet ends nothing else, and is told when somebody reads', async () => {
    for (const unpacks of [true, false]) {
      const server = await raw((socket) => socket.write(`${OK}content-length: 10\r\n\r\nhalf`, () => socket.resetAndDestroy()));
      const answer = await clientWith({ unpacks }).send({ method: 'GET', url: new URL(server.url), headers: {} }, never);
      await until('it has come to pass', () => server.sockets[0]?.destroyed);
      await pause(20);
      assert.equal((await problemOf(readText(answer, 100)))[0], 'broken');
    }
  });

  test('what is not wanted is let go of', async () => {
    for (const unpacks of [true, false]) {
      const server = await raw((socket) => void socket.write(`${OK}content-length: 1000000\r\n\r\nbegun`));
      const answer = await clientWith({ unpacks }).send({ method: 'GET', url: new URL(server.url), headers: {} }, never);
      answer.discard();
      await until('the connection is closed', () => server.sockets[0]?.destroyed);
    }
  });

  test('end at once when they are told to: before, while waiting, and in the middle', async () => {
    const server = await raw((socket, head) => void (head.includes('/begun') && socket.write(`${OK}content-length: 10\r\n\r\nhalf`)));
    const stop = new AbortController();
    const slow = clientWith();
    const waiting = problemOf(get(slow, `${server.url}/waiting`, stop.signal));
    const begun = problemOf(get(slow, `${server.url}/begun`, stop.signal));
    await until('both are there', () => server.heads.length === 2);
    stop.abort();
    assert.deepEqual([(await waiting)[0], (await begun)[0]], ['ABORTED', 'ABORTED']);
    assert.equal((await problemOf(get(slow, server.url, stop.signal)))[0], 'ABORTED');
    assert.equal(server.heads.length, 2);
    await until('the connections are closed', () => server.sockets.every((socket) => socket.destroyed));
  });
});
