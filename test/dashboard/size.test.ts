import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { basename } from 'node:path';
import { test } from 'node:test';
import { addSource, ask, sqliteFile } from '../support/real-syncs.ts';
import { startDashboard } from './support/dashboard.ts';

const BUDGET = 250_000;

test('what a browser loads for the overview is small: 250 kB of JavaScript at most, packed by gzip', async () => {
  const dashboard = await startDashboard();
  try {
    const { service } = dashboard;
    const shop = await addSource(service, 'hub', {}, 'The shop');
    const book = await addSource(service, 'sqlite', { path: sqliteFile(service.place, 'book.sqlite') }, 'Order book');
    await ask(service, 'POST', '/sync', { name: 'Orders', source_id: shop, target_id: book, streams: [{ source: 'orders' }] });
    await service.post('/api/v1/orders', { customer_id: 'c', items: [{ product_id: 'p', quantity: 1, price: 1 }] });
    const page = await dashboard.openSignedIn('/static/icon.svg');
    // What is loaded ahead of other views, when there is nothing else to do, is not needed for this one: a browser that saves data does without.
    await page.addInitScript(() => Object.defineProperty(navigator, 'connection', { value: { saveData: true } }));
    await page.goto('/');
    // The picture of the orders needs all that charts need; the place of notices comes last.
    await page
      .getByRole('figure', { name: /^Orders on each/ })
      .locator('svg')
      .waitFor();
    await page.locator('.mantine-Notifications-root').first().waitFor({ state: 'attached' });
    const loaded = await page.evaluate(() => performance.getEntriesByType('resource').map(({ name }) => new URL(name).pathname));
    const scripts = new Set(loaded.filter((path) => path.startsWith('/assets/') && path.endsWith('.js')).map((path) => basename(path)));
    const sizes = [...scripts].map((file) => ({ file, size: statSync(`dashboard/dist/assets/${file}.gz`).size }));
    const size = sizes.reduce((sum, one) => sum + one.size, 0);
    assert.ok(size > 50_000, 'the files are found at all');
    assert.ok(size <= BUDGET, `${size} bytes: ${JSON.stringify(sizes)}`);
    console.log(`${size} bytes of JavaScript`);
  } finally {
    await dashboard.close();
  }
});
