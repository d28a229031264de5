import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { after, before, test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { type Ended, settingsOf, syncline } from '../../test/support/command-line.ts';
import { onEitherEngine } from '../../test/support/databases.ts';
import { type Service, startService } from '../../test/support/service.ts';
import { until } from '../../test/support/until.ts';
import { startReceiver, type WebhookReceiver } from '../../test/support/webhook-receiver.ts';

const PROGRAM = fileURLToPath(new URL('../../bin/syncline.js', import.meta.url));

onEitherEngine('syncline webhooks and listen', (engine) => {
  let service: Service;
  let receiver: WebhookReceiver;
  let settings: Record<string, string>;

  before(async () => {
    receiver = await startReceiver();
    service = await startService(engine);
    settings = { ...settingsOf(service.place), SYNCLINE_URL: service.url };
  });
  after(async () => {
    await service.close();
    await receiver.close();
  });

  const webhooks = (...args: string[]): Promise<Ended> => syncline(['webhooks', ...args], settings);
  const order = async (): Promise<string> =>
    (await service.post('/api/v1/orders', { customer_id: 'c', items: [{ product_id: 'p', quantity: 1, price: 1 }] })).body.data.id;

  test('where there is nothing yet, it says what to do', async () => {
    const none = await webhooks('list');
    assert.match(none.stderr, /There is no endpoint yet\. `syncline webhooks add --name .*` adds one\./);
    assert.equal((await webhooks('list', '--json')).stderr, '');
    await webhooks('add', '--name', 'quiet', '--url', `${receiver.url}/cli`, '--types', 'key.*');
    assert.match((await webhooks('deliveries', 'quiet')).stderr, /Nothing has been sent to it yet\. `syncline webhooks test quiet`/);
    assert.match((await webhooks('deliveries', 'quiet', '--status', 'failed')).stderr, /No delivery matches\./);
    await webhooks('delete', 'quiet');
  });

  test('one that takes nothing is shown as failing; of one that is paused no time is told', async () => {
    await webhooks('add', '--name', 'down', '--url', 'http://127.0.0.1:9/', '--types', 'order.*');
    await order();
    await until('it to fail', async () => /down +failing /.test((await webhooks('list')).stdout));
    assert.match((await webhooks('list')).stderr, /"down": It takes nothing since \S+Z; the next attempt is due (at \S+Z|now)\./);
    const shown = await webhooks('show', 'down');
    assert.match(shown.stderr, /"down": It takes nothing since /);
    assert.equal((JSON.parse(shown.stdout) as { status: string }).status, 'active');
    await webhooks('pause', 'down');
    assert.match((await webhooks('list')).stdout, /down +paused /);
    assert.match((await webhooks('deliveries', 'down')).stdout, / when resumed /);
    await webhooks('delete', 'down');
  });

  test('an endpoint is added, tested, looked at, paused, rotated and deleted', async () => {
    const added = await webhooks(
      'add',
      '--name',
      'ERP',
      '--url',
      `${receiver.url}/cli`,
      '--types',
      'order.*, product.updated',
      '--header',
      'X-Key: abc',
    );
    assert.equal(added.code, 0, added.stderr);
    assert.match(added.stdout, /^whsec_\S+\n$/);
    assert.match(added.stderr, /Added "ERP" \(whk_\w+\)/);
    const tested = await webhooks('test', 'ERP');
    assert.deepEqual([tested.code, tested.stderr.startsWith('Delivered: 204')], [0, true], tested.stderr);
    assert.equal(receiver.received[0]?.headers['x-key'], 'abc');
    const object = await order();
    await until('it to be delivered', async () => (await webhooks('deliveries', 'ERP', '--status', 'delivered')).stdout.includes(object));
    assert.match((await webhooks('deliveries', 'ERP')).stdout, /order\.created +ord_\w+ +delivered +1 .* 204/);
    const [{ message_id }] = JSON.parse((await webhooks('deliveries', 'ERP', '--json')).stdout) as [{ message_id: string }];
    assert.equal((await webhooks('replay', 'ERP', '--message', message_id)).stdout, '1 to be sent again.\n');
    assert.match((await webhooks('pause', 'ERP')).stdout, /^Paused\./);
    assert.equal((await webhooks('replay', 'ERP', '--message', message_id)).stdout, '1 to be sent again, when it is resumed.\n');
    const list = await webhooks('list');
    assert.match(list.stdout, /whk_\w+ +ERP +paused +order\.\*,product\.updated/);
    assert.match(list.stderr, /"ERP": It was paused by hand\./);
    assert.match((await webhooks('resume', 'ERP')).stdout, /^Resumed\./);
    const rotated = await webhooks('rotate', 'ERP', '--overlap-seconds', '60');
    assert.match(rotated.stdout, /^whsec_\S+\n$/);
    assert.match(rotated.stderr, /signs along for a minute\.\n$/);
    assert.equal((JSON.parse((await webhooks('show', 'ERP')).stdout) as { secrets: unknown[] }).secrets.length, 2);
    assert.match((await webhooks('delete', 'ERP')).stdout, /^Deleted "ERP"/);
  });

  test('of ed25519 the public key is printed, and the private one nowhere', async () => {
    const added = await webhooks('add', '--name', 'Keys', '--url', `${receiver.url}/cli`, '--types', 'key.*', '--ed25519');
    assert.match(added.stdout, /^whpk_\S+\n$/, added.stderr);
    assert.match(added.stderr, /Receivers verify with its public key\./);
    const rotated = await webhooks('rotate', 'Keys');
    assert.match(rotated.stdout, /^whpk_\S+\n$/);
    assert.notEqual(rotated.stdout, added.stdout);
    assert.match(rotated.stderr, /signs along for a day\./);
    const inJson = await webhooks('rotate', 'Keys', '--overlap-seconds', '7200', '--json');
    assert.equal((JSON.parse(inJson.stdout) as { secret: null }).secret, null);
    assert.match(inJson.stderr, /signs along for 2 hours\./);
    assert.ok(![added, rotated, inJson].some(({ stdout, stderr }) => (stdout + stderr).includes('whsk_')));
    await webhooks('delete', 'Keys');
  });

  test('what is wrong is told in words', async () => {
    assert.match((await webhooks()).stderr, /Say what to do with webhooks: add, list/);
    assert.match((await webhooks('add', '--name', 'x', '--url', 'ftp://x')).stderr, /url must be an address that begins with https/);
    assert.match(
      (await webhooks('add', '--name', 'x', '--url', 'http://x', '--header', 'nonsense')).stderr,
      /--header takes a name and a value/,
    );
    assert.match((await webhooks('test', 'nobody')).stderr, /There is no endpoint "nobody"/);
    const dead = await webhooks('add', '--name', 'dead', '--url', 'http://127.0.0.1:9/', '--types', 'key.*');
    assert.equal(dead.code, 0, dead.stderr);
    const tested = await webhooks('test', 'dead');
    assert.deepEqual([tested.code, tested.stderr.startsWith('Not delivered: ')], [1, true], tested.stderr);
    assert.match((await webhooks('replay', 'dead')).stderr, /Say what to send again/);
    for (const [given, words] of [
      ['nowhere', /neither a port nor a URL/],
      ['3000 --types orders', /no type of event/],
      ['3000 --secret short', /signing secret/],
    ] as const)
      assert.match((await syncline(['listen', ...given.split(' ')], settings)).stderr, words);
  });

  test('listen posts what happens to this machine, signed with the secret it prints, and tells each answer', async () => {
    const env = { PATH: process.env['PATH'], ...settings };
    const { port } = new URL(receiver.url);
    const child = spawn(process.execPath, [PROGRAM, 'listen', `${port}/local`, '--types', 'order.*'], { env });
    let [out, told] = ['', ''];
    child.stdout.on('data', (text: Buffer) => (out += text.toString()));
    child.stderr.on('data', (text: Buffer) => (told += text.toString()));
    try {
      await until('it to listen', async () => /signed with whsec_\S+\. /.test(told));
      const secret = /signed with (whsec_\S+)\. /.exec(told)?.[1] ?? '';
      const arrived = () => receiver.received.filter(({ path }) => path === '/local');
      // It may not have heard yet where the feed ends: then the first orders are from before.
      const objects: string[] = [];
      await until('an order to arrive', async () => {
        objects.push(await order());
        return arrived().length > 0;
      });
      await until('its line', async () => /\d+ order\.created ord_\w+ → 204 \(\d+ ms\)\n/.test(out));
      const [first] = arrived();
      const sent = new Webhook(secret).verify(first?.text ?? '', first?.headers as Record<string, string>) as { data: { id: string } };
      assert.ok(objects.includes(sent.data.id));
      child.kill('SIGINT');
      assert.deepEqual(await once(child, 'exit'), [0, null], told);
    } finally {
      child.kill('SIGKILL');
    }
  });

  test('listen ends quietly when nobody reads what it says any more', async () => {
    for (let count = 0; count < 3; count++) await order();
    const env = { PATH: process.env['PATH'], ...settings };
    const { port } = new URL(receiver.url);
    const child = spawn(process.execPath, [PROGRAM, 'listen', `${port}/unread`, '--from', 'start'], { env });
    let told = '';
    child.stderr.on('data', (text: Buffer) => (told += text.toString()));
    try {
      child.stdout.once('data', () => child.stdout.destroy());
      const ended = once(child, 'exit');
      // What is said behind the end of the pipe is noticed with the next line.
      await until('its end', async () => child.exitCode !== null || (await order()) === '');
      assert.deepEqual(await ended, [0, null], told);
      assert.match(told, /^Events are posted to .*\n$/);
    } finally {
      child.kill('SIGKILL');
    }
  });
});
