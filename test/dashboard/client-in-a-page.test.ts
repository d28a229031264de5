// The client for TypeScript in a page of somebody else, which is served from the same address as the service.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type Dashboard, startDashboard } from './support/dashboard.ts';

const PAGE = `<!doctype html><title>A shop</title><p id="told"></p><script type="module">
  import { ApiError, Syncline, verifyWebhook } from '/own/dist/syncline.js';
  const syncline = new Syncline({ url: location.origin, key: location.hash.slice(1) });
  const told = [typeof verifyWebhook];
  const { data: order } = await syncline.call('POST /api/v1/orders', {
    body: { customer_id: 'c-1', items: [{ product_id: 'mug', quantity: 3, price: 19.99 }] },
  });
  told.push(order.total);
  for await (const found of syncline.items('GET /api/v1/orders', { query: { limit: 1 } })) told.push(found.id === order.id);
  await syncline.call('GET /api/v1/orders/{id}', { params: { id: 'ord_none' } }).catch((error) => told.push(error instanceof ApiError && error.code));
  for await (const { type } of syncline.events({ follow: true })) if (type === 'order.created') break;
  told.push('followed');
  document.getElementById('told').textContent = told.join(' ');
</script>`;

let dashboard: Dashboard;
let folder: string;
before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'syncline-client-'));
  execFileSync('node_modules/.bin/tsc', ['-p', 'clients/typescript/tsconfig.build.json', '--outDir', join(folder, 'dist')]);
  dashboard = await startDashboard();
});
after(async () => {
  await dashboard.close();
  rmSync(folder, { recursive: true, force: true });
});

test('calls, pages, errors and events work in a browser', async () => {
  const page = await dashboard.open('/static/icon.svg');
  await page.route('**/own/**', (route) => {
    const { pathname } = new URL(route.request().url());
    return pathname === '/own/page.html'
      ? route.fulfill({ contentType: 'text/html', body: PAGE })
      : route.fulfill({ contentType: 'text/javascript', body: readFileSync(join(folder, pathname.slice('/own/'.length)), 'utf8') });
  });
  await page.goto(`/own/page.html#${dashboard.service.adminKey}`);
  await page.locator('#told:not(:empty)').waitFor({ state: 'attached' });
  assert.equal(await page.locator('#told').textContent(), 'function 59.97 true NOT_FOUND followed');
  dashboard.assertNoFaults();
});
