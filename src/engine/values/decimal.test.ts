import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Decimal } from './decimal.ts';

function decimal(text: string): Decimal {
  const value = Decimal.parse(text);
  assert.ok(value, text);
  return value;
}

test('decimals are read and written as they are', () => {
  for (const text of ['0', '-1', '19.990', '-0.05', '123456789012345678901234567890.123']) assert.equal(decimal(text).toString(), text);
  for (const text of ['', '.', '-', 'NaN', 'Infinity', '1e3', '1,5', ' 1']) assert.equal(Decimal.parse(text), undefined, text);
  assert.deepEqual([decimal('+.5').toString(), decimal('7.').toString()], ['0.5', '7']);
  assert.deepEqual(
    ['1.5e3', '1.5E-3', '2e+0', '1e21'].map((text) => Decimal.parseScientific(text)?.toString()),
    ['1500', '0.0015', '2', '1000000000000000000000'],
  );
});

test('sums and products are exact, quotients are rounded half away from zero', () => {
  assert.equal(decimal('0.1').plus(decimal('0.2')).toString(), '0.3');
  assert.equal(decimal('19.99').times(decimal('3')).toString(), '59.97');
  assert.equal(decimal('1').minus(decimal('0.99')).toString(), '0.01');
  assert.equal(decimal('10').dividedBy(decimal('4'), 1).toString(), '2.5');
  assert.deepEqual(
    ['0.125', '-0.125', '0.124', '-0.126', '1'].map((text) => decimal(text).rounded(2).toString()),
    ['0.13', '-0.13', '0.12', '-0.13', '1.00'],
  );
  assert.equal(decimal('-7.5').remainder(decimal('2')).toString(), '-1.5');
});

test('numbers compare by value, whatever their zeros', () => {
  assert.equal(decimal('1.50').compare(decimal('1.5')), 0);
  assert.equal(decimal('-2').compare(decimal('1.5')), -1);
  assert.equal(decimal('7.000').whole(), 7n);
  assert.equal(decimal('7.001').whole(), undefined);
  assert.equal(decimal('7.100').trimmed().toString(), '7.1');
});

const DECIMAL = fc.tuple(fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }), fc.nat(20)).map(([units, scale]) => new Decimal(units, scale));

test('property: arithmetic follows its laws', () => {
  fc.assert(
    fc.property(DECIMAL, DECIMAL, DECIMAL, (a, b, c) => {
      const equal = (x: Decimal, y: Decimal): void => assert.equal(x.compare(y), 0, `${x.toString()} = ${y.toString()}`);
      equal(a.plus(b), b.plus(a));
      equal(a.plus(b).minus(b), a);
      equal(a.times(b.plus(c)), a.times(b).plus(a.times(c)));
      equal(decimal(a.toString()), a);
      if (b.units === 0n) return;
      equal(a.times(b).dividedBy(b, a.scale), a);
      equal(a.minus(a.remainder(b)).remainder(b), new Decimal(0n, 0));
      const error = a.dividedBy(b, 5).times(b).minus(a);
      const half = new Decimal(5n, 6).times(b);
      assert.ok((error.units < 0n ? error.negated() : error).compare(half.units < 0n ? half.negated() : half) <= 0);
    }),
  );
});
