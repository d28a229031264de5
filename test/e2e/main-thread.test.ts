import assert from 'node:assert/strict';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { after, before, test } from 'node:test';
import { SHOP_STREAMS } from '../../src/connectors/shop-streams.ts';
import { onEitherEngine } from '../support/databases.ts';
import { addSource } from '../support/real-syncs.ts';
import { type Reply, type Service, startService } from '../support/service.ts';

// The service of these tests runs in this very thread: what holds it up is seen here.

const BASE = '/api/v1/datasync';
/** One expression that takes as much as it may, on a row of the shop. */
const HEAVY = 'metadata.list.filter(i, metadata.text.matches("(a?){390}b")).size()';
/** What nobody notices, on a machine that is busy with other tests. */
const NOTICED = 400;

onEitherEngine('the main thread', (engine) => {
  let service: Service;
  let shop: string;
  before(async () => {
    service = await startService(engine);
    shop = await addSource(service, 'hub', {}, 'shop');
    const metadata = { list: Array.from({ length: 200 }, (_, i) => i), text: 'a'.repeat(15_000) };
    const order = { customer_id: 'c', items: [{ product_id: 'p', quantity: 1, price: 1 }], metadata };
    for (let i = 0; i < 3; i++) assert.equal((await service.post('/api/v1/orders', order)).status, 200);
  });
  after(() => service.close());

  /** The longest that this thread was held up meanwhile, in milliseconds. */
  const heldUp = async <Result>(work: () => Promise<Result>): Promise<{ result: Result; longest: number }> => {
    const delay = monitorEventLoopDelay({ resolution: 5 });
    delay.enable();
    try {
      const result = await work();
      return { result, longest: delay.max / 1e6 };
    } finally {
      delay.disable();
    }
  };
  const trial = (expression: string): Promise<Reply> => {
    const streams = [
      {
        source: 'orders',
        target: 'orders',
        mode: 'append',
        cursor: 'updated_at',
        fields: [{ from: 'id' }, { to: 'external_id', expression }],
      },
    ];
    return service.post(`${BASE}/sync/check`, { name: 'trial', source_id: shop, target_id: target, streams, sample_of: 0, limit: 3 });
  };
  let target: string;
  before(async () => {
    target = await addSource(service, 'fake', { name: `main thread ${engine}` }, 'target');
  });

  test('a sample of the shop, whatever its expressions cost, is computed elsewhere', async () => {
    await trial('customer_id');
    const { result, longest } = await heldUp(() => trial(HEAVY));
    assert.equal(result.status, 200, result.text);
    assert.match(result.body.data.sample.rows[0].reason, /too much work/);
    assert.ok(longest < NOTICED, `held up for ${longest} ms`);
  });

  test('the shop is checked, discovered and looked at as ever', async () => {
    assert.equal((await service.post(`${BASE}/sources/${shop}/check`)).body.data.ok, true);
    const streams = await service.get(`${BASE}/sources/${shop}/streams`);
    const names = streams.body.data.map(({ name }: { name: string }) => name).sort();
    assert.deepEqual(names, Object.keys(SHOP_STREAMS).sort());
    const sample = await service.get(`${BASE}/sources/${shop}/streams/orders/sample?limit=2`);
    assert.equal(sample.body.data.rows.length, 2, sample.text);
  });

  test('expressions that take long to understand are understood elsewhere', async () => {
    const nested = `${'('.repeat(95)}customer_id${')'.repeat(95)}`;
    const patterns = Array.from({ length: 120 }, (_, i) => `"a".matches("(a{${i + 1}}){8}b?")`).join(' || ');
    for (const expression of [
      nested,
      `string(${patterns})`,
      `string([${Array.from({ length: 1000 }, () => 1).join()}].size())`,
      `string(${Array.from({ length: 500 }, () => 1).join('+')})`,
    ]) {
      const { result, longest } = await heldUp(() => trial(expression.slice(0, 4090)));
      assert.ok(result.status === 200 || result.status === 400, result.text);
      assert.ok(longest < NOTICED, `${expression.slice(0, 40)}: held up for ${longest} ms`);
    }
  });
});
