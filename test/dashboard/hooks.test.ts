import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { ask } from '../support/real-syncs.ts';
import { assertAccessible, assertFits, type Dashboard, startDashboard } from './support/dashboard.ts';
import { addPeopleSync } from './support/people-sync.ts';

describe('hooks', () => {
  let dashboard: Dashboard;
  let sync: string;
  before(async () => {
    dashboard = await startDashboard();
    sync = await addPeopleSync(dashboard.service);
  });
  after(() => dashboard.close());

  /** A call as GitHub makes it. */
  const send = async (address: string, secret: string, delivery: string): Promise<number> => {
    const body = JSON.stringify({ action: 'opened', note: '<b>bold</b>' });
    const { status } = await fetch(address, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-github-delivery': delivery,
        'x-hub-signature-256': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
      },
      body,
    });
    return status;
  };

  test('one is made, its address shown once with what to do at the sender; its calls are shown, and what was refused', async () => {
    const page = await dashboard.openSignedIn('/hooks');
    await page.getByText('There is no hook yet.').waitFor();
    await page.getByRole('link', { name: 'New hook' }).first().click();
    const create = page.getByRole('button', { name: 'Create', exact: true });
    await page.getByRole('combobox', { name: 'Sender' }).selectOption('Stripe');
    await create.click();
    await page.getByText('Name: is mandatory.').waitFor();
    await assertAccessible(page);
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Repository');
    await page.getByRole('combobox', { name: 'Sender' }).selectOption('GitHub');
    await page.getByText('choose application/json as the content type').waitFor();
    await page.getByLabel('Secret', { exact: true }).fill('it is a secret');
    await page.getByRole('combobox', { name: 'Synchronization' }).click();
    await page.getByRole('option', { name: 'People' }).click();
    await create.click();

    const dialog = page.getByRole('dialog');
    await dialog.getByText('It is shown this once').waitFor();
    const address = await dialog.getByLabel('Address', { exact: true }).inputValue();
    assert.match(address, /^http:\/\/127\.0\.0\.1:\d+\/api\/v1\/hooks\/\w+/);
    await assertAccessible(page);
    await dialog.getByRole('button', { name: 'I have stored it' }).click();
    await page.getByRole('heading', { name: 'Repository' }).waitFor();
    await page.getByText('It was not called yet.').waitFor();
    assert.ok(!(await page.content()).includes(address));

    assert.equal(await send(address, 'it is a secret', 'd-1'), 200);
    assert.equal(await send(address, 'another secret', 'd-2'), 401);
    await page.getByText('1 call refused').waitFor();
    await page.getByText('The signature is wrong').waitFor();
    const call = page.getByRole('button', { name: /d-1/ });
    await call.click();
    await page.getByText('x-github-delivery').waitFor();
    await page.getByText('<b>bold</b>').waitFor();
    await assertAccessible(page);
    await page.getByRole('link', { name: 'People' }).click();
    await page.getByRole('heading', { name: 'People' }).waitFor();
    await page.goBack();

    await page.getByRole('button', { name: 'Rotate' }).click();
    await dialog.getByLabel('The old address is taken for').selectOption('0');
    await dialog.getByRole('button', { name: 'Rotate', exact: true }).click();
    await dialog.getByText('It is shown this once').waitFor();
    const next = await dialog.getByLabel('Address', { exact: true }).inputValue();
    await dialog.getByRole('button', { name: 'I have stored it' }).click();
    assert.deepEqual([await send(address, 'it is a secret', 'd-3'), await send(next, 'it is a secret', 'd-3')], [401, 200]);

    await page.getByRole('link', { name: 'Edit', exact: true }).click();
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Repository, anew');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('heading', { name: 'Repository, anew' }).waitFor();
    assert.equal(await send(next, 'it is a secret', 'd-4'), 200, 'the stored secret is kept');
    await page.context().close();
  });

  test('a key that may only look changes nothing; on a phone too', async () => {
    const { service } = dashboard;
    const screen = { viewport: { width: 360, height: 740 }, colorScheme: 'dark' as const };
    const page = await dashboard.openSignedIn('/hooks', { ...screen, key: await service.keyWith('datasync:read') });
    await page.getByRole('link', { name: 'Repository, anew' }).waitFor();
    assert.equal(await page.getByRole('link', { name: 'New hook' }).count(), 0);
    await assertFits(page);
    await page.getByRole('link', { name: 'Repository, anew' }).click();
    await page.getByRole('button', { name: /d-4/ }).waitFor();
    assert.equal(await page.getByRole('link', { name: 'Edit', exact: true }).count(), 0);
    for (const name of ['Rotate', 'Delete'])
      assert.equal(await page.getByRole('button', { name, exact: true }).getAttribute('aria-disabled'), 'true', name);
    await assertAccessible(page);
    await assertFits(page);
    await page.context().close();
  });

  test('a chain is built on the page, a circle is refused in words, and what is expected is kept', async () => {
    const { service } = dashboard;
    const { source_id, target_id } = await ask(service, 'GET', `/sync/${sync}`);
    const next = (
      await ask(service, 'POST', '/sync', { name: 'Next', source_id, target_id, streams: [{ source: 'people', target: 'next' }] })
    ).id;
    const page = await dashboard.openSignedIn(`/syncs/${next}/edit`);
    await page.getByLabel('Schedule type').selectOption('After another synchronization');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Choose a synchronization.').waitFor();
    await page.getByRole('combobox', { name: 'After' }).click();
    await page.getByRole('option', { name: 'People' }).click();
    await page.getByLabel('Expect a run regularly').check();
    await page.getByLabel('Expect a run every').fill('2');
    await assertAccessible(page);
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('After People').waitFor();
    await page.getByRole('tab', { name: 'Definition' }).click();
    await page.getByText('A run that succeeds every 2 days').waitFor();
    await page.getByRole('link', { name: 'People' }).click();
    await page.getByRole('tab', { name: 'Definition' }).click();
    await page.getByRole('link', { name: 'Next' }).waitFor();
    await page.getByRole('link', { name: 'Edit', exact: true }).click();
    await page.getByLabel('Schedule type').selectOption('After another synchronization');
    await page.getByRole('combobox', { name: 'After' }).click();
    await page.getByRole('option', { name: 'Next' }).click();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText(/^Schedule, after: /).waitFor();
    await page.context().close();
  });

  test('nothing was wrong in any script, and nothing was against the security policy', () => dashboard.assertNoFaults());
});
