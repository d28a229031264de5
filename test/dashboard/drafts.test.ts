import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { BrowserContext, Page } from 'playwright-core';
import { newDatabase, type TestDatabase } from '../support/postgres-database.ts';
import { addSource, ask, sqliteFile } from '../support/real-syncs.ts';
import { assertAccessible, assertFits, type Dashboard, signIn, startDashboard } from './support/dashboard.ts';
import { edit } from './support/sample-world.ts';

describe('a synchronization that is half done', () => {
  let dashboard: Dashboard;
  let postgres: TestDatabase;
  let sync: string;
  before(async () => {
    dashboard = await startDashboard();
    postgres = await newDatabase();
    const { service } = dashboard;
    const file = sqliteFile(service.place, 'from.sqlite');
    edit(file, 'create table people (id integer primary key)', 'create table pets (id integer primary key)');
    const source_id = await addSource(service, 'sqlite', { path: file }, 'From');
    const target_id = await addSource(service, 'sqlite', { path: sqliteFile(service.place, 'to.sqlite') }, 'To');
    const streams = [{ source: 'people', target: 'persons', filter: [{ field: 'id', op: '>', value: '5' }] }];
    sync = (await ask(service, 'POST', '/sync', { name: 'People', source_id, target_id, streams, guard: { max_delete_percent: 7 } })).id;
  });
  after(async () => {
    await dashboard.close();
    await postgres.close();
  });

  /** Another tab of the same browser, as after it was closed and opened again. */
  const openTab = async (context: BrowserContext, key = dashboard.service.adminKey): Promise<Page> => {
    const page = await context.newPage();
    await signIn(page, key);
    await page.goto('/syncs/new');
    return page;
  };
  const kept = (page: Page): Promise<string> => page.evaluate(() => JSON.stringify(Object.entries(localStorage)));
  const offer = (page: Page) => page.getByRole('heading', { name: 'You have begun already' });
  const nameIn = (page: Page) => page.getByLabel('Name', { exact: true });

  test('is offered to the user who began it, in another tab and after signing out; gone when it is saved', async () => {
    const { service } = dashboard;
    const first = await dashboard.openSignedIn('/syncs/new');
    await nameIn(first).fill('Half done');
    await first.getByRole('combobox', { name: 'Source' }).first().selectOption('From');
    await first.getByRole('checkbox', { name: 'pets' }).check();
    await first.getByRole('button', { name: 'Sign out' }).click();
    await first.getByRole('dialog').getByRole('button', { name: 'Leave' }).click();
    await first.getByRole('heading', { name: 'Sign in' }).waitFor();
    const context = first.context();

    // To somebody else it is not shown.
    const other = (await service.post('/api/v1/keys', { name: 'other', scopes: ['datasync:read', 'datasync:write'] })).body.data;
    const theirs = await openTab(context, other.key);
    await theirs.getByText('Choose a source first.').waitFor();
    assert.equal(await offer(theirs).count(), 0);
    await theirs.close();

    const page = await openTab(context);
    await offer(page).waitFor();
    await page.getByText('Half done: From to …, 1 stream chosen.').waitFor();
    assert.equal(await nameIn(page).count(), 0, 'nothing can be entered over it');
    await assertAccessible(page);
    await page.getByRole('button', { name: 'Go on with the draft' }).click();
    assert.equal(await nameIn(page).inputValue(), 'Half done');
    assert.equal(await page.getByRole('checkbox', { name: 'pets' }).isChecked(), true);
    await page.getByRole('combobox', { name: 'Target' }).first().selectOption('To');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('heading', { name: 'Half done' }).waitFor();
    assert.doesNotMatch(await kept(page), /Half done/);
    const again = await openTab(context);
    await again.getByText('Choose a source first.').waitFor();
    await context.close();
  });

  test('is thrown away by who begins anew', async () => {
    const first = await dashboard.openSignedIn('/syncs/new', { viewport: { width: 360, height: 740 }, colorScheme: 'dark' });
    await nameIn(first).fill('Never mind');
    await first.waitForFunction(() => JSON.stringify(Object.entries(localStorage)).includes('Never mind'));
    const page = await openTab(first.context());
    await offer(page).waitFor();
    await assertAccessible(page);
    await assertFits(page);
    await page.getByRole('button', { name: 'Begin anew' }).click();
    assert.equal(await nameIn(page).inputValue(), '');
    assert.doesNotMatch(await kept(page), /Never mind/);
    await first.context().close();
  });

  test('gets the system that it lacks in a drawer: what is entered stays, secrets are kept nowhere', async () => {
    const page = await dashboard.openSignedIn('/syncs/new');
    await nameIn(page).fill('With a new source');
    await page.getByRole('button', { name: 'Add a source' }).click();
    const drawer = page.getByRole('dialog');
    await drawer.getByRole('button', { name: /^PostgreSQL/ }).click();
    const { host, port, user, database } = postgres.config;
    await drawer.getByLabel('Name').fill('Brand new');
    await drawer.getByLabel('Host').fill(host);
    await drawer.getByLabel('Port').fill(String(port));
    await drawer.getByLabel('User').fill(user);
    await drawer.getByLabel('Database').fill(database);
    await drawer.getByLabel(/^Password/).fill('top-secret');
    await assertAccessible(page);
    assert.doesNotMatch((await kept(page)) + (await page.evaluate(() => JSON.stringify(Object.entries(sessionStorage)))), /top-secret/);
    await drawer.getByRole('button', { name: 'Save', exact: true }).click();
    await drawer.waitFor({ state: 'hidden' });
    assert.equal(await nameIn(page).inputValue(), 'With a new source');
    const source = page.getByRole('combobox', { name: 'Source' }).first();
    await source.locator('option:checked', { hasText: 'Brand new' }).waitFor({ state: 'attached' });
    // It still asks before it is left.
    await page.getByRole('link', { name: 'Cancel' }).click();
    await page.getByText('Leave without saving?').waitFor();
    await page.context().close();
  });

  test('begins as a copy of another one, under a new name', async () => {
    const { service } = dashboard;
    const page = await dashboard.openSignedIn(`/syncs/${sync}`);
    await page.getByRole('link', { name: 'Duplicate' }).click();
    await page.getByText('It begins as a copy of "People"').waitFor();
    assert.equal(await nameIn(page).inputValue(), 'People (copy)');
    await page.getByText('people → persons').waitFor();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('heading', { name: 'People (copy)' }).waitFor();
    const id = new URL(page.url()).pathname.split('/').at(-1);
    const [one, copy] = [await ask(service, 'GET', `/sync/${sync}`), await ask(service, 'GET', `/sync/${id}`)];
    const definition = ({ source_id, target_id, streams, guard }: Record<string, unknown>) => ({ source_id, target_id, streams, guard });
    assert.notEqual(copy.id, sync);
    assert.deepEqual(definition(copy), definition(one));
    await page.goto(`/syncs/new?like=${sync}`);
    await page.getByRole('heading', { name: 'New synchronization' }).waitFor();
    assert.equal(await nameIn(page).inputValue(), 'People (copy 2)');
    await page.context().close();
  });

  test('nothing was wrong in any script, and nothing was against the security policy', () => dashboard.assertNoFaults());
});
