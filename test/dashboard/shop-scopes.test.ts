import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { addSource, ask, runToEnd, sqliteFile } from '../support/real-syncs.ts';
import { type Dashboard, startDashboard } from './support/dashboard.ts';

describe('a synchronization of the shop, seen with a key that may not read orders', () => {
  let dashboard: Dashboard;
  let id: string;
  let run: string;
  before(async () => {
    dashboard = await startDashboard();
    const { service } = dashboard;
    await service.post('/api/v1/orders', { customer_id: 'canary', items: [{ product_id: 'p', quantity: 1, price: 1 }] });
    const source_id = await addSource(service, 'hub', {}, 'Shop');
    const target_id = await addSource(service, 'sqlite', { path: sqliteFile(service.place, 'orders.sqlite') }, 'Copy');
    const stream = { source: 'orders', target: 'orders', fields: [{ from: 'id' }, { from: 'customer_id', type: 'int64' }] };
    const body = { name: 'orders out', source_id, target_id, streams: [stream], schedule: { type: 'manual' }, on_reject: 'fail' };
    id = (await ask(service, 'POST', '/sync', body)).id;
    run = (await runToEnd(service, id)).id;
  });
  after(() => dashboard.close());

  test('what it may not do is disabled with the scope that is missing, and no row is shown', async () => {
    const key = await dashboard.service.keyWith('datasync:read', 'datasync:write');
    const page = await dashboard.openSignedIn(`/syncs/${id}`, { key });
    const button = (name: string) => page.getByRole('button', { name, exact: true });
    await page.locator('button[aria-disabled="true"]', { hasText: 'Run now' }).waitFor();
    assert.match((await button('Run now').getAttribute('title')) ?? '', /lacks the scope orders:read/);
    assert.equal(await page.getByRole('link', { name: 'Edit' }).count(), 0);
    assert.equal(await button('Pause').getAttribute('aria-disabled'), null);
    await page.getByRole('tab', { name: 'Rejected rows' }).click();
    await page.getByRole('alert').getByText('it lacks the scope orders:read').waitFor();
    await page.getByRole('tab', { name: 'Preview' }).click();
    assert.match((await button('Make a preview').getAttribute('title')) ?? '', /orders:read/);
    await page.goto(`/runs/${run}`);
    await page.getByText('Read it with a key that has orders:read').first().waitFor();
    assert.doesNotMatch((await page.textContent('body')) ?? '', /canary/);
    await page.context().close();
  });

  test('with the scope it is all there', async () => {
    const key = await dashboard.service.keyWith('datasync:read', 'datasync:write', 'orders:read');
    const page = await dashboard.openSignedIn(`/syncs/${id}?tab=rejects`, { key });
    await page.getByRole('table', { name: 'Rejected rows' }).getByText('canary').first().waitFor();
    assert.equal(await page.getByRole('button', { name: 'Run now', exact: true }).getAttribute('aria-disabled'), null);
    await page.context().close();
  });
});
