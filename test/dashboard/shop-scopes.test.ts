import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { addSource, ask, reaches, runToEnd, sqliteFile } from '../support/real-syncs.ts';
import { type Dashboard, startDashboard } from './support/dashboard.ts';
import { edit } from './support/sample-world.ts';

describe('a synchronization of the shop, seen with a key that may not read orders', () => {
  let dashboard: Dashboard;
  let id: string;
  let run: string;
  let waiting: string;
  let partial: string;
  let undoable: string;
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
    const filled = sqliteFile(service.place, 'filled.sqlite');
    edit(filled, 'create table orders (id text primary key, customer_id text)', `insert into orders values ('a', 'x'), ('b', 'y')`);
    const mirror = { source: 'orders', target: 'orders', mode: 'mirror', fields: [{ from: 'id' }, { from: 'customer_id' }] };
    const emptying = { ...mirror, filter: [{ field: 'customer_id', op: '=', value: 'nobody' }] };
    const into = await addSource(service, 'sqlite', { path: filled }, 'Filled');
    const other = await ask(service, 'POST', '/sync', { ...body, name: 'emptying', target_id: into, streams: [emptying] });
    waiting = (await ask(service, 'POST', `/sync/${other.id}/runs`)).id;
    await reaches(service, waiting, 'needs_approval');
    const putAside = { ...stream, target: 'numbers' };
    const third = await ask(service, 'POST', '/sync', { ...body, name: 'numbers', streams: [putAside], on_reject: 'quarantine' });
    partial = (await runToEnd(service, third.id)).id;
    const kept = { ...mirror, target: 'kept' };
    const fourth = await ask(service, 'POST', '/sync', { ...body, name: 'kept', streams: [kept], undo: { keep: '1d' } });
    undoable = (await runToEnd(service, fourth.id)).id;
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
    await page.getByRole('tab', { name: 'Proof' }).click();
    for (const name of ['Verify', 'Preview repair', 'Repair']) {
      await button(name).waitFor();
      assert.match((await button(name).getAttribute('title')) ?? '', /lacks the scope orders:read/);
    }
    await page.goto(`/runs/${undoable}`);
    await page.locator('button[aria-disabled="true"]', { hasText: 'Undo this run' }).waitFor();
    assert.match((await page.getByRole('button', { name: /^Undo this run/ }).getAttribute('title')) ?? '', /lacks the scope orders:read/);
    await page.goto(`/runs/${run}`);
    await page.getByText('Read it with a key that has orders:read').first().waitFor();
    assert.doesNotMatch((await page.textContent('body')) ?? '', /canary/);
    await page.goto(`/runs/${partial}`);
    for (const name of ['Run again', 'Retry rejected rows']) {
      await page.locator('button[aria-disabled="true"]', { hasText: name }).waitFor();
      assert.match((await button(name).getAttribute('title')) ?? '', /lacks the scope orders:read/);
    }
    await page.goto(`/runs/${waiting}`);
    await page.locator('button[aria-disabled="true"]', { hasText: 'Approve' }).waitFor();
    assert.match((await button('Approve').getAttribute('title')) ?? '', /lacks the scope orders:read/);
    assert.equal(await button('Cancel the run').getAttribute('aria-disabled'), null);
    await page.context().close();
  });

  test('with the scope it is all there', async () => {
    const key = await dashboard.service.keyWith('datasync:read', 'datasync:write', 'orders:read');
    const page = await dashboard.openSignedIn(`/syncs/${id}?tab=rejects`, { key });
    await page.getByRole('grid', { name: 'Rejected rows' }).getByText('canary').first().waitFor();
    assert.equal(await page.getByRole('button', { name: 'Run now', exact: true }).getAttribute('aria-disabled'), null);
    await page.goto(`/runs/${run}`);
    const again = page.getByRole('button', { name: 'Run again', exact: true });
    await again.waitFor();
    assert.equal(await again.getAttribute('aria-disabled'), null);
    await page.context().close();
  });
});
