import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { ask, rowsIn, sqliteFile } from '../support/real-syncs.ts';
import { until } from '../support/until.ts';
import { type Dashboard, startDashboard } from './support/dashboard.ts';
import { edit } from './support/sample-world.ts';

/** Nobody presses Tab more often than this to come to what they want. */
const PATIENCE = 60;
/** In milliseconds: what moves has come to rest. */
const MOMENT = 5_000;

/** What has the focus: its name as it is heard, and whether one sees that it has it. */
interface Focused {
  name: string;
  isSeen: boolean;
}

/** Runs in the page. */
function focused(): Focused {
  const element = document.activeElement;
  // A view that has come has the focus at its heading: a place to go on from, and none that Tab comes to.
  if (!(element instanceof HTMLElement) || element === document.body || element.tagName === 'H1') return { name: '', isSeen: false };
  const labels = (element as HTMLInputElement).labels;
  const labelledBy = element
    .getAttribute('aria-labelledby')
    ?.split(' ')
    .map((id) => document.getElementById(id)?.textContent ?? '')
    .join(' ');
  const told = element.getAttribute('aria-label') ?? labelledBy ?? (labels?.length ? labels[0]?.textContent : element.textContent) ?? '';
  const { outlineStyle, outlineWidth } = getComputedStyle(element);
  const { top, bottom, left, right } = element.getBoundingClientRect();
  const isInSight = bottom > 0 && top < innerHeight && right > 0 && left < innerWidth;
  const isMarked = outlineStyle !== 'none' && Number.parseFloat(outlineWidth) > 0;
  // A field is marked by its border, and by the caret in it; a box that is ticked is marked around what is drawn for it.
  const isField = element instanceof HTMLInputElement || element instanceof HTMLSelectElement || element instanceof HTMLTextAreaElement;
  return { name: told.replaceAll(/\s+/g, ' ').trim(), isSeen: isInSight && (isMarked || isField) };
}

/** Presses Tab until something of this name has the focus; fails when it is not come to, or when one would not see on the way where one is. */
async function tabTo(page: Page, name: string | RegExp): Promise<void> {
  const passed: string[] = [];
  for (let pressed = 0; pressed < PATIENCE; pressed++) {
    await page.keyboard.press('Tab');
    // What comes or goes, such as a notice, is out of sight for a moment.
    let at: Focused = { name: '', isSeen: false };
    const look = async (): Promise<boolean> => {
      at = await page.evaluate(focused);
      return at.isSeen || at.name === '';
    };
    await until('a focus that is seen', look, MOMENT).catch(() => undefined);
    const reached = at.name;
    assert.ok(at.isSeen || reached === '', `one does not see that "${reached}" has the focus, on ${page.url()}`);
    if (reached === '') continue;
    if (typeof name === 'string' ? reached === name : name.test(reached)) return;
    passed.push(reached);
  }
  assert.fail(`There is no way by Tab to ${String(name)} on ${page.url()}: ${passed.join(' | ')}`);
}

async function press(page: Page, name: string | RegExp, key = 'Enter'): Promise<void> {
  await tabTo(page, name);
  await page.keyboard.press(key);
}

async function fill(page: Page, name: string | RegExp, text: string): Promise<void> {
  await tabTo(page, name);
  await page.keyboard.type(text);
}

describe('without a mouse', () => {
  let dashboard: Dashboard;
  before(async () => {
    dashboard = await startDashboard();
  });
  after(() => dashboard.close());

  const makeSource = async (page: Page, name: string, path: string): Promise<void> => {
    await press(page, 'Sources');
    await page.getByRole('heading', { name: 'Sources', exact: true }).waitFor();
    await press(page, 'Add a source');
    await page.getByText('What type of system is it?').waitFor();
    await press(page, /^SQLite/);
    await page.getByRole('button', { name: 'Test the connection' }).waitFor();
    await fill(page, /^Name/, name);
    await fill(page, /^(Path|File)/, path);
    await press(page, 'Save');
    await page.getByRole('heading', { name, exact: true }).waitFor();
  };

  test('a person signs in, adds two sources, makes a synchronization of them, and it runs', async () => {
    const { service } = dashboard;
    const shop = sqliteFile(service.place, 'shop.sqlite');
    const warehouse = sqliteFile(service.place, 'warehouse.sqlite');
    edit(shop, 'create table customers (id integer primary key, name text)', "insert into customers values (1, 'Ada'), (2, 'Emmy')");

    const page = await dashboard.open();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    // The field has the focus already.
    await page.keyboard.type(service.adminKey);
    await page.keyboard.press('Enter');
    // Where there is nothing yet, one is led to the first steps.
    await page.getByRole('heading', { name: 'Welcome to Syncline' }).waitFor();

    await makeSource(page, 'Shop', 'shop.sqlite');
    await makeSource(page, 'Warehouse', 'warehouse.sqlite');

    await press(page, 'Synchronizations');
    await page.getByText('There is no synchronization yet.').waitFor();
    await press(page, 'New synchronization');
    await page.getByRole('heading', { name: 'New synchronization' }).waitFor();
    // What is chosen in a list is chosen by its first letters.
    await fill(page, /^Source\W*$/, 'Shop');
    await fill(page, /^Target\W*$/, 'Warehouse');
    await page.getByRole('checkbox', { name: 'customers', exact: true }).waitFor();
    await press(page, 'customers', 'Space');
    await page.getByText('1 of 1 chosen').waitFor();
    await press(page, 'Save and run');
    await page.getByRole('heading', { name: 'Shop to Warehouse' }).waitFor();
    await page.getByText('In sync').first().waitFor();
    assert.equal(rowsIn(warehouse, 'customers'), 2);

    // And once more, from wherever one is.
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: /^Find anything/ }).waitFor();
    await page.keyboard.type('run shop');
    await page.getByRole('option', { name: /^Run Shop to Warehouse/, selected: true }).waitFor();
    await page.keyboard.press('Enter');
    const [{ id }] = await ask(service, 'GET', '/sync');
    await until('the second run', async () => (await ask(service, 'GET', `/sync/${id}/runs`)).length === 2);
    await page.context().close();
  });

  test('nothing was wrong in any script, and nothing was against the security policy', () => dashboard.assertNoFaults());
});
