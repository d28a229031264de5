import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { onEitherEngine } from '../support/databases.ts';
import { type CallOptions, type Reply, type Service, startService } from '../support/service.ts';

onEitherEngine('hostile clients of /mcp', (engine) => {
  let service: Service;
  before(async () => {
    service = await startService(engine, { environment: { SYNCLINE_PUBLIC_URL: 'https://syncline.example.com/base' } });
  });
  after(() => service.close());

  const send = (body: unknown, options: CallOptions = {}): Promise<Reply> => service.post('/mcp', body, options);
  const message = (method: string, params?: unknown): object => ({
    jsonrpc: '2.0',
    id: 1,
    method,
    ...(params !== undefined && { params }),
  });
  const stateless = (params: object, version: unknown = '2026-07-28'): object => ({
    ...params,
    _meta: { 'io.modelcontextprotocol/protocolVersion': version, 'io.modelcontextprotocol/clientCapabilities': {} },
  });

  test('no key 401, a key without a scope of ours 403, and only POST', async () => {
    for (const key of [null, 'slk_nonsense']) {
      const { status, body, headers } = await send(message('ping'), { key });
      assert.deepEqual([status, body.error.data.code, headers.get('www-authenticate')], [401, 'UNAUTHORIZED', 'Bearer']);
      assert.equal((await service.get('/mcp', { key })).status, 401);
    }
    for (const method of ['GET', 'DELETE']) {
      const { status, headers } = await service.call(method, '/mcp');
      assert.deepEqual([status, headers.get('allow')], [405, 'POST']);
    }
    assert.equal((await send(message('ping'))).status, 200);
  });

  test('what is no message is answered as such, with its id where it has one', async () => {
    const cases: [unknown, number, number][] = [
      [[], 400, -32_600],
      [[message('ping')], 400, -32_600],
      [{}, 400, -32_600],
      [null, 400, -32_600],
      ['ping', 400, -32_600],
      [{ jsonrpc: '1.0', id: 1, method: 'ping' }, 400, -32_600],
      [{ jsonrpc: '2.0', id: 1, method: 7 }, 400, -32_600],
      [{ jsonrpc: '2.0', id: null, method: 'ping' }, 400, -32_600],
      [{ jsonrpc: '2.0', id: {}, method: 'ping' }, 400, -32_600],
      [{ jsonrpc: '2.0', id: 1, result: {} }, 400, -32_600],
      [message('ping', []), 400, -32_602],
      [message('resources/list'), 200, -32_601],
      [message('__proto__'), 200, -32_601],
      [message('server/discover'), 200, -32_601],
      [message('tools/list', { cursor: 'x' }), 200, -32_602],
      [message('tools/call'), 200, -32_602],
      [message('tools/call', { name: 'constructor' }), 200, -32_602],
      [message('tools/call', { name: ['find'] }), 200, -32_602],
    ];
    for (const [body, status, code] of cases) {
      const reply = await send(body);
      assert.deepEqual([reply.status, reply.body.error.code], [status, code], JSON.stringify(body));
      assert.ok(reply.body.error.message.length > 20);
      assert.equal(reply.body.jsonrpc, '2.0');
    }
    assert.equal((await send({ ...message('nothing'), id: 'mine' })).body.id, 'mine');
    const notified = await send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    assert.deepEqual([notified.status, notified.text], [202, '']);
  });

  test('broken JSON, other types and large bodies', async () => {
    const broken: [string, CallOptions, number, number][] = [
      ['{"jsonrpc":', {}, 400, -32_700],
      ['{"jsonrpc":"2.0","jsonrpc":"2.0","id":1,"method":"ping"}', {}, 400, -32_700],
      ['{"jsonrpc":"2.0","id":1,"method":"a\\u0000b"}', {}, 400, -32_600],
      ['{"jsonrpc":"2.0","id":1,"method":"ping","params":{"__proto__":{}}}', {}, 400, -32_600],
      [JSON.stringify(message('ping')), { headers: { 'content-type': 'text/plain' } }, 415, -32_000],
      [JSON.stringify(message('ping', { x: 'y'.repeat(1_100_000) })), {}, 413, -32_000],
    ];
    for (const [raw, options, status, code] of broken) {
      const reply = await service.call('POST', '/mcp', { raw, ...options });
      assert.deepEqual([reply.status, reply.body.error.code], [status, code], raw.slice(0, 80));
    }
    const empty = await service.call('POST', '/mcp');
    assert.equal(empty.status, 400);
  });

  test('arguments that do not fit are told so, and reach no route', async () => {
    const call = async (name: string, input: unknown): Promise<{ isError?: boolean; content: { text: string }[] }> =>
      (await send(message('tools/call', { name, arguments: input }))).body.result;
    const cases: [string, unknown, RegExp][] = [
      ['find', [], /must be an object/],
      ['find', 'x', /must be an object/],
      ['find', { what: 'keys' }, /what must be one of/],
      ['find', { what: 'sources', limit: 26 }, /limit/],
      ['find', { what: 'sources', extra: 1 }, /extra/],
      ['find', { what: 'orders', id: '../keys' }, /no id of orders/],
      ['find', { what: 'orders', id: 'export' }, /no id of orders/],
      ['find', { what: 'orders', id: 'ord_1' }, /There is no order ord_1/],
      ['find', { what: 'sources', id: '..%2F..%2Fkeys' }, /no id of sources/],
      ['find', { what: 'products', id: '..' }, /no id of products/],
      ['find', { what: 'products', id: '../keys' }, /There is no product/],
      ['explain_synchronization', { sync_id: '../keys' }, /sync_id/],
      ['sample_rows', { source_id: 'src_1', stream: '../../../keys' }, /There is no source/],
      ['sample_rows', { source_id: 'src_1', stream: '..' }, /There is nothing at this path/],
      ['run_synchronization', { sync_id: 'syn_1', mode: 'preview' }, /mode/],
    ];
    for (const [name, input, words] of cases) {
      const { isError, content } = await call(name, input);
      assert.equal(isError, true, JSON.stringify(input));
      assert.match(content[0]?.text ?? '', words);
    }
  });

  test('versions that are not spoken, and headers that say something else than the body', async () => {
    const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/list' };
    const list = message('tools/list', stateless({}));
    assert.equal((await send(list, { headers })).body.result.resultType, 'complete');
    const cases: [object, Record<string, string>, number][] = [
      [list, {}, -32_020],
      [list, { ...headers, 'mcp-method': 'tools/call' }, -32_020],
      [list, { ...headers, 'mcp-protocol-version': '2025-11-25' }, -32_020],
      [message('tools/list', stateless({}, '2027-01-01')), headers, -32_022],
      [message('tools/list', stateless({}, 7)), headers, -32_022],
      [message('tools/list'), headers, -32_602],
      [message('tools/list'), { 'mcp-protocol-version': '1999-01-01' }, -32_022],
      [message('tools/call', stateless({ name: 'find' })), { ...headers, 'mcp-method': 'tools/call', 'mcp-name': 'verify' }, -32_020],
    ];
    for (const [body, given, code] of cases) {
      const reply = await send(body, { headers: given });
      assert.deepEqual([reply.status, reply.body.error.code], [400, code], JSON.stringify([body, given]));
    }
    const unknown = await send(message('ping', stateless({})), { headers: { ...headers, 'mcp-method': 'ping' } });
    assert.deepEqual([unknown.status, unknown.body.error.code], [404, -32_601]);
    const asked = await send(
      message('initialize', { protocolVersion: '2024-11-05', capabilities: {}, clientInfo: { name: 'x', version: '1' } }),
    );
    assert.equal(asked.body.result.protocolVersion, '2025-11-25');
  });

  test('pages of other origins stay outside, whatever name they have given us', async () => {
    const statusFrom = async (origin: string): Promise<number> => (await send(message('ping'), { headers: { origin } })).status;
    for (const origin of ['http://evil.example', 'null', 'https://syncline.example.com.evil.example', 'file:///x', 'nonsense']) {
      assert.equal(await statusFrom(origin), 403, origin);
    }
    for (const origin of ['https://syncline.example.com', 'http://localhost:6274', 'http://127.0.0.1:8080', 'http://[::1]:1']) {
      assert.equal(await statusFrom(origin), 200, origin);
    }
  });

  test('calls count like those of the API, and so do the calls that they make', async () => {
    const made = await service.post('/api/v1/keys', { name: 'slow', scopes: ['orders:read'], rate_limit: 1 });
    const { key } = made.body.data;
    const ping = await send(message('ping'), { key });
    assert.equal(ping.status, 200);
    // The call is the second request within a burst of two, and what it asks the API would be the third.
    const call = await send(message('tools/call', { name: 'find', arguments: { what: 'orders' } }), { key });
    assert.equal(call.body.result.isError, true);
    assert.match(call.body.result.content[0].text, /1 requests? a second/);
    const refused = await send(message('ping'), { key });
    assert.deepEqual([refused.status, refused.body.error.data.code], [429, 'RATE_LIMITED']);
  });
});
