import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { aroundChanges, lineDifference } from '../../dashboard/src/parts/yaml/line-difference.ts';
import { assertAccessible, assertFits, type Dashboard, startDashboard } from './support/dashboard.ts';

const SYNCS = '/api/v1/datasync/sync';

describe('the difference of two texts', () => {
  const told = (before: string, after: string): string =>
    aroundChanges(lineDifference(before, after), 1)
      .map((line) => (line.kind === 'left-out' ? `@${line.count}` : `${{ new: '+', gone: '-', same: ' ' }[line.kind]}${line.text}`))
      .join('|');

  test('is the smallest there is, with a little around it', () => {
    assert.equal(told('a\nb\nc\nd\ne\n', 'a\nb\nx\nd\ne\n'), '@1| b|-c|+x| d|@1');
    assert.equal(told('a\n', 'a\nb\n'), ' a|+b');
    assert.equal(told('', 'a\nb\n'), '+a|+b');
    assert.equal(told('a\nb\n', ''), '-a|-b');
    assert.equal(told('a\na\nb\n', 'a\nb\n'), ' a|-a| b');
    assert.equal(told('k: 1\nx\ny\nz\nk: 2\n', 'k: 2\nx\ny\nz\nk: 1\n'), '-k: 1|+k: 2| x|@1| z|-k: 2|+k: 1');
    assert.equal(told('a\n', 'a\n'), '@1');
  });

  test('of large texts is found, too', () => {
    const many = Array.from({ length: 5000 }, (_, n) => `line ${n}`);
    const other = many.map((line, n) => (n % 2 === 0 ? line : `${line}!`));
    const lines = lineDifference(many.join('\n'), other.join('\n'));
    assert.equal(
      lines
        .filter(({ kind }) => kind !== 'gone')
        .map(({ text }) => text)
        .join('\n'),
      other.join('\n'),
    );
    assert.equal(
      lines
        .filter(({ kind }) => kind !== 'new')
        .map(({ text }) => text)
        .join('\n'),
      many.join('\n'),
    );
  });
});

describe('versions and YAML on the page', () => {
  let dashboard: Dashboard;
  let [source, sync] = ['', ''];
  const evil = 'prices <script>alert(1)</script> \u202etxt';
  before(async () => {
    dashboard = await startDashboard();
    const { service } = dashboard;
    const newSource = async (name: string): Promise<string> =>
      (await service.post('/api/v1/datasync/sources', { name, type: 'hub', config: {} })).body.data.id;
    source = await newSource('Our shop');
    const streams = [{ source: 'products', fields: ['product_id', 'name', 'price'].map((from) => ({ from })) }];
    const body = { name: evil, source_id: source, target_id: await newSource('Another'), schedule: { type: 'manual' }, streams };
    sync = (await service.post(SYNCS, body)).body.data.id;
    for (const change of [{ schedule: { type: 'interval', every: '1h' } }, { expect_every: '2h', on_reject: 'fail' }])
      assert.equal((await service.call('PUT', `${SYNCS}/${sync}`, { body: change })).status, 200);
  });
  after(() => dashboard.close());

  test('the difference of a version, and back to it by one click', async () => {
    const page = await dashboard.openSignedIn(`/syncs/${sync}?tab=definition`);
    const versions = page.getByRole('region', { name: 'Versions' }).first();
    await versions.getByText('expect every, on reject').waitFor();
    await page.getByRole('button', { name: 'Show version 2' }).click();
    const difference = page.getByRole('region', { name: 'Difference of version 2' });
    await difference.getByText('type: interval').waitFor();
    assert.match(await difference.innerText(), /type: manual[\s\S]*type: interval[\s\S]*every: 1h/);
    await assertAccessible(page);
    await page.getByText('What has changed since').click();
    await difference.getByText('expect_every: 2h').waitFor();
    await page.getByRole('button', { name: 'Restore version 2' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Restore version 2' }).click();
    await page.getByText('The definition is that of version 2 again.').waitFor();
    await versions.getByText('Restored version 2').waitFor();
    const { expect_every, on_reject } = (await dashboard.service.get(`${SYNCS}/${sync}`)).body.data;
    assert.deepEqual([expect_every, on_reject], [null, 'quarantine']);
  });

  test('as YAML, hostile names as text, on a phone in the dark', async () => {
    const page = await dashboard.openSignedIn(`/syncs/${sync}?tab=definition`, {
      viewport: { width: 390, height: 844 },
      colorScheme: 'dark',
    });
    const yaml = page.getByRole('region', { name: 'The synchronization as YAML' });
    await yaml.getByText('source: Our shop').waitFor();
    assert.match(await yaml.innerText(), /<script>alert\(1\)<\/script> (⟨U\+202E⟩|\\u202e)txt/i);
    await page.getByRole('button', { name: 'Show version 3' }).click();
    await page.getByRole('region', { name: 'Difference of version 3' }).getByText('on_reject: fail').waitFor();
    await assertFits(page);
    await assertAccessible(page);
    await page.goto(`/sources/${source}`);
    await page.getByRole('region', { name: 'The source as YAML' }).getByText('type: hub').waitFor();
  });

  test('nothing was wrong in any script, and nothing was against the security policy', () => dashboard.assertNoFaults());
});
