import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { assertAccessible, type Dashboard, startDashboard } from './support/dashboard.ts';
import { HOSTILE, makeSampleShop, type SampleShop } from './support/sample-shop.ts';

describe('products', () => {
  let dashboard: Dashboard;
  let shop: SampleShop;
  before(async () => {
    dashboard = await startDashboard();
    shop = await makeSampleShop(dashboard.service);
    const products = Array.from({ length: 60 }, (_, index) => ({
      product_id: `mug-${index}`,
      name: `Mug ${index}`,
      price: 4.5,
      stock_quantity: index,
      categories: [index % 2 === 0 ? 'even' : 'odd'],
    }));
    await dashboard.service.post('/api/v1/products/sync/batch', products);
  });
  after(() => dashboard.close());

  const stored = async (id: string) => await dashboard.service.get(`/api/v1/products/${encodeURIComponent(id)}`);

  test('they are found by their names and ids, by their category, and page by page', async () => {
    const page = await dashboard.openSignedIn('/products');
    await page.getByText('1–50 of 62').waitFor();
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByText('51–62 of 62').waitFor();
    // The way back from a product leads to the page it was on.
    await page.getByRole('link', { name: 'Mug 9', exact: true }).click();
    await page.getByRole('heading', { name: 'Mug 9' }).waitFor();
    await page.goBack();
    await page.getByText('51–62 of 62').waitFor();
    await page.getByLabel('Search').fill('MUG 1');
    await page.getByText('1–11 of 11').waitFor();
    await page.getByLabel('Category').fill('even');
    await page.getByText('1–5 of 5').waitFor();
    assert.equal(new URL(page.url()).search, '?q=MUG+1&category=even');
    await page.getByLabel('Search').fill('nothing of the kind');
    await page.getByText('No product matches.').waitFor();
    await page.context().close();
  });

  test('one with an odd id is opened by its link, edited and deleted', async () => {
    const page = await dashboard.openSignedIn('/products?category=tea');
    await page.getByRole('link', { name: '<script>' }).click();
    await page.getByRole('heading', { name: '<script>alert(1)</script>' }).waitFor();
    await page.getByRole('button', { name: 'Edit' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('');
    // A field that was emptied is no 0.
    await dialog.getByLabel('Price').fill('');
    await dialog.getByLabel('In stock').fill('');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('Is mandatory.').nth(2).waitFor();
    assert.equal(await dialog.getByLabel('Name').evaluate((field) => field === document.activeElement), true);
    await assertAccessible(page);
    await dialog.getByLabel('Name').fill('Green tea');
    await dialog.getByLabel('Price').fill('12.3456');
    await dialog.getByLabel('In stock').fill('12');
    // Meanwhile the price is set by another system: what is not touched here stays as it came.
    await dashboard.service.post('/api/v1/products/sync', { product_id: shop.product, price: 7 });
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'Green tea' }).waitFor();
    const { name, price, stock_quantity, categories } = (await stored(shop.product)).body.data;
    assert.deepEqual(
      { name, price, stock_quantity, categories },
      { name: 'Green tea', price: 7, stock_quantity: 12, categories: ['tea', HOSTILE] },
    );
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.waitForURL('**/products');
    await page.getByText('1–50 of 61').waitFor();
    assert.equal((await stored(shop.product)).status, 404);
    await page.context().close();
  });

  test('who may only read finds the buttons disabled, with the reason', async () => {
    const page = await dashboard.openSignedIn('/products/mug-7', { key: await dashboard.service.keyWith('products:read') });
    for (const name of ['Edit', 'Delete']) {
      const button = page.getByRole('button', { name, exact: true });
      await button.waitFor();
      assert.equal(await button.getAttribute('aria-disabled'), 'true');
      assert.equal(await button.getAttribute('title'), 'This key may not do that: it lacks the scope products:write.');
    }
    await page.goto('/products/no-such-product');
    await page.getByText('no-such-product').last().waitFor();
    await page.getByRole('link', { name: 'Go to Products' }).waitFor();
    await page.context().close();
  });

  test('nothing was wrong in any script, and nothing was against the security policy', () => dashboard.assertNoFaults());
});
