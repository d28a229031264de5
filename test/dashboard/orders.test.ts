import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { nextOf, ORDER_STATUSES as PAGE_STATUSES } from '../../dashboard/src/views/orders/transitions.ts';
import { allowedFrom, ORDER_STATUSES } from '../../src/shop/orders/rules.ts';
import { assertAccessible, assertFits, type Dashboard, setWidth, signIn, startDashboard } from './support/dashboard.ts';
import { HOSTILE, makeSampleShop, type SampleShop } from './support/sample-shop.ts';

test('the page offers the moves that the service allows, the usual one first', () => {
  assert.deepEqual(PAGE_STATUSES, ORDER_STATUSES);
  for (const status of ORDER_STATUSES) assert.deepEqual(nextOf(status), allowedFrom(status), status);
  assert.deepEqual(nextOf('of a later version'), []);
});

describe('orders', () => {
  let dashboard: Dashboard;
  let shop: SampleShop;
  before(async () => {
    dashboard = await startDashboard();
    shop = await makeSampleShop(dashboard.service);
  });
  after(() => dashboard.close());

  const order = async (more: object = {}): Promise<string> => {
    const body = { customer_id: 'c-1', items: [{ product_id: 'mug', quantity: 2, price: 4.5 }], ...more };
    return (await dashboard.service.post('/api/v1/orders', body)).body.data.id;
  };
  const stateOf = async (id: string) => (await dashboard.service.get(`/api/v1/orders/${id}`)).body.data;
  const move = async (page: Page, verb: string, reason?: string): Promise<void> => {
    await page.getByRole('button', { name: verb }).click();
    const dialog = page.getByRole('dialog');
    if (reason !== undefined) await dialog.getByLabel('Reason').fill(reason);
    await dialog.getByRole('button', { name: verb, exact: true }).click();
    await dialog.waitFor({ state: 'hidden' });
  };

  test('an order is moved through its states, with reasons, to its end', async () => {
    const id = await order();
    const page = await dashboard.openSignedIn(`/orders/${id}`);
    await move(page, 'Put on hold', 'The address is unclear.');
    await page.getByText('The order is on hold now.').waitFor();
    await move(page, 'Start processing');
    await page.getByRole('button', { name: 'Mark as shipped' }).click();
    await assertAccessible(page);
    await page.getByRole('dialog').getByRole('button', { name: 'Mark as shipped' }).click();
    await move(page, 'Mark as delivered');
    await move(page, 'Mark as returned', 'Broken.');
    await page.getByText('This is a final status').waitFor();
    const { status, history } = await stateOf(id);
    assert.equal(status, 'returned');
    assert.deepEqual(
      history.map((entry: { status: string; reason: string | null }) => [entry.status, entry.reason]),
      [
        ['new', null],
        ['on_hold', 'The address is unclear.'],
        ['processing', null],
        ['shipped', null],
        ['delivered', null],
        ['returned', 'Broken.'],
      ],
    );
    const shown = await page.getByRole('list', { name: 'History' }).getByRole('listitem').allInnerTexts();
    assert.deepEqual(
      shown.map((text) => text.split('\n')[0]),
      ['Returned', 'Delivered', 'Shipped', 'Processing', 'On hold', 'New'],
    );
    await page.context().close();
  });

  test('what an order says is changed in a drawer that shows what will change; a conflict is told in words, and loses nothing', async () => {
    const id = await order({ note: 'ring twice', tags: ['gift'], metadata: { keep: 1 } });
    const page = await dashboard.openSignedIn(`/orders/${id}`);
    await page.getByRole('button', { name: 'Change', exact: true }).click();
    const drawer = page.getByRole('dialog');
    await drawer.getByText('Nothing is changed yet').waitFor();
    await drawer.getByLabel('Note').fill('leave it at the door');
    await drawer.getByLabel('Quantity of line 1').fill('3');
    await drawer.getByRole('button', { name: 'Add a line' }).click();
    await drawer.getByText('Line 2 needs a product').waitFor();
    await drawer.getByLabel('Product of line 2').fill('tee');
    await drawer.getByLabel('Price of line 2').fill('2.5');
    const rows = drawer.getByRole('table', { name: 'What will change' }).locator('tbody tr');
    const shown = (await rows.allInnerTexts()).map((text) => text.split(/\t|\n/).filter((part) => part !== ''));
    assert.deepEqual(shown, [
      ['Note', 'ring twice', 'leave it at the door'],
      ['Line 1', '2 × mug at 4.5', '3 × mug at 4.5'],
      ['Line 2', 'none', '1 × tee at 2.5'],
    ]);
    await assertAccessible(page);
    await dashboard.service.call('PATCH', `/api/v1/orders/${id}`, { body: { tags: ['gift', 'vip'] } });
    await drawer.getByText('Meanwhile this order was changed: tags').waitFor();
    await drawer.getByRole('button', { name: 'Go on with version 2' }).click();
    await drawer.getByRole('button', { name: 'Save the changes' }).click();
    await drawer.waitFor({ state: 'hidden' });
    const { note, tags, total, items, version } = await stateOf(id);
    assert.deepEqual([note, tags, total, items.length, version], ['leave it at the door', ['gift', 'vip'], 16, 2, 3]);

    await page.getByRole('button', { name: 'Change', exact: true }).click();
    await drawer.getByLabel('Note').fill('mine');
    await dashboard.service.call('PATCH', `/api/v1/orders/${id}`, { body: { note: 'theirs' } });
    await drawer.getByText('Some of it is what you want to change as well').waitFor();
    assert.equal(await drawer.getByRole('button', { name: 'Save the changes' }).count(), 0);
    assert.equal((await stateOf(id)).note, 'theirs');
    await page.context().close();
  });

  test('what was paid is shown part by part, with who ordered and what was noted', async () => {
    const id = await order({
      items: [{ product_id: 'mug', quantity: 3, price: 19.99, name: 'Blue mug', discount: { amount: 1 }, tax: { rate: 19 } }],
      prices_include_tax: true,
      shipping: { method: 'parcel', price: 4.9 },
      discounts: [{ code: HOSTILE, percent: 10 }],
      customer: { email: 'jo@example.com', name: HOSTILE },
      billing_address: { street: 'S 1', city: 'Accra', country: 'GH' },
      payment: { status: 'partially_refunded', paid_at: '2026-11-01T10:00:00Z' },
      note: 'leave it at the door',
      tags: ['gift', HOSTILE],
      channel: 'web',
    });
    const page = await dashboard.openSignedIn(`/orders/${id}`);
    const sums = page.getByRole('table', { name: 'Items' }).locator('tfoot tr');
    await sums.first().waitFor();
    const shown = (await sums.allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' '));
    assert.deepEqual(
      shown.map((text) => [text.split(' ')[0], text.split(' ').at(-1)]),
      [
        ['Subtotal', '59.97'],
        ['Discounts', '−6.90'],
        ['Shipping', '4.90'],
        ['Total', '57.97'],
        ['Taxes', '8.47'],
      ],
    );
    for (const text of [
      'Blue mug',
      '1.00 off, tax 8.47 (19 %)',
      'jo@example.com',
      'Partly refunded',
      'leave it at the door',
      'gift',
      'web',
    ])
      await page.getByText(text, { exact: true }).first().waitFor();
    await assertAccessible(page);
    await setWidth(page, 360);
    await assertFits(page);
    await page.context().close();
  });

  test('an order is shipped, taken back and refunded in parts, by forms that know what is left', async () => {
    const id = await order({
      items: [
        { product_id: 'mug', quantity: 3, price: 10, name: HOSTILE },
        { product_id: 'cup', quantity: 1, price: 5 },
      ],
    });
    const page = await dashboard.openSignedIn(`/orders/${id}`);
    const section = page.getByRole('region', { name: 'Parcels and refunds' });
    const button = (name: string) => section.getByRole('button', { name, exact: true });
    const dialog = page.getByRole('dialog');
    await button('Ship').click();
    await dialog.getByLabel('Quantity of line 1').fill('2');
    await dialog.getByLabel('Quantity of line 2').fill('0');
    await dialog.getByLabel('Carrier').fill('Parcel Post');
    await dialog.getByLabel('Tracking address').fill('https://parcels.example/1');
    await assertAccessible(page);
    await dialog.getByRole('button', { name: 'Ship', exact: true }).click();
    await dialog.waitFor({ state: 'hidden' });
    assert.equal(await section.getByRole('link', { name: 'Track the parcel' }).getAttribute('href'), 'https://parcels.example/1');
    await button('Take back').click();
    await dialog.getByLabel('Quantity of line 1').fill('1');
    await dialog.getByLabel('Put the goods back into stock').check();
    await dialog.getByRole('button', { name: 'Take back', exact: true }).click();
    await dialog.waitFor({ state: 'hidden' });
    await button('Refund').click();
    await dialog.getByLabel('Amount').fill('12.5');
    await dialog.getByLabel('Reason').fill('Late.');
    await dialog.getByRole('button', { name: 'Refund', exact: true }).click();
    await dialog.waitFor({ state: 'hidden' });
    await section.getByText('Partly shipped, partly refunded').waitFor();
    await section.getByText(/^Refund of .*12\.50/).waitFor();
    await assertAccessible(page);
    const { status, fulfillments, returns, refunds } = await stateOf(id);
    assert.deepEqual(
      [status, fulfillments[0].lines, returns[0].lines, returns[0].restock, refunds[0].amount, refunds[0].reason],
      ['processing', [{ line: 1, quantity: 2 }], [{ line: 1, quantity: 1 }], true, 12.5, 'Late.'],
    );
    // Another person does it meanwhile: the page says so, and does nothing.
    await button('Ship').click();
    await dashboard.service.post(`/api/v1/orders/${id}/fulfillments`, {});
    await dialog.getByText('The order has changed').waitFor();
    await dialog.getByRole('button', { name: 'Look at it again' }).click();
    assert.equal(await button('Ship').getAttribute('title'), 'Nothing is left to ship.');
    await setWidth(page, 360);
    await page.reload();
    await section.getByText('Partly returned, partly refunded').waitFor();
    await assertFits(page);
    await page.context().close();
  });

  test('when another person moves it meanwhile, the page says so and does nothing', async () => {
    const id = await order();
    const page = await dashboard.openSignedIn(`/orders/${id}`);
    await page.getByRole('button', { name: 'Start processing' }).click();
    await dashboard.service.post(`/api/v1/orders/${id}/transitions`, { to: 'cancelled' });
    await page.getByText('The order has changed').waitFor();
    await page.getByText('is cancelled now. Nothing was done.').waitFor();
    assert.equal(await page.getByRole('dialog').getByRole('button', { name: 'Start processing' }).count(), 0);
    await assertAccessible(page);
    await page.getByRole('button', { name: 'Look at it again' }).click();
    await page.getByText('This is a final status').waitFor();
    await page.context().close();
  });

  test('a page that has not heard of the change is refused by the service, and then shows it', async () => {
    const id = await order();
    const page = await dashboard.open('/static/icon.svg');
    await page.route('**/api/v1/events', (route) => route.abort());
    await signIn(page, dashboard.service.adminKey);
    await page.goto(`/orders/${id}`);
    await page.getByRole('button', { name: 'Put on hold' }).click();
    await dashboard.service.post(`/api/v1/orders/${id}/transitions`, { to: 'processing' });
    const refused = page.waitForResponse((response) => response.url().endsWith('/transitions'));
    await page.getByRole('dialog').getByRole('button', { name: 'Put on hold' }).click();
    assert.equal((await refused).status(), 409);
    await page.getByText('is processing now. Nothing was done.').waitFor();
    assert.equal((await stateOf(id)).status, 'processing');
    await page.context().close();
  });

  test('who may only read sees everything and finds the moves disabled, with the reason', async () => {
    const id = await order();
    const page = await dashboard.openSignedIn(`/orders/${id}`, { key: await dashboard.service.keyWith('orders:read') });
    const button = page.getByRole('button', { name: 'Start processing' });
    await button.waitFor();
    assert.equal(await button.getAttribute('aria-disabled'), 'true');
    assert.equal(await button.getAttribute('title'), 'This key may not do that: it lacks the scope orders:write.');
    await button.click({ force: true });
    assert.equal(await page.getByRole('dialog').count(), 0);
    const entries = await page.getByRole('navigation', { name: 'Views' }).getByRole('link').allInnerTexts();
    assert.deepEqual(
      entries.map((text) => text.trim()),
      ['Overview', 'Orders', 'Customers', 'API reference'],
    );
    // A product is nothing for this key: it is named, but there is no way to it.
    await page.goto(`/orders/${shop.order}`);
    await page.getByText('no-such-thing').waitFor();
    assert.equal(await page.getByRole('main').getByRole('link', { name: shop.product }).count(), 0);
    await page.goto('/keys');
    await page.getByRole('heading', { name: 'There is nothing here' }).waitFor();
    await page.context().close();
  });

  test('what others have named is text: markup does nothing, and a mark of direction is seen', async () => {
    const page = await dashboard.openSignedIn(`/orders/${shop.order}`);
    const alerts: string[] = [];
    page.on('dialog', (dialog) => {
      alerts.push(dialog.message());
      void dialog.dismiss();
    });
    const shown = HOSTILE.replace('\u202E', '⟨U+202E⟩');
    await page.getByText(`The address is unclear: ${shown}`).waitFor();
    await page.getByText(`"note": "${shown}"`).waitFor();
    for (const path of ['/orders', '/products', '/keys', '/audit', `/products/${encodeURIComponent(shop.product)}`]) {
      await page.goto(path);
      await page.getByText(shown).first().waitFor();
      assert.ok(!(await page.locator('body').innerText()).includes('\u202E'), path);
      assert.ok(!(await page.title()).includes('\u202E'), path);
    }
    assert.deepEqual(alerts, []);
    assert.equal(await page.locator('main script').count(), 0);
    await page.context().close();
  });

  test('the list is narrowed by what its address says, hears of new orders, and its filters can be cleared', async () => {
    const page = await dashboard.openSignedIn('/orders?status=processing&external_id=SHOP-1042');
    await page.getByText('1–1 of 1', { exact: true }).waitFor();
    await page.getByLabel('Customer').fill('nobody');
    await page.getByText('No order matches these filters.').waitFor();
    assert.equal(new URL(page.url()).search, '?status=processing&external_id=SHOP-1042&customer_id=nobody');
    await page.getByRole('button', { name: 'Clear the filters' }).click();
    await page.waitForURL('**/orders');
    assert.equal(await page.getByLabel('Customer').inputValue(), '');
    await page.getByLabel('Customer').fill('c-live');
    await page.getByText('No order matches these filters.').waitFor();
    const id = await order({ customer_id: 'c-live' });
    await page.getByRole('link', { name: id }).click();
    await page.getByRole('heading', { name: `Order ${id}` }).waitFor();
    await page.goto('/orders?from=2020-01-01&to=2020-01-02');
    await page.getByText('No order matches these filters.').waitFor();
    await page.goto(`/orders?from=${new Date().toISOString().slice(0, 10)}&to=${new Date().toISOString().slice(0, 10)}`);
    await page.getByRole('link', { name: id }).waitFor();
    await page.context().close();
  });

  test('nothing was wrong in any script, and nothing was against the security policy', () => dashboard.assertNoFaults());
});
