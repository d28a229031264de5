import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { idAt } from '../../../lib/ids.ts';
import { renderLines } from '../render.ts';
import type { OrderLine } from '../rules.ts';
import { placedAt } from './placed.ts';
import { hashOf } from './gathering.ts';
import { SegmentBuilder, unpackedHashes } from './segment.ts';
import { type FindableOrder, termsOf } from './terms.ts';

// What is told in the way in which we write it is read off the text; anything else is taken apart. Both must find the same.

/** Ids with what JSON escapes, and with what looks like the end of a line or of a member. */
const productId = fc.oneof(
  fc.string({ unit: 'binary', minLength: 1, maxLength: 12 }),
  fc.constantFrom('sku-1', 'Größe 42', '"', '\\', '{"product_id":"x"}', 'a","quantity":1', '}', ']', ','),
);
/** What a line may have behind what every line has. */
const more = fc.record({ name: productId, sku: productId }, { requiredKeys: [] }).map((members) => JSON.stringify(members).slice(1, -1));
const line = fc.record({ product_id: productId, quantity: fc.integer({ min: 1, max: 9 }), more }).map(
  ({ more: members, ...rest }): OrderLine => ({
    ...rest,
    price: '19.99',
    line_total: '59.97',
    more: members === '' ? '' : `,${members}`,
  }),
);
const extra = fc.option(
  fc
    .record(
      {
        note: fc.oneof(productId, fc.constant('"placed_at":"2020-01-01T00:00:00.000Z"}')),
        customer: fc.record(
          { email: productId, name: productId, placed_at: fc.constant('2019-01-01T00:00:00.000Z') },
          { requiredKeys: [] },
        ),
        channel: productId,
        tags: fc.array(productId, { maxLength: 2 }),
        placed_at: fc.constant('2021-05-06T07:08:09.123Z'),
      },
      { requiredKeys: [] },
    )
    .chain((members) => fc.shuffledSubarray(Object.entries(members), { minLength: Object.keys(members).length }))
    .map((entries) => JSON.stringify(Object.fromEntries(entries))),
);
const order = fc
  .record({ lines: fc.array(line, { minLength: 1, maxLength: 4 }), extra, customer_id: productId, external_id: fc.option(productId) })
  .map(
    ({ lines, ...rest }): FindableOrder => ({
      ...rest,
      id: idAt('ord', Date.UTC(2026, 10, 1)),
      version: 1,
      status: 'new',
      total: '59.97',
      updated_at: '2026-11-01T00:00:00.000Z',
      currency: 'EUR',
      items: renderLines(lines, (id) => id.length % 2 === 0),
    }),
  );

/** The same, written as nobody of us writes it. */
function spaced(json: string): string {
  return JSON.stringify(JSON.parse(json), null, 1);
}

function otherwise(one: FindableOrder): FindableOrder {
  return { ...one, items: spaced(one.items), extra: one.extra === null ? null : spaced(one.extra) };
}

describe('what an order is found by', () => {
  test('is the same, however its JSON is written', () => {
    fc.assert(
      fc.property(order, (one) => {
        assert.deepEqual(termsOf(one), termsOf(otherwise(one)));
      }),
      { numRuns: 1000 },
    );
  });

  test('are its products, their words, and those of its customer', () => {
    const items = renderLines([{ product_id: 'Red-Mug', quantity: 1, price: '1', line_total: '1' }], () => true);
    const terms = termsOf({ ...(fc.sample(order, 1)[0] as FindableOrder), items, customer_id: 'cust 7', external_id: null, extra: null });
    assert.deepEqual([...terms].sort(), ['ccust 7', 'pRed-Mug', 'wcust ', 'w7 ', 'wmug ', 'wred ', 'yEUR'].sort());
  });

  test('has the hash in a segment that it has alone, whatever comes twice in it', () => {
    fc.assert(
      fc.property(fc.array(order, { minLength: 1, maxLength: 5 }), (orders) => {
        const builder = new SegmentBuilder();
        for (const one of orders) builder.add(one);
        const hashes = unpackedHashes(builder.finish().columns['hashes'] ?? '');
        assert.deepEqual(
          [...hashes],
          orders.map((one) => hashOf(termsOf(one))),
        );
      }),
      { numRuns: 200 },
    );
  });
});

test('when an order was placed is read where it is told, and else from its id', () => {
  fc.assert(
    fc.property(order, (one) => {
      const told = one.extra === null ? undefined : (JSON.parse(one.extra) as { placed_at?: string }).placed_at;
      assert.equal(placedAt(one), told === undefined ? Date.UTC(2026, 10, 1) : Date.parse(told));
    }),
    { numRuns: 1000 },
  );
});
