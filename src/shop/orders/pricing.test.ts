import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { minorDigits } from '../../lib/currency.ts';
import { decimalText } from '../../lib/money.ts';
import { type Levy, type Priceable, type Priced, priceOrder, type Reduction } from './pricing.ts';

// Every result is computed a second time, with fractions that are never rounded but where the rules say so.

/** An exact fraction; money is in whole units of the currency here, not in ten-thousandths. */
class Exact {
  readonly above: bigint;
  readonly below: bigint;

  constructor(above: bigint, below = 1n) {
    this.above = above;
    this.below = below;
  }

  plus(other: Exact): Exact {
    return new Exact(this.above * other.below + other.above * this.below, this.below * other.below);
  }

  minus(other: Exact): Exact {
    return this.plus(new Exact(-other.above, other.below));
  }

  times(other: Exact): Exact {
    return new Exact(this.above * other.above, this.below * other.below);
  }

  over(other: Exact): Exact {
    return new Exact(this.above * other.below, this.below * other.above);
  }

  isZero(): boolean {
    return this.above === 0n;
  }

  exceeds(other: Exact): boolean {
    return this.minus(other).above > 0n;
  }

  equals(other: Exact): boolean {
    return this.minus(other).above === 0n;
  }

  /** To so many decimals: the nearest one, and of two that are as near the upper one. */
  rounded(digits: number): Exact {
    const scale = 10n ** BigInt(digits);
    const lower = new Exact((this.above * scale) / this.below, scale);
    const upper = lower.plus(new Exact(1n, scale));
    return upper.minus(this).exceeds(this.minus(lower)) ? lower : upper;
  }
}

const ZERO = new Exact(0n);
const ONE = new Exact(1n);
const money = (units: bigint): Exact => new Exact(units, 10_000n);
/** A percentage, as the part that it is. */
const part = (percent: bigint): Exact => new Exact(percent, 1_000_000n);
const total = (amounts: readonly Exact[]): Exact => amounts.reduce((sum, amount) => sum.plus(amount), ZERO);

interface Expected {
  lineDiscounts: Exact[];
  lineTaxes: Exact[];
  discounts: Exact[];
  shippingTax: Exact;
  taxes: Exact[];
  total: Exact;
  fault: string | undefined;
}

/** The rules of docs/api.md, word for word and as slowly as they read. */
function byTheRules({ lines, discounts, shipping, taxes, pricesIncludeTax, digits }: Priceable): Expected {
  const off = ({ amount, percent }: Reduction, from: Exact): Exact =>
    amount === undefined ? from.times(part(percent ?? 0n)).rounded(digits) : money(amount);
  const lineDiscounts = lines.map(({ sum, discount }) => (discount ? off(discount, money(sum)) : ZERO));
  const nets = lines.map(({ sum }, i) => money(sum).minus(lineDiscounts[i] as Exact));
  const goods = total(nets);
  const ofOrder = discounts.map((discount) => off(discount, goods));
  const kept = goods.isZero() ? ZERO : ONE.minus(total(ofOrder).over(goods));
  const bases = nets.map((net) => net.times(kept));
  const tax = ({ rate, amount }: Levy, base: Exact, all: Exact): Exact => {
    if (amount !== undefined) return money(amount);
    return base
      .times(part(rate ?? 0n))
      .over(pricesIncludeTax ? ONE.plus(all) : ONE)
      .rounded(digits);
  };
  const alone = (levy: Levy, base: Exact): Exact => tax(levy, base, part(levy.rate ?? 0n));
  const lineTaxes = lines.map((line, i) => (line.tax ? alone(line.tax, bases[i] as Exact) : ZERO));
  const shippingPrice = money(shipping?.price ?? 0n);
  const shippingTax = shipping?.tax ? alone(shipping.tax, shippingPrice) : ZERO;
  const untaxed = total([...bases.filter((_, i) => !lines[i]?.tax), ...(shipping?.tax ? [] : [shippingPrice])]);
  const allRates = total(taxes.map(({ rate }) => part(rate ?? 0n)));
  const orderTaxes = taxes.map((levy) => tax(levy, untaxed, allRates));
  const taxTotal = total([...lineTaxes, shippingTax, ...orderTaxes]);
  const beforeTax = goods.minus(total(ofOrder)).plus(shippingPrice);
  const over = lines.findIndex(({ sum }, i) => (lineDiscounts[i] as Exact).exceeds(money(sum)));
  const fault =
    over !== -1
      ? `items[${over}].discount`
      : total(ofOrder).exceeds(goods)
        ? 'discounts'
        : pricesIncludeTax && taxTotal.exceeds(beforeTax)
          ? 'prices_include_tax'
          : undefined;
  return {
    lineDiscounts,
    lineTaxes,
    discounts: ofOrder,
    shippingTax,
    taxes: orderTaxes,
    total: pricesIncludeTax ? beforeTax : beforeTax.plus(taxTotal),
    fault,
  };
}

