import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { until } from '../support/until.ts';
import { startReceiver, type WebhookReceiver, wellReceived } from '../support/webhook-receiver.ts';
import { assertAccessible, assertFits, type Dashboard, startDashboard } from './support/dashboard.ts';

describe('webhooks', () => {
  let dashboard: Dashboard;
  let receiver: WebhookReceiver;
  before(async () => {
    [dashboard, receiver] = await Promise.all([startDashboard(), startReceiver()]);
  });
  after(async () => {
    await dashboard.close();
    await receiver.close();
  });

  const order = async (): Promise<string> => {
    const { body } = await dashboard.service.post('/api/v1/orders', {
      customer_id: 'c-1',
      items: [{ product_id: 'mug', quantity: 3, price: 19.99 }],
    });
    return body.data.id;
  };
  const arrived = (type: string, count = 1) =>
    until(`${count} ${type} at the receiver`, () => {
      const found = receiver.received.filter(({ body }) => body.type === type);
      return found.length >= count && found;
    });

  test('one is made, its secret shown once, tested, and told of an order; the delivery is shown and sent again', async () => {
    const page = await dashboard.openSignedIn('/webhooks');
    await page.getByText('There is no webhook yet.').waitFor();
    await page.getByRole('link', { name: 'New webhook' }).first().click();
    const create = page.getByRole('button', { name: 'Create', exact: true });
    await create.click();
    // Everything that is mandatory is marked at once, and the first has the focus.
    await page.getByText('Name: is mandatory.').waitFor();
    await page.getByText('URL: is mandatory.').waitFor();
    const name = page.getByRole('textbox', { name: 'Name', exact: true }).first();
    assert.equal(await name.evaluate((field) => field === document.activeElement), true);
    await assertAccessible(page);
    await name.fill('ERP');
    await page.getByRole('textbox', { name: 'URL' }).fill('ftp://nowhere');
    await create.click();
    await page.getByText(/^URL: must /).waitFor();
    await page.getByRole('textbox', { name: 'URL' }).fill(receiver.url);
    await page.getByRole('button', { name: 'Add a header' }).click();
    const header = page.getByRole('group', { name: 'Header 1' });
    await header.getByLabel('Name').fill('X-Api-Key');
    await header.getByLabel('Value', { exact: true }).fill('k-7f3');
    await page.getByRole('combobox', { name: 'Events' }).fill('order.*');
    await page.keyboard.press('Enter');
    await page.getByLabel('Condition').fill('data.total > 10.0');
    // What is not saved is asked for, and kept without its secrets.
    await page.getByRole('link', { name: 'Keys', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Leave' }).click();
    await page.getByRole('heading', { name: 'Keys', exact: true }).waitFor();
    assert.doesNotMatch(await page.evaluate(() => JSON.stringify(Object.entries(sessionStorage))), /k-7f3/);
    await page.goBack();
    await page.getByText('Unsaved changes are restored').waitFor();
    await header.getByLabel('Value', { exact: true }).fill('k-7f3');
    await create.click();

    const dialog = page.getByRole('dialog');
    await dialog.getByText('shown this once').waitFor();
    const secret = await dialog.getByLabel('Secret', { exact: true }).inputValue();
    assert.match(secret, /^whsec_/);
    await assertAccessible(page);
    await page.keyboard.press('Escape');
    await dialog.getByRole('button', { name: 'I have stored it' }).click();
    await page.getByRole('heading', { name: 'ERP' }).waitFor();
    assert.ok(!(await page.content()).includes(secret), 'it is not to be found on the page any more');
    await page.getByText('Nothing has been sent yet.').waitFor();

    await page.getByRole('button', { name: 'Send a test' }).click();
    await page.getByText('The test was delivered').waitFor();
    const [tried] = await arrived('webhook.test');
    assert.equal(tried?.headers['x-api-key'], 'k-7f3');

    const id = await order();
    const [first] = await arrived('order.created');
    assert.ok(first);
    new Webhook(secret).verify(first.text, first.headers as Record<string, string>);
    await page.getByRole('row').filter({ hasText: 'order.created' }).getByText('Delivered').waitFor();
    await page.getByLabel('Object').fill('ord_unknown');
    await page.getByText('No delivery matches.').waitFor();
    await page.getByRole('button', { name: 'Clear the filters' }).click();
    await page.getByRole('link', { name: 'order.created' }).click();
    await page.getByRole('heading', { name: 'order.created' }).waitFor();
    await page.getByText('HTTP 204').first().waitFor();
    await page.getByText(first.id).first().waitFor();
    assert.match((await page.getByRole('region', { name: 'Body' }).textContent()) ?? '', new RegExp(id));
    assert.ok(!(await page.content()).includes('k-7f3'), 'headers of one’s own are secrets');
    await assertAccessible(page);
    await page.getByRole('button', { name: 'Replay', exact: true }).click();
    await page.getByText('1 message will be sent again, in order.').waitFor();
    const [, again] = await arrived('order.created', 2);
    assert.equal(again?.id, first.id);
    // Attempts are counted anew by a replay, as the interface counts them: those before are told by their times, not by numbers.
    const attempts = page.getByRole('region', { name: 'Attempts' }).getByRole('listitem');
    await attempts.nth(1).waitFor();
    for (const text of await attempts.allInnerTexts()) assert.match(text, /^\d+ \w+ \d{4}, [\d:]+: HTTP 204 after /);
    await page.getByText('As it would be sent now.').waitFor();
    await page.context().close();
  });

  test('one that takes nothing shows why; it is paused, resumed, rotated, replayed, changed and deleted', async () => {
    receiver.answer = (_, response) => void response.writeHead(503, { 'content-type': 'text/plain' }).end('down for maintenance');
    const { service } = dashboard;
    const [{ id }] = (await service.get('/api/v1/webhooks')).body.data;
    await order();
    await until('a failed attempt', async () => (await service.get(`/api/v1/webhooks/${id}`)).body.data.failing_since !== null);
    const page = await dashboard.openSignedIn('/webhooks');
    await page.getByRole('row').filter({ hasText: 'ERP' }).getByText('Failing').waitFor();
    await page.getByRole('link', { name: 'ERP' }).click();
    await page.getByText('The receiver takes nothing.').waitFor();
    await page.locator('label').filter({ hasText: 'Waiting' }).click();
    const row = page.getByRole('row').filter({ hasText: 'HTTP 503' });
    await row.getByText('Waiting').waitFor();
    await row.getByRole('link').click();
    await page.getByText('down for maintenance').first().waitFor();
    await page.getByRole('link', { name: '← ERP' }).click();
    await page.getByRole('button', { name: 'Pause', exact: true }).click();
    await page.getByText('Paused', { exact: true }).waitFor();
    await row.getByText('when resumed').waitFor();
    await row.getByRole('link').click();
    await page.getByText('when resumed').waitFor();
    await page.getByRole('link', { name: '← ERP' }).click();
    receiver.answer = wellReceived;
    await page.getByRole('button', { name: 'Resume', exact: true }).click();
    await page.getByText('Active', { exact: true }).waitFor();
    await until('all is delivered', async () => (await service.get(`/api/v1/webhooks/${id}`)).body.data.waiting === 0);

    const dialog = page.getByRole('dialog');
    await page.getByRole('button', { name: 'Replay a range' }).click();
    await dialog.getByRole('button', { name: 'Replay', exact: true }).click();
    await page.getByText(/messages will be sent again, in order\./).waitFor();
    await page.getByRole('button', { name: 'Rotate' }).click();
    await dialog.getByRole('button', { name: 'Rotate', exact: true }).click();
    await dialog.getByText('shown this once').waitFor();
    await dialog.getByRole('button', { name: 'I have stored it' }).click();
    await page.getByText('Two secrets sign at this moment').waitFor();

    await page.getByRole('link', { name: 'Edit', exact: true }).click();
    await page.getByRole('textbox', { name: 'Name', exact: true }).first().fill('ERP, anew');
    await page.getByRole('button', { name: `PUT /api/v1/webhooks/${id} with curl` }).click();
    assert.match((await page.getByLabel('Command').textContent()) ?? '', /-d '\{"name":"ERP, anew"\}'$/);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('heading', { name: 'ERP, anew' }).waitFor();
    await page.getByRole('button', { name: 'Send a test' }).click();
    await page.getByText('The test was delivered').waitFor();
    assert.equal((await arrived('webhook.test', 2)).at(-1)?.headers['x-api-key'], 'k-7f3', 'the stored header is kept');
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await dialog.getByText('This cannot be undone.').waitFor();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('There is no webhook yet.').waitFor();
    await page.context().close();
  });

  test('a key sees no more than it may use: on a phone too', async () => {
    const { service } = dashboard;
    const made = await service.post('/api/v1/webhooks', { name: 'Orders', url: receiver.url, types: ['order.*'], signature: 'ed25519' });
    const screen = { viewport: { width: 360, height: 740 }, colorScheme: 'dark' as const };
    const page = await dashboard.openSignedIn(`/webhooks/${made.body.data.id}`, { ...screen, key: await service.keyWith('webhooks') });
    await page.getByText('This key does not see what is sent.').waitFor();
    await page.getByText(made.body.data.public_key).first().waitFor();
    assert.equal(await page.getByRole('link', { name: 'Edit', exact: true }).count(), 0);
    assert.equal(await page.getByRole('button', { name: 'Rotate' }).getAttribute('aria-disabled'), 'true');
    await assertAccessible(page);
    await assertFits(page);
    await page.getByRole('button', { name: 'Open the menu' }).click();
    await page.getByRole('link', { name: 'Alerts', exact: true }).waitFor();
    assert.equal(await page.getByRole('link', { name: 'Hooks', exact: true }).count(), 0);
    await page.context().close();
    const other = await dashboard.openSignedIn('/webhooks', { key: await service.keyWith('orders:read') });
    await other.getByRole('link', { name: 'Orders', exact: true }).waitFor();
    assert.equal(await other.getByRole('link', { name: /^(Webhooks|Alerts)$/ }).count(), 0);
    assert.equal(await other.getByRole('heading', { name: 'Webhooks', exact: true }).count(), 0);
    await other.context().close();
  });

  test('nothing was wrong in any script, and nothing was against the security policy', () => dashboard.assertNoFaults());
});
