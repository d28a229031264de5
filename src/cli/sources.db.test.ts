import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Ended, settingsOf, syncline } from '../../test/support/command-line.ts';
import { onEitherEngine } from '../../test/support/databases.ts';
import { type Service, startService } from '../../test/support/service.ts';

onEitherEngine('syncline sources', (engine) => {
  let service: Service;
  let settings: Record<string, string>;

  before(async () => {
    service = await startService(engine);
    settings = { ...settingsOf(service.place), SYNCLINE_URL: service.url };
    await service.post('/api/v1/products/sync', { product_id: 'p1', name: 'Mug', price: 19.99, categories: ['mugs'] });
  });
  after(() => service.close());

  const sources = (...args: string[]): Promise<Ended> => syncline(['sources', ...args], settings);

  test('add prints the id alone, and says on the other channel whether it works', async () => {
    const { code, stdout, stderr } = await sources('add', '--name', 'shop', '--type', 'hub');
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^src_[0-9a-z]{26}\n$/);
    assert.match(stderr, /^Added "shop"\. It works: .*1 products\. It is ready for live synchronizations\.\n$/);
    const listed = await sources('list');
    assert.match(listed.stdout, /ID +NAME +TYPE +STATUS +MESSAGE\nsrc_\w+ +shop +hub +ok +/);
  });

  test('a source that does not work is told, with what to do, and the exit code says so', async () => {
    const set = ['--set', 'host=127.0.0.1', '--set', 'port=1', '--set', 'database=d', '--set', 'user=u', '--set', 'password=hunter2'];
    const { code, stderr } = await sources('add', '--name', 'down', '--type', 'postgres', ...set, '--keep');
    assert.equal(code, 1);
    assert.match(stderr, /It does not work: .*127\.0\.0\.1:1.* Check the port/);
    assert.equal((await sources('check', 'down')).code, 1);
    const json = await sources('check', 'down', '--json');
    assert.equal((JSON.parse(json.stdout) as { error: { code: string } }).error.code, 'PORT_CLOSED');
    assert.equal((await sources('streams', 'down')).code, 1);
    assert.ok(!(stderr + json.stdout).includes('hunter2'));
  });

  test('streams and sample show what is there', async () => {
    await sources('add', '--name', 'looked into', '--type', 'hub', '--no-check');
    const streams = await sources('streams', 'looked into');
    assert.match(streams.stdout, /ROWS +SIZE\n[^]*products +resource +18 +product_id +~1 +\?/);
    const sample = await sources('sample', 'looked into', 'products', '--limit', '1');
    assert.match(sample.stdout, /product_id \(text\) .*price \(decimal\)/);
    assert.match(sample.stdout, /p1 +Mug +19\.99 +0 +\["mugs"\]/);
    const rows = JSON.parse((await sources('sample', 'looked into', 'products', '--json')).stdout) as { product_id: string }[];
    assert.equal(rows[0]?.product_id, 'p1');
  });

  test('mistakes are told in words', async () => {
    assert.match((await sources()).stderr, /Say what to do with sources/);
    assert.match((await sources('drop')).stderr, /nothing that can be done/);
    assert.match((await sources('add', '--name', 'x', '--type', 'oracle')).stderr, /There is no connector "oracle"\. There are .*postgres/);
    assert.match((await sources('add', '--name', 'x', '--type', 'postgres')).stderr, /config\.\w+ is mandatory/);
    assert.match((await sources('add', '--name', 'x', '--type', 'hub', '--config', '/no/such/file')).stderr, /cannot be read from/);
    assert.match((await sources('check', 'nobody')).stderr, /There is no source "nobody"/);
    await sources('add', '--name', 'twin', '--type', 'hub', '--no-check');
    const twin = await sources('add', '--name', 'twin', '--type', 'hub', '--no-check');
    assert.deepEqual([twin.code, twin.stdout], [1, '']);
    assert.match(twin.stderr, /^There is a source "twin" already, src_\w+\. Choose another name\.\n$/);
  });
});