const amount = fc.oneof(
  fc.bigInt({ min: 0n, max: 2_000_000n }),
  fc.bigInt({ min: 0n, max: 10n ** 18n }),
  fc.constantFrom(0n, 1n, 50n, 5_000n),
);
const percent = fc.oneof(fc.bigInt({ min: 0n, max: 1_000_000n }), fc.constantFrom(0n, 50_000n, 100_000n, 333_333n, 1_000_000n));
const rate = fc.oneof(fc.bigInt({ min: 0n, max: 300_000n }), fc.constantFrom(70_000n, 190_000n, 88_750n, 77_000n, 10_000_000n));
const cents = fc.bigInt({ min: 0n, max: 100_000n });
const discount: fc.Arbitrary<Reduction> = fc.oneof(
  cents.map((n) => ({ amount: n })),
  percent.map((n) => ({ percent: n })),
);
const levy: fc.Arbitrary<Levy> = fc.oneof(
  rate.map((n) => ({ rate: n })),
  cents.map((n) => ({ amount: n })),
  fc.record({ rate, amount: cents }),
);
const optional = <T>(values: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(values, { nil: undefined });

/** Orders of one kind: which of the parts they have is given, so that no combination depends on chance. */
function orders(kind: { inclusive: boolean; ofLines: boolean; ofOrder: boolean; currency: string }): fc.Arbitrary<Priceable> {
  const line = fc.record({
    sum: amount,
    discount: kind.ofLines ? optional(discount) : fc.constant(undefined),
    tax: optional(levy),
  });
  return fc.record({
    lines: fc.array(line, { minLength: 1, maxLength: 6 }),
    discounts: kind.ofOrder ? fc.array(discount, { maxLength: 3 }) : fc.constant([]),
    shipping: optional(fc.record({ price: amount, tax: optional(levy) })),
    taxes: fc.array(levy, { maxLength: 3 }),
    pricesIncludeTax: fc.constant(kind.inclusive),
    digits: fc.constant(minorDigits(kind.currency)),
  });
}

const YES_AND_NO = [false, true];

describe('priceOrder', () => {
  for (const currency of ['JPY', 'EUR', 'KWD']) {
    for (const inclusive of YES_AND_NO) {
      test(`${currency}, prices ${inclusive ? 'with' : 'without'} tax: every part is the exact one, and they sum to the total`, () => {
        for (const ofLines of YES_AND_NO) {
          for (const ofOrder of YES_AND_NO) {
            let priced = 0;
            fc.assert(
              fc.property(orders({ inclusive, ofLines, ofOrder, currency }), (order) => {
                const expected = byTheRules(order);
                const result = priceOrder(order);
                if ('fault' in result) {
                  assert.equal(result.fault.field, expected.fault);
                  return;
                }
                assert.equal(expected.fault, undefined);
                priced++;
                assertEqual(result, expected);
                assertSums(result, order);
              }),
              { numRuns: 400 },
            );
            assert.ok(priced > 50, `only ${priced} orders could be priced`);
          }
        }
      });
    }
  }

  test('a half goes up, to the decimals of the currency', () => {
    const taxOf = (currency: string, sum: bigint, by: bigint): string => {
      const result = priceOrder({ ...NOTHING, lines: [{ sum, tax: { rate: by } }], digits: minorDigits(currency) });
      assert.ok(!('fault' in result));
      return decimalText(result.taxTotal);
    };
    assert.equal(taxOf('EUR', 500n, 100_000n), '0.01', '10 % of 0.05 is 0.005');
    assert.equal(taxOf('EUR', 499n, 100_000n), '0');
    assert.equal(taxOf('JPY', 50_000n, 100_000n), '1', '10 % of 5 is 0.5');
    assert.equal(taxOf('JPY', 49_999n, 100_000n), '0');
    assert.equal(taxOf('KWD', 50n, 100_000n), '0.001', '10 % of 0.005 is 0.0005');
    assert.equal(taxOf('CLF', 5n, 100_000n), '0.0001');
  });

  test('an order that people know: 19 % in the price, ten percent off, shipping', () => {
    const result = priceOrder({
      ...NOTHING,
      lines: [{ sum: 599_700n, tax: { rate: 190_000n } }],
      discounts: [{ percent: 100_000n }],
      shipping: { price: 49_000n, tax: { rate: 190_000n } },
      pricesIncludeTax: true,
    });
    assert.ok(!('fault' in result));
    // 59.97 − 6.00 + 4.90; the tax in 53.97 is 8.62, that in 4.90 is 0.78.
    const { subtotal, discountTotal, shippingTotal, taxTotal, total: all } = result;
    assert.deepEqual([subtotal, discountTotal, shippingTotal, taxTotal, all].map(decimalText), ['59.97', '6', '4.9', '9.4', '58.87']);
  });
});

const NOTHING: Priceable = { lines: [], discounts: [], taxes: [], pricesIncludeTax: false, digits: 2 };

function assertEqual(result: Priced, expected: Expected): void {
  const compare = (what: string, actual: readonly (bigint | undefined)[], wanted: readonly Exact[]): void => {
    assert.equal(actual.length, wanted.length, what);
    actual.forEach((units, i) => assert.ok(money(units ?? 0n).equals(wanted[i] as Exact), `${what} ${i}: ${units}`));
  };
  compare(
    'discount of line',
    result.lines.map((line) => line.discount),
    expected.lineDiscounts,
  );
  compare(
    'tax of line',
    result.lines.map((line) => line.tax),
    expected.lineTaxes,
  );
  compare('discount', result.discounts, expected.discounts);
  compare('tax', result.taxes, expected.taxes);
  compare('of shipping and total', [result.shippingTax, result.total], [expected.shippingTax, expected.total]);
}

function assertSums(result: Priced, order: Priceable): void {
  const sum = (amounts: readonly (bigint | undefined)[]): bigint => amounts.reduce<bigint>((all, one) => all + (one ?? 0n), 0n);
  assert.equal(result.subtotal, sum(order.lines.map((line) => line.sum)));
  assert.equal(result.discountTotal, sum([...result.lines.map((line) => line.discount), ...result.discounts]));
  assert.equal(result.shippingTotal, order.shipping?.price ?? 0n);
  assert.equal(result.taxTotal, sum([...result.lines.map((line) => line.tax), result.shippingTax, ...result.taxes]));
  const added = order.pricesIncludeTax ? 0n : result.taxTotal;
  assert.equal(result.total, result.subtotal - result.discountTotal + result.shippingTotal + added);
}
