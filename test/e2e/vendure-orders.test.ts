// The orders of a real shop come in with what was paid for them, and stay in step: declared as docs/vendure.md tells it.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import type { Engine } from '../../src/db/sql.ts';
import { newDatabase, type TestDatabase } from '../support/postgres-database.ts';
import { addSource, ask, type Body, reaches } from '../support/real-syncs.ts';
import { type Service, startService } from '../support/service.ts';
import { startVendure, type Vendure } from '../support/vendure.ts';
import { placeOrder, type VendureAdmin, vendureAdmin } from '../support/vendure-orders.ts';
import { isWhole } from '../support/whole.ts';

const ENDS = ['succeeded', 'partial', 'failed', 'needs_approval'];
const ORDERS = 50;

const byValue = (one: number, other: number): number => one - other;

const DOCUMENT = readFileSync(new URL('../../docs/vendure.md', import.meta.url), 'utf8');

function declaredSource({ url, password }: Vendure): Body {
  const [, json = ''] = /```json\n([^`]*)```/.exec(DOCUMENT) ?? [];
  const config = JSON.parse(json);
  config.base_url = url;
  config.auth.secrets[0].value = password;
  return config;
}

function declaredSync(): Body {
  const [, json = ''] = /## Orders into the shop[^]*?```\nPOST \/api\/v1\/datasync\/sync\n([^`]*)```/.exec(DOCUMENT) ?? [];
  return JSON.parse(json);
}

describe('the orders of Vendure are those of the shop', {
  skip: !isWhole && 'npm run test:vendure has it; Vendure is installed for it',
}, () => {
  let database: TestDatabase;
  let vendure: Vendure;
  let admin: VendureAdmin;
  const services: Partial<Record<Engine, { service: Service; sync: Body }>> = {};
  /** What there is to be at the end of a run: by the code of the order, its state here, and the cents that were paid and given back. */
  const expected = new Map<string, { status: string; paid: number; refunded: number[]; pieces: number[] }>();

  before(async () => {
    database = await newDatabase();
    vendure = await startVendure(database.url, 1000);
    admin = await vendureAdmin(vendure.direct, vendure.password);
    for (const engine of ['sqlite', 'postgres'] as const) {
      const service = await startService(engine);
      const source_id = await addSource(service, 'http', declaredSource(vendure));
      const target_id = await addSource(service, 'hub', {});
      const sync = await ask(service, 'POST', '/sync', { ...declaredSync(), source_id, target_id, schedule: { type: 'manual' } });
      services[engine] = { service, sync };
    }
  });
  after(async () => {
    vendure?.stop();
    for (const { service } of Object.values(services)) await service.close();
    await database?.close();
  });

  const place = async (n: number): Promise<string> => {
    const variants = await admin.variants();
    const lines = Array.from({ length: 1 + (n % 3) }, (_, i) => ({
      variant: variants[(n + i) % variants.length] ?? '',
      quantity: 1 + ((n + i) % 4),
    }));
    const code = await placeOrder(vendure.direct, n, lines);
    const { payments } = await admin.order(code);
    expected.set(code, {
      status: 'processing',
      paid: payments[0]?.amount ?? 0,
      refunded: [],
      pieces: lines.map(({ quantity }) => quantity),
    });
    return code;
  };
  const change = (code: string): { status: string; paid: number; refunded: number[] } => expected.get(code) ?? assert.fail(code);
  const cancel = async (code: string): Promise<void> => {
    await admin.cancel(code);
    change(code).status = 'cancelled';
  };
  const ship = async (code: string, to: 'Shipped' | 'Delivered'): Promise<void> => {
    await admin.ship(code, to);
    change(code).status = to.toLowerCase();
  };
  const refund = async (code: string, cents: number): Promise<void> => {
    await admin.refund(code, cents, 'sorry');
    change(code).refunded.push(cents);
  };
  const run = async (engine: Engine): Promise<Body> => {
    const { service, sync } = services[engine] ?? assert.fail();
    const { id } = await ask(service, 'POST', `/sync/${sync.id}/runs`, {});
    const { status, streams, error } = await reaches(service, id, ENDS, 60_000);
    const { inserted, updated, deleted, unchanged, rejected } = streams[0];
    return { status, inserted, updated, deleted, unchanged, rejected, ...(error && { error }) };
  };
  const found = async (engine: Engine): Promise<Map<string, Body>> => {
    const { body } = await (services[engine] ?? assert.fail()).service.get('/api/v1/orders?limit=1000&expand=all');
    return new Map(body.data.map((order: Body) => [order.external_id, order]));
  };
  const inStep = async (engine: Engine): Promise<void> => {
    const orders = await found(engine);
    assert.equal(orders.size, expected.size);
    for (const [code, { status, paid, refunded, pieces }] of expected) {
      const order = orders.get(code) ?? assert.fail(code);
      const back = (order.refunds ?? []).map(({ amount }: Body) => Math.round(amount * 100));
      assert.deepEqual([order.status, Math.round(order.total * 100), back], [status, paid, refunded], code);
      // Vendure does not always tell lines in the same order.
      assert.deepEqual(order.items.map(({ quantity }: Body) => quantity).toSorted(byValue), pieces.toSorted(byValue), code);
      const sum = refunded.reduce((total, cents) => total + cents, 0);
      assert.equal(order.payment_status, sum === 0 ? 'paid' : sum === paid ? 'refunded' : 'partially_refunded', code);
      assert.equal(order.adjustment, undefined, 'the parts come to what was paid');
    }
  };
  const nothing = { status: 'succeeded', inserted: 0, updated: 0, deleted: 0, unchanged: 0, rejected: 0 };

  test(`${ORDERS} orders come in, some cancelled and some refunded, with the totals that were paid`, async () => {
    const codes: string[] = [];
    // One after the other: guests who pay at the same moment are in each other's way in Vendure's database.
    for (let n = 0; n < ORDERS; n++) codes.push(await place(n));
    for (const code of codes.slice(0, 8)) await cancel(code);
    for (const code of codes.slice(4, 8)) await refund(code, change(code).paid);
    for (const code of codes.slice(8, 13)) await ship(code, 'Shipped');
    for (const code of codes.slice(13, 18)) await ship(code, 'Delivered');
    for (const code of codes.slice(16, 20)) await refund(code, 123);
    for (const engine of ['sqlite', 'postgres'] as const) {
      assert.deepEqual(await run(engine), { ...nothing, inserted: ORDERS });
      await inStep(engine);
      assert.deepEqual(await run(engine), { ...nothing, unchanged: ORDERS });
    }
    const order = (await found('sqlite')).get(codes[20] ?? '') ?? assert.fail();
    assert.deepEqual(
      [order.customer.email, order.shipping_address.city, order.payment.method, order.shipping.method, order.channel, order.imported],
      ['guest20@example.com', 'Graz', 'card', 'Post', 'vendure', true],
    );
    assert.ok(order.tax_total > 0 && order.prices_include_tax);
  });

  test('what changes in Vendure is in step after the next run, and nothing else is touched', async () => {
    const codes = [...expected.keys()];
    const versions = new Map([...(await found('sqlite'))].map(([code, { version }]) => [code, version]));
    for (const code of codes.slice(20, 23)) await cancel(code);
    for (const code of codes.slice(22, 24)) await refund(code, 50);
    for (const code of codes.slice(24, 28)) await ship(code, 'Shipped');
    await refund(codes[18] ?? '', 7);
    for (const n of [50, 51]) await place(n);
    const changed = new Set([...codes.slice(20, 28), codes[18]]);
    for (const engine of ['sqlite', 'postgres'] as const) {
      assert.deepEqual(await run(engine), { ...nothing, inserted: 2, updated: changed.size, unchanged: ORDERS - changed.size });
      await inStep(engine);
    }
    for (const [code, { version }] of await found('sqlite'))
      if (versions.has(code)) assert.equal(version > (versions.get(code) ?? 0), changed.has(code), code);
  });

  test('what cannot be is a reject in words, and everything else arrives', async () => {
    const codes = [...expected.keys()];
    const [here = '', other = ''] = codes.slice(30);
    for (const { service } of Object.values(services)) {
      const { id } = (await service.get(`/api/v1/orders?external_id=${here}`)).body.data[0];
      assert.equal((await service.post(`/api/v1/orders/${id}/transitions`, { to: 'cancelled' })).status, 200);
    }
    for (const code of [here, other]) await ship(code, 'Shipped');
    change(here).status = 'cancelled';
    for (const engine of ['sqlite', 'postgres'] as const) {
      assert.deepEqual(await run(engine), { ...nothing, status: 'partial', updated: 1, unchanged: expected.size - 2, rejected: 1 });
      await inStep(engine);
      const { service, sync } = services[engine] ?? assert.fail();
      const [reject] = await ask(service, 'GET', `/sync/${sync.id}/rejects`);
      assert.match(reject.reason, /^An order that is cancelled cannot become shipped\./);
    }
  });
});
