import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { parse } from 'csv-parse/sync';
import type { Page } from 'playwright-core';
import { assertFits, type Dashboard, goWithin, startDashboard } from './support/dashboard.ts';
import { HOSTILE, makeSampleShop, type SampleShop } from './support/sample-shop.ts';

/** What a merchant does all day. One service and one tab, as a browser without a past takes longer than most of it. */
describe('a merchant', () => {
  let dashboard: Dashboard;
  let shop: SampleShop;
  let page: Page;
  before(async () => {
    dashboard = await startDashboard();
    shop = await makeSampleShop(dashboard.service);
    page = await dashboard.openSignedIn('/orders');
  });
  after(() => dashboard.close());

  const post = async (path: string, body: unknown) => {
    const { status, text, body: answer } = await dashboard.service.post(`/api/v1${path}`, body);
    assert.equal(status, 200, text);
    return answer.data;
  };
  const order = async (more: object): Promise<string> =>
    (await post('/orders', { customer_id: 'c-1', items: [{ product_id: 'mug', quantity: 2, price: 4.5 }], ...more })).id;
  const stockOf = async (id: string) => (await dashboard.service.get(`/api/v1/products/${encodeURIComponent(id)}/stock`)).body.data;

  test('finds orders by words, several statuses and what they have, with exact totals, and exports just those', async () => {
    const large = [{ product_id: '@gold', quantity: 1_000_000, price: 99_999_999.9999 }];
    const first = await order({ customer: { name: 'Zoë Quill' }, channel: 'fair', tags: ['gift'], external_id: '=HYPERLINK("1")' });
    const second = await order({ customer: { name: 'Zoe Quill' }, channel: 'fair', items: large });
    const third = await order({ customer: { name: 'Zoe Quill' }, channel: 'web' });
    await post(`/orders/${second}/transitions`, { to: 'on_hold' });
    await post(`/orders/${third}/transitions`, { to: 'processing' });
    await page.getByLabel('Find').fill('ZOE quil');
    await page.getByText('1–3 of 3', { exact: true }).waitFor();
    await page.getByLabel('Status').click();
    for (const status of ['New', 'On hold']) await page.getByRole('checkbox', { name: status }).click();
    await page.getByText('1–2 of 2', { exact: true }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByLabel('Sort').selectOption('Highest total first');
    await page.getByRole('link', { name: second }).and(page.locator('tbody tr:first-child a')).waitFor();
    await page.getByRole('button', { name: 'More filters' }).click();
    await page.getByLabel('Channel').fill('fair');
    await page.waitForURL((url) => url.search === '?q=ZOE+quil&status=new%2Con_hold&sort=-total&channel=fair');

    const saved = async (kind: string): Promise<[string, Buffer]> => {
      await page.getByRole('button', { name: 'Export' }).click();
      await page.getByText('2 orders, as filtered').waitFor();
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('menuitem', { name: kind, exact: true }).click(),
      ]);
      await page.getByRole('dialog').waitFor({ state: 'hidden' });
      return [download.suggestedFilename(), readFileSync(await download.path())];
    };
    const [name, csv] = await saved('A row for each order, csv');
    assert.match(name, /^orders-\d{4}-\d\d-\d\d\.csv$/);
    const rows = parse(csv, { bom: true, columns: true }) as Record<string, string>[];
    assert.deepEqual(
      rows.map(({ id, total, external_id }) => ({ id, total, external_id })),
      [
        { id: first, total: '9', external_id: `'=HYPERLINK("1")` },
        { id: second, total: '99999999999900', external_id: '' },
      ],
    );
    const [, lines] = await saved('Whole orders, one on each line, jsonl');
    const whole = lines
      .toString()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { id: string; tags?: string[] });
    assert.deepEqual(
      whole.map(({ id }) => id),
      [first, second],
    );
    const [parquetName, parquet] = await saved('A row for each item, parquet');
    assert.match(parquetName, /^order-items-.*\.parquet$/);
    assert.equal(parquet.subarray(0, 4).toString(), 'PAR1');

    await page.getByLabel('Tag').fill('gift');
    await page.getByText('1–1 of 1', { exact: true }).waitFor();
    await page.getByLabel('Currency').fill('usd');
    await page.getByText('No order matches these filters.').waitFor();
    await page.getByRole('button', { name: 'Clear the filters' }).click();
    await page.getByText('All orders').waitFor();
  });

  test('is told in words when an export breaks off, and no file is there', async () => {
    await page.route('**/api/v1/orders/export?*', (route) => route.abort('connectionreset'));
    await page.getByRole('button', { name: 'Export' }).click();
    await page.getByRole('menuitem', { name: 'A row for each order, csv' }).click();
    await page.getByText('The export stopped, and no file was saved').waitFor();
    await page.getByText('Syncline cannot be reached.').waitFor();
    await page.unroute('**/api/v1/orders/export?*');
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Try again' }).click()]);
    assert.ok(readFileSync(await download.path()).length > 0);
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
  });

  test('finds a customer by name, sees orders and sums, and erases the person after a warning', async () => {
    const ids = [
      await order({ customer_id: 'c/9 50%', customer: { name: 'Mara Ünal', email: 'mara@example.com' }, note: 'ring twice' }),
      await order({ customer_id: 'c/9 50%', currency: 'CHF', customer: { name: 'Mara Ünal', email: 'mara@example.com' } }),
    ];
    await order({ customer_id: 'c-8', items: [{ product_id: 'unal', name: 'Unal', quantity: 1, price: 1 }] });
    await goWithin(page, '/customers');
    await page.getByRole('link', { name: 'c/9 50%' }).waitFor();
    await page.getByLabel('Find').fill('unal mar');
    await page.getByText('Customers that match').waitFor();
    // What the other one has ordered is called so; nobody is.
    await page.getByLabel('Find').fill('unal');
    await page.waitForURL('**/customers?q=unal');
    await page.getByRole('link', { name: 'c/9 50%' }).click();
    await page.getByRole('heading', { name: 'Mara Ünal' }).waitFor();
    for (const text of ['EUR 9.00 in 1 order', 'CHF 9.00 in 1 order', 'mara@example.com', '1–2 of 2']) await page.getByText(text).waitFor();
    // The address is one to share: another tab finds the same there.
    await page.reload();
    await page.getByRole('heading', { name: 'Mara Ünal' }).waitFor();
    await page.getByRole('button', { name: 'Erase', exact: true }).click();
    await page.getByRole('dialog').getByText('This cannot be taken back.').waitFor();
    await page.getByRole('dialog').getByText('taken out of 2 orders').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Erase' }).click();
    await page.getByText('The person is erased.').waitFor();
    await page.getByRole('heading', { name: 'Customer erased-' }).waitFor();
    await page.getByText('EUR 9.00 in 1 order').waitFor();
    assert.equal(await page.getByText('mara@example.com').count(), 0);
    for (const id of ids) {
      const { text } = await dashboard.service.get(`/api/v1/orders/${id}`);
      assert.ok(!/mara|ünal|c\/9/i.test(text), text);
    }
    assert.equal((await dashboard.service.get(`/api/v1/customers/${encodeURIComponent('c/9 50%')}`)).status, 404);
  });

  test('who may not erase finds the button disabled, with the reason', async () => {
    const reader = await dashboard.openSignedIn(`/customers/${encodeURIComponent(shop.customer)}`, {
      key: await dashboard.service.keyWith('orders:read'),
    });
    const button = reader.getByRole('button', { name: 'Erase', exact: true });
    await button.waitFor();
    assert.equal(await button.getAttribute('title'), 'This key may not do that: it lacks the scope admin.');
    await reader.context().close();
  });

  test('sees what is where, moves stock with a reason, is refused what is reserved, and counts', async () => {
    await post('/products/sync', { product_id: 'jug', name: 'Jug', price: 9, stock_quantity: 10 });
    await goWithin(page, '/products/jug');
    await page.getByText('10 units, as it was last sent. It is not tracked.').waitFor();
    await page.getByRole('button', { name: 'Track the stock', exact: true }).click();
    await page.getByRole('dialog').getByText('The ledger begins with 10 units.').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Track the stock' }).click();
    await page.getByText('Ledger began').waitFor();
    await order({ items: [{ product_id: 'jug', quantity: 4, price: 9 }], reserve: true });
    await page.getByRole('row', { name: 'default 10 4 6' }).waitFor();

    const dialog = page.getByRole('dialog');
    await page.getByRole('button', { name: 'Add or take away' }).click();
    await dialog.getByLabel('Units').fill('5');
    await dialog.getByLabel('Location').fill('store');
    await dialog.getByLabel('Reason').fill('delivery 4711');
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByRole('row', { name: 'Moved by hand +5 5 store delivery 4711' }).waitFor();
    await page.getByRole('row', { name: 'In all 15 4 11' }).waitFor();

    await page.getByRole('button', { name: 'Add or take away' }).click();
    // A minus is never lost: it says the same as the choice above.
    await dialog.getByLabel('Units').fill('-7');
    assert.equal(await dialog.getByLabel('Units').inputValue(), '7');
    assert.equal(await dialog.getByRole('radio', { name: 'Goods went away' }).isChecked(), true);
    await dialog.getByRole('button', { name: 'Take away' }).click();
    await dialog.getByText('The stock was not changed').waitFor();
    await dialog.getByText('Of jug at default, 6 can be taken away, not 7.').waitFor();
    await dialog.getByLabel('Units').fill('6');
    await dialog.getByRole('button', { name: 'Take away' }).click();
    await page.getByRole('row', { name: 'In all 9 4 5' }).waitFor();

    await page.getByRole('button', { name: 'Count', exact: true }).click();
    await dialog.getByLabel('Counted').fill('-8');
    await dialog.getByText('A count is not below zero.').waitFor();
    assert.equal(await dialog.getByRole('button', { name: 'Save the count' }).isDisabled(), true);
    await dialog.getByLabel('Counted').fill('8');
    await dialog.getByText('a difference of −1').waitFor();
    // Meanwhile another delivery comes in: the count is of before it.
    await post('/stock/movements', { product_id: 'jug', delta: 1 });
    await dialog.getByText('The stock has changed').waitFor();
    await dialog.getByRole('button', { name: 'Look at it again' }).click();
    await page.getByRole('button', { name: 'Count', exact: true }).click();
    await dialog.getByLabel('Counted').fill('9');
    await dialog.getByRole('button', { name: 'Save the count' }).click();
    await page.getByText('Counted', { exact: true }).waitFor();
    await page.getByLabel('Location', { exact: true }).selectOption({ label: 'store' });
    await page.getByText('1–1 of 1', { exact: true }).waitFor();
    const { on_hand, reserved, movements } = await stockOf('jug');
    assert.deepEqual([on_hand, reserved], [9, 4]);
    assert.deepEqual(
      (movements as { kind: string; delta: number; location: string; reason: string | null }[]).map(({ kind, delta }) => [kind, delta]),
      [
        ['counted', -1],
        ['adjusted', 1],
        ['adjusted', -6],
        ['adjusted', 5],
        ['opened', 10],
      ],
    );
    const stop = page.getByRole('button', { name: 'Stop tracking', exact: true });
    assert.equal(await stop.getAttribute('title'), '4 units of it are reserved for orders.');
  });

  test('sees a movement made once whose answer was lost', async () => {
    await post('/products/sync', { product_id: 'lost', name: 'Lost', price: 1, stock_quantity: 1, track_stock: true });
    await goWithin(page, '/products/lost');
    await page.getByRole('button', { name: 'Add or take away' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Units').fill('2');
    await page.route('**/api/v1/stock/movements', async (route) => {
      await route.fetch();
      await route.abort('connectionreset');
    });
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    await dialog.getByText('Syncline cannot be reached.').waitFor();
    await page.unroute('**/api/v1/stock/movements');
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    await dialog.waitFor({ state: 'hidden' });
    assert.equal((await stockOf('lost')).on_hand, 3);
  });

  test('reads text of others as text, on the views of customers, products and orders', async () => {
    const shown = HOSTILE.replace('\u202E', '⟨U+202E⟩');
    const encoded = encodeURIComponent;
    for (const path of [
      `/products/${encoded(shop.stocked)}`,
      `/orders/${shop.paidOrder}`,
      `/customers/${encoded(shop.customer)}`,
      '/customers',
    ]) {
      await goWithin(page, path);
      await page.getByText(shown).first().waitFor();
      await page.waitForFunction(() => document.querySelector('[role="status"][aria-label^="Loading"]') === null);
      const found = await page.evaluate(() => ({
        scripts: document.querySelectorAll('main script').length,
        turned: document.documentElement.innerHTML.includes('\u202e') || document.title.includes('\u202e'),
      }));
      assert.deepEqual(found, { scripts: 0, turned: false }, path);
      await assertFits(page);
    }
  });

  test('nothing was wrong in any script, and nothing was against the security policy', () => dashboard.assertNoFaults());
});
