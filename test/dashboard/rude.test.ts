import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { ask } from '../support/real-syncs.ts';
import { until } from '../support/until.ts';
import { type Dashboard, startDashboard } from './support/dashboard.ts';
import { addPeopleSync } from './support/people-sync.ts';

/** Holds what is sent to this place until it is let go on. */
async function held(page: Page, method: string, path: string): Promise<() => void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  await page.route(
    (url) => url.pathname === path,
    async (route) => {
      if (route.request().method() === method) await promise;
      await route.continue();
    },
  );
  return resolve;
}

describe('a user in a hurry', () => {
  let dashboard: Dashboard;
  let sync: string;
  before(async () => {
    dashboard = await startDashboard();
    sync = await addPeopleSync(dashboard.service, 'create table pets (id integer primary key)');
  });
  after(() => dashboard.close());

  const nameField = (page: Page) => page.getByLabel('Name', { exact: true });

  test('who leaves while it is being saved stays where they went, and it is saved', async () => {
    const page = await dashboard.openSignedIn(`/syncs/${sync}`);
    await page.getByRole('link', { name: 'Edit', exact: true }).click();
    await nameField(page).fill('People, slowly');
    const letGo = await held(page, 'PUT', `/api/v1/datasync/sync/${sync}`);
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: 'Keys', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Leave', exact: true }).click();
    await page.getByRole('heading', { name: 'Keys', exact: true }).waitFor();
    letGo();
    await page.getByText('Saved. The next run uses it.').waitFor();
    assert.equal(new URL(page.url()).pathname, '/keys');
    assert.equal((await ask(dashboard.service, 'GET', `/sync/${sync}`)).name, 'People, slowly');
    // Nothing of it is offered any more.
    await page.goto(`/syncs/${sync}/edit`);
    await page.getByRole('button', { name: 'Save', exact: true }).waitFor();
    assert.equal(await nameField(page).inputValue(), 'People, slowly');
    assert.equal(await page.getByText('Unsaved changes').count(), 0);
    await page.context().close();
  });

  test('what is saved late does not let go of another form that is not saved', async () => {
    const page = await dashboard.openSignedIn(`/syncs/${sync}/edit`);
    await nameField(page).fill('People, late');
    const letGo = await held(page, 'PUT', `/api/v1/datasync/sync/${sync}`);
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: 'Hooks', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Leave', exact: true }).click();
    await page.getByRole('link', { name: 'New hook' }).first().click();
    await page.getByLabel(/^Name/).fill('Half done');
    letGo();
    await page.getByText('Saved. The next run uses it.').waitFor();
    await page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: 'Keys', exact: true }).click();
    await page.getByRole('dialog').filter({ hasText: 'Leave without saving?' }).waitFor();
    await page.context().close();
  });

  test('two tabs that change one synchronization: each saves what was changed there, and sets nothing back', async () => {
    const { service } = dashboard;
    const one = await dashboard.openSignedIn(`/syncs/${sync}/edit`);
    const other = await one.context().newPage();
    await other.goto(`/syncs/${sync}/edit`);
    await nameField(other).waitFor();
    await one.getByLabel('Schema changes').selectOption({ index: 1 });
    const chosen = await one.getByLabel('Schema changes').inputValue();
    await nameField(other).fill('Renamed in the other tab');
    await other.getByRole('button', { name: 'Save', exact: true }).click();
    await other.getByRole('heading', { name: 'Renamed in the other tab' }).waitFor();
    await one.getByText(/another change was saved/).waitFor();
    await one.getByRole('button', { name: 'Save', exact: true }).click();
    await one.getByRole('heading', { name: 'Renamed in the other tab', exact: true }).waitFor();
    const { name, schema_changes } = await ask(service, 'GET', `/sync/${sync}`);
    assert.deepEqual([name, schema_changes], ['Renamed in the other tab', chosen]);
    await one.context().close();
  });

  test('a double click does it once', async () => {
    const { service } = dashboard;
    const page = await dashboard.openSignedIn(`/syncs/${sync}`);
    const sent: string[] = [];
    page.on('request', (request) => request.method() === 'POST' && sent.push(new URL(request.url()).pathname));
    await page.getByRole('button', { name: 'Run now' }).dblclick();
    await until('a run', async () => (await ask(service, 'GET', `/sync/${sync}/runs`)).length > 0);
    assert.deepEqual(
      sent.filter((path) => path.endsWith('/runs')),
      [`/api/v1/datasync/sync/${sync}/runs`],
    );
    await page.getByRole('link', { name: 'Duplicate' }).click();
    await page.getByRole('button', { name: 'Save', exact: true }).dblclick();
    await page
      .getByText(/^Saved "/)
      .first()
      .waitFor();
    assert.equal(sent.filter((path) => path === '/api/v1/datasync/sync').length, 1);
    await page.goto('/keys');
    await page.getByRole('button', { name: 'Create a key' }).click();
    await page.getByLabel('Name').fill('Twice');
    await page.getByLabel('See orders and their history').check();
    await page.getByRole('dialog').getByRole('button', { name: 'Create', exact: true }).dblclick();
    await page.getByRole('dialog').getByLabel('Key', { exact: true }).waitFor();
    assert.equal(sent.filter((path) => path === '/api/v1/keys').length, 1);
    await page.context().close();
  });

  test('nothing was wrong in any script, and nothing was against the security policy', () => dashboard.assertNoFaults());
});
