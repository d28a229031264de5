import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { zstdDecompressSync } from 'node:zlib';
import { pino } from 'pino';
import { settingsOf, syncline } from '../../../../test/support/command-line.ts';
import { runStatement } from '../../../../test/support/commands.ts';
import { onBothEngines } from '../../../../test/support/databases.ts';
import { startService, type Service } from '../../../../test/support/service.ts';
import { until } from '../../../../test/support/until.ts';
import { sql } from '../../../db/sql.ts';
import { eraseFromLogs } from '../../../datasync/logs/erase.ts';
import { writeLogs } from '../../../datasync/logs/write.ts';
import { foldOnce } from '../../orders/find/follower.ts';
import { actorCalled } from '../../../http/caller.ts';
import { eraseOld } from './retention.ts';
import { eraseOrders, requestErasure } from './rows.ts';
import { eraseTexts, TEXT_PLACES } from './texts.ts';

const PERSON = 'cust-zebulon-1';
const email = 'Zebulon.Quagmire@example.net';
/** Whatever of the person may be found anywhere, in lower case. */
const TRACES = ['zebulon', 'quagmire', '5559876', 'de-tax-4711', 'gravur'];

const address = { street: 'Quagmire Lane 77', city: 'Springfield', zip: '12345', name: 'Zebulon Quagmire', phone: '+49 170 5559876' };
const order = {
  customer_id: PERSON,
  items: [{ product_id: 'mug-blue', quantity: 3, price: 19.99, name: 'Blue mug', metadata: { engraving: 'Gravur für Zebulon' } }],
  shipping_address: address,
  billing_address: address,
  shipping: { price: 4.9 },
  customer: { email, name: 'Zebulon Quagmire', phone: '+49 170 5559876', tax_id: 'DE-TAX-4711' },
  payment: { status: 'paid', reference: 'pay-zebulon' },
  note: 'Call Quagmire first',
  metadata: { who: 'zebulon' },
  channel: 'web',
};

function tracesIn(what: string, bytes: Buffer | string): void {
  const text = bytes.toString('latin1').toLowerCase();
  for (const trace of TRACES)
    assert.ok(
      !text.includes(trace),
      `${what} has "${trace}": ${text.slice(Math.max(0, text.indexOf(trace) - 60), text.indexOf(trace) + 60)}`,
    );
}

