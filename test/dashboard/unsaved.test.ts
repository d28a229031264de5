import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { ask } from '../support/real-syncs.ts';
import { assertAccessible, type Dashboard, startDashboard } from './support/dashboard.ts';
import { addPeopleSync } from './support/people-sync.ts';

describe('what is not saved', () => {
  let dashboard: Dashboard;
  let sync: string;
  before(async () => {
    dashboard = await startDashboard();
    sync = await addPeopleSync(dashboard.service);
  });
  after(() => dashboard.close());

  const asked = async (page: Page, answer: 'Leave' | 'Cancel'): Promise<void> => {
    const dialog = page.getByRole('dialog').filter({ hasText: 'Leave without saving?' });
    await dialog.waitFor();
    await dialog.getByRole('button', { name: answer, exact: true }).click();
    await dialog.waitFor({ state: 'hidden' });
  };
  const kept = (page: Page): Promise<string> => page.evaluate(() => JSON.stringify(Object.entries(sessionStorage)));

  test('of a synchronization: every way out asks, and what was entered is there again', async () => {
    const page = await dashboard.openSignedIn('/syncs');
    await page.getByRole('link', { name: 'New synchronization' }).first().click();
    await page.getByRole('heading', { name: 'New synchronization' }).waitFor();
    // Nothing is entered yet: nobody is asked.
    await page.getByRole('link', { name: 'Runs', exact: true }).click();
    await page.getByRole('heading', { name: 'Runs', exact: true }).waitFor();
    await page.goBack();
    const name = page.getByLabel('Name', { exact: true });
    await name.fill('Half done');
    await page.getByRole('combobox', { name: 'Source' }).first().selectOption('From');

    await page.getByRole('link', { name: 'Runs', exact: true }).click();
    await assertAccessible(page);
    await asked(page, 'Cancel');
    assert.equal(await name.inputValue(), 'Half done');
    await page.goBack();
    await asked(page, 'Cancel');
    assert.equal(new URL(page.url()).pathname, '/syncs/new');
    assert.equal(await name.inputValue(), 'Half done');
    await page.goBack();
    await asked(page, 'Leave');
    await page.getByRole('heading', { name: 'Synchronizations' }).waitFor();

    await page.getByRole('link', { name: 'New synchronization' }).first().click();
    await page.getByText('Unsaved changes are restored').waitFor();
    assert.equal(await name.inputValue(), 'Half done');
    await assertAccessible(page);
    await page.getByRole('button', { name: 'Discard my changes' }).click();
    assert.equal(await name.inputValue(), '');
    await page.getByText('Unsaved changes are restored').waitFor({ state: 'hidden' });
    await page.getByRole('link', { name: 'Cancel' }).click();
    await page.getByRole('heading', { name: 'Synchronizations' }).waitFor();
    assert.doesNotMatch(await kept(page), /Half done/);
    await page.context().close();
  });

  test('closing the tab asks; a reload and the end of the session lose nothing; saving ends it', async () => {
    const { service } = dashboard;
    const session = (await service.post('/api/v1/keys', { name: 'a while', scopes: ['admin'] })).body.data;
    const page = await dashboard.openSignedIn(`/syncs/${sync}/edit`, { key: session.key });
    const name = page.getByLabel('Name', { exact: true });
    await name.fill('People, anew');
    const asking = page.waitForEvent('dialog');
    const closing = page.close({ runBeforeUnload: true });
    const question = await asking;
    assert.equal(question.type(), 'beforeunload');
    await question.dismiss();
    await closing;
    page.once('dialog', (dialog) => void dialog.accept());
    await page.reload();
    await page.getByText('Unsaved changes are restored').waitFor();
    assert.equal(await name.inputValue(), 'People, anew');

    await service.call('DELETE', `/api/v1/keys/${session.id}`);
    await page.getByText('Your session has ended').waitFor();
    await page.getByLabel('API key').fill(service.adminKey);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('Unsaved changes are restored').waitFor();
    assert.equal(await name.inputValue(), 'People, anew');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('heading', { name: 'People, anew' }).waitFor();
    assert.doesNotMatch(await kept(page), /anew/);
    // Another person saves while it is changed here.
    await page.getByRole('link', { name: 'Edit', exact: true }).click();
    await name.fill('Mine');
    await page.getByRole('link', { name: 'Runs', exact: true }).click();
    await asked(page, 'Leave');
    await ask(service, 'PUT', `/sync/${sync}`, { name: 'Theirs' });
    await page.goBack();
    await page.getByText(/another change was saved/).waitFor();
    await page.getByRole('button', { name: 'Discard my changes' }).click();
    assert.equal(await name.inputValue(), 'Theirs');
    await page.context().close();
  });

  test('of a source: asked for, and kept without its secrets; signing out asks, and leaves nothing behind', async () => {
    const page = await dashboard.openSignedIn('/sources/new?type=postgres');
    await page.getByLabel('Host').fill('db.example.test');
    await page.getByLabel(/^Password/).fill('top-secret');
    await page.getByRole('button', { name: 'Choose another type' }).click();
    await asked(page, 'Cancel');
    assert.match(await kept(page), /db\.example\.test/);
    assert.doesNotMatch(await kept(page), /top-secret/);
    await page.getByRole('link', { name: 'Cancel' }).click();
    await asked(page, 'Leave');
    await page.goto('/sources/new?type=postgres');
    await page.getByText('Secrets are not kept: enter them again.').waitFor();
    assert.equal(await page.getByLabel('Host').inputValue(), 'db.example.test');
    assert.equal(await page.getByLabel(/^Password/).inputValue(), '');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await asked(page, 'Cancel');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await asked(page, 'Leave');
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    assert.equal(await page.evaluate(() => sessionStorage.length), 0);
    await page.context().close();
  });

  test('of a key and of a product: closing the dialog asks', async () => {
    const { service } = dashboard;
    await service.post('/api/v1/products/sync', { product_id: 'mug', name: 'Mug', price: 4, stock_quantity: 1 });
    const page = await dashboard.openSignedIn('/keys');
    await page.getByRole('button', { name: 'Create a key' }).click();
    await page.getByLabel('Name').fill('ERP');
    await page.keyboard.press('Escape');
    await asked(page, 'Cancel');
    assert.equal(await page.getByLabel('Name').inputValue(), 'ERP');
    await page.keyboard.press('Escape');
    await asked(page, 'Leave');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await page.goto('/products/mug');
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByLabel('Price').fill('5');
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await asked(page, 'Leave');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    assert.equal((await service.get('/api/v1/products/mug')).body.data.price, 4);
    await page.context().close();
  });

  test('nothing was wrong in any script, and nothing was against the security policy', () => dashboard.assertNoFaults());
});
