// Commands that are one request each: what they send is what the API takes, and what they say is true.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type Ended, syncline } from '../../test/support/command-line.ts';
import { onEitherEngine } from '../../test/support/databases.ts';
import { type Service, startService } from '../../test/support/service.ts';

const STREAMS = JSON.stringify({
  streams: [{ source: 'products', fields: ['product_id', 'name', 'price', 'stock_quantity'].map((name) => ({ from: name, to: name })) }],
});

onEitherEngine('syncline and all that has an id', (engine) => {
  let service: Service;
  const folder = mkdtempSync(join(tmpdir(), 'syncline-commands-'));
  const run = (...args: string[]): Promise<Ended> => syncline(args, { SYNCLINE_URL: service.url, SYNCLINE_KEY: service.adminKey });
  const done = async (...args: string[]): Promise<Ended> => {
    const ended = await run(...args);
    assert.equal(ended.code, 0, ended.stderr);
    return ended;
  };
  // oxlint-disable-next-line no-explicit-any -- answers of every shape
  const json = async (...args: string[]): Promise<any> => JSON.parse((await done(...args, '--json')).stdout);
  const file = (name: string, text: string): string => {
    const path = join(folder, name);
    writeFileSync(path, text);
    return path;
  };
  before(async () => {
    service = await startService(engine);
  });
  after(async () => {
    await service.close();
    rmSync(folder, { recursive: true });
  });

  test('orders are made, shipped, changed, given back and refunded', async () => {
    const order = { customer_id: 'c-1', items: [{ product_id: 'mug', quantity: 3, price: 4.5 }] };
    const create = ['orders', 'create', '--order', file('order.json', JSON.stringify(order)), '--idempotency-key', 'cart-1'];
    const id = (await done(...create)).stdout.trim();
    assert.equal((await done(...create)).stdout.trim(), id, 'sent twice, made once');
    assert.match(
      (await done('orders', 'update', id, '--changes', '{"note": "At the door."}')).stderr,
      /^The order is new, at version 2\.\n$/,
    );
    await done('orders', 'move', id, 'processing');
    const shipped = await json('orders', 'ship', id, '--line', '1=2', '--carrier', 'Post', '--tracking', 'P-1');
    assert.deepEqual([shipped.order.fulfillment_status, shipped.tracking], ['partial', { carrier: 'Post', number: 'P-1' }]);
    await done('orders', 'return', id, '--line', '1=1', '--reason', 'broken');
    const refunded = await json('orders', 'refund', id, '--amount', '4.50', '--reason', 'broken');
    assert.deepEqual([refunded.amount, refunded.reason], [4.5, 'broken']);
    const tooMuch = await run('orders', 'refund', id, '--amount', '99', '--json');
    assert.deepEqual([tooMuch.code, JSON.parse(tooMuch.stderr).success], [1, false]);
    assert.equal((await json('orders', 'show', id)).note, 'At the door.');
    assert.match((await done('customers', 'orders', 'c-1')).stdout, new RegExp(`\n${id} `));
  });

  test('a file is taken line by line; what is refused is told with its line, and the rest is there', async () => {
    const line = (external_id: string, quantity: number): string =>
      JSON.stringify({
        customer_id: 'old',
        external_id,
        imported: true,
        status: 'delivered',
        items: [{ product_id: 'mug', quantity, price: 1 }],
      });
    const path = file('history.ndjson', `${line('a', 1)}\n\n${line('b', 0)}\n{"broken\n${line('c', 2)}`);
    const { code, stderr } = await run('orders', 'import', path, '--idempotency-key', 'old-shop');
    assert.equal(code, 3);
    assert.match(stderr, /^Line 3: .*quantity.*\nLine 4: .*\n2 orders taken, 2 refused\.\n$/);
    const again = await run('orders', 'import', path, '--idempotency-key', 'old-shop', '--json');
    assert.deepEqual([JSON.parse(again.stdout).imported, JSON.parse(again.stdout).refused.length], [2, 2]);
    assert.equal((await json('orders', 'find', '--customer', 'old')).length, 2);
    assert.match((await run('orders', 'import', '/nowhere.ndjson')).stderr, /^\/nowhere\.ndjson cannot be read: /);
    const products = file('products.ndjson', '{"product_id": "cup", "name": "Cup", "price": 2, "stock_quantity": 4}\n');
    assert.match((await done('products', 'import', products)).stderr, /^1 product taken, 0 refused/);
    await done('products', 'update', 'cup', '--changes', '{"price": 3}');
    assert.equal((await json('products', 'show', 'cup')).price, 3);
    await done('products', 'delete', 'cup');
    assert.equal((await run('products', 'show', 'cup')).code, 1);
  });

  test('a source that cannot be used is not kept, unless that is asked for', async () => {
    const add = [
      'sources',
      'add',
      '--name',
      'far',
      '--type',
      'postgres',
      '--config',
      '{"host": "127.0.0.1", "port": 1, "user": "u", "database": "d"}',
    ];
    const refused = await run(...add);
    assert.deepEqual([refused.code, refused.stdout], [1, '']);
    assert.match(refused.stderr, /^"far" was not added\. It does not work: Nothing answers at 127\.0\.0\.1:1/);
    assert.deepEqual(await json('sources', 'list'), []);
    const kept = await run(...add, '--keep');
    assert.match(kept.stdout, /^src_/);
    assert.match(kept.stderr, /^Added "far"\. It does not work: /);
    await done('sources', 'update', 'far', '--name', 'near', '--set', 'port=2', '--no-check');
    const { name, config } = await json('sources', 'show', 'near');
    assert.deepEqual([name, config.port, config.user], ['near', 2, 'u']);
    assert.equal((await done('sources', 'delete', 'near')).stderr, 'Deleted "near".\n');
  });

  test('a synchronization is changed, reset, looked back on and deleted; a run is shown and ended', async () => {
    for (const name of ['from', 'to']) await done('sources', 'add', '--name', name, '--type', 'hub', '--no-check');
    await done('syncs', 'create', '--name', 'nightly', '--source', 'from', '--target', 'to', '--definition', STREAMS);
    await done('syncs', 'update', 'nightly', '--every', '1h', '--expect-every', '2h');
    const { schedule, expect_every } = await json('syncs', 'show', 'nightly');
    assert.deepEqual([schedule.type, schedule.every, expect_every], ['interval', '1h', '2h']);
    assert.match((await done('syncs', 'reset', 'nightly')).stderr, /^All streams of "nightly" will be read anew/);
    await run('run', 'nightly');
    const [first] = await json('syncs', 'runs', 'nightly');
    assert.equal((await json('runs', 'show', first.id)).id, first.id);
    const shown = (await done('runs', 'show', first.id)).stdout;
    assert.match(shown, /^SYNCHRONIZATION +nightly$/m);
    assert.match(shown, /^STREAM +TARGET +STATUS +READ/m);
    assert.match((await done('runs', 'list', '--sync', 'nightly')).stdout, new RegExp(`\n${first.id} +nightly `));
    const { finished_at } = await json('runs', 'show', first.id);
    const idsOf = async (...times: string[]): Promise<string[]> =>
      (await json('runs', 'list', '--sync', 'nightly', ...times)).map(({ id }: { id: string }) => id);
    assert.ok((await idsOf('--ended-from', finished_at)).includes(first.id));
    assert.ok(!(await idsOf('--ended-to', finished_at)).includes(first.id));
    assert.ok((await idsOf('--writing')).includes(first.id));
    await run('run', 'nightly', '--preview');
    const [preview] = await json('syncs', 'runs', 'nightly');
    assert.deepEqual([preview.mode, (await idsOf('--writing')).includes(preview.id)], ['preview', false]);
    assert.equal((await run('runs', 'cancel', first.id)).code, 1, 'it is over');
    assert.equal((await run('rejects', 'list', 'nightly', '--json')).code, 0);
    const { source_id, target_id } = await json('syncs', 'show', 'nightly');
    const whole = JSON.stringify({ name: 'again', source_id, target_id, ...JSON.parse(STREAMS) });
    assert.equal((await json('syncs', 'create', '--definition', whole)).name, 'again');
    assert.match((await run('syncs', 'create', '--definition', STREAMS, '--name', 'third')).stderr, /--source is missing/);
    for (const name of ['nightly', 'again']) await done('syncs', 'delete', name);
  });

  test('hooks, alerts, endpoints and keys are shown and changed', async () => {
    await done('hooks', 'create', '--name', 'in', '--scheme', 'token');
    await done('hooks', 'update', 'in', '--name', 'inside');
    assert.equal((await json('hooks', 'show', 'inside')).scheme, 'token');
    await done('alerts', 'add', '--name', 'office', '--rule', 'failing', '--slack', 'http://127.0.0.1:9/');
    assert.equal((await json('alerts', 'update', 'office', '--definition', '{"remind_every": "4h"}')).remind_every, '4h');
    await done('webhooks', 'add', '--name', 'erp', '--url', 'http://127.0.0.1:9/');
    assert.deepEqual((await json('webhooks', 'update', 'erp', '--definition', '{"types": ["order.created"]}')).types, ['order.created']);
    const [key] = await json('keys', 'list');
    assert.equal((await json('keys', 'show', key.id)).id, key.id);
    assert.deepEqual((await json('whoami')).scopes, ['admin']);
    assert.match((await done('audit', '--action', 'webhook.updated')).stdout, /\n.* webhook\.updated /);
    const events = await json('events', '--types', 'order.created');
    assert.deepEqual(new Set(events.map(({ type }: { type: string }) => type)), new Set(['order.created']));
    const answer = await run('api', '/api/v1/datasync/sources/check', '--body', '{"type": "hub", "config": {}}');
    assert.equal(JSON.parse(answer.stdout).data.ok, true, answer.stderr);
    const unknown = await run('api', '/api/v1/nothing');
    assert.deepEqual([unknown.code, JSON.parse(unknown.stdout).error.code], [1, 'NOT_FOUND']);
  });
});
