import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { settingsOf, syncline } from '../../test/support/command-line.ts';
import { createPlace, onBothEngines, type Place } from '../../test/support/databases.ts';
import { type Service, startService } from '../../test/support/service.ts';
import { checkWhole } from '../../test/support/whole-shop.ts';
import { sql } from '../db/sql.ts';
import { isoTime } from '../lib/clock.ts';
import { ORDER_STATUSES } from '../shop/orders/rules.ts';

onBothEngines('syncline demo', (engine) => {
  let place: Place;
  let service: Service;
  let printed: string;

  before(async () => {
    place = await createPlace(engine);
    const { code, stdout, stderr } = await syncline(['demo'], settingsOf(place));
    assert.deepEqual([code, stderr], [0, '']);
    printed = stdout;
    service = await startService(engine, { place });
  });
  after(async () => {
    await service.close();
    await place.remove();
  });

  test('fills the shop; the summary, the lists and the tables agree, and every state is there', async () => {
    assert.match(printed, /^The shop has 72 products and 3,000 orders of the last six months:\n/);
    for (const status of ORDER_STATUSES) {
      const total: number = (await service.get(`/api/v1/orders?status=${status}&limit=1`)).body.total;
      const [row] = await service.app.db.read.all<{ n: number }>(sql`select count(*) as n from orders where status = ${status}`);
      assert.ok(total > 0, status);
      assert.equal(row?.n, total);
      assert.match(printed, new RegExp(`^  ${status} +${total.toLocaleString('en')}$`, 'm'));
    }
    assert.equal((await service.get('/api/v1/orders?limit=1')).body.total, 3000);
    assert.equal((await service.get('/api/v1/products?limit=1')).body.total, 72);
  });

  test('every history is legal, every event is there, every count is right', () => checkWhole(service.app.db.read));

  test('time only goes forward, and nothing has happened yet that is still to come', async () => {
    const { read } = service.app.db;
    const now = isoTime(Date.now());
    const late = await read.all(sql`
      select id from orders where updated_at > ${now} union all select order_id from order_history where at > ${now}
      union all select object_id from events where created_at > ${now} union all select product_id from products where updated_at > ${now}`);
    assert.deepEqual(late, []);
    const standstill = await read.all(sql`
      select later.order_id from order_history later join order_history earlier
        on earlier.order_id = later.order_id and earlier.version = later.version - 1 where later.at <= earlier.at
      union all select h.order_id from order_history h join orders o on o.id = h.order_id where h.at <= o.created_at`);
    assert.deepEqual(standstill, []);
  });

  test('the command that it ends with works', async () => {
    const [, path = ''] = /"http:\/\/127\.0\.0\.1:8080(\/.*)"\n$/.exec(printed) ?? [];
    const { status, body } = await service.get(path);
    assert.equal(status, 200);
    assert.ok(body.data.length > 0);
    for (const { history } of body.data as { history: { reason: string | null }[] }[]) assert.ok(history.at(-1)?.reason);
  });
});

onBothEngines('syncline demo in a shop that is there already', (engine) => {
  let place: Place;
  before(async () => {
    place = await createPlace(engine);
    await syncline(['demo', '--orders', '20', '--products', '3', '--seed', 'x'], settingsOf(place));
  });
  after(() => place.remove());

  test('is refused, unless it is to be added', async () => {
    const refused = await syncline(['demo'], settingsOf(place));
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /^There are 20 orders and 3 products already\. Nothing was changed\. .*--add/);
    const added = await syncline(['demo', '--orders', '30', '--products', '5', '--seed', 'x', '--add'], settingsOf(place));
    assert.match(added.stdout, /^The shop has 5 products and 50 orders /, added.stderr);
    const service = await startService(engine, { place });
    try {
      await checkWhole(service.app.db.read);
      if (engine === 'postgres') return;
      const beside = await syncline(['demo', '--add'], settingsOf(place));
      assert.equal(beside.code, 1);
      assert.match(beside.stderr, /^Another Syncline is using this data directory .* Stop it first/);
    } finally {
      await service.close();
    }
  });
});
