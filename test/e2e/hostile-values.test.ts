import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { onBothEngines } from '../support/databases.ts';
import { checkAnswer, type OpenApiDocument } from '../support/openapi-check.ts';
import { RawPool, requestBytes } from '../support/raw-http.ts';
import { type Reply, type Service, startService } from '../support/service.ts';

const EMOJI = '😀';

onBothEngines('hostile values', (engine) => {
  let service: Service;
  let document: OpenApiDocument;
  before(async () => {
    service = await startService(engine);
    document = (await service.get('/openapi.json')).body;
  });
  after(() => service.close());

  async function post(path: string, raw: string): Promise<Reply> {
    const reply = await service.call('POST', path, { raw });
    checkAnswer(document, 'POST', path, reply.status, reply.headers, reply.body);
    return reply;
  }

  /** Posts an order of one line, with these members in the place of the usual ones; all of it is JSON text. */
  function order(members: Record<string, string> = {}, line: Record<string, string> = {}): string {
    const text = (object: Record<string, string>): string =>
      `{${Object.entries(object)
        .map(([name, json]) => `"${name}":${json}`)
        .join(',')}}`;
    const item = text({ product_id: '"p"', quantity: '3', price: '19.99', ...line });
    return text({ customer_id: '"c"', items: `[${item}]`, ...members });
  }

  async function accepted(raw: string): Promise<string> {
    const made = await post('/api/v1/orders', raw);
    assert.equal(made.status, 200, made.text);
    const read = await service.get(`/api/v1/orders/${made.body.data.id}`);
    assert.equal(read.text, made.text);
    const listed = await service.get('/api/v1/orders?limit=1&expand=all');
    assert.equal(listed.text.slice('{"success":true,"data":['.length).indexOf(made.text.slice('{"success":true,"data":'.length, -1)), 0);
    return made.text;
  }

  async function refused(raw: string, field: string, code = 'INVALID_PARAMS'): Promise<void> {
    const before = (await service.get('/api/v1/orders?limit=1')).body.total as number;
    const reply = await post('/api/v1/orders', raw);
    assert.equal(reply.status, 400, reply.text);
    assert.equal(reply.body.error.code, code, reply.text);
    assert.equal(reply.body.error.details.field, field, reply.text);
    assert.deepEqual(reply.body.error.details.errors[0], { field, reason: reply.body.error.details.reason });
    assert.equal((await service.get('/api/v1/orders?limit=1')).body.total, before);
  }

  describe('money', () => {
    const totals: [quantity: string, price: string, total: string][] = [
      ['3', '19.99', '59.97'],
      ['3', '0.1', '0.3'],
      ['3', '0.10', '0.3'],
      ['3', '1e-1', '0.3'],
      ['3', '100E-3', '0.3'],
      ['3', '0.1000000000000000000000000', '0.3'],
      ['1e2', '2', '200'],
      ['7', '-0', '0'],
      ['1', '0.0001', '0.0001'],
      ['999999', '1.1111', '1111098.8889'],
      ['1000000', '99999999.9999', '99999999999900'],
      ['999999', '99999999.9999', '99999899999900.0001'],
    ];
    for (const [quantity, price, total] of totals) {
      test(`${quantity} × ${price} is ${total}, to the digit`, async () => {
        const text = await accepted(order({}, { quantity, price }));
        assert.ok(text.includes(`"total":${total},`), text);
        assert.ok(text.includes(`"line_total":${total},`), text);
      });
    }

    test('500 lines of 1,000,000 × 99,999,999.9999 are 49,999,999,999,950,000, and with odd quantities exact as well', async () => {
      const lines = (quantity: number): string =>
        `[${Array.from({ length: 500 }, () => `{"product_id":"p","quantity":${quantity},"price":99999999.9999}`).join(',')}]`;
      assert.ok((await accepted(order({ items: lines(1_000_000) }))).includes('"total":49999999999950000,'));
      assert.ok((await accepted(order({ items: lines(999_999) }))).includes('"total":49999949999950000.05,'));
    });

    const wrong: [name: string, value: string][] = [
      ['price', '0.30000000000000004'],
      ['price', '1e-7'],
      ['price', '0.00001'],
      ['price', '-0.0001'],
      ['price', '100000000'],
      ['price', '99999999.99991'],
      ['price', '99999999.999900000000000000001'],
      ['price', '19.990000000000000000001'],
      ['price', '1e400'],
      ['price', '1e-400'],
      ['price', '"19.99"'],
      ['price', 'null'],
      ['quantity', '0'],
      ['quantity', '-0'],
      ['quantity', '-1'],
      ['quantity', '1.5'],
      ['quantity', '1000001'],
      ['quantity', '9007199254740991'],
      ['quantity', '9007199254740993'],
      ['quantity', '1e400'],
      ['quantity', '1.0000000000000000001'],
      ['quantity', '12345678901234567890'],
      ['quantity', '"3"'],
      ['quantity', 'true'],
      ['quantity', '[3]'],
    ];
    for (const [name, value] of wrong) {
      test(`a ${name} of ${value} is refused`, () => refused(order({}, { [name]: value }), `items[0].${name}`));
    }
  });

  describe('text', () => {
    test('of 64 emoji fits into 64 characters, of 65 does not', async () => {
      const text = await accepted(order({ customer_id: JSON.stringify(EMOJI.repeat(64)) }));
      assert.ok(text.includes(`"customer_id":"${EMOJI.repeat(64)}"`));
      await refused(order({ customer_id: JSON.stringify(EMOJI.repeat(65)) }), 'customer_id');
      await refused(order({ customer_id: JSON.stringify(`${EMOJI.repeat(63)}ab`) }), 'customer_id');
    });

    test('comes back as it is: no trimming, no normalising, no entities', async () => {
      const odd = [
        ' a ',
        'e\u0301',
        'é',
        '\u202eabc',
        '\ufeff',
        '\uffff',
        '<b>&amp;',
        '\\u0041',
        "'; drop table orders; --",
        '%s$1',
        '\u2028',
        '\t\n\r\b\f\u0001\u007f',
      ];
      for (const customer of odd) {
        const body = JSON.parse(await accepted(order({ customer_id: JSON.stringify(customer) })));
        assert.equal(body.data.customer_id, customer);
        const found = await service.get(`/api/v1/orders?limit=1&customer_id=${encodeURIComponent(customer)}`);
        assert.equal(found.body.data[0]?.id, body.data.id);
      }
    });

    test('with NUL or half of a surrogate pair is refused, wherever it is', async () => {
      for (const bad of ['"\\u0000"', '"a\\u0000b"', '"\\ud800"', '"\\udfff\\ud800"', '"\\ud83d\\u0041"']) {
        await refused(order({ customer_id: bad }), 'customer_id');
        await refused(order({}, { product_id: bad }), 'items[0].product_id');
        await refused(order({ metadata: `{"a":[{"b":${bad}}]}` }), 'metadata.a[0].b');
        await refused(order({ shipping_address: `{"street":"s","city":"c","zip":${bad}}` }), 'shipping_address.zip');
      }
      await refused(order({ metadata: '{"a\\u0000":1}' }), 'metadata.a\\u0000');
      assert.ok((await accepted(order({ customer_id: '"\\ud83d\\ude00"' }))).includes(`"customer_id":"${EMOJI}"`));
    });
  });

  describe('members', () => {
    test('named like what every object has are unknown all the same', async () => {
      for (const name of ['constructor', 'toString', 'hasOwnProperty', 'valueOf', '__defineGetter__', '']) {
        await refused(order({ [name]: '1' }), name);
        await refused(order({}, { [name]: '1' }), `items[0].${name}`);
      }
    });

    test('named __proto__ are refused, in metadata too, however they are spelt', async () => {
      await refused(order({ ['__proto__']: '{"customer_id":"x"}' }), '__proto__');
      await refused(order({ metadata: '{"a":{"\\u005f_proto__":{"polluted":true}}}' }), 'metadata.a.__proto__');
      assert.equal(({} as { polluted?: boolean }).polluted, undefined);
    });

    test('that every object has do not stand in for those that are missing', async () => {
      await refused('{"__proto__":{"customer_id":"c","items":[]}}', '__proto__');
      await refused('{}', 'customer_id');
      await refused('[]', '');
    });

    test('that are there twice are refused, whichever of the two is right', async () => {
      await refused(`{"customer_id":1,${order({ customer_id: '"last"' }).slice(1)}`, 'customer_id', 'MALFORMED_JSON');
      await refused(`${order().slice(0, -1)},"customer_id":1}`, 'customer_id', 'MALFORMED_JSON');
    });

    test('of metadata may have any name but that one', async () => {
      const metadata = '{"constructor":1,"toString":{"valueOf":null},"":[],"é":"","a.b":true,"2":0,"hasOwnProperty":"x"}';
      const body = JSON.parse(await accepted(order({ metadata })));
      assert.deepEqual(body.data.metadata, JSON.parse(metadata));
    });
  });

  describe('metadata', () => {
    const ofBytes = (bytes: number): string => `{"a":"${'é'.repeat((bytes - 8) / 2)}"}`;
    const nested = (depth: number): string => `${'{"a":'.repeat(depth - 1)}{}${'}'.repeat(depth - 1)}`;

    test('of exactly 16 KiB fits, and of one byte more does not', async () => {
      const fits = ofBytes(16 * 1024);
      assert.equal(Buffer.byteLength(fits), 16 * 1024);
      assert.ok((await accepted(order({ metadata: fits }))).includes(`"metadata":${fits},`));
      await refused(order({ metadata: fits.replace('é', 'éa') }), 'metadata');
    });

    test('is measured without the spaces between', async () => {
      assert.ok((await accepted(order({ metadata: `{"a":1${' '.repeat(20_000)}}` }))).includes('"metadata":{"a":1},'));
    });

    test('of 32 levels fits, and of 33 does not', async () => {
      assert.ok((await accepted(order({ metadata: nested(32) }))).includes(`"metadata":${nested(32)},`));
      await refused(order({ metadata: nested(33) }), 'metadata');
      await refused(order({ metadata: `{"a":${'['.repeat(32)}${']'.repeat(32)}}` }), 'metadata');
      await refused(order({ metadata: nested(10_000) }), 'metadata');
    });

    test('keeps numbers that no double holds, digit for digit', async () => {
      const metadata =
        '{"a":12345678901234567890,"b":[-0.12345678901234567890123,1e400,1e-400,9007199254740993],"c":{"d":123456789.123456789123456789}}';
      assert.ok((await accepted(order({ metadata }))).includes(`"metadata":${metadata},`));
    });
  });

  test('500 items fit, 501 do not', async () => {
    const items = (count: number): string =>
      `[${Array.from({ length: count }, () => '{"product_id":"p","quantity":1,"price":1}').join(',')}]`;
    assert.ok((await accepted(order({ items: items(500) }))).includes('"total":500,'));
    await refused(order({ items: items(501) }), 'items');
    await refused(order({ items: '[]' }), 'items');
  });

  test('every fault is told, the first of them twice', async () => {
    const reply = await post('/api/v1/orders', '{"customer_id":"","items":[{"quantity":0,"price":-1}],"x":1}');
    const fields = reply.body.error.details.errors.map(({ field }: { field: string }) => field);
    assert.deepEqual(fields, ['customer_id', 'items[0].product_id', 'items[0].quantity', 'items[0].price', 'x']);
    assert.equal(reply.body.error.details.field, 'customer_id');
  });

  test('a body of a megabyte of faults is answered with a bounded number of them', async () => {
    const members = Array.from({ length: 90_000 }, (_, i) => `"m${i}":1`).join(',');
    const reply = await post('/api/v1/orders', `{${members}}`);
    assert.equal(reply.status, 400);
    assert.ok(reply.body.error.details.errors.length <= 1000);
  });

  test('a product may be called like a part of the path, or like nothing at all', async () => {
    // By hand, as fetch would tidy up an address that ends in `..`.
    const pool = new RawPool(Number(new URL(service.url).port));
    const key = { Authorization: `Bearer ${service.adminKey}` };
    for (const product_id of [
      'sync',
      'sync/batch',
      'batch',
      '/',
      '//',
      '..',
      '.',
      '%2F',
      '%',
      ' ',
      '?',
      '#',
      '+',
      ':product_id',
      '*',
      'null',
      EMOJI,
    ]) {
      const made = await service.post('/api/v1/products/sync', { product_id, name: 'odd', price: 1 });
      assert.equal(made.body.data.result, 'created', made.text);
      const path = `/api/v1/products/${encodeURIComponent(product_id)}`;
      assert.equal(JSON.parse((await pool.send(requestBytes('GET', path, key))).text).data?.product_id, product_id);
      assert.equal(JSON.parse((await pool.send(requestBytes('DELETE', path, key))).text).data?.product_id, product_id);
      assert.equal((await pool.send(requestBytes('GET', path, key))).status, 404);
    }
    pool.close();
  });
});