onBothEngines('erasing a person', (engine) => {
  let service: Service;
  const folder = mkdtempSync(join(tmpdir(), 'syncline-erase-'));
  const logged: string[] = [];
  before(async () => {
    service = await startService(engine, { log: pino({ level: 'trace' }, { write: (line: string) => void logged.push(line) }) });
  });
  after(async () => {
    await service.close();
    rmSync(folder, { recursive: true });
  });

  const run = (text: string) => service.app.db.write(runStatement, text);

  /** The person in every table that rows of others, and words about them, come into. */
  async function scatter(orderId: string): Promise<void> {
    const source =
      (await service.post('/api/v1/datasync/sources', { name: 'a', type: 'fake', config: {}, check: false })).body.data?.id ?? 'src_1';
    await run(
      `insert into incidents (id, rule, object_id, object_name, opened_at, summary, details) values ('inc_1', 'r', 'o', 'n', 't', 'row of ${email}', '{"row":"${email}"}')`,
    );
    await run(
      `insert into audit (id, at, actor, action, object_id, details) values ('aud_1', 't', 'a', 'x', '${PERSON}', '{"q":"${email.toLowerCase()}"}')`,
    );
    await run(
      `insert into hooks (id, name, scheme, calls, refused, version, created_at, updated_at, created_by) values ('hok_1', 'h', 'token', 1, 0, 1, 't', 't', 'k')`,
    );
    await run(
      `insert into hook_calls (hook_id, seq, received_at, headers, body, encoding) values ('hok_1', 1, 't', '{}', '{"customer":"${PERSON}"}', 'utf8')`,
    );
    await run(
      `insert into idempotency_keys (owner, key, body_hash, order_id, expires_at) values ('o', 'checkout ${email}', 'h', 'ord_x', '9999')`,
    );
    await run(`insert into webhooks (id, name, url, types, payload, signature, secrets, headers, max_in_flight, scopes, version, created_at, updated_at)
      values ('whk_1', 'w', 'http://127.0.0.1:9/', '[]', 'full', 'v1', '[]', '{}', 1, '[]', 1, 't', 't')`);
    await run(`insert into webhook_deliveries (webhook_id, seq, type, object_id, status, attempts, created_at, updated_at, error, log)
      values ('whk_1', 1, 'order.created', '${orderId}', 'failed', 1, 't', 't', 'no ${email}', '[{"response_body":"unknown Quagmire"}]')`);
    await service.app.db.write(writeLogs, [
      {
        time: '2026-11-01T00:00:00.000Z',
        level: 'warn',
        sync_id: null,
        run_id: null,
        source_id: source,
        stream: 's',
        message: `rejected ${email}`,
        data: `{"phone":"+49 170 5559876"}`,
        shop: null,
      },
    ]);
  }

  /** An order that was changed, sent, returned and refunded, with the person in the words about it. */
  async function tryDeeds(id: string): Promise<void> {
    const path = `/api/v1/orders/${id}`;
    const deed = async (method: string, at: string, body: object): Promise<void> => {
      const { status, text } = await service.call(method, path + at, { body, headers: { 'Idempotency-Key': `zebulon ${at}` } });
      assert.equal(status, 200, text);
    };
    await deed('PATCH', '', { customer: { name: 'Zebulon Q. Quagmire' }, note: 'Quagmire moved' });
    await deed('POST', '/fulfillments', { tracking: { number: 'zebulon-1', url: 'https://parcels.example/quagmire' } });
    await deed('POST', '/returns', { lines: [{ line: 1, quantity: 1 }], reason: 'Quagmire did not like it', restock: true });
    await deed('POST', '/refunds', { lines: [{ line: 1, quantity: 1 }], reason: 'for Zebulon' });
    await service.post('/api/v1/products/sync', { product_id: 'mug-blue', name: 'Blue mug', price: 19.99, track_stock: true });
    const movement = { product_id: 'mug-blue', delta: 1, reason: `back from ${email}` };
    const moved = await service.post('/api/v1/stock/movements', movement, { headers: { 'Idempotency-Key': `back from ${email}` } });
    assert.equal(moved.status, 200, moved.text);
  }

  test('needs a key with the scope admin, and a customer', async () => {
    assert.equal((await service.call('POST', `/api/v1/customers/${PERSON}/erase`, { key: null })).status, 401);
    const key = await service.keyWith('orders:write', 'orders:read');
    assert.equal((await service.call('POST', `/api/v1/customers/${PERSON}/erase`, { key })).status, 403);
    assert.equal((await service.call('POST', '/api/v1/customers/nobody/erase')).status, 404);
  });

  test('leaves no byte of them in the database, a backup, the log and an export, and keeps what was paid', async () => {
    const ids: string[] = [];
    for (let n = 0; n < 3; n++) {
      const made = await service.post(
        '/api/v1/orders',
        { ...order, external_id: n === 0 ? `shop ${email}` : `shop-${n}` },
        { headers: { 'Idempotency-Key': `z${n}` } },
      );
      assert.equal(made.status, 200, made.text);
      ids.push(made.body.data.id);
      if (n === 1) while (await foldOnce(service.app.db));
    }
    const other = await service.post('/api/v1/orders', {
      customer_id: 'c-2',
      items: [{ product_id: 'mug-blue', quantity: 3, price: 19.99 }],
      customer: { name: 'Jo Doe' },
    });
    await service.post(`/api/v1/orders/${ids[0]}/transitions`, { to: 'cancelled', reason: 'Quagmire called' });
    await tryDeeds(ids[1] as string);
    await scatter(ids[0] as string);
    const before = (await service.get(`/api/v1/customers/${PERSON}`)).body.data;
    assert.deepEqual([before.orders, before.totals, before.customer.email], [3, [{ currency: 'EUR', orders: 3, total: 194.61 }], email]);

    for (const path of ['/api/v1/orders/export?format=jsonl', '/api/v1/events?limit=1000']) {
      const text = (await service.get(path)).text.toLowerCase();
      for (const trace of TRACES) assert.ok(text.includes(trace), `${trace} is looked for where it is`);
    }

    const asked = await service.call('POST', `/api/v1/customers/${PERSON}/erase`);
    assert.equal(asked.status, 200, asked.text);
    const { id, customer_id } = asked.body.data as { id: string; customer_id: string };
    await until('it is done', async () => (await service.get(`/api/v1/erasures/${id}`)).body.data.status === 'done');

    const kept = (await service.get(`/api/v1/customers/${customer_id}`)).body.data;
    assert.deepEqual([kept.orders, kept.totals, kept.customer], [3, before.totals, null]);
    assert.equal((await service.get(`/api/v1/customers/${PERSON}`)).status, 404);
    const one = (await service.get(`/api/v1/orders/${ids[0]}`)).body.data;
    assert.deepEqual(
      [one.status, one.total, one.items[0].name, one.channel, one.shipping_address, one.metadata, one.payment],
      ['cancelled', 64.87, 'Blue mug', 'web', null, {}, { status: 'paid' }],
    );
    assert.equal((await service.get('/api/v1/orders?q=zebulon')).body.total, 0);
    assert.equal((await service.get('/api/v1/orders?q=jo doe')).body.data[0].id, other.body.data.id);
    assert.equal((await service.get('/api/v1/customers')).body.total, 2);
    const erasure = (await service.get('/api/v1/erasures')).body.data[0];
    assert.deepEqual([erasure.orders, erasure.status, erasure.customer_id], [3, 'done', customer_id]);
    assert.equal((await service.get('/api/v1/audit?action=customer.erased')).body.data[0].object_id, customer_id);

    tracesIn('the feed', (await service.get('/api/v1/events?limit=1000')).text);
    for (const format of ['csv', 'jsonl']) tracesIn('the export', (await service.get(`/api/v1/orders/export?format=${format}`)).text);
    tracesIn('the log', logged.join(''));
    const file = join(folder, `${engine}.backup`);
    const backup = await syncline(['backup', file], settingsOf(service.place));
    assert.equal(backup.code, 0, backup.stderr);
    tracesIn('the backup', zstdDecompressSync(readFileSync(file)));
    if (engine === 'postgres') {
      tracesIn('pg_dump', execFileSync('pg_dump', [service.place.databaseUrl as string], { maxBuffer: 1 << 28 }));
    } else {
      const database = join(service.place.dataDir, 'syncline.db');
      tracesIn('the file', readFileSync(database));
      for (const beside of ['-wal', '-journal']) if (existsSync(database + beside)) tracesIn(beside, readFileSync(database + beside));
    }
  });

  test('what is only noted yet is done, and no step of it twice', async () => {
    const { db } = service.app;
    for (let n = 0; n < 2; n++) await service.post('/api/v1/orders', { ...order, customer_id: 'c-killed' });
    const wish = { now: Date.now(), actor: actorCalled('a test'), customers: ['c-killed'], before: null };
    // As if the node had died behind the request: the row is all that is left.
    const row = await db.write(requestErasure, wish);
    await until('it is done', async () => (await service.get(`/api/v1/erasures/${row?.id}`)).body.data.status === 'done');
    const again = await db.write(eraseOrders, { id: row?.id ?? '', now: Date.now() });
    assert.equal(again, true, 'nothing is done twice');
    assert.equal((await service.get(`/api/v1/erasures/${row?.id}`)).body.data.orders, 2);
  });

  test('persons of old orders are erased by themselves', async () => {
    const { db } = service.app;
    const old = await service.post('/api/v1/orders', { ...order, customer_id: 'c-old' });
    assert.equal(old.status, 200);
    assert.ok(await db.write(eraseOld, { before: `${old.body.data.id}~`, now: Date.now() }));
    await until('it is done', async () => (await service.get('/api/v1/customers/c-old')).status === 404).catch((error: unknown) => {
      throw new Error(logged.filter((line) => line.includes('erasing')).join(''), { cause: error });
    });
    const erased = (await service.get(`/api/v1/orders/${old.body.data.id}`)).body.data;
    assert.deepEqual([erased.customer_id.startsWith('erased-'), erased.customer, erased.total], [true, undefined, 64.87]);
    // The other customer's order had nothing but a customer.
    for (const one of (await service.get('/api/v1/orders?expand=all')).body.data) assert.ok(one.customer_id.startsWith('erased-'), one.id);
    assert.equal(await db.write(eraseOld, { before: `${old.body.data.id}~`, now: Date.now() }), false, 'an order is looked at once');
  });

  test('every column that may hold words of others is named, or known to hold none', async () => {
    const columns = await service.app.db.read.all<{ place: string }>(
      engine === 'sqlite'
        ? sql`select m.name || '.' || c.name as place from sqlite_master m, pragma_table_info(m.name) c where m.type = 'table' and m.name not like 'sqlite_%'
            and m.name not like 'log_words%' and lower(c.type) like 'text%'`
        : sql`select table_name || '.' || column_name as place from information_schema.columns where table_schema = 'public' and data_type in ('text', 'json')`,
    );
    const named = new Set(
      Object.entries(TEXT_PLACES).flatMap(([table, { text = [], json = [], emptied = [], removed = [] }]) =>
        [...text, ...json, ...emptied, ...removed].map((column) => `${table}.${column}`),
      ),
    );
    const unknown = columns.map(({ place }) => place).filter((place) => !named.has(place) && !HARMLESS.test(place));
    assert.deepEqual(unknown, []);
  });

  test('what is told of an incident while it is under way does not stay', async () => {
    await run(
      `insert into incidents (id, rule, object_id, object_name, opened_at, closed_at, summary, details) values ('inc_2', 'r', 'o', 'n', 't', 't', 's', '{"row":"Melchisedek"}')`,
    );
    for (const [n, table] of Object.keys(TEXT_PLACES).entries()) {
      await run(`insert into events (seq, topic, topic_seq, type, object_id, created_at, data)
        select ${9_000_000 + n}, 'incidents', ${9_000_000 + n}, 'incident.closed', id, 't', details from incidents where id = 'inc_2'`);
      await service.app.db.write(eraseTexts, { table, texts: ['Melchisedek'] });
    }
    const told = await service.app.db.read.all<{ data: string }>(sql`select data from events where seq >= 9000000`);
    assert.equal(told.length, Object.keys(TEXT_PLACES).length);
    assert.ok(!JSON.stringify(told).includes('Melchisedek'));
    await run('delete from events where seq >= 9000000');
  });

  async function erase(customer: string): Promise<void> {
    const { id } = (await service.call('POST', `/api/v1/customers/${customer}/erase`)).body.data as { id: string };
    await until('it is done', async () => (await service.get(`/api/v1/erasures/${id}`)).body.data.status === 'done');
  }

  test('a customer whose id is a number, and whose name is a word of ours, takes nothing else along', async () => {
    await service.post('/api/v1/products/sync', { product_id: 'mug-34567', name: 'price 34567', price: 1.5, stock_quantity: 1_345_678 });
    await service.post('/api/v1/orders', { ...order, customer_id: '34567', customer: { name: 'price', phone: 'false' } });
    await erase('34567');
    const events = (await service.get('/api/v1/events?limit=1000')).body.data as { object_id: string; data: Record<string, unknown> }[];
    const told = events.find(({ object_id }) => object_id === 'mug-34567')?.data;
    assert.deepEqual(
      [told?.['product_id'], told?.['name'], told?.['price'], told?.['stock_quantity']],
      ['mug-erased', 'erased erased', 1.5, 1_345_678],
    );
  });

  test('what they were called in between is found, too, though no order says it any more', async () => {
    const { id } = (await service.post('/api/v1/orders', { ...order, customer_id: 'c-renamed' })).body.data as { id: string };
    for (const name of ['Ermintrude Oldname', 'Philomena Newname']) {
      const customer = { name, email: `${name.split(' ')[0]}@example.net` };
      assert.equal((await service.call('PATCH', `/api/v1/orders/${id}`, { body: { customer } })).status, 200);
    }
    await run(
      `insert into audit (id, at, actor, action, object_id, details) values ('aud_between', 't', 'a', 'x', 'Ermintrude Oldname', '{"q":"ermintrude@example.net"}')`,
    );
    await erase('c-renamed');
    const [left] = await service.app.db.read.all<{ object_id: string; details: string }>(
      sql`select object_id, details from audit where id = 'aud_between'`,
    );
    assert.deepEqual([left?.object_id, JSON.parse(left?.details ?? '')], ['erased', { q: 'erased' }]);
  });

  test('hundreds of guests who share an id are erased, all of them', async () => {
    const guests = Array.from({ length: 130 }, (_, n) => ({
      ...order,
      customer_id: 'guest',
      customer: { name: `Guest No. ${n}`, email: `guest+${n}@example.net`, phone: `+49 30 ${5_550_000 + n}` },
      shipping_address: { ...address, street: `Guest Street ${n}` },
    }));
    assert.equal((await service.post('/api/v1/orders/batch', guests)).body.failed, 0);
    for (const n of [0, 129])
      await run(
        `insert into audit (id, at, actor, action, object_id, details) values ('aud_g${n}', 't', 'a', 'x', 'o', '{"q":["guest+${n}@example.net"]}')`,
      );
    await erase('guest');
    const left = await service.app.db.read.all<{ details: string }>(sql`select details from audit where id in ('aud_g0', 'aud_g129')`);
    assert.deepEqual(
      left.map(({ details }) => JSON.parse(details) as unknown),
      [{ q: ['erased'] }, { q: ['erased'] }],
    );
  });

  test('entries of the log are still found by their other words', async () => {
    await service.app.db.write(writeLogs, [
      {
        time: '2026-11-01T00:00:01.000Z',
        level: 'info',
        sync_id: null,
        run_id: null,
        source_id: null,
        stream: null,
        message: 'Sent to Hephzibah yesterday',
        data: null,
        shop: null,
      },
    ]);
    await service.app.db.write(eraseFromLogs, ['Hephzibah']);
    const found = await service.get('/api/v1/datasync/logs?q=yesterday');
    assert.deepEqual([found.body.total, found.body.data[0].message], [1, 'Sent to erased yesterday']);
    assert.equal((await service.get('/api/v1/datasync/logs?q=hephzibah')).body.total, 0);
  });
});

/** Ids, names that operators give, states, times, settings, what is encrypted, what is made of orders, and what is taken out of orders by their own columns. */
const HARMLESS = new RegExp(
  '^(orders|order_\\w+|products|product_categories|erasures|erasure_state|counters|keys|key_secrets|sessions|migrations|migration_checksums|nodes|duties|notes|syncs|sync_versions|run_parts|lag_points|delivered|' +
    'log_marks|log_counts|log_head|logs|alert_incidents|hook_tokens|webhooks)\\.|' +
    '(^|[._])(id|ids|at|name|status|type|types|topic|kind|rule|target|stream|streams|mode|trigger|slot|node|until|owner|hash|config|secrets|seq|encoding|scheme|header|action|actor|address|channel_type|' +
    'channel|rules|scopes|remind_every|quiet_hours|share_of|created_by|what|field|error_at|not_before|position|since|lag|wanted_by|undo_run|fields|note|pause_reason|schema_noticed_at|verify_at|headers|shop|location|as_of)$',
);
