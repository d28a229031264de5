import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { ask, runToEnd } from '../support/real-syncs.ts';
import { until } from '../support/until.ts';
import { assertAccessible, assertFits, type Dashboard, startDashboard } from './support/dashboard.ts';
import { addPeopleSync } from './support/people-sync.ts';

const PHONE = { viewport: { width: 360, height: 740 }, colorScheme: 'dark' as const };

describe('what a careful eye sees', () => {
  let dashboard: Dashboard;
  let sync: string;
  let last: string;
  before(async () => {
    dashboard = await startDashboard();
    const { service } = dashboard;
    sync = await addPeopleSync(service);
    await runToEnd(service, sync);
    last = (await runToEnd(service, sync)).id;
  });
  after(() => dashboard.close());

  const heightOf = (page: Page, title: string) =>
    page.getByRole('region', { name: title, exact: true }).evaluate((card) => card.clientHeight);

  test('charts beside each other end on one line, also when one has nothing to draw, and a bar leads to its run', async () => {
    const page = await dashboard.openSignedIn(`/syncs/${sync}`);
    await page.getByText('These runs read no rows.').waitFor();
    const bar = page.getByRole('link', { name: /Took/ }).last();
    await bar.waitFor();
    // Both are of their last height once the charts have measured their room.
    await until('cards of one height', async () => (await heightOf(page, 'Rows per second')) === (await heightOf(page, 'Duration')));
    await assertAccessible(page);
    await bar.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Summary' }).waitFor();
    assert.equal(new URL(page.url()).pathname, `/runs/${last}`);
    await page.context().close();
  });

  test('a list begins below the title of its card, and has ways on only where it goes on', async () => {
    const page = await dashboard.openSignedIn('/runs');
    await page.getByText('1–2 of 2').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Next' }).count(), 0);
    const title = await page.getByRole('heading', { name: 'All runs' }).boundingBox();
    const first = await page.getByRole('link', { name: 'People' }).first().boundingBox();
    assert.ok(Math.abs((title?.x ?? 0) - (first?.x ?? 9)) <= 1, `${title?.x} and ${first?.x}`);
    await page.context().close();
  });

  test('an id is shown letter by letter: the typeface makes no times sign of an x between digits', async () => {
    const page = await dashboard.openSignedIn(`/syncs/${sync}?tab=definition`);
    await page.getByText(sync, { exact: true }).waitFor();
    const pictureOf = async (ligatures: string): Promise<string> => {
      await page.evaluate(async (value) => {
        await document.fonts.ready;
        const shown = document.querySelector<HTMLElement>('#shown') ?? document.body.appendChild(document.createElement('div'));
        Object.assign(shown, { id: 'shown', textContent: '10x6' });
        Object.assign(shown.style, { position: 'fixed', inset: '0 auto auto 0', zIndex: 9999, background: 'white', fontSize: '40px' });
        shown.style.fontVariantLigatures = value;
      }, ligatures);
      return (await page.locator('#shown').screenshot()).toString('base64');
    };
    const asItIs = await pictureOf('');
    assert.equal(asItIs, await pictureOf('none'));
    assert.notEqual(asItIs, await pictureOf('normal'), 'the typeface would make one');
    await page.context().close();
  });

  test('on a phone the last run and when it ended stand apart, in the same small letters', async () => {
    const page = await dashboard.openSignedIn('/syncs', PHONE);
    const status = await page.getByText('Succeeded', { exact: true }).boundingBox();
    const ended = page.getByRole('cell').filter({ hasText: 'Succeeded' }).locator('time');
    const time = await ended.boundingBox();
    assert.ok(time && status && time.x - (status.x + status.width) >= 4, `${JSON.stringify(status)} and ${JSON.stringify(time)}`);
    const sizes = await page.evaluate(() =>
      [...document.querySelectorAll('td[data-header="Last run"] *')].map((part) => getComputedStyle(part).fontSize),
    );
    assert.deepEqual([...new Set(sizes)], ['12px']);
    await assertFits(page);
    await page.context().close();
  });

  test('on a phone the id by which an order or a customer is called is on one line', async () => {
    const { service } = dashboard;
    const { data } = (
      await service.post('/api/v1/orders', {
        customer_id: 'cus_01kf9zzz5tf3sv8q0d1h6c',
        items: [{ product_id: 'p', quantity: 1, price: 1 }],
      })
    ).body;
    for (const [path, id] of [
      [`/orders/${data.id}`, data.id],
      ['/customers/cus_01kf9zzz5tf3sv8q0d1h6c', 'cus_01kf9zzz5tf3sv8q0d1h6c'],
    ]) {
      const page = await dashboard.openSignedIn(path, PHONE);
      const lines = await page
        .getByRole('heading', { level: 1 })
        .getByText(id)
        .evaluate((shown) => shown.getClientRects().length);
      assert.equal(lines, 1, id);
      await assertFits(page);
      await page.context().close();
    }
  });

  test('in a list of orders nothing of their states is cut off', async () => {
    const { service } = dashboard;
    const { data } = (
      await service.post('/api/v1/orders', {
        customer_id: 'c',
        payment: { status: 'authorized' },
        items: [{ product_id: 'q', quantity: 2, price: 1 }],
      })
    ).body;
    await service.post(`/api/v1/orders/${data.id}/fulfillments`, { lines: [{ line: 1, quantity: 1 }] });
    const page = await dashboard.openSignedIn('/orders', { viewport: { width: 1440, height: 900 } });
    const states = page.getByText('Partly shipped, payment authorized');
    await states.waitFor();
    const [needs, has] = await states.evaluate((shown) => {
      const cell = shown.closest('td > div');
      return [cell?.scrollWidth ?? 0, cell?.clientWidth ?? 0];
    });
    assert.ok(needs <= has, `${needs} of ${has} px`);
    const list = page.locator('.one-line');
    await until('a list with all its columns in sight', () => list.evaluate((shown) => shown.scrollWidth <= shown.clientWidth), 5000);
    await assertFits(page);
    await page.context().close();
  });

  test('on a phone the parts of a synchronization are on one line, and nothing is for a shell', async () => {
    const page = await dashboard.openSignedIn(`/syncs/${sync}?tab=manage`, PHONE);
    await page.getByRole('tab', { name: 'Manage' }).waitFor();
    const places = await page.getByRole('tab').evaluateAll((tabs) => tabs.map((tab) => tab.getBoundingClientRect().top));
    assert.equal(new Set(places).size, 1, String(places));
    const last = page.getByRole('tab', { name: 'Manage' });
    const box = await last.boundingBox();
    assert.ok(box && box.x >= 0 && box.x + box.width <= 360, `what is open is in sight: ${JSON.stringify(box)}`);
    const { backgroundImage, boxShadow } = await page
      .getByRole('tablist')
      .evaluate((list) => ({ backgroundImage: getComputedStyle(list).backgroundImage, boxShadow: getComputedStyle(list).boxShadow }));
    assert.match(backgroundImage, /gradient/, 'a shade tells that there is more');
    assert.match(boxShadow, /inset/, 'a line is below all of them');
    assert.equal(await page.getByRole('button', { name: / with curl$/ }).count(), 0);
    await assertAccessible(page);
    await assertFits(page);
    await page.context().close();
  });

  test('on a phone a mark stands apart from its number', async () => {
    const page = await dashboard.openSignedIn(`/syncs/${sync}?tab=definition`, PHONE);
    const cell = page.getByRole('table', { name: 'Versions' }).getByRole('cell').first();
    const [number, mark] = [await cell.locator('.number').boundingBox(), await cell.getByText('Now').boundingBox()];
    assert.ok(mark && number && mark.x - (number.x + number.width) >= 3, `${JSON.stringify(number)} and ${JSON.stringify(mark)}`);
    await page.context().close();
  });

  test('of many synchronizations a choice offers some, and finds the others by what is typed', async () => {
    const { service } = dashboard;
    const { source_id, target_id } = await ask(service, 'GET', `/sync/${sync}`);
    for (let number = 0; number < 120; number++)
      await ask(service, 'POST', '/sync', {
        name: `Choice ${number}`,
        source_id,
        target_id,
        streams: [{ source: 'people', target: `t${number}` }],
      });
    const page = await dashboard.openSignedIn('/runs');
    const choice = page.getByRole('combobox', { name: 'Synchronization' });
    await choice.click();
    await page.getByRole('option').first().waitFor();
    assert.equal(await page.getByRole('option').count(), 100);
    for (const number of [3, 119]) {
      await choice.fill(`Choice ${number}`);
      await page.getByRole('option', { name: `Choice ${number}`, exact: true }).waitFor();
    }
    await page.getByRole('option', { name: 'Choice 119', exact: true }).click();
    await page.waitForURL('**/runs?sync_id=*');
    await page.context().close();
  });

  test('nothing was wrong in any script, and nothing was against the security policy', () => dashboard.assertNoFaults());
});
