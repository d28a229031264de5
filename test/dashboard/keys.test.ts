import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { assertAccessible, assertFits, type Dashboard, startDashboard } from './support/dashboard.ts';

describe('keys', () => {
  let dashboard: Dashboard;
  before(async () => {
    dashboard = await startDashboard();
  });
  after(() => dashboard.close());

  const statusWith = async (key: string): Promise<number> => (await dashboard.service.get('/api/v1/orders', { key })).status;

  test('a key is made with scopes and an end, shown once, rotated and revoked, and all of it is in the audit', async () => {
    const page = await dashboard.openSignedIn('/keys', { permissions: ['clipboard-read', 'clipboard-write'] });
    const dialog = page.getByRole('dialog');
    await page.getByRole('button', { name: 'Create a key' }).click();
    // What is missing is said beside each field, and the first takes the focus.
    await dialog.getByLabel('Expires').selectOption('day');
    await dialog.getByRole('button', { name: 'Create', exact: true }).click();
    await dialog.getByText('Is mandatory.').nth(2).waitFor();
    assert.equal(await dialog.getByText('Is mandatory.').count(), 3);
    assert.equal(await dialog.getByLabel('Name').evaluate((field) => field === document.activeElement), true);
    await assertAccessible(page);
    await dialog.getByLabel('Name').fill('ERP');
    await dialog.getByLabel('See orders and their history').check();
    await dialog.getByLabel('Expires').selectOption('30');
    await dialog.getByRole('button', { name: 'POST /api/v1/keys with curl' }).click();
    assert.match((await page.getByLabel('Command').textContent()) ?? '', /"scopes":\["orders:read"\]/);
    await page.keyboard.press('Escape');
    await dialog.getByRole('button', { name: 'Create', exact: true }).click();

    const secret = dialog.getByLabel('Key', { exact: true });
    await dialog.getByText('It is shown this once.').waitFor();
    const first = await secret.inputValue();
    assert.match(first, /^slk_/);
    await assertAccessible(page);
    // Neither Escape nor a click beside it takes it away.
    await page.keyboard.press('Escape');
    await page.mouse.click(5, 5);
    await dialog.getByRole('button', { name: 'Copy', exact: true }).click();
    await dialog.getByRole('button', { name: 'Copied' }).waitFor();
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), first);
    await dialog.getByRole('button', { name: 'I have stored it' }).click();
    await dialog.waitFor({ state: 'hidden' });
    assert.ok(!(await page.content()).includes(first), 'it is not to be found on the page any more');
    assert.equal(await statusWith(first), 200);

    const row = page.getByRole('row').filter({ hasText: 'ERP' });
    await row.getByText(/^in (29|30) days$/).waitFor();
    await row.getByRole('button', { name: 'Rotate' }).click();
    await dialog.getByLabel('The old secret stays valid for').selectOption('0');
    await dialog.getByRole('button', { name: 'Rotate', exact: true }).click();
    await dialog.getByText('It is shown this once.').waitFor();
    const second = await secret.inputValue();
    assert.notEqual(second, first);
    assert.deepEqual([await statusWith(first), await statusWith(second)], [401, 200]);
    await dialog.getByRole('button', { name: 'I have stored it' }).click();

    await row.getByRole('button', { name: 'Revoke', exact: true }).click();
    await dialog.getByText('This cannot be undone.').waitFor();
    await dialog.getByRole('button', { name: 'Revoke' }).click();
    await row.getByText('Revoked').waitFor();
    assert.equal(await statusWith(second), 401);

    await page.getByRole('link', { name: 'Audit' }).click();
    await page.getByText('1–5 of 5').waitFor();
    await page.getByRole('cell', { name: 'Key revoked' }).waitFor();
    const actions = await page.getByRole('row').locator('td:nth-child(3)').allInnerTexts();
    assert.deepEqual(actions, ['Key revoked', 'Key rotated', 'Key created', 'Signed in', 'Key created']);
    const addresses = await page.getByRole('row').locator('td:nth-child(4)').allInnerTexts();
    const [, , , signedIn] = await page.getByRole('row').locator('td:nth-child(6)').allInnerTexts();
    assert.match(signedIn ?? '', /^expires at: \d{1,2} \w{3,4} \d{4}, \d\d:\d\d$/, 'by the clock of the reader');
    assert.deepEqual(addresses, ['127.0.0.1', '127.0.0.1', '127.0.0.1', '127.0.0.1', ''], 'the first was made by the start');
    await page.getByLabel('Action').selectOption('Key created');
    await page.getByText('1–2 of 2').waitFor();
    await page.getByLabel('Actor').fill('first start');
    await page.getByText('1–1 of 1').waitFor();
    await page.getByLabel('Object').fill('key_unknown');
    await page.getByText('No entry matches.').waitFor();
    await page.getByRole('button', { name: 'Clear the filters' }).click();
    await page.getByText('1–5 of 5').waitFor();
    await page.context().close();
  });

  test('the key in use cannot be rotated away from under the page; on a phone too', async () => {
    const page = await dashboard.openSignedIn('/keys', { viewport: { width: 360, height: 740 }, colorScheme: 'dark' });
    await page.getByRole('row').filter({ hasText: 'the key you are using' }).getByRole('button', { name: 'Rotate' }).click();
    const choices = page.getByLabel('The old secret stays valid for').getByRole('option');
    await page.getByText('You are using this key').waitFor();
    assert.deepEqual(await choices.allInnerTexts(), ['An hour', 'A day', 'A week', '30 days']);
    await assertAccessible(page);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Create a key' }).click();
    await page.getByRole('dialog').getByLabel('Name').waitFor();
    await assertAccessible(page);
    await assertFits(page);
    await page.context().close();
  });

  test('nodes are shown', async () => {
    const page = await dashboard.openSignedIn('/nodes');
    await page.getByText('1 node', { exact: true }).waitFor();
    await page.getByText(`process ${process.pid}`).waitFor();
    await assertAccessible(page);
    await page.context().close();
  });

  test('nothing was wrong in any script, and nothing was against the security policy', () => dashboard.assertNoFaults());
});
