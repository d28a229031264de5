import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, test } from 'node:test';
import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { type Handler, sendJson } from '../../../test/support/api-server.ts';
import { failureOf, openHttp, readAll } from '../../../test/support/http-connector.ts';
import { sayOften, startRawServer } from '../../../test/support/raw-server.ts';
import { useApis } from '../../../test/support/served-apis.ts';

const { serve } = useApis();

/** Reads from a server that means us no good; answers the error, and by how much our memory grew. */
async function suffer(handler: Handler, stream: object = {}, config: object = {}) {
  const api = await serve(handler);
  const fields = [{ name: 'id', type: 'int64' }];
  const streams = [JSON.parse(JSON.stringify({ name: 's', path: '/s', fields, ...stream })) as object];
  // A hostile API is not given several tries: how it is suffered once is what is looked at.
  const session = await openHttp({ base_url: api.url, streams, max_wait_seconds: 0, ...config });
  globalThis.gc?.();
  const [before, started] = [process.memoryUsage.rss(), performance.now()];
  let most = before;
  const watch = setInterval(() => {
    most = Math.max(most, process.memoryUsage.rss());
  }, 20);
  const drain = async (): Promise<void> => {
    for await (const batch of session.read({ stream: 's', fields: ['id'], key: [] })) assert.ok(batch.count >= 0);
  };
  const error = await failureOf(drain()).finally(() => clearInterval(watch));
  await session.close();
  return { error, api, seconds: (performance.now() - started) / 1000, megabytes: (most - before) / 1e6 };
}

/** Sends the head, then the piece again and again until the other side has had enough. */
async function flood(response: ServerResponse, head: string, piece: Buffer): Promise<number> {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.write(head);
  let sent = 0;
  while (!response.destroyed) {
    sent += piece.length;
    const done = new AbortController();
    if (!response.write(piece))
      await Promise.race(['drain', 'close'].map((event) => once(response, event, { signal: done.signal }).catch(() => {})));
    done.abort();
  }
  return sent;
}

const record = (id: number): { id: number; name: string } => ({ id, name: `n${id}` });

