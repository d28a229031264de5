import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { AppError } from './errors.ts';
import { depthOf, parseJson, textFault } from './json.ts';

function parse(text: string): unknown {
  return parseJson(Buffer.from(text));
}

/** The error that a text is refused with. */
function refusal(text: string | Buffer): AppError {
  try {
    parseJson(Buffer.from(text));
  } catch (error) {
    assert.ok(error instanceof AppError, String(error));
    return error;
  }
  throw new assert.AssertionError({ message: `${text.toString().slice(0, 100)} was accepted` });
}

function assertMalformed(text: string | Buffer): void {
  const { code, details } = refusal(text);
  assert.equal(code, 'MALFORMED_JSON');
  assert.equal(details.field, '');
  assert.deepEqual(details.errors, [{ field: '', reason: details.reason }]);
}

function assertRefused(text: string, field: string): void {
  const { code, details } = refusal(text);
  assert.equal(code, 'INVALID_PARAMS', text);
  assert.equal(details.field, field);
}

describe('parseJson', () => {
  test('reads what JSON.parse reads', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 5, stringUnit: 'grapheme' }), (text) => {
        fc.pre(!text.includes('__proto__') && !text.includes('\\u'));
        // Only the spelling may differ: a number that no double holds is kept as it was written.
        assert.equal(JSON.stringify(parse(text)), JSON.stringify(JSON.parse(text)));
      }),
      { numRuns: 2000 },
    );
  });

  test('keeps every number: written out again, it has the value that was sent', () => {
    const digits = fc.stringMatching(/^[1-9]\d{0,30}$/);
    const number = fc
      .tuple(
        fc.constantFrom('', '-'),
        fc.oneof(digits, fc.constant('0')),
        fc.option(fc.stringMatching(/^\d{1,30}$/)),
        fc.option(fc.integer({ min: -400, max: 400 })),
        fc.constantFrom('e', 'E', 'e+'),
      )
      .map(([sign, whole, fraction, exponent, e]) => {
        const power = exponent === null ? '' : `${exponent < 0 ? e.replace('+', '') : e}${exponent}`;
        return `${sign}${whole}${fraction === null ? '' : `.${fraction}`}${power}`;
      });
    fc.assert(
      fc.property(number, (text) => {
        assert.deepEqual(valueOf(JSON.stringify(parse(`[${text}]`)).slice(1, -1)), valueOf(text), text);
      }),
      { numRuns: 10_000 },
    );
  });

  test('gives a number as a number wherever a double holds it, however it is spelt', () => {
    for (const [text, expected] of [
      ['1e2', 100],
      ['1.50e1', 15],
      ['150e-2', 1.5],
      ['1E-7', 1e-7],
      ['-25e-1', -2.5],
      ['0.0000001000000000000', 1e-7],
      ['0.10000000000000000000', 0.1],
      ['9007199254740991', 9007199254740991],
      ['9007199254740992', 9007199254740992],
      ['0e999', 0],
      ['-0', -0],
      ['-0.000000000000000000000', -0],
      ['0.30000000000000004', 0.1 + 0.2],
      ['1.7976931348623157e308', Number.MAX_VALUE],
      ['5e-324', Number.MIN_VALUE],
    ] as const)
      assert.ok(Object.is(parse(text), expected), text);
  });

  test('keeps as text what no double holds', () => {
    for (const text of [
      '9007199254740993',
      '1e400',
      '-1e400',
      '1e-400',
      '0.12345678901234567890',
      '12345678901234567890',
      '1.0000000000000000000001',
    ]) {
      const value = parse(`{"a":[${text}]}`) as { a: unknown[] };
      assert.ok(JSON.isRawJSON(value.a[0]), text);
      assert.equal(JSON.stringify(value), `{"a":[${text}]}`);
    }
  });

  test('refuses what is not JSON, and says why', () => {
    const odd = [
      '',
      ' ',
      '{',
      '}',
      '[1,]',
      '{"a":1,}',
      "{'a':1}",
      '{a:1}',
      'NaN',
      'Infinity',
      'undefined',
      '01',
      '+1',
      '.5',
      '1.',
      '0x10',
      '1_000',
      '1e',
      'nul',
      '"a',
      '"\t"',
      '"\\x41"',
      '"\\u12"',
      '{} {}',
      '// {}',
      '{"a":1e400,}',
      '\ufeff{}',
    ];
    for (const text of odd) assertMalformed(text);
    assert.match(refusal('{"a":tru}').message, /^The body is not valid JSON: /);
    const { message, details } = refusal('{\n  "𝒥": tru}');
    assert.equal(message, 'The body is not valid JSON: unexpected "}" within true (line 2, character 11).');
    assert.deepEqual([details.line, details.position], [2, 11]);
  });

  test('refuses what is not UTF-8', () => {
    for (const hex of ['ff', 'c080', 'eda080', 'f4908080', '80', 'c3', 'e28', 'fe'].map((odd) =>
      odd.padEnd(2 * Math.ceil(odd.length / 2), '0'),
    )) {
      assertMalformed(Buffer.concat([Buffer.from('{"a":"'), Buffer.from(hex, 'hex'), Buffer.from('"}')]));
    }
  });

  test('refuses NUL and lone surrogates wherever they are, and names the place', () => {
    assertRefused('"\\u0000"', '');
    assertRefused('{"a":{"b":[1,{"c":"x\\u0000"}]}}', 'a.b[1].c');
    assertRefused('{"a":"\\ud800"}', 'a');
    assertRefused('{"a":"\\udc00\\ud800"}', 'a');
    assertRefused('[["\\udfff"]]', '[0][0]');
    assertRefused('{"a\\u0000b":1}', 'a\\u0000b');
    assertRefused('{"\\ud800":1}', '\uFFFD');
    assert.deepEqual(parse('{"a":"\\ud83d\\ude00","\\u00e9":"\\n\\\\u0000"}'), { a: '😀', é: '\n\\u0000' });
  });

  test('refuses members named __proto__, however they are spelt, and leaves every object as it is', () => {
    assertRefused('{"__proto__":{"polluted":true}}', '__proto__');
    assertRefused('{"a":[{"\\u005f\\u005fproto__":null}]}', 'a[0].__proto__');
    assert.equal(({} as { polluted?: boolean }).polluted, undefined);
    assert.deepEqual(parse('{"a":"__proto__","b__proto__":1}'), { a: '__proto__', b__proto__: 1 });
  });

  test('takes other names that every object has', () => {
    const value = parse('{"constructor":1,"toString":2,"hasOwnProperty":3}') as object;
    assert.deepEqual(Object.keys(value), ['constructor', 'toString', 'hasOwnProperty']);
  });

  test('reads or refuses any nesting, and does not fall over', () => {
    for (const depth of [10, 64, 1000, 10_000, 500_000]) {
      for (const inside of ['', '1', '"\\u0000"', '1e400']) {
        const text = '['.repeat(depth) + inside + ']'.repeat(depth);
        try {
          parse(text);
        } catch (error) {
          assert.ok(error instanceof AppError, `${depth} ${inside}: ${String(error)}`);
        }
      }
    }
  });

  test('throws nothing but an error for the caller, whatever the bytes', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.uint8Array({ maxLength: 50 }),
          fc.string({ unit: 'binary' }).map((text) => Buffer.from(text)),
        ),
        (bytes) => {
          try {
            parseJson(Buffer.from(bytes));
          } catch (error) {
            assert.ok(error instanceof AppError);
          }
        },
      ),
      { numRuns: 5000 },
    );
  });
});

