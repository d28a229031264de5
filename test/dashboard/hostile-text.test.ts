import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { addSource, ask, runToEnd, sqliteFile } from '../support/real-syncs.ts';
import type { Service } from '../support/service.ts';
import { assertFits, type Dashboard, startDashboard } from './support/dashboard.ts';

// Each of them would leave a mark if it were taken for more than text; the last turns what follows it around.
const MARKUP = '<script>window.hacked=1</script><img src=x onerror="window.hacked=1">';
const TURNED = '\u202egnp.exe';
const HOSTILE = `${MARKUP}${TURNED}`;
/** Where there is no limit: longer than any screen, without a place to break, and turned around again and again. */
const LONG = `${HOSTILE}${'\u202ew'.repeat(5000)}`;

/** A stream with such a name, fields and values, and one row that is refused. */
function hostileSource(): unknown {
  const fields = [
    { name: 'id', type: 'int64', nullable: false },
    { name: HOSTILE, type: 'text' },
  ];
  return {
    name: `hostile ${Math.random()}`,
    streams: [
      {
        name: HOSTILE,
        fields,
        key: ['id'],
        rows: [
          ['1', HOSTILE],
          ['2', '7'],
          ['3', LONG],
        ],
      },
    ],
  };
}

const PRODUCT = 'pot';
const CUSTOMER = 'ada';

/** A product with movements, an order of it, and a key, all called like that. */
async function makeMerchandise(service: Service): Promise<void> {
  const post = async (path: string, body: unknown): Promise<void> => {
    const answer = await service.post(path, body);
    assert.equal(answer.status, 200, answer.text);
  };
  const product = { product_id: PRODUCT, name: HOSTILE, price: 3, stock_quantity: 5, categories: [HOSTILE], track_stock: true };
  await post('/api/v1/products/sync', product);
  await post('/api/v1/stock/movements', [{ product_id: PRODUCT, location: `<img src=x>${TURNED}`, delta: 2, reason: HOSTILE }]);
  const items = [{ product_id: PRODUCT, quantity: 1, price: 3, name: HOSTILE }];
  await post('/api/v1/orders', { customer_id: CUSTOMER, customer: { name: HOSTILE, email: 'ada@example.com' }, items, note: HOSTILE });
  await post('/api/v1/keys', { name: HOSTILE, scopes: ['orders:read'] });
}

