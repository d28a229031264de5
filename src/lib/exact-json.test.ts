import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { isJson, isJsonNumber, isJsonObject, keptNumber, parseExactly, scalarText } from './exact-json.ts';

describe('JSON of which no digit is lost', () => {
  test('a number that a double cannot hold is kept as it was written', () => {
    const numbers = [
      '9007199254740993',
      '-12345678901234567890',
      '0.1234567890123456789',
      '1.00000000000000000001',
      '99999999.99990000000000001',
      '1e400',
      '-1E+400',
      '1e-400',
      '123456789e-330',
    ];
    for (const number of numbers) {
      assert.equal(keptNumber(parseExactly(number)), number);
      assert.equal(JSON.stringify(parseExactly(`{"a":[${number}, "${number}"]}`)), `{"a":[${number},"${number}"]}`);
    }
  });
  test('a number that a double holds is one, however it is written', () => {
    const numbers = [
      '0',
      '-0',
      '1.50',
      '1e3',
      '1.5E-7',
      '9007199254740992',
      '1.0000000000000000',
      '12345678901234.00',
      '0.30000000000000004',
    ];
    for (const number of numbers) assert.equal(parseExactly(number), Number(number), number);
  });
  test('whatever is read and written again has the value that it had', () => {
    const decimal = fc
      .tuple(
        fc.bigInt({ min: -(10n ** 25n), max: 10n ** 25n }),
        fc.option(fc.stringMatching(/^\d{1,20}$/)),
        fc.option(fc.integer({ min: -30, max: 30 })),
      )
      .map(([whole, fraction, exponent]) => `${whole}${fraction === null ? '' : `.${fraction}`}${exponent === null ? '' : `e${exponent}`}`);
    fc.assert(
      fc.property(decimal, (number) => {
        const again = JSON.stringify((parseExactly(`[${number}]`) as unknown[])[0]);
        assert.deepEqual(fractionOf(again), fractionOf(number), `${number} became ${again}`);
      }),
      { numRuns: 5_000 },
    );
  });
  test('wherever a number stands it is looked at: alone, in lists, behind spaces and signs', () => {
    for (const text of [
      '12345678901234567890',
      ' -1e400',
      '[1,12345678901234567890]',
      '{"a" :\n\t-12345678901234567890}',
      '[[0.12345678901234567]]',
    ])
      assert.equal(JSON.stringify(parseExactly(text)), text.replaceAll(/\s/g, ''), text);
  });

  test('at whatever place of the text it begins', () => {
    const long = '1234567890.1234567';
    for (let place = 0; place < 40; place++) {
      const text = `["${'x'.repeat(place)}",${long},"2024-01-01T00:00:00.000Z"]`;
      assert.equal(JSON.stringify(parseExactly(text)), text);
    }
  });

  test('what is not JSON is refused as ever', () => {
    for (const text of ['', '{', '01', '1e', '12345678901234567890x']) {
      assert.throws(() => parseExactly(text), SyntaxError);
      assert.ok(!isJson(text));
    }
  });
});

test('a kept number is no object, and has a text like any other', () => {
  const kept = parseExactly('12345678901234567890');
  assert.ok(!isJsonObject(kept) && isJsonObject({}) && !isJsonObject([]) && !isJsonObject(null) && !isJsonObject('a'));
  assert.deepEqual([kept, 1.5, true, 'a', null, [], {}, undefined].map(scalarText), [
    '12345678901234567890',
    '1.5',
    'true',
    'a',
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});

test('numbers are told from other texts', () => {
  for (const text of ['0', '-1.5', '1e400', '1.5E+3']) assert.ok(isJsonNumber(text), text);
  for (const text of ['', '.5', '1.', '+1', 'NaN', 'Infinity', '1e', '0x1']) assert.ok(!isJsonNumber(text), text);
});

/** A number as a fraction without a rest: what is above and below the line. */
function fractionOf(number: string): [bigint, bigint] {
  const [mantissa = '', exponent = '0'] = number.toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const power = BigInt(exponent) - BigInt(fraction.length);
  const digits = BigInt(whole + fraction);
  return reduced(power < 0n ? digits : digits * 10n ** power, power < 0n ? 10n ** -power : 1n);
}

function reduced(above: bigint, below: bigint): [bigint, bigint] {
  let [a, b] = [above < 0n ? -above : above, below];
  while (b !== 0n) [a, b] = [b, a % b];
  return [above / a, below / a];
}
