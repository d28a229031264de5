import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { minorDigits } from '../../../lib/currency.ts';
import { type Units, unitsOfText } from '../../../lib/money.ts';
import type { Static } from '../../../lib/schema.ts';
import { draftOrder } from '../draft.ts';
import { renderLines } from '../render.ts';
import type { NewOrder } from '../schemas.ts';
import { worthOfLines, worthOfPieces } from './worth.ts';

const decimal = (most: number) => fc.integer({ min: 0, max: most }).map((units) => units / 10_000);
const discount = fc.oneof(fc.record({ percent: decimal(500_000) }), fc.record({ amount: fc.constantFrom(0, 0.01, 0.0003) }));
const tax = fc.oneof(fc.record({ rate: decimal(400_000) }), fc.record({ amount: decimal(50_000) }));

const order = fc.record(
  {
    customer_id: fc.constant('c'),
    currency: fc.constantFrom('EUR', 'JPY', 'KWD'),
    items: fc.array(
      fc.record(
        { product_id: fc.constant('p'), quantity: fc.integer({ min: 1, max: 9 }), price: decimal(1_000_000), discount, tax },
        { requiredKeys: ['product_id', 'quantity', 'price'] },
      ),
      { minLength: 1, maxLength: 6 },
    ),
    discounts: fc.array(discount, { maxLength: 2 }),
    taxes: fc.array(tax, { maxLength: 2 }),
    shipping: fc.record({ price: decimal(100_000), tax }, { requiredKeys: ['price'] }),
    prices_include_tax: fc.boolean(),
  },
  { requiredKeys: ['customer_id', 'currency', 'items'], noNullPrototype: true },
);

interface Kept {
  items: string;
  extra: string | null;
  currency: string;
  total: Units;
}

/** Undefined for orders that nobody may place, as more is off than there is. */
function placed(body: unknown): Kept | undefined {
  try {
    const {
      lines,
      extra = null,
      currency,
      total,
    } = draftOrder(body as Static<typeof NewOrder>, {
      now: 0,
      currency: 'EUR',
      owner: '',
      idempotencyKey: undefined,
    });
    return { items: renderLines(lines, () => true), extra, currency, total: unitsOfText(total) };
  } catch {
    return undefined;
  }
}

/** What the total has beside the lines: shipping and what is taxed with it. */
function beside({ extra }: Kept): { least: Units; most: Units } {
  const {
    shipping,
    taxes = [],
    prices_include_tax: isIn,
  } = JSON.parse(extra ?? '{}') as {
    shipping?: { price: number; tax?: { amount: number } };
    taxes?: { amount: number }[];
    prices_include_tax?: boolean;
  };
  const units = (amount = 0): Units => BigInt(Math.round(amount * 10_000));
  const least = units(shipping?.price) + (isIn ? 0n : units(shipping?.tax?.amount));
  // The taxes of the order are on shipping too, where it has none of its own, and where nothing else is there to be taxed.
  return { least, most: isIn ? least : least + taxes.reduce((sum, { amount }) => sum + units(amount), 0n) };
}

test('what lines come to is never more than was paid, and with the shipping all of it', () => {
  let whole = 0;
  fc.assert(
    fc.property(order, (body) => {
      const kept = placed(body);
      if (!kept) return;
      const worths = worthOfLines(kept);
      for (const worth of worths) assert.ok(worth >= 0n);
      const sum = worths.reduce((all, worth) => all + worth, 0n);
      const { least, most } = beside(kept);
      const step = 10n ** BigInt(4 - minorDigits(kept.currency));
      if (least === most) {
        whole++;
        assert.equal(sum, kept.total - least);
      } else {
        assert.ok(sum <= kept.total - least + step && sum >= kept.total - most - step, `${sum} of ${kept.total}`);
      }
    }),
    { numRuns: 2000 },
  );
  assert.ok(whole > 500, 'most orders can be told exactly');
});

test('pieces of a line, in whatever parts, come to what the line comes to, and each to whole coins but for the last', () => {
  const parts = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 10n ** 12n }), parts, fc.constantFrom('EUR', 'JPY', 'KWD'), (worth, quantities, currency) => {
      const ordered = quantities.reduce((sum, quantity) => sum + quantity, 0);
      const step = 10n ** BigInt(4 - minorDigits(currency));
      let [before, sum] = [0, 0n];
      for (const quantity of quantities) {
        const amount = worthOfPieces(worth, ordered, before, quantity, currency);
        before += quantity;
        sum += amount;
        assert.ok(amount >= 0n && sum <= worth);
        if (before < ordered && sum < worth) assert.equal(sum % step, 0n);
      }
      assert.equal(sum, worth);
    }),
    { numRuns: 2000 },
  );
});
