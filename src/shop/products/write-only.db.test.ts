import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { onBothEngines } from '../../../test/support/databases.ts';
import { type Service, startService } from '../../../test/support/service.ts';

const PATH = '/api/v1/products';
// Names and ids that look like members of the answer.
const PRODUCT = {
  product_id: 'p","name":"x',
  name: 'Canary ,"version":7',
  price: 12.5,
  stock_quantity: 7,
  categories: ['canary', ',"version":8'],
};
const { product_id } = PRODUCT;

onBothEngines('a key that may write products and not read them', (engine) => {
  let service: Service;
  let writer: string;
  let both: string;
  before(async () => {
    service = await startService(engine);
    writer = await service.keyWith('products:write');
    both = await service.keyWith('products:write', 'products:read');
    await service.post(`${PATH}/sync`, PRODUCT);
  });
  after(() => service.close());

  test('is told what became of its message, and nothing of the product', async () => {
    const asked = await service.post(`${PATH}/sync`, { product_id }, { key: writer });
    const { body: now } = await service.get(`${PATH}/${encodeURIComponent(product_id)}`);
    const { created_at, updated_at } = now.data;
    const outcome = { product_id, version: 1, created_at, updated_at, result: 'unchanged', changed: [] };
    assert.equal(asked.text, JSON.stringify({ success: true, data: outcome }));
    const batch = await service.post(`${PATH}/sync/batch`, [{ product_id }], { key: writer });
    assert.deepEqual(batch.body.data, [{ index: 0, success: true, data: outcome }]);
    const raw = `${JSON.stringify({ product_id })}\n`;
    const lines = await service.call('POST', `${PATH}/sync/batch`, {
      raw,
      headers: { 'Content-Type': 'application/x-ndjson' },
      key: writer,
    });
    assert.equal(lines.text, `${JSON.stringify({ index: 0, success: true, data: outcome })}\n`);
    const changed = await service.post(`${PATH}/sync`, { product_id, stock_quantity: 6 }, { key: writer });
    assert.deepEqual([changed.body.data.version, changed.body.data.changed], [2, ['stock_quantity']]);
    for (const { text } of [asked, batch, lines, changed]) assert.doesNotMatch(text, /canary|12\.5/i);
  });

  test('with products:read the answers are what they were', async () => {
    const { body } = await service.post(`${PATH}/sync`, PRODUCT, { key: both });
    assert.partialDeepStrictEqual(body.data, PRODUCT);
    const batch = await service.post(`${PATH}/sync/batch`, [PRODUCT], { key: both });
    assert.deepEqual(batch.body.data[0].data, { ...body.data, result: 'unchanged', changed: [] });
  });
});