describe('text from outside is shown as text', () => {
  let dashboard: Dashboard;
  let sync: string;
  let source: string;
  let alert: string;
  let partial: string;
  let failed: string;
  let hook: string;
  let webhook: string;
  before(async () => {
    dashboard = await startDashboard();
    const { service } = dashboard;
    const target_id = await addSource(service, 'sqlite', { path: sqliteFile(service.place, 'target.sqlite') });
    const add = async (config: unknown, streams: unknown[]): Promise<string> =>
      (
        await ask(service, 'POST', '/sync', {
          name: HOSTILE,
          source_id: await addSource(service, 'fake', config, HOSTILE),
          target_id,
          streams,
        })
      ).id;
    sync = await add(hostileSource(), [
      { source: HOSTILE, target: 'rows', fields: [{ from: 'id' }, { from: HOSTILE, to: 'n', type: 'int64' }] },
    ]);
    partial = (await runToEnd(service, sync)).id;
    const broken = { ...(hostileSource() as object), fail: [{ at: 'read', kind: 'data', code: 'ODD', message: LONG }] };
    webhook = (await service.post('/api/v1/webhooks', { name: HOSTILE, url: 'http://127.0.0.1:1', types: ['key.*'] })).body.data.id;
    const made = await ask(service, 'POST', '/hooks', { name: HOSTILE, scheme: 'token' });
    hook = made.id;
    await fetch(new URL(made.url, service.url), { method: 'POST', headers: { 'idempotency-key': MARKUP }, body: HOSTILE });
    const channel = { type: 'slack', url: 'http://127.0.0.1:1' };
    const warned = await service.post('/api/v1/alerts', { name: HOSTILE, channel, rules: [{ type: 'failing' }] });
    alert = warned.body.data.id;
    source = (await ask(service, 'GET', `/sync/${sync}`)).source_id;
    // Another version of it, so that there is a difference.
    await ask(service, 'PUT', `/sync/${sync}`, { name: `${HOSTILE}2` });
    await makeMerchandise(service);
    failed = (await runToEnd(service, await add(broken, [{ source: HOSTILE, target: 'other', fields: [{ from: 'id' }] }]))).id;
  });
  after(() => dashboard.close());

  /** Nothing of it ran, none of it became a part of the page, and what nobody sees is written out. */
  const assertHarmless = async (page: Page): Promise<void> => {
    await page.getByText(MARKUP).first().waitFor();
    await page.getByText('⟨U+202E⟩').first().waitFor();
    const found = await page.evaluate(() => ({
      hacked: 'hacked' in window,
      elements: document.querySelectorAll('img[src="x"], [onerror], body script:not([src])').length,
      turned: document.documentElement.innerHTML.includes('\u202e') || document.title.includes('\u202e'),
    }));
    assert.deepEqual(found, { hacked: false, elements: 0, turned: false }, page.url());
  };

  // Forms hold what is stored as it is, to be changed; they are not among these.
  const PLACES: readonly [name: string, path: () => string][] = [
    ['the overview', () => '/'],
    ['the list of runs', () => `/runs?sync_id=${sync}`],
    ['a run with rejects', () => `/runs/${partial}`],
    ['a failed run', () => `/runs/${failed}`],
    ['the log', () => '/logs'],
    ['metrics', () => '/metrics'],
    ['rejects of a synchronization', () => `/syncs/${sync}?tab=rejects`],
    ['sources', () => '/sources'],
    ['webhooks', () => '/webhooks'],
    ['a webhook', () => `/webhooks/${webhook}`],
    ['hooks', () => '/hooks'],
    ['a hook with a call', () => `/hooks/${hook}`],
    ['alerts and incidents', () => '/alerts'],
    ['an alert', () => `/alerts/${alert}`],
    ['synchronizations', () => '/syncs'],
    ['a synchronization', () => `/syncs/${sync}`],
    ['its definition, versions and YAML', () => `/syncs/${sync}?tab=definition`],
    ['a source', () => `/sources/${source}`],
    ['rows of a source', () => `/sources/${source}?stream=${encodeURIComponent(HOSTILE)}`],
    ['the map', () => '/map'],
    ['customers', () => '/customers'],
    ['a customer', () => `/customers/${CUSTOMER}`],
    ['products', () => '/products'],
    ['a product with a ledger of its stock', () => `/products/${PRODUCT}`],
    ['keys', () => '/keys'],
    ['the audit', () => '/audit'],
  ];
  const PHONE = { viewport: { width: 390, height: 844 } };
  for (const [name, path] of PLACES) {
    test(`${name}, also on a phone`, async () => {
      const phone = await dashboard.openSignedIn(path(), PHONE);
      await assertHarmless(phone);
      await assertFits(phone);
      await phone.context().close();

      const page = await dashboard.openSignedIn(path());
      await assertHarmless(page);
      // What is folded away is there as well.
      await page.evaluate(() => {
        for (const details of document.querySelectorAll('details')) details.open = true;
      });
      await assertHarmless(page);
      // What can be opened is, such as the difference of a version.
      const version = page.getByRole('button', { name: /^Show version/ });
      if ((await version.count()) > 0) await version.first().click();
      await assertHarmless(page);
      await assertFits(page);
      await page.context().close();
    });
  }

  test('what is copied from the log holds nothing that a terminal would obey', async () => {
    const page = await dashboard.openSignedIn('/logs', { permissions: ['clipboard-read', 'clipboard-write'] });
    await page.getByText(MARKUP).first().waitFor();
    await page.getByRole('button', { name: 'Copy as text' }).click();
    await page.getByText(/in the clipboard\.$/).waitFor();
    const text = await page.evaluate(() => navigator.clipboard.readText());
    assert.ok(text.includes(`${MARKUP}⟨U+202E⟩gnp.exe`) && !text.includes('\u202e'));
    await page.context().close();
  });

  test('nothing was wrong in any script, and nothing was against the security policy', () => dashboard.assertNoFaults());
});
