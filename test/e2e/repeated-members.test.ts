import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { onEitherEngine } from '../support/databases.ts';
import { type Service, startService } from '../support/service.ts';

onEitherEngine('a JSON member that is given twice', (engine) => {
  let service: Service;
  before(async () => {
    service = await startService(engine);
  });
  after(() => service.close());

  test('is refused wherever a body is taken, and nothing is written', async () => {
    const bodies: [method: string, path: string, raw: string, field: string][] = [
      ['POST', '/api/v1/orders', '{"customer_id":"c","items":[{"product_id":"p","quantity":1,"price":9,"price":1}]}', 'items[0].price'],
      [
        'POST',
        '/api/v1/orders',
        '{"customer_id":"c","items":[{"product_id":"p","quantity":1,"price":9}],"metadata":{"a":1,"\\u0061":2}}',
        'metadata.a',
      ],
      ['POST', '/api/v1/products/sync', '{"product_id":"p","name":"P","price":1,"product_id":"q"}', 'product_id'],
      ['POST', '/api/v1/products/sync/batch', '[{"product_id":"p","name":"P","price":1,"price":2}]', '[0].price'],
      ['POST', '/api/v1/datasync/sources', '{"name":"s","type":"files","config":{"path":"a","path":"b"}}', 'config.path'],
      ['POST', '/api/v1/keys', '{"name":"k","scopes":["orders:read"],"scopes":["admin"]}', 'scopes'],
    ];
    for (const [method, path, raw, field] of bodies) {
      const { status, body } = await service.call(method, path, { raw });
      assert.equal(status, 400, path);
      assert.equal(body.error.code, 'MALFORMED_JSON', path);
      assert.equal(body.error.details.field, field);
      assert.match(body.error.message, /more than once/);
    }
    for (const list of ['orders', 'products', 'datasync/sources']) assert.equal((await service.get(`/api/v1/${list}`)).body.total, 0, list);
  });

  test('is told of the line that has it, and the other lines are taken', async () => {
    const raw =
      '{"product_id":"a","name":"A","price":1}\n{"product_id":"b","name":"B","price":1,"price":2}\n{"product_id":"c","name":"C","price":1}\n';
    const { text } = await service.call('POST', '/api/v1/products/sync/batch', {
      raw,
      headers: { 'content-type': 'application/x-ndjson' },
    });
    const [first, second, third] = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    assert.deepEqual([first.success, second.success, third.success], [true, false, true]);
    assert.equal(second.error.code, 'MALFORMED_JSON');
    assert.equal(second.error.details.field, 'price');
  });
});
