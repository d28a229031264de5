import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { priceLines } from '../shop/orders/rules.ts';
import { decimalText, MAX_PRICE, unitsOf, unitsOfText } from './money.ts';

/** A number as an exact fraction: every double is one, and so is every decimal. */
interface Fraction {
  above: bigint;
  below: bigint;
}

/** The exact value of a double, from its bits. */
function exactly(double: number): Fraction {
  const bits = new DataView(new ArrayBuffer(8));
  bits.setFloat64(0, Math.abs(double));
  const word = bits.getBigUint64(0);
  const exponent = Number(word >> 52n);
  const mantissa = (word & (2n ** 52n - 1n)) | (exponent === 0 ? 0n : 2n ** 52n);
  const shift = Math.max(exponent, 1) - 1075;
  const above = double < 0 ? -mantissa : mantissa;
  return shift >= 0 ? { above: above << BigInt(shift), below: 1n } : { above, below: 1n << BigInt(-shift) };
}

function decimalOf(text: string): Fraction {
  const [whole = '', fraction = ''] = text.split('.');
  return { above: BigInt(whole + fraction), below: 10n ** BigInt(fraction.length) };
}

function plus(a: Fraction, b: Fraction): Fraction {
  return { above: a.above * b.below + b.above * a.below, below: a.below * b.below };
}

function equal(a: Fraction, b: Fraction): boolean {
  return a.above * b.below === b.above * a.below;
}

/** The units whose decimal is nearest to this double, in exact arithmetic; undefined when none of four places means this double. */
function unitsMeantBy(double: number): bigint | undefined {
  const { above, below } = exactly(double);
  const nearest = (above * 10_000n * 2n + below) / (below * 2n);
  const digits = nearest.toString().padStart(5, '0');
  return Number(`${digits.slice(0, -4)}.${digits.slice(-4)}`) === double ? nearest : undefined;
}

const MAX_UNITS = 999_999_999_999;
const units = fc.oneof(fc.integer({ min: 0, max: 100_000 }), fc.integer({ min: 0, max: MAX_UNITS }), fc.constantFrom(0, 1, MAX_UNITS));
const price = units.map((n) => n / 10_000);

describe('unitsOf', () => {
  test('takes exactly the doubles that a decimal of four places means, and knows which one', () => {
    const neighbours = fc.tuple(price, fc.integer({ min: -3, max: 3 })).map(([near, steps]) => stepped(near, steps));
    const anything = fc.double({ min: 0, max: MAX_PRICE, noNaN: true });
    fc.assert(
      fc.property(fc.oneof(price, neighbours, anything), (double) => {
        assert.equal(unitsOf(double), unitsMeantBy(double));
      }),
      { numRuns: 20_000 },
    );
  });

  test('takes what JSON says, whatever the spelling', () => {
    for (const [text, expected] of [
      ['19.99', 199_900n],
      ['19.990', 199_900n],
      ['1999e-2', 199_900n],
      ['0', 0n],
      ['-0', 0n],
      ['0.0001', 1n],
      ['1e-4', 1n],
      ['99999999.9999', 999_999_999_999n],
    ] as const)
      assert.equal(unitsOf(JSON.parse(text)), expected, text);
    for (const text of ['0.00001', '1e-7', '19.999999', '0.30000000000000004', '5e-324', '0.00005'])
      assert.equal(unitsOf(JSON.parse(text)), undefined, text);
  });

  test('takes no number that is none, or that is too large to be exact', () => {
    for (const odd of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 1e300, 2 ** 53])
      assert.equal(unitsOf(odd), undefined, String(odd));
  });
});

describe('decimalText', () => {
  const any = fc.oneof(
    units.map(BigInt),
    // Whole cents are written in another way.
    fc.bigInt({ min: 0n, max: 10n ** 13n + 50n }).map((cents) => cents * 100n),
    fc.bigInt({ min: 0n, max: 10n ** 24n }),
    fc.bigInt({ min: 10n ** 15n - 50n, max: 10n ** 15n + 50n }),
  );

  test('tells the exact value, with no digit too many', () => {
    fc.assert(
      fc.property(any, (n) => {
        const text = decimalText(n);
        assert.match(text, /^(0|[1-9]\d*)(\.\d{0,3}[1-9])?$/);
        assert.ok(equal(decimalOf(text), { above: n, below: 10_000n }), text);
      }),
      { numRuns: 5000 },
    );
  });

  test('is read back as what it was', () => {
    fc.assert(
      fc.property(any, (n) => {
        assert.equal(unitsOfText(decimalText(n)), n);
      }),
      { numRuns: 5000 },
    );
  });

  test('of the units of a price is the price', () => {
    fc.assert(
      fc.property(price, (double) => {
        assert.equal(decimalText(unitsOf(double) as bigint), String(double));
      }),
      { numRuns: 5000 },
    );
  });
});

describe('the total of an order', () => {
  const item = fc.record({
    product_id: fc.constant('p'),
    quantity: fc.oneof(fc.integer({ min: 1, max: 1_000_000 }), fc.constantFrom(1, 3, 999_999, 1_000_000)),
    price,
  });

  test('is Σ quantity × price in exact arithmetic, and so is every line', () => {
    fc.assert(
      fc.property(fc.array(item, { minLength: 1, maxLength: 500, size: 'max' }), (items) => {
        const { lines, total } = priceLines(items);
        let sum: Fraction = { above: 0n, below: 1n };
        items.forEach(({ quantity, price: unit }, i) => {
          const { above, below } = decimalOf(String(unit));
          const product = { above: above * BigInt(quantity), below };
          const line = lines[i];
          assert.ok(line && equal(decimalOf(line.line_total), product), JSON.stringify(line));
          assert.ok(equal(decimalOf(line.price), decimalOf(String(unit))));
          assert.equal(line.quantity, quantity);
          sum = plus(sum, product);
          // Fractions of one denominator stay small.
          sum = { above: (sum.above * 10_000n) / sum.below, below: 10_000n };
        });
        assert.ok(equal(decimalOf(decimalText(total)), sum), `${total} is not ${sum.above}`);
      }),
      { numRuns: 200 },
    );
  });

  test('does not know the errors of binary fractions', () => {
    const total = (quantity: number, unit: number, times = 1): string =>
      decimalText(priceLines(Array.from({ length: times }, () => ({ product_id: 'p', quantity, price: unit }))).total);
    assert.equal(total(3, 0.1), '0.3');
    assert.equal(total(3, 19.99), '59.97');
    assert.equal(total(1, 0.1, 3), '0.3');
    assert.equal(total(1, 1.005, 100), '100.5');
    assert.equal(total(1_000_000, MAX_PRICE, 500), '49999999999950000');
    assert.equal(total(999_999, MAX_PRICE, 500), '49999949999950000.05');
  });

  test('is not told where a price has too many decimals, and the line is named', () => {
    const { lines } = priceLines([
      { product_id: 'a', quantity: 1, price: 1 },
      { product_id: 'b', quantity: 1, price: 0.1 + 0.2 },
    ]);
    assert.notEqual(lines[0], undefined);
    assert.equal(lines[1], undefined);
  });
});

/** The double so many steps away from another. */
function stepped(double: number, steps: number): number {
  const bits = new DataView(new ArrayBuffer(8));
  bits.setFloat64(0, double);
  const word = bits.getBigInt64(0) + BigInt(steps);
  bits.setBigInt64(0, word < 0n ? 0n : word);
  return Math.min(bits.getFloat64(0), MAX_PRICE);
}
