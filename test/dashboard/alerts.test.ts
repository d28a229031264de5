import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { addSource, ask, madeUp, runToEnd, sqliteFile } from '../support/real-syncs.ts';
import { until } from '../support/until.ts';
import { startReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts';
import { assertAccessible, assertFits, type Dashboard, startDashboard } from './support/dashboard.ts';

describe('alerts', () => {
  let dashboard: Dashboard;
  let receiver: WebhookReceiver;
  before(async () => {
    [dashboard, receiver] = await Promise.all([startDashboard(), startReceiver()]);
  });
  after(async () => {
    await dashboard.close();
    await receiver.close();
  });

  test('one is made, tested, and told of what goes wrong: the incident leads to what it is about', async () => {
    const { service } = dashboard;
    const page = await dashboard.openSignedIn('/alerts');
    await page.getByText('Nobody is told yet.').waitFor();
    await page.getByText('Nothing is wrong.').waitFor();
    await page.getByRole('link', { name: 'New alert' }).first().click();
    await page.getByRole('button', { name: /^E-mail/ }).click();
    const create = page.getByRole('button', { name: 'Create', exact: true });
    await create.click();
    for (const field of ['Name', 'Mail server', 'From', 'To']) await page.getByText(`${field}: is mandatory.`).waitFor();
    await assertAccessible(page);
    await page.getByRole('button', { name: 'Choose another channel' }).click();
    await page.getByRole('button', { name: /^Webhook/ }).click();
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Operations');
    await page.getByRole('textbox', { name: 'URL' }).fill(receiver.url);
    await page.getByLabel('Disk nearly full').check();
    await page.getByLabel('Less free than').fill('1');
    await page.getByLabel('Quiet hours').check();
    await page.getByLabel('Until').fill('06:30');
    await page.getByLabel('Quiet hours').uncheck();
    await create.click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('It is shown this once').waitFor();
    assert.match(await dialog.getByLabel('Signing secret').inputValue(), /^whsec_/);
    await dialog.getByRole('button', { name: 'I have stored it' }).click();
    await page.getByRole('heading', { name: 'Operations' }).waitFor();
    await page.getByText('Disk nearly full (less than 1% free)').waitFor();
    await page.getByRole('button', { name: 'Send a test' }).click();
    await page.getByText('The test was sent').waitFor();
    await assertAccessible(page);

    const target_id = await addSource(service, 'sqlite', { path: sqliteFile(service.place, 'to.sqlite') }, 'To');
    const broken = madeUp({ fail: [{ at: 'read', kind: 'auth', code: 'LOGIN_REFUSED', message: 'The shop refuses the password.' }] });
    const source_id = await addSource(service, 'fake', broken, 'Shop');
    const sync = (await ask(service, 'POST', '/sync', { name: 'Prices', source_id, target_id, streams: [{ source: 't', target: 'p' }] }))
      .id;
    await runToEnd(service, sync);
    await until('the message', () => receiver.received.length >= 2);
    await page.getByRole('link', { name: 'Alerts', exact: true }).click();
    const incident = page.getByRole('row').filter({ hasText: 'Prices' });
    await incident.getByText('Failing').waitFor();
    await incident.getByText('The shop refuses the password.').waitFor();
    await assertAccessible(page);
    await incident.getByRole('link', { name: 'Prices' }).click();
    await page.getByRole('heading', { name: 'Prices' }).waitFor();
    await page.goto('/alerts');
    await page.getByRole('link', { name: 'Operations' }).click();
    await page.getByRole('row').filter({ hasText: 'It began' }).getByText('Sent').waitFor();

    await page.getByRole('link', { name: 'Edit', exact: true }).click();
    await page.getByLabel('All synchronizations').uncheck();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Synchronizations: is mandatory.').waitFor();
    await page.getByRole('combobox', { name: 'Synchronizations' }).click();
    await page.getByRole('option', { name: 'Prices' }).click();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('link', { name: 'Prices' }).waitFor();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('Nobody is told yet.').waitFor();
    await page.context().close();
  });

  test('a key is offered only what it may be told of; on a phone too', async () => {
    const key = await dashboard.service.keyWith('webhooks');
    const screen = { viewport: { width: 360, height: 740 }, colorScheme: 'dark' as const };
    const page = await dashboard.openSignedIn('/alerts/new?type=slack', { ...screen, key });
    await page.getByLabel('Webhook paused').check();
    for (const rule of ['Failing', 'Late', 'Disk nearly full']) assert.equal(await page.getByLabel(rule).isDisabled(), true, rule);
    await page.getByText('This key lacks the scope datasync:read.').first().waitFor();
    await assertAccessible(page);
    await assertFits(page);
    await page.goto('/alerts');
    await page.getByText('Nobody is told yet.').waitFor();
    await assertAccessible(page);
    await assertFits(page);
    await page.context().close();
  });

  test('nothing was wrong in any script, and nothing was against the security policy', () => dashboard.assertNoFaults());
});
