import type { Locator, Page } from 'playwright-core';
import type { PageWorldSize } from './page-world.ts';

type Find = (page: Page) => Locator;

/** One key or click, and how one sees that all of what it asks for is there. */
export interface Interaction {
  name: string;
  /** Where it begins; where the one before has ended, unless given. */
  at?: { path: string; ready: Find };
  act: (page: Page) => Promise<void>;
  there: Find;
}

const text =
  (words: string | RegExp): Find =>
  (page) =>
    page.getByText(words);
const heading =
  (name: string): Find =>
  (page) =>
    page.getByRole('heading', { name, exact: true });
const link = (name: string) => (page: Page) =>
  page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name, exact: true }).click();
const button = (name: string | RegExp) => (page: Page) => page.getByRole('button', { name }).first().click();
const key = (name: string) => (page: Page) => page.keyboard.press(name);
const rows: Find = (page) => page.getByRole('main').getByRole('row').nth(2);
const palette: Find = (page) => page.getByRole('combobox', { name: /^Find anything/ });
const inPalette =
  (name: RegExp): Find =>
  (page) =>
    page.getByRole('option', { name });

/** What people do most, one after the other. */
export function interactionsOf({ orders, syncs }: PageWorldSize): Interaction[] {
  const [allOrders, allSyncs] = [orders, syncs].map((number) => number.toLocaleString('en-GB'));
  return [
    // From elsewhere: a click that changes nothing is followed by no frame, and would be taken for one that was slow.
    {
      name: 'open the overview',
      at: { path: '/nodes', ready: heading('Nodes') },
      act: link('Overview'),
      there: heading('Overview'),
    },
    ...ofSyncs(allSyncs),
    ...ofOrders(allOrders),
    ...ofPalette(),
    { name: 'open the map', at: { path: '/', ready: heading('Overview') }, act: link('Map'), there: text('As a list') },
    { name: 'open a box of the map', act: (page) => page.locator('.map-box').nth(25).click(), there: text('Definition') },
    { name: 'open the runs', act: link('Runs'), there: rows },
    {
      name: 'open the choice of synchronizations',
      act: (page) => page.getByRole('combobox', { name: 'Synchronization' }).click(),
      there: (page) => page.getByRole('option').nth(9),
    },
    { name: 'close the choice of synchronizations', act: key('Escape'), there: rows },
    { name: 'open the logs', act: link('Logs'), there: text('Details') },
    { name: 'open the metrics', act: link('Metrics'), there: text('By synchronization') },
    { name: 'open the customers', act: link('Customers'), there: rows },
    { name: 'open the products', act: link('Products'), there: rows },
    { name: 'open the sources', act: link('Sources'), there: rows },
    { name: 'go dark', act: (page) => page.getByText('Dark', { exact: true }).locator('..').click(), there: rows },
    { name: 'go light', act: (page) => page.getByText('Light', { exact: true }).locator('..').click(), there: rows },
  ];
}

function ofSyncs(all: string | undefined): Interaction[] {
  return [
    { name: 'open the synchronizations', act: link('Synchronizations'), there: text(`1–50 of ${all}`) },
    { name: 'next page of synchronizations', act: button('Next'), there: text(`51–100 of ${all}`) },
    {
      name: 'only those that are paused',
      act: (page) => page.getByText('Paused', { exact: true }).first().click(),
      there: text(/^1–50 of \d+$/),
    },
    {
      name: 'all of them again',
      act: (page) => page.getByText('All', { exact: true }).first().click(),
      there: text(new RegExp(`of ${all}$`)),
    },
    {
      name: 'open a synchronization',
      act: (page) => page.getByRole('main').getByRole('row').nth(5).getByRole('link').first().click(),
      there: text('All runs'),
    },
    { name: 'see its definition', act: (page) => page.getByRole('tab', { name: 'Definition' }).click(), there: text('Guard') },
  ];
}

function ofOrders(all: string | undefined): Interaction[] {
  const find: Find = (page) => page.getByRole('searchbox', { name: 'Find' });
  return [
    { name: 'open the orders', act: link('Orders'), there: text(`1–50 of ${all}`) },
    ...[51, 101, 151].map((from) => ({ name: 'next page of orders', act: button('Next'), there: text(`${from}–${from + 49} of ${all}`) })),
    { name: 'go to the search', act: (page) => find(page).click(), there: rows },
    ...'muller'.split('').map((letter) => ({ name: 'type a letter into the search of orders', act: key(letter), there: rows })),
    { name: 'sort what is found', at: { path: '/orders?q=muller', ready: text('Orders that match') }, act: sortByKey, there: rows },
    {
      name: 'open the choice of states',
      at: { path: '/orders', ready: text(new RegExp(`of ${all}$`)) },
      act: button(/^(Status|Any)/),
      there: (page) => page.getByRole('checkbox', { name: 'Shipped' }),
    },
    {
      name: 'only those that are shipped',
      act: (page) => page.getByRole('checkbox', { name: 'Shipped' }).click(),
      there: text('Orders that match'),
    },
    { name: 'close the choice', act: key('Escape'), there: rows },
    {
      name: 'open an order',
      act: (page) => page.getByRole('main').getByRole('row').nth(5).getByRole('link').first().click(),
      there: text('History'),
    },
  ];
}

/** A select without a mouse: its menu is drawn by the system, not by the page. */
async function sortByKey(page: Page): Promise<void> {
  await page.getByRole('combobox', { name: 'Sort' }).focus();
  await page.keyboard.press('ArrowDown');
}

function ofPalette(): Interaction[] {
  return [
    { name: 'open the palette', at: { path: '/syncs', ready: rows }, act: key('Control+k'), there: palette },
    ...'run bench 77'.split('').map((letter) => ({ name: 'type a letter into the palette', act: key(letter), there: palette })),
    { name: 'choose the next in the palette', act: key('ArrowDown'), there: inPalette(/Bench 77/) },
    { name: 'close the palette', act: key('Escape'), there: rows },
  ];
}
