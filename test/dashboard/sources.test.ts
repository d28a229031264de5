import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { declared } from '../support/airbyte-manifest.ts';
import { sendJson, startApi } from '../support/api-server.ts';
import { newDatabase, type TestDatabase } from '../support/postgres-database.ts';
import { addSource, ask, sqliteFile } from '../support/real-syncs.ts';
import { type Dashboard, startDashboard } from './support/dashboard.ts';
import { edit } from './support/sample-world.ts';

describe('sources', () => {
  let dashboard: Dashboard;
  let postgres: TestDatabase;
  before(async () => {
    dashboard = await startDashboard();
    postgres = await newDatabase();
    await postgres.run(`create table people (id bigint primary key, name text);
      insert into people values (9007199254740993, 'Ada'), (2, '<script>alert(1)</script>')`);
  });
  after(async () => {
    await dashboard.close();
    await postgres.close();
  });

  test('a failing source is understood and mended', async () => {
    const { host, port, user, password, database } = postgres.config;
    const page = await dashboard.openSignedIn('/sources');
    await page.getByText('There is no source yet.').waitFor();
    await page.getByRole('link', { name: 'Add a source' }).first().click();
    await page.getByRole('button', { name: /^PostgreSQL/ }).click();
    // What is missing is said beside the field.
    await page.getByRole('button', { name: 'Test the connection' }).click();
    await page.getByText('It cannot be tested yet').waitFor();
    // The first field that is at fault has the focus, until a person does something.
    await page.getByLabel('Name').click();
    await page.getByLabel('Name').fill('People');
    await page.getByLabel('Host').fill(host);
    await page.getByLabel('Port').fill(String(port));
    await page.getByLabel('User').fill(user);
    if (password) await page.getByLabel(/^Password/).fill(password);
    await page.getByLabel('Database').fill('nowhere');
    await page.getByRole('button', { name: 'Test the connection' }).click();
    await page.getByText('The connection does not work').waitFor();
    await page
      .getByText(/database "nowhere"/)
      .first()
      .waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    // It is tried when it is saved, and the page hears of it.
    await page.getByText('Failing').waitFor();
    await page.getByRole('link', { name: '← Sources' }).click();
    await page.getByRole('row', { name: /People.*Failing.*nowhere/s }).waitFor();

    await page.getByRole('link', { name: 'People' }).click();
    await page.getByRole('link', { name: 'Edit' }).click();
    await page.getByLabel('Database').fill(database);
    await page.getByRole('button', { name: 'Test the connection' }).click();
    await page.getByText('The connection works').waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('OK', { exact: true }).waitFor();
    const [source] = await ask(dashboard.service, 'GET', '/sources');
    assert.deepEqual([source.name, source.config.database, source.status], ['People', database, 'ok']);

    await page.getByRole('link', { name: 'public.people' }).click();
    await page.getByRole('grid').getByText('9007199254740993').waitFor();
    await page.getByRole('gridcell', { name: '<script>alert(1)</script>' }).waitFor();
    await page.context().close();
  });

  test('a form for every kind of source, with nested parts; a secret that is stored is kept', async () => {
    const { service } = dashboard;
    const page = await dashboard.openSignedIn('/sources/new?type=http');
    await page.getByLabel('Name').fill('Shop API');
    await page.getByLabel('Base URL').fill('http://127.0.0.1:9/v1');
    await page.getByLabel('Authentication').selectOption('bearer');
    await page.getByLabel(/^Token/).fill('top-secret');
    await page.getByRole('button', { name: 'Add to streams' }).click();
    const stream = page.getByRole('group', { name: 'Streams, 1' });
    await stream.getByLabel('Name').fill('orders');
    await stream.getByLabel('Path', { exact: true }).fill('/orders');
    await stream.getByLabel('Paging', { exact: true }).selectOption('page');
    await stream.getByRole('button', { name: 'Add to key' }).click();
    await stream.getByLabel('Key, 1', { exact: true }).fill('id');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'Shop API' }).waitFor();
    const { id, config } = (await ask(service, 'GET', '/sources')).find(({ name }: { name: string }) => name === 'Shop API');
    const stored = {
      base_url: 'http://127.0.0.1:9/v1',
      auth: { type: 'bearer', token: '********' },
      streams: [{ name: 'orders', path: '/orders', paging: { type: 'page' }, key: ['id'] }],
    };
    assert.deepEqual(config, stored);
    await page.goto(`/sources/${id}/edit`);
    await page.getByPlaceholder('Stored; enter another to replace it').waitFor();
    await page.getByLabel('Base URL').fill('http://127.0.0.1:9/v2');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('http://127.0.0.1:9/v2', { exact: true }).waitFor();
    assert.deepEqual((await ask(service, 'GET', `/sources/${id}`)).config, { ...stored, base_url: 'http://127.0.0.1:9/v2' });
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.waitForURL('**/sources');
    await page.context().close();
  });

  test('a key that may only read sees everything and changes nothing', async () => {
    const { service } = dashboard;
    const file = sqliteFile(service.place, 'looked-at.sqlite');
    edit(file, 'create table things (id integer primary key)');
    const id = await addSource(service, 'sqlite', { path: file }, 'Looked at');
    const key = await service.keyWith('datasync:read');
    const page = await dashboard.openSignedIn(`/sources/${id}`, { key });
    await page.getByRole('link', { name: 'things' }).waitFor();
    assert.equal(await page.getByRole('link', { name: 'Edit' }).count(), 0);
    for (const name of ['Test the connection', 'Delete'])
      assert.equal(await page.getByRole('button', { name, exact: true }).getAttribute('aria-disabled'), 'true', name);
    await page.context().close();
  });

  test('nothing was wrong in any script, and nothing was against the security policy', () => dashboard.assertNoFaults());

  test('the form of a manifest is the one that it describes, with its secrets; what cannot be read is named', async () => {
    const { service } = dashboard;
    const api = await startApi(({ headers }, response) =>
      sendJson(response, { data: [{ id: 1 }] }, headers.authorization === 'Bearer top-secret' ? 200 : 401),
    );
    const requester = { authenticator: { type: 'BearerAuthenticator', api_token: '{{ config.credentials.token }}' } };
    const transformations = [{ type: 'CustomTransformation', class_name: 'source_x.components.Magic' }];
    const token = { type: 'string', airbyte_secret: true, title: 'Token' };
    const manifest = JSON.stringify({
      version: '6.0.0',
      type: 'DeclarativeSource',
      check: { type: 'CheckStream', stream_names: ['things'] },
      streams: [declared(api.url, { requester }), declared(api.url, { name: 'special', requester, stream: { transformations } })],
      spec: {
        type: 'Spec',
        connection_specification: {
          type: 'object',
          required: ['credentials', 'region'],
          properties: {
            region: { type: 'string', title: 'Region', enum: ['eu', 'us'], order: 0 },
            days: { type: 'integer', title: 'Days', description: 'How far to look back.', default: 30, order: 1 },
            archived: { type: 'boolean', title: 'Archived too', order: 2 },
            tags: { type: 'array', title: 'Tags', items: { type: 'string' }, order: 3 },
            report: { type: 'object', title: 'Report', properties: { name: { type: 'string', title: 'Name of the report' } }, order: 4 },
            credentials: {
              title: 'Log-in',
              order: 5,
              oneOf: [
                { title: 'User', properties: { way: { const: 'user' }, user: { type: 'string', title: 'User' } } },
                { title: 'Key', required: ['token'], properties: { way: { const: 'key' }, token } },
              ],
            },
          },
        },
      },
    });
    const page = await dashboard.openSignedIn('/sources/new?type=airbyte');
    await page.getByLabel('Name').fill('Things');
    await page.getByRole('textbox', { name: 'Manifest' }).fill('streams: {');
    await page.getByText(/line 1/).waitFor();
    await page.getByRole('textbox', { name: 'Manifest' }).fill(manifest);
    await page.getByText('1 stream can be read. These cannot be:').waitFor();
    await page.getByText(/^special: It needs .*source_x\.components\.Magic/).waitFor();
    const form = page.getByRole('group', { name: 'Settings' });
    await page.getByRole('button', { name: 'Test the connection' }).click();
    await page.getByText('It cannot be tested yet').waitFor();
    await form.getByLabel('Region').selectOption('eu');
    await form.getByLabel('Archived too').check({ force: true });
    await form.getByRole('button', { name: 'Add to tags' }).click();
    await form.getByLabel('Tags, 1', { exact: true }).fill('new');
    await form.getByLabel('Log-in').selectOption('key');
    await form.getByLabel(/^Token/).fill('top-secret');
    await page.getByRole('button', { name: 'Test the connection' }).click();
    await page.getByText('The connection works').waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'Things' }).waitFor();
    const source = (await ask(service, 'GET', '/sources')).find(({ type }: { type: string }) => type === 'airbyte');
    assert.deepEqual(source.config.settings, {
      region: 'eu',
      archived: true,
      tags: ['new'],
      credentials: { way: 'key', token: '********' },
    });
    // What is stored is kept when another member is changed.
    await page.getByRole('link', { name: 'Edit' }).click();
    await form.getByLabel('Days').fill('7');
    assert.equal(await form.getByLabel(/^Token/).inputValue(), '');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'Things' }).waitFor();
    const { ok } = await ask(service, 'POST', `/sources/${source.id}/check`);
    assert.equal(ok, true);
    await page.context().close();
    await api.close();
  });
});
