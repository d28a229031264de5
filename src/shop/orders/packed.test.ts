import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { OrderDraft } from './order-draft.ts';
import { packDrafts, unpackDrafts } from './packed.ts';

/** Any text that we keep: whatever there is in Unicode but NUL. */
const text = fc.string({ unit: 'binary', minLength: 1, maxLength: 8 }).filter((one) => !one.includes('\0'));
const json = fc.json({ maxDepth: 2 });
const line = fc.record(
  {
    product_id: text,
    quantity: fc.integer({ min: 1, max: 1_000_000 }),
    price: fc.constant('19.99'),
    line_total: fc.constant('59.97'),
    more: text,
  },
  { requiredKeys: ['product_id', 'quantity', 'price', 'line_total'] },
);
const draft: fc.Arbitrary<OrderDraft> = fc.record(
  {
    id: text,
    created_at: text,
    customer_id: text,
    currency: fc.constant('EUR'),
    external_id: fc.option(text),
    total: fc.constant('59.97'),
    lines: fc.array(line, { minLength: 1, maxLength: 4 }),
    shipping_address: fc.option(json),
    metadata: json,
    extra: json,
    payment_status: fc.constant('paid'),
    reserve: fc.constant(true as const),
    status: fc.constant('delivered'),
    past: json,
    idempotency: fc.option(fc.record({ owner: text, key: text, bodyHash: text, expiresAt: text })),
  },
  {
    requiredKeys: [
      'id',
      'created_at',
      'customer_id',
      'currency',
      'external_id',
      'total',
      'lines',
      'shipping_address',
      'metadata',
      'idempotency',
    ],
  },
);

describe('orders on their way to another thread', () => {
  test('come out as they went in', () => {
    fc.assert(
      fc.property(fc.array(draft, { maxLength: 4 }), (drafts) => {
        assert.deepEqual([...unpackDrafts(packDrafts(drafts))].flat(), plain(drafts));
      }),
      { numRuns: 300 },
    );
  });

  test('are refused when a text has a NUL in it, which would make others of its neighbours', () => {
    fc.assert(
      fc.property(draft, draft, text, (first, second, rest) => {
        assert.throws(() => [...unpackDrafts(packDrafts([{ ...first, customer_id: `a\0${rest}` }, second]))], /another number of fields/);
      }),
      { numRuns: 100 },
    );
  });
});

/** What fast-check makes has no prototype. */
function plain<Value>(value: Value): Value {
  return structuredClone(value);
}
