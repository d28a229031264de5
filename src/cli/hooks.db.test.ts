import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { settingsOf, syncline } from '../../test/support/command-line.ts';
import { onEitherEngine } from '../../test/support/databases.ts';
import { addSource, ask, madeUp } from '../../test/support/real-syncs.ts';
import { type Service, startService } from '../../test/support/service.ts';

onEitherEngine('syncline hooks', (engine) => {
  let service: Service;
  before(async () => {
    service = await startService(engine);
  });
  after(() => service.close());
  const cli = (...args: string[]) => syncline(['hooks', ...args], { ...settingsOf(service.place), SYNCLINE_URL: service.url });

  test('where there is nothing yet, it says what to do', async () => {
    assert.match((await cli('list')).stderr, /There is no hook yet\. `syncline hooks create --name .*` makes one\./);
    await cli('create', '--name', 'silent', '--scheme', 'token');
    assert.match((await cli('calls', 'silent')).stderr, /It was not called yet\./);
    await cli('delete', 'silent');
  });

  test('creates, lists, shows the calls of, rotates and deletes', async () => {
    const made = await cli('create', '--name', 'push', '--scheme', 'github');
    assert.equal(made.code, 0, made.stderr);
    assert.match(made.stdout, /^http:\/\/[^/]+\/api\/v1\/hooks\/slh_[0-9a-z]{39}\n$/);
    assert.match(made.stderr, /not shown again\. The secret for the sender is [\w-]{32}/);
    const plain = await cli('create', '--name', 'plain', '--scheme', 'token');
    const path = new URL(plain.stdout.trim()).pathname;
    assert.equal((await service.call('POST', path, { key: null, raw: '{"a":\n1}', headers: { 'webhook-id': 'm1' } })).status, 200);
    assert.match((await cli('list')).stdout, /hok_\w+ +plain +token +1 /);
    assert.match((await cli('calls', 'plain')).stdout, /1 +\S+Z +m1 +\{"a": 1\}/);
    const streams = [{ source: 't' }];
    const ends = { source_id: await addSource(service, 'fake', madeUp()), target_id: await addSource(service, 'fake', madeUp()) };
    await ask(service, 'POST', '/sync', { name: 'nightly', ...ends, streams });
    await cli('create', '--name', 'starter', '--scheme', 'token', '--sync', 'nightly');
    assert.match((await cli('list')).stdout, /starter +token +nightly +0\n/);
    const rotated = await cli('rotate', 'plain', '--overlap-seconds', '0');
    assert.notEqual(rotated.stdout, plain.stdout);
    assert.equal((await service.call('POST', path, { key: null, raw: '{}' })).status, 401);
    assert.match((await cli('delete', 'plain')).stderr, /Deleted "plain"/);
    assert.match((await cli('calls', 'plain')).stderr, /There is no hook "plain"/);
    assert.match((await cli('create', '--name', 'x', '--scheme', 'stripe')).stderr, /secret/);
  });
});