describe('textFault', () => {
  test('tells what cannot be stored, and only that', () => {
    assert.equal(textFault('plain 😀 \u0001 \uffff'), undefined);
    assert.match(textFault('a\0b') ?? '', /NUL/);
    assert.match(textFault('a\ud800') ?? '', /surrogate/);
  });
});

describe('depthOf', () => {
  test('counts arrays and objects, one inside the other', () => {
    const cases: [value: unknown, depth: number][] = [
      [1, 0],
      ['text', 0],
      [null, 0],
      [JSON.rawJSON('1e400'), 0],
      [{}, 1],
      [[], 1],
      [{ a: [{ b: 1 }], c: 1 }, 3],
      [{ a: [], b: { c: { d: {} } } }, 4],
    ];
    for (const [value, depth] of cases) assert.equal(depthOf(value, 32), depth, JSON.stringify(value));
  });

  test('counts no further than one beyond the limit', () => {
    const deep = JSON.parse('['.repeat(100_000) + ']'.repeat(100_000)) as unknown;
    assert.equal(depthOf(deep, 32), 33);
    assert.equal(depthOf([[[]]], 3), 3);
    assert.equal(depthOf([[[]]], 2), 3);
  });
});

/** The value of a JSON number: its digits without zeros around them, and the power of ten of the last. Zero has no sign. */
function valueOf(text: string): { digits: string; power: number } {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  const digits = (whole + fraction).replace(/^0+/, '');
  const significant = digits.replace(/0+$/, '');
  if (significant === '') return { digits: '0', power: 0 };
  return { digits: sign + significant, power: Number(exponent) - fraction.length + digits.length - significant.length };
}
