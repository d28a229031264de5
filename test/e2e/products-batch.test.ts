import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { onBothEngines } from '../support/databases.ts';
import { openLineStream } from '../support/line-stream.ts';
import { type Reply, type Service, startService } from '../support/service.ts';

const BATCH = '/api/v1/products/sync/batch';

onBothEngines('products, many at once', (engine) => {
  let service: Service;
  before(async () => {
    service = await startService(engine);
    await service.post('/api/v1/products/sync', { product_id: 'a', name: 'A', price: 1 });
  });
  after(() => service.close());

  const read = (id: string): Promise<Reply> => service.get(`/api/v1/products/${encodeURIComponent(id)}`);
  const events = async (): Promise<number> => (await service.get('/api/v1/events?limit=1')).body.total;

  test('a batch: each has its own answer, one bad item does not stop the rest', async () => {
    const before = await events();
    const { status, body } = await service.post(BATCH, [
      { product_id: 'm1', name: 'M1', price: 1 },
      { product_id: 'm2', name: 'M2', price: -1 },
      'text',
      null,
      [],
      7,
      { product_id: 'm3' },
      { name: 'no id', price: 1 },
      { product_id: 'm4', name: 'M4', price: 2.5, categories: ['m'] },
      { product_id: 'a' },
    ]);
    assert.equal(status, 200);
    assert.equal(body.success, true);
    assert.equal(body.total, 10);
    assert.equal(body.failed, 7);
    const outcome = body.data.map(
      (entry: { index: number; success: boolean; data?: { result: string }; error?: { details: { field: string } } }) => [
        entry.index,
        entry.success,
        entry.data?.result ?? entry.error?.details.field,
      ],
    );
    assert.deepEqual(outcome, [
      [0, true, 'created'],
      [1, false, 'price'],
      [2, false, ''],
      [3, false, ''],
      [4, false, ''],
      [5, false, ''],
      [6, false, 'name'],
      [7, false, 'product_id'],
      [8, true, 'created'],
      [9, true, 'unchanged'],
    ]);
    assert.equal(body.data[1].error.code, 'INVALID_PARAMS');
    assert.equal(await events(), before + 2);
    assert.equal((await read('m2')).status, 404);
  });

  test('a batch: several messages about one product take their turn', async () => {
    const before = await events();
    const { body } = await service.post(BATCH, [
      { product_id: 'n', stock_quantity: 1 },
      { product_id: 'n', name: 'N', price: 1 },
      { product_id: 'n', price: 2, categories: ['p'] },
      { product_id: 'n', price: 2 },
      { product_id: 'n', price: 1, categories: ['q'] },
    ]);
    const results = body.data.map((entry: { data?: { result: string; version: number } }) => [entry.data?.result, entry.data?.version]);
    assert.deepEqual(results, [
      [undefined, undefined],
      ['created', 1],
      ['updated', 2],
      ['unchanged', 2],
      ['updated', 3],
    ]);
    assert.partialDeepStrictEqual((await read('n')).body.data, { version: 3, price: 1, categories: ['q'] });
    assert.equal(await events(), before + 3);
    assert.equal((await service.get('/api/v1/products?category=p')).body.total, 0);
    assert.equal((await service.get('/api/v1/products?category=q')).body.total, 1);
  });

  test('a batch of 1,000 is taken; 1,001, none, and what is no array are refused', async () => {
    const items = Array.from({ length: 1001 }, (_, i) => ({ product_id: `o${i}`, name: 'O', price: i }));
    for (const body of [items, [], {}, 'text']) {
      const { status, body: answer } = await service.post(BATCH, body);
      assert.equal(status, 400);
      assert.equal(answer.error.code, 'INVALID_PARAMS');
    }
    assert.equal((await read('o0')).status, 404);
    const { body } = await service.post(BATCH, items.slice(0, 1000));
    assert.equal(body.failed, 0);
    assert.equal(body.data.length, 1000);
    assert.equal((await read('o999')).body.data.price, 999);
  });

  test('lines: 10,000 products in one stream, each answered in its turn', async () => {
    const before = await events();
    const stream = openLineStream(service, BATCH);
    const total = 10_000;
    for (let i = 0; i < total; i++) stream.write(`{"product_id":"l${i}","name":"L ${i}","price":${i / 100}}\n`);
    stream.end();
    const response = await stream.response();
    assert.equal(response.statusCode, 200);
    assert.equal(response.headers['content-type'], 'application/x-ndjson');
    for (let i = 0; i < total; i++) {
      const answer = await stream.next();
      assert.equal(answer.index, i);
      assert.equal(answer.data.product_id, `l${i}`);
      assert.equal(answer.data.result, 'created');
    }
    assert.equal(await stream.next(), undefined);
    assert.equal(await events(), before + total);
    assert.equal((await read('l9999')).body.data.price, 99.99);
  });

  test('lines: what has been sent is answered while the request is still open', async () => {
    const stream = openLineStream(service, BATCH);
    for (let i = 0; i < 5; i++) {
      stream.write(`{"product_id":"live","name":"Live","price":${i}}\n{"product_id":"live","pri`);
      const first = await stream.next();
      assert.partialDeepStrictEqual(first, { index: 2 * i, success: true, data: { price: i } });
      assert.equal((await read('live')).body.data.price, i);
      stream.write(`ce":${i}.5}\n`);
      assert.partialDeepStrictEqual(await stream.next(), { index: 2 * i + 1, success: true, data: { price: i + 0.5, result: 'updated' } });
    }
    stream.end('{"product_id":"live","price":9}');
    assert.partialDeepStrictEqual(await stream.next(), { index: 10, data: { price: 9 } });
    assert.equal(await stream.next(), undefined);
  });

  test('lines: bad ones are told, blank ones are passed over, and the rest goes on', async () => {
    const good = (id: string): string => JSON.stringify({ product_id: id, name: 'K', price: 1 });
    const lines = [
      good('k1'),
      '{"product_id":',
      '',
      '   ',
      good('k2'),
      `"${'x'.repeat(2 * 1024 * 1024)}"`,
      `${good('k3')}\r`,
      '[1]',
      '{"product_id":"k4"}',
      good('k5'),
    ];
    const { status, headers, text } = await service.call('POST', BATCH, {
      raw: lines.join('\n'),
      headers: { 'content-type': 'application/x-ndjson' },
    });
    assert.equal(status, 200);
    assert.equal(headers.get('content-type'), 'application/x-ndjson');
    const answers = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    assert.deepEqual(
      answers.map(({ index, success, data, error }) => [index, success, data?.product_id ?? error.code]),
      [
        [0, true, 'k1'],
        [1, false, 'MALFORMED_JSON'],
        [2, true, 'k2'],
        [3, false, 'PAYLOAD_TOO_LARGE'],
        [4, true, 'k3'],
        [5, false, 'INVALID_PARAMS'],
        [6, false, 'INVALID_PARAMS'],
        [7, true, 'k5'],
      ],
    );
    assert.equal((await read('k5')).status, 200);
  });
});
