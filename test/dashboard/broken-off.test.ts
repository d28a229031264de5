import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { ask } from '../support/real-syncs.ts';
import { assertAccessible, assertFits, type Dashboard, startDashboard } from './support/dashboard.ts';
import { addPeopleSync } from './support/people-sync.ts';

/** Where pictures are put, when somebody wants to look at them. */
const PICTURES = process.env['PICTURES'];

describe('what breaks off in the middle', () => {
  let dashboard: Dashboard;
  let sync: string;
  before(async () => {
    dashboard = await startDashboard();
    sync = await addPeopleSync(dashboard.service);
  });
  after(() => dashboard.close());

  const nameField = (page: Page) => page.getByLabel('Name', { exact: true });
  const save = (page: Page) => page.getByRole('button', { name: 'Save', exact: true }).click();
  const storedName = async (): Promise<string> => (await ask(dashboard.service, 'GET', `/sync/${sync}`)).name;
  const picture = async (page: Page, name: string): Promise<void> => {
    if (PICTURES) await page.screenshot({ path: `${PICTURES}/${name}.png`, fullPage: true });
  };

  test('without a network, and without a service, a form says so, keeps what was entered, and saves it when it is tried again', async () => {
    const page = await dashboard.openSignedIn(`/syncs/${sync}/edit`);
    await nameField(page).fill('People, offline');
    await page.context().setOffline(true);
    await save(page);
    const said = page.getByRole('alert').filter({ hasText: 'Syncline cannot be reached.' });
    await said.waitFor();
    await assertAccessible(page);
    await picture(page, 'offline');
    await page.context().setOffline(false);
    await save(page);
    await page.getByRole('heading', { name: 'People, offline' }).waitFor();
    assert.equal(await storedName(), 'People, offline');

    await page.getByRole('link', { name: 'Edit', exact: true }).click();
    await nameField(page).fill('People, after a restart');
    const { start } = await dashboard.stopService();
    await save(page);
    await said.waitFor();
    await page.getByText('Not connected at the moment').waitFor();
    await picture(page, 'restarting');
    await start();
    await page.getByText('Not connected at the moment').waitFor({ state: 'detached' });
    assert.equal(await nameField(page).inputValue(), 'People, after a restart');
    await save(page);
    await page.getByRole('heading', { name: 'People, after a restart' }).waitFor();
    assert.equal(await storedName(), 'People, after a restart');
    await page.context().close();
  });

  test('a session that ends while it is saved: after signing in again the form is there, with what was entered', async () => {
    const { id, key } = (await dashboard.service.post('/api/v1/keys', { name: 'a while', scopes: ['datasync:read', 'datasync:write'] }))
      .body.data;
    const page = await dashboard.openSignedIn(`/syncs/${sync}/edit`, { key });
    await nameField(page).fill('People, signed out');
    // The stream of changes would tell first.
    await page.route('**/api/v1/datasync/sync/*', async (route) => {
      if (route.request().method() === 'PUT') await dashboard.service.call('DELETE', `/api/v1/keys/${id}`);
      await route.continue();
    });
    await save(page);
    await page.getByText('Your session has ended').waitFor();
    await picture(page, 'session-ended');
    assert.notEqual(await storedName(), 'People, signed out');
    await page.getByLabel('API key').fill(dashboard.service.adminKey);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText(/Unsaved changes/).waitFor();
    await picture(page, 'signed-in-again');
    assert.equal(await nameField(page).inputValue(), 'People, signed out');
    await page.unroute('**/api/v1/datasync/sync/*');
    await save(page);
    await page.getByRole('heading', { name: 'People, signed out' }).waitFor();
    assert.equal(await storedName(), 'People, signed out');
    await page.context().close();
  });

  test('while everything is answered with 503 each view says so in words, and is right again by itself', async () => {
    const page = await dashboard.openSignedIn('/static/icon.svg', { viewport: { width: 390, height: 844 } });
    const busy = JSON.stringify({
      success: false,
      error: { code: 'UNAVAILABLE', message: 'The database cannot be reached. Try again in a moment.' },
    });
    let isBusy = true;
    await page.route('**/api/v1/**', (route) =>
      isBusy && !route.request().url().endsWith('/me')
        ? route.fulfill({ status: 503, contentType: 'application/json', body: busy })
        : route.continue(),
    );
    for (const path of ['/', `/syncs/${sync}`, '/orders', '/sources']) {
      await page.goto(path);
      await page.getByText('The database cannot be reached.').first().waitFor();
      await assertFits(page);
      await assertAccessible(page);
      await picture(page, `busy${path.replaceAll('/', '-')}`);
    }
    isBusy = false;
    await page.getByText('From', { exact: true }).first().waitFor();
    assert.equal(await page.getByText('The database cannot be reached.').count(), 0);
    await page.context().close();
  });

  test('nothing was wrong in any script, and nothing was against the security policy', () => dashboard.assertNoFaults());
});

describe('for those who want nothing to move', () => {
  let dashboard: Dashboard;
  before(async () => {
    dashboard = await startDashboard();
  });
  after(() => dashboard.close());

  for (const [reducedMotion, moves] of [
    ['no-preference', true],
    ['reduce', false],
  ] as const)
    test(`what waits ${moves ? 'moves' : 'stands still'}, and a dialog ${moves ? 'comes in' : 'is there'}: ${reducedMotion}`, async () => {
      const page = await dashboard.openSignedIn('/static/icon.svg', { reducedMotion });
      const { promise, resolve } = Promise.withResolvers<void>();
      await page.route('**/api/v1/keys?*', async (route) => {
        await promise;
        await route.continue();
      });
      // A dialog may have come in before anybody can ask.
      await page.addInitScript(`
        globalThis.cameIn = 0;
        document.addEventListener('transitionrun', ({ target }) => {
          if (target.closest('.mantine-Modal-root')) cameIn += target.getAnimations().filter(({ effect }) => effect.getComputedTiming().endTime > 1).length;
        });
      `);
      await page.goto('/keys');
      await page.locator('.mantine-Skeleton-root').first().waitFor();
      // As often as the eye could see it: what is short enough not to be seen does not count.
      const moving = (): Promise<number> =>
        page.evaluate(() => document.getAnimations().filter(({ effect }) => Number(effect?.getComputedTiming().endTime) > 1).length);
      assert.equal((await moving()) > 0, moves);
      resolve();
      await page.getByRole('button', { name: 'Create a key' }).click();
      await page.getByRole('dialog').waitFor();
      assert.equal((await page.evaluate<number>('cameIn')) > 0, moves);
      await page.context().close();
    });
});
