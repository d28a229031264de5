import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Dashboard, startDashboard } from './support/dashboard.ts';

const PHONE = { width: 390, height: 844 };

describe('how the page is set', () => {
  let dashboard: Dashboard;
  before(async () => {
    dashboard = await startDashboard();
    for (let number = 0; number < 50; number++) {
      const items = [{ product_id: 'mug', quantity: 1, price: 9.5 }];
      const order = {
        customer_id: `c-${number}`,
        external_id: `SHOP-${number}`,
        customer: { name: 'Ada Lovelace' },
        currency: 'EUR',
        items,
      };
      await dashboard.service.post('/api/v1/orders', order);
    }
  });
  after(() => dashboard.close());

  test('the typeface comes with the page: the letters that are used, packed, and kept for ever', async () => {
    const page = await dashboard.openSignedIn('/orders');
    await page.getByText('1–50 of 50').waitFor();
    await page.evaluate(() => document.fonts.ready);
    assert.ok(await page.evaluate(() => document.fonts.check('14px "Inter Variable"')));
    const loaded = await page.evaluate(() =>
      performance.getEntriesByType('resource').flatMap(({ name }) => (name.includes('.woff2') ? [new URL(name).pathname] : [])),
    );
    assert.equal(loaded.length, 1, String(loaded));
    assert.match(loaded[0] ?? '', /^\/assets\/inter-latin-wght-normal-[\w-]+\.woff2$/);
    const { status, headers } = await dashboard.service.get(loaded[0] ?? '', { key: null, headers: { 'accept-encoding': 'gzip, br' } });
    assert.deepEqual([status, headers.get('content-type'), headers.get('content-encoding')], [200, 'font/woff2', null]);
    assert.match(headers.get('cache-control') ?? '', /immutable/);
    await page.context().close();
  });

  test('fifty orders are no longer than 4,000 pixels on a phone, and states are told apart by their shapes', async () => {
    const page = await dashboard.openSignedIn('/orders', { viewport: PHONE });
    await page.getByText('1–50 of 50').waitFor();
    const height = await page.evaluate(() => document.documentElement.scrollHeight);
    assert.ok(height <= 4000, `${height} pixels`);
    const { body } = await dashboard.service.get('/api/v1/orders?limit=1');
    await dashboard.service.post(`/api/v1/orders/${body.data[0].id}/transitions`, { to: 'processing' });
    const row = (word: string) => page.getByRole('row').filter({ hasText: word }).first().locator('[data-shape]');
    await page.getByText('Processing').first().waitFor();
    assert.notEqual(await row('Processing').getAttribute('data-shape'), await row('New').getAttribute('data-shape'));
    await page.context().close();
  });

  test('nothing was wrong in any script, and nothing was against the security policy', () => dashboard.assertNoFaults());
});
