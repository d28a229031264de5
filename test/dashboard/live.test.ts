import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { newDatabase, type TestDatabase } from '../support/postgres-database.ts';
import { type LogDatabase, startLogDatabase } from '../support/postgres-log.ts';
import { addSource, ask, type Body, sqliteFile } from '../support/real-syncs.ts';
import { until } from '../support/until.ts';
import { type Dashboard, startDashboard } from './support/dashboard.ts';

/** A folder to put pictures in, for those who want to look at it themselves. */
const SHOTS = process.env['LIVE_SHOTS'];

describe('live synchronizations', () => {
  let dashboard: Dashboard;
  let source: LogDatabase;
  let target: TestDatabase;
  const ends = { source_id: '', target_id: '' };
  before(async () => {
    dashboard = await startDashboard();
    source = await startLogDatabase();
    target = await newDatabase(source.server.url);
    ends.source_id = await addSource(dashboard.service, 'postgres', source.config, 'Shop');
    ends.target_id = await addSource(dashboard.service, 'postgres', target.config, 'Warehouse');
  });
  after(async () => {
    await dashboard.close();
    await target.close();
    await source.close();
  });

  const shoot = async (page: Page, name: string): Promise<void> => {
    if (SHOTS === undefined) return;
    mkdirSync(SHOTS, { recursive: true });
    await page.screenshot({ path: `${SHOTS}/${name}.png`, fullPage: true });
  };
  const table = (name: string): Promise<void> =>
    source.run(`create table ${name} (id int primary key, v text); insert into ${name} values (1, 'one'), (2, 'two')`);
  const create = (tables: readonly string[], more: object = {}): Promise<Body> =>
    ask(dashboard.service, 'POST', '/sync', {
      name: tables.join(' and '),
      ...ends,
      streams: tables.map((name) => ({ source: `public.${name}`, mode: 'cdc' })),
      ...more,
    });
  const choose = async (page: Page, from: string, to: string): Promise<void> => {
    await page.getByRole('combobox', { name: 'Source' }).first().selectOption(from);
    await page.getByRole('combobox', { name: 'Target' }).first().selectOption(to);
  };

  test('one is made, goes live by itself, shows how far it is, and is paused and resumed', async () => {
    await table('orders');
    const page = await dashboard.openSignedIn('/syncs/new');
    await choose(page, 'Shop', 'Warehouse');
    await page.getByRole('radio', { name: 'Live' }).check();
    await page.getByText('Shop is prepared: its changes can be followed.').waitFor();
    assert.equal(await page.getByLabel('Schedule type').count(), 0, 'what is live has no schedule');
    await page.getByRole('checkbox', { name: /orders/ }).check();
    await page.getByRole('button', { name: /^Settings of .*orders/ }).click();
    await page.getByLabel('Target stream').waitFor();
    assert.equal(await page.getByLabel('Mode', { exact: true }).count(), 0, 'all streams are live');
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByLabel('Log kept at the source').fill('much');
    await shoot(page, 'form');
    await page.getByRole('button', { name: 'Save and go live' }).click();
    await page
      .getByText(/500 MB or 10 GB/)
      .first()
      .waitFor();
    await page.getByLabel('Log kept at the source').fill('2 GB');
    await page.getByRole('button', { name: 'Save and go live' }).click();

    await page.getByRole('heading', { name: 'Shop to Warehouse' }).waitFor();
    await page.getByText('1 of 1 live').waitFor();
    await page.getByText(/^2 GB at most/).waitFor();
    await source.run(`insert into orders values (3, 'three'); delete from orders where id = 1`);
    await page.getByText(/3 inserted · 1 deleted/).waitFor();
    await page.getByText('Up to date', { exact: true }).waitFor();
    assert.deepEqual(await target.rows('select id, v from orders order by id'), [
      ['2', 'two'],
      ['3', 'three'],
    ]);
    await page.getByRole('heading', { name: 'Lag over time' }).waitFor();
    assert.equal(await page.getByRole('button', { name: 'Run now' }).count(), 0, 'there is nothing to start');
    await shoot(page, 'live');

    await page.getByRole('button', { name: 'Pause', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Pause', exact: true }).click();
    await page.getByText('None is followed at the moment').waitFor();
    await shoot(page, 'paused');
    await page.getByRole('button', { name: 'Resume', exact: true }).click();
    await page.getByText('All of them follow the source').waitFor();

    await page.goto('/syncs');
    await page.getByRole('row', { name: /Shop to Warehouse.*In sync.*Live.*up to date/s }).waitFor();
    await shoot(page, 'list');
    await page.goto('/');
    await page.getByRole('row', { name: /Shop to Warehouse.*now.*live, up to date/s }).waitFor();
    await page.getByText('Nothing runs at the moment.').waitFor();
    await page.context().close();
  });

  test('what the source lacks is said before anything is saved', async () => {
    const plain = await newDatabase();
    await addSource(dashboard.service, 'postgres', plain.config, 'Unprepared');
    const page = await dashboard.openSignedIn('/syncs/new');
    await choose(page, 'Unprepared', 'Warehouse');
    await page.getByRole('radio', { name: 'Live' }).check();
    await page.getByText('The source has to be prepared first').waitFor();
    await page.getByText(/wal_level is "replica" and has to be "logical"/).waitFor();
    await shoot(page, 'unprepared');
    await page.context().close();
    await plain.close();
  });

  test('it is offered only where both ends can', async () => {
    await addSource(dashboard.service, 'sqlite', { path: sqliteFile(dashboard.service.place, 'plain.sqlite') }, 'File');
    const page = await dashboard.openSignedIn('/syncs/new');
    await choose(page, 'Shop', 'File');
    await page.getByRole('radio', { name: 'Live' }).waitFor();
    await choose(page, 'File', 'Shop');
    await page.getByRole('radio', { name: 'Live' }).waitFor({ state: 'detached' });
    await page.context().close();
  });

  test('a stream shows its load, one that has stopped says why, and is loaded anew', async () => {
    await table('slow');
    await table('picky');
    await target.run(`
      create table slow (id int primary key, v text);
      create table picky (id int primary key, v text check (v <> 'bad'));
      create function wait() returns trigger language plpgsql as 'begin perform pg_advisory_xact_lock_shared(7); return new; end';
      create trigger wait before insert on slow for each row execute function wait()`);
    const holder = await target.client();
    await holder.query('select pg_advisory_lock(7)');
    const { id } = await create(['picky', 'slow'], { name: 'two tables', on_reject: 'fail' });
    const page = await dashboard.openSignedIn(`/syncs/${id}`);
    await page.getByText('1 stream is being loaded').waitFor();
    await page.getByRole('listitem').filter({ hasText: 'public.slow' }).getByText('Changes of the meantime are kept').waitFor();
    await shoot(page, 'loading');
    await holder.query('select pg_advisory_unlock(7)');
    await page.getByText('2 of 2 live').waitFor();

    await source.run(`insert into picky values (3, 'bad')`);
    const stopped = page.getByRole('listitem').filter({ hasText: 'public.picky' });
    await stopped.getByText('Stopped').waitFor();
    await stopped.getByText('What to do:').waitFor();
    await shoot(page, 'stopped');
    await source.run(`insert into slow values (3, 'three')`);
    await until('the other one to go on', async () => (await target.rows('select 1 from slow where id = 3')).length === 1 || undefined);
    await source.run(`update picky set v = 'good' where id = 3`);
    await stopped.getByRole('button', { name: 'Load it anew' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Load it anew' }).click();
    await page.getByText('2 of 2 live').waitFor();
    assert.deepEqual(await target.rows('select v from picky where id = 3'), [['good']]);
    await page.getByRole('link', { name: 'the current run' }).click();
    await page.getByText('live, it follows every change').waitFor();
    await page.getByRole('button', { name: 'Cancel and pause' }).waitFor();
    await shoot(page, 'run');
    await page.context().close();
  });

  test('one that is live becomes one by schedule, and the other way round', async () => {
    await table('turned');
    const { id } = await create(['turned']);
    const page = await dashboard.openSignedIn(`/syncs/${id}/edit`);
    await page.getByRole('radio', { name: 'In runs' }).check();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('button', { name: 'Run now' }).waitFor();
    assert.equal((await ask(dashboard.service, 'GET', `/sync/${id}`)).streams[0].mode, 'mirror');
    await page.getByRole('link', { name: 'Edit' }).click();
    await page.getByRole('radio', { name: 'Live' }).check();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('1 of 1 live').waitFor();
    assert.deepEqual((await ask(dashboard.service, 'GET', `/sync/${id}`)).schedule, { type: 'on_change' });
    dashboard.assertNoFaults();
    await page.context().close();
  });
});
