// `npm run tour`: the pictures of docs/tour.md and that of the README, taken of a service of its own with data that is the same each time.
import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Page } from 'playwright-core';
import { type Dashboard, startDashboard } from './dashboard.ts';
import { type CalmWorld, makeCalmWorld, makeTrouble, type TourWorld } from './tour-world.ts';

const FOLDER = resolve(import.meta.dirname, '../../../docs/tour');
const MOST_BYTES = 1_048_576;
const VIEWPORT = { width: 1280, height: 800 };

interface Picture<World> {
  name: string;
  path: (world: World) => string;
  /** What has to be there before it is taken. */
  ready: string | RegExp;
  prepare?: (page: Page) => Promise<void>;
  /** All of the page, and not what is seen without scrolling. */
  fullPage?: boolean;
}

const CALM: Picture<CalmWorld> = { name: '1-overview', path: () => '/', ready: 'Throughput' };
const PICTURES: readonly Picture<TourWorld>[] = [
  { name: '2-map', path: () => '/map', ready: 'As a list' },
  {
    name: '3-look-into-a-table',
    path: ({ crm }) => `/sources/${crm}?stream=customers`,
    ready: 'ada.berger@example.com',
    prepare: showTable,
  },
  { name: '4-build', path: ({ crm }) => `/syncs/new?source=${crm}&stream=customers`, ready: '1 of', prepare: mapNames },
  { name: '5-approve', path: ({ askingRun }) => `/runs/${askingRun}`, ready: 'This run waits for your approval' },
  { name: '6-mend', path: ({ failedRun }) => `/runs/${failedRun}`, ready: 'The run failed' },
  { name: '7-rejected-rows', path: ({ survey }) => `/syncs/${survey}?tab=rejects`, ready: 'thirty' },
  { name: '8-versions', path: ({ customers }) => `/syncs/${customers}?tab=definition`, ready: 'Versions', prepare: showVersion },
  { name: '../dashboard/overview', path: () => '/', ready: 'Throughput', fullPage: true },
  { name: '9-find', path: () => '/orders', ready: /^1–50 of/, prepare: find },
];

async function showTable(page: Page): Promise<void> {
  await page.getByText('Used by').evaluate((heading) => heading.scrollIntoView());
}

/** A field is computed, and the rows beside it follow. */
async function mapNames(page: Page): Promise<void> {
  await page.getByRole('combobox', { name: 'Target' }).first().selectOption('Warehouse');
  await page.getByRole('button', { name: /^Settings of customers/ }).click();
  await page.getByLabel('Target stream').fill('people');
  await page.getByLabel('Map fields').check();
  await page.getByRole('button', { name: 'Leave out field 3, last_name' }).click();
  await page.getByRole('button', { name: 'Leave out field 2, first_name' }).click();
  await page.getByRole('button', { name: 'Add an expression' }).click();
  await page.getByLabel('Name of field 4 at the target').fill('name');
  await page.getByLabel('Expression of field 4').fill('first_name + " " + last_name');
  await page.getByRole('gridcell', { name: 'Ada Berger' }).first().scrollIntoViewIfNeeded();
  await page.getByText('Map fields').evaluate((heading) => heading.scrollIntoView());
}

async function showVersion(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Show version 2' }).click();
  await page.getByRole('region', { name: 'Difference of version 2' }).scrollIntoViewIfNeeded();
}

async function find(page: Page): Promise<void> {
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Find anything, or do something' }).fill('customers');
  await page
    .getByRole('option', { name: /Customers to the warehouse/ })
    .first()
    .waitFor();
}

async function take<World>(
  dashboard: Dashboard,
  world: World,
  { name, path, ready, prepare, fullPage = false }: Picture<World>,
): Promise<void> {
  const page = await dashboard.openSignedIn('/static/icon.svg', {
    viewport: VIEWPORT,
    colorScheme: 'light',
    deviceScaleFactor: 1,
    reducedMotion: 'reduce',
  });
  await page.clock.setFixedTime(Date.now());
  await page.goto(path(world));
  await page.getByText(ready).first().waitFor();
  await prepare?.(page);
  await page.waitForFunction(() => document.querySelector('[role="status"][aria-label^="Loading"]') === null);
  await page.waitForTimeout(700);
  // What blinks is not the same twice.
  await page.screenshot({ path: join(FOLDER, `${name}.png`), caret: 'hide', animations: 'disabled', fullPage });
  await page.context().close();
}

rmSync(FOLDER, { recursive: true, force: true });
mkdirSync(FOLDER, { recursive: true });
const dashboard = await startDashboard();
try {
  const calm = await makeCalmWorld(dashboard.service);
  await take(dashboard, calm, CALM);
  const world = await makeTrouble(dashboard.service, calm);
  for (const picture of PICTURES) await take(dashboard, world, picture);
} finally {
  await dashboard.close();
}
const bytes = readdirSync(FOLDER).reduce((sum, file) => sum + statSync(join(FOLDER, file)).size, 0);
console.log(`${PICTURES.length + 1} pictures, ${bytes} bytes, in ${FOLDER}`);
if (bytes > MOST_BYTES) throw new Error(`That is more than ${MOST_BYTES} bytes: the repository is cloned with them.`);
