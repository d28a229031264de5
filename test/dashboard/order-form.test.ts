import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Order } from '../../dashboard/src/api/resources.ts';
import {
  ADDRESS_FIELDS,
  changedSince,
  CUSTOMER_FIELDS,
  differencesOf,
  formOf,
  linesFault,
  linesFixed,
  metadataFault,
  type OrderForm,
  patchOf,
} from '../../dashboard/src/views/orders/change/order-form.ts';
import { mergePatch } from '../../src/shop/orders/change/merge.ts';

const ORDER = {
  id: 'ord_1',
  status: 'new',
  total: 9,
  version: 3,
  customer_id: 'c',
  currency: 'EUR',
  external_id: null,
  created_at: '2026-11-01T00:00:00.000Z',
  updated_at: '2026-11-01T00:00:00.000Z',
  items: [
    { product_id: 'mug', quantity: 2, price: 4.5, line_total: 9, product_known: true, discount: { code: 'X', percent: 10, amount: 0.9 } },
  ],
  shipping_address: { street: 'Main St 1', city: 'Springfield', zip: '12345' },
  metadata: { a: { b: 1, c: [1, { d: null }] }, e: 'x' },
  customer: { name: 'Jo' },
  note: 'ring twice',
  tags: ['gift'],
  history: [],
} as unknown as Order;

const text = fc.constantFrom('', ' ', 'Jo', 'Main St 1', ' x ', 'Zoë');
const texts = <Field extends string>(fields: readonly Field[]) =>
  fc.record(Object.fromEntries(fields.map((field) => [field, text]))) as fc.Arbitrary<Record<Field, string>>;
const value = fc.letrec((tie) => ({
  any: fc.oneof({ depthSize: 'small' }, fc.integer(), fc.constantFrom('x', true), fc.array(fc.nat(3), { maxLength: 2 }), tie('object')),
  object: fc.dictionary(fc.constantFrom('a', 'b', 'c', 'e'), tie('any'), { maxKeys: 3, noNullPrototype: true }),
})).object;
const forms: fc.Arbitrary<OrderForm> = fc.record({
  shipping_address: texts(ADDRESS_FIELDS),
  billing_address: texts(ADDRESS_FIELDS),
  customer: texts(CUSTOMER_FIELDS),
  note: text,
  tags: fc.subarray(['gift', 'vip']),
  metadata: value.map((object) => JSON.stringify(object)),
  lines: fc.constant(formOf(ORDER).lines),
});

test('what is sent makes of the order what was entered, and nothing else of it another', () => {
  const trimmed = (object: Readonly<Record<string, string>>): object | undefined => {
    const entries = Object.entries(object).flatMap(([name, one]) => (one.trim() === '' ? [] : [[name, one.trim()]]));
    return entries.length === 0 ? undefined : Object.fromEntries(entries);
  };
  fc.assert(
    fc.property(forms, value, (form, metadata) => {
      const order = { ...ORDER, metadata };
      const patch = patchOf(order, form);
      const after = mergePatch(order, patch) as Order;
      assert.deepEqual(after.shipping_address ?? undefined, trimmed(form.shipping_address));
      assert.deepEqual(after.billing_address, trimmed(form.billing_address));
      assert.deepEqual(after.customer, trimmed(form.customer));
      assert.equal(after.note, form.note.trim() === '' ? undefined : form.note);
      assert.deepEqual(after.tags ?? [], form.tags);
      assert.deepEqual(after.metadata, JSON.parse(form.metadata));
      assert.deepEqual(after.items, order.items);
      assert.equal(differencesOf(order, form).length === 0, Object.keys(patch).length === 0);
    }),
  );
});

test('what was not touched is not sent', () => {
  assert.deepEqual(patchOf(ORDER, formOf(ORDER)), {});
  const form = formOf(ORDER);
  const patch = patchOf(ORDER, {
    ...form,
    metadata: '{"a":{"b":2,"c":[1,{"d":null}]},"e":"x"}',
    lines: form.lines.map((line) => ({ ...line, price: '5' })),
  });
  assert.deepEqual(patch, {
    metadata: { a: { b: 2 } },
    items: [{ product_id: 'mug', quantity: 2, price: 5, discount: { code: 'X', percent: 10 } }],
  });
});

test('says what cannot be, and who has changed what meanwhile', () => {
  const form = formOf(ORDER);
  assert.deepEqual([metadataFault(ORDER, form), linesFault(form)], [undefined, undefined]);
  assert.match(metadataFault(ORDER, { ...form, metadata: '[1]' }) ?? '', /JSON object/);
  assert.match(metadataFault(ORDER, { ...form, metadata: '{"a":null}' }) ?? '', /Null/);
  assert.match(linesFault({ ...form, lines: [] }) ?? '', /at least one line/);
  for (const change of [{ quantity: '0' }, { quantity: '1.5' }, { price: '1,5' }, { price: '1.23456' }, { product_id: ' ' }])
    assert.match(linesFault({ ...form, lines: form.lines.map((line) => ({ ...line, ...change })) }) ?? '', /^Line 1 needs/);
  assert.equal(linesFixed(ORDER), undefined);
  assert.match(linesFixed({ ...ORDER, status: 'shipped' }) ?? '', /shipped/);
  const item = ORDER.items[0] as Order['items'][number];
  assert.match(linesFixed({ ...ORDER, items: [{ ...item, tax: { rate: 19, amount: 1 } }] }) ?? '', /taxes of their own/);
  const changes = [2, 3, 4].map((version) => ({ version, at: '', by: 'key', members: ['note', `m${version}`] }));
  assert.deepEqual(changedSince({ ...ORDER, changes }, 2), ['note', 'm3', 'm4']);
});