describe('a hostile API', () => {
  test('pages that lead in a circle', async () => {
    const { error, api } = await suffer(
      ({ url }, response) => {
        const page = Number(url.searchParams.get('cursor') ?? 0);
        sendJson(response, { data: [record(page)], next: (page + 1) % 5 === 0 ? 1 : page + 1 });
      },
      { records: 'data', paging: { type: 'cursor', next: 'next' } },
    );
    assert.deepEqual([error.kind, error.code], ['config', 'PAGING_LOOP']);
    assert.equal(api.received.length, 5);
  });

  test('a next page that is always the same page', async () => {
    const link = { link: '</s?p=2>; rel="next"' };
    const { error, api } = await suffer((_, response) => sendJson(response, [record(1)], 200, link), { paging: { type: 'link_header' } });
    assert.equal(error.code, 'PAGING_LOOP');
    assert.equal(api.received.length, 2);
  });

  test('a parameter that the API does not know, so that every page is the first', async () => {
    const key = { key: ['id'], paging: { type: 'page' } };
    const { error, api } = await suffer((_, response) => sendJson(response, [record(1), record(2)]), key);
    assert.equal(error.code, 'PAGING_LOOP');
    assert.match(error.hint ?? '', /names of the parameters/);
    assert.equal(api.received.length, 2);
    const keyless = await suffer((_, response) => sendJson(response, [record(1)]), { paging: { type: 'offset' } });
    assert.equal(keyless.error.code, 'PAGING_LOOP');
    assert.equal(keyless.api.received.length, 11);
  });

  test('pages without end, full or empty', async () => {
    let id = 0;
    const full = await suffer(
      (_, response) => sendJson(response, { data: [record(++id)], next: `c${id}` }),
      { records: 'data', key: ['id'], paging: { type: 'cursor', next: 'next' } },
      { max_pages: 200 },
    );
    assert.deepEqual([full.error.kind, full.error.code, full.api.received.length], ['config', 'PAGES_TOO_MANY', 200]);
    const empty = await suffer((_, response) => sendJson(response, { data: [], next: `c${++id}` }), {
      records: 'data',
      paging: { type: 'cursor', next: 'next' },
    });
    assert.equal(empty.error.code, 'PAGING_LOOP');
    assert.ok(empty.api.received.length < 1100);
  });

  test('a record of a gigabyte', async () => {
    let sent = 0;
    const { error, megabytes } = await suffer(
      async (_, response) => {
        sent = await flood(response, '[{"id":1,"name":"', Buffer.alloc(256 * 1024, 'x'));
      },
      {},
      { max_response_mb: 2000 },
    );
    assert.deepEqual([error.kind, error.code], ['data', 'ROW_TOO_LARGE']);
    assert.ok(sent < 100e6 && megabytes < 200, `${sent} bytes were sent, memory grew by ${megabytes} MB`);
  });

  test('an answer of a gigabyte, in small records, plain or as a bomb of gzip', async () => {
    const piece = Buffer.from(`{"id":1,"name":"${'x'.repeat(200)}"},`.repeat(300));
    const config = { max_response_mb: 40 };
    const plain = await suffer(async (_, response) => void (await flood(response, '[', piece)), {}, config);
    assert.deepEqual([plain.error.kind, plain.error.code, plain.error.field], ['config', 'RESPONSE_TOO_LARGE', 'max_response_mb']);
    assert.ok(plain.megabytes < 200, `memory grew by ${plain.megabytes} MB`);
    const bomb = gzipSync(Buffer.concat([Buffer.from('[{"id":1,"x":"'), Buffer.alloc(200_000_000, ' ')]));
    const packed = await suffer(
      (_, response) => {
        response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
        response.end(bomb);
      },
      {},
      config,
    );
    assert.equal(packed.error.code, 'RESPONSE_TOO_LARGE');
    assert.ok(packed.megabytes < 200, `memory grew by ${packed.megabytes} MB`);
  });

  test('an envelope of a gigabyte around no records at all', async () => {
    const { error, megabytes } = await suffer(async (_, response) => void (await flood(response, '{"junk":"', Buffer.alloc(65_536, 'x'))), {
      records: 'data',
    });
    assert.equal(error.code, 'RESPONSE_TOO_LARGE');
    assert.ok(megabytes < 100);
    const guess = await suffer(async (_, response) => void (await flood(response, '{"junk":"', Buffer.alloc(65_536, 'x'))));
    assert.equal(guess.error.code, 'RECORDS_UNKNOWN');
  });

  test('an answer that comes drop by drop, or stops coming', async () => {
    const drip: Handler = (_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write('[');
      const timer = setInterval(() => response.write(' '), 20);
      response.on('close', () => clearInterval(timer));
    };
    const slow = await suffer(drip, {}, { timeout_seconds: 0.5 });
    assert.deepEqual([slow.error.kind, slow.error.code], ['transient', 'TIMEOUT']);
    assert.match(slow.error.message, /drop by drop/);
    assert.ok(slow.seconds < 3, `${slow.seconds} s`);
    const silent = await suffer(
      (_, response) => void response.writeHead(200, { 'content-type': 'application/json' }).write('[{"id":1}'),
      {},
      { timeout_seconds: 0.3 },
    );
    assert.match(silent.error.message, /went silent/);
    const mute = await suffer(() => {}, {}, { timeout_seconds: 0.3 });
    assert.match(mute.error.message, /did not answer within 0.3 s/);
    assert.ok(mute.seconds < 2 && silent.seconds < 2);
  });

  test('an answer that is quick enough but has no end is ended by the clock', async () => {
    const { error, seconds } = await suffer(
      (_, response) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.write('[');
        const timer = setInterval(() => response.write(' '.repeat(1000)), 10);
        response.on('close', () => clearInterval(timer));
      },
      { records: '/' },
      { timeout_seconds: 0.5, max_response_seconds: 1 },
    );
    assert.equal(error.code, 'TIMEOUT');
    assert.match(error.message, /more than 1 s/);
    assert.ok(seconds < 4, `${seconds} s`);
  });

  test('headers without end', async () => {
    const server = await startRawServer((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      sayOften(socket, () => `x-${Date.now()}: ${'y'.repeat(1000)}\r\n`, 1);
    });
    const session = await openHttp({ base_url: server.url, streams: [{ name: 's', path: '/' }] });
    const error = await failureOf(session.discover(['s']));
    assert.deepEqual([error.kind, error.code], ['config', 'NOT_HTTP']);
    await server.close();
  });

  test('invalid UTF-8 spoils its record and no other', async () => {
    const body = Buffer.concat([Buffer.from('[{"id":1,"name":"'), Buffer.from([0xff, 0xfe, 0xc3]), Buffer.from('"},{"id":2}]')]);
    const api = await serve((_, response) => void response.writeHead(200, { 'content-type': 'application/json' }).end(body));
    const session = await openHttp({ base_url: api.url, streams: [{ name: 's', path: '/', fields: [{ name: 'id', type: 'int64' }] }] });
    const { rows, rejects } = await readAll(session, { stream: 's', fields: ['id'] });
    assert.deepEqual(rows, [['2']]);
    assert.deepEqual(
      rejects.map(({ reason }) => reason),
      ['The record is not valid UTF-8.'],
    );
  });

  test('JSON that breaks off, by itself or because the line does', async () => {
    const short = await suffer((_, response) => sendJson(response, '[{"id":1},{"id"'));
    assert.deepEqual([short.error.kind, short.error.code], ['transient', 'JSON_TRUNCATED']);
    const cut = await suffer((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
      response.write('[{"id":1},', () => response.destroy());
    });
    assert.deepEqual([cut.error.kind, cut.error.code], ['transient', 'CONNECTION_LOST']);
    const gzip = gzipSync(JSON.stringify(Array.from({ length: 1000 }, (_, i) => record(i))));
    for (const damaged of [gzip.subarray(0, 500), Buffer.concat([gzip.subarray(0, 20), Buffer.alloc(100, 1), gzip.subarray(120)])]) {
      const broken = await suffer((_, response) => void response.writeHead(200, { 'content-encoding': 'gzip' }).end(damaged));
      assert.deepEqual([broken.error.kind, broken.error.code], ['transient', 'ANSWER_BROKEN']);
    }
  });

  test('something else than JSON', async () => {
    const page = '<!DOCTYPE html><html><head><title>Log in</title></head></html>';
    const answers: [string, string, RegExp][] = [
      [page, 'text/html', /a web page titled "Log in" \(HTML\) instead of JSON/],
      ['<?xml version="1.0"?><a/>', 'application/xml', /XML instead of JSON/],
      ['id,name\n1,a\n', 'text/csv', /what is not JSON \(text\/csv\)/],
      ['', 'application/json', /nothing at all/],
      ['[1,2', 'text/plain', /breaks off/],
    ];
    for (const [body, type, message] of answers) {
      const { error } = await suffer((_, response) => void response.writeHead(200, { 'content-type': type }).end(body));
      assert.match(error.message, message);
    }
  });

  test('what is given up is let go of, though the session lives on', async () => {
    let flooded: Promise<number> | undefined;
    const api = await serve((_, response) => {
      flooded = flood(response, '<html>', Buffer.alloc(65_536, 'x'));
    });
    const session = await openHttp({ base_url: api.url, streams: [{ name: 's', path: '/' }] });
    assert.equal((await failureOf(session.discover(['s']))).code, 'NOT_JSON');
    assert.ok(((await flooded) ?? 0) < 50e6, 'the server could write no more');
    await session.close();
  });

  test('a schema that changes between pages', async () => {
    const pages =
      (second: object): Handler =>
      ({ url }, response) =>
        sendJson(response, [[record(1), record(2)], [record(3), second], []][Number(url.searchParams.get('page')) - 1]);
    const inferred = { fields: undefined, key: ['id'], paging: { type: 'page' } };
    const grown = await suffer(pages({ id: 4, name: 'x', surprise: 1 }), inferred);
    assert.deepEqual([grown.error.kind, grown.error.code], ['config', 'SCHEMA_CHANGED']);
    assert.match(grown.error.message, /surprise/);

    const api = await serve(pages({ id: { was: 4 }, name: 'x', surprise: 1 }));
    const stream = { name: 's', path: '/', key: ['id'], paging: { type: 'page' }, new_fields: 'ignore' };
    const session = await openHttp({ base_url: api.url, streams: [stream] });
    const { rows, rejects } = await readAll(session, { stream: 's', fields: ['id', 'name'] });
    assert.equal(rows.length, 3);
    assert.deepEqual(
      rejects.map(({ reason }) => reason),
      ['"id" is not of the type int64: {"was":4}.'],
    );
  });

  test('records that move to another place between pages', async () => {
    const { error } = await suffer(
      ({ url }, response) =>
        sendJson(response, url.searchParams.get('cursor') === null ? { data: [record(1)], next: 2 } : { success: true, reason: 'odd' }),
      { records: 'data', paging: { type: 'cursor', next: 'next' } },
    );
    assert.deepEqual([error.kind, error.code], ['config', 'RECORDS_MISSING']);
    assert.match(error.message, /it has success, reason/);
  });
});
