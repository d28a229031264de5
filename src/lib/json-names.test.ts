import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { parseExactly } from './exact-json.ts';

/** Names that begin alike, and go on with what has to be escaped, or may be. */
const name = fc.string({ unit: fc.constantFrom('a', '\\', '"', '\n', 'é', '\u0001', '/'), maxLength: 3 });
const value = fc.letrec((tie) => ({
  any: fc.oneof({ maxDepth: 3 }, fc.constantFrom<unknown>(1, -0.5, 'x\\', null, true, 'a"'), tie('list'), tie('object')),
  list: fc.array(tie('any'), { maxLength: 3 }),
  object: fc.dictionary(name, tie('any'), { maxKeys: 4, noNullPrototype: true }),
})).object;

/** JSON with every letter of its names escaped, or none that need not be. */
function written(value: unknown, isEscaped: boolean): string {
  if (Array.isArray(value)) return `[${value.map((item) => written(item, isEscaped)).join()}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([name, member]) => `${nameText(name, isEscaped)}:${written(member, isEscaped)}`)
    .join()}}`;
}

function nameText(name: string, isEscaped: boolean): string {
  const escape = (letter: string): string => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return isEscaped ? `"${Array.from(name, escape).join('')}"` : JSON.stringify(name);
}

describe('names of JSON', () => {
  test('are those of the text, whatever was read before', () => {
    parseExactly('{"a":1,"b\\\\":2}');
    assert.deepEqual(parseExactly('{"a":1,"b\\n":2}'), { a: 1, 'b\n': 2 });
    parseExactly('{"a":1,"\\\\\\"":2}');
    assert.deepEqual(parseExactly('{"a":1,"\\"c":2}'), { a: 1, '"c': 2 });
    assert.deepEqual(parseExactly('{"a":1,"b\\u00e9":{"c":[1.5,12345678901234567890]}}'), {
      a: 1,
      bé: { c: [1.5, JSON.rawJSON('12345678901234567890')] },
    });
  });

  test('are kept for any text', () => {
    fc.assert(
      fc.property(value, fc.boolean(), (object, isEscaped) => {
        assert.deepEqual(parseExactly(written(object, isEscaped)), object);
      }),
      { numRuns: 2000 },
    );
  });

  test('may stand as deep as they like, and be __proto__', () => {
    const depth = 100_000;
    const text = `${'[{"a":1,"\\\\":'.repeat(depth)}1${'}]'.repeat(depth)}`;
    assert.ok(Array.isArray(parseExactly(text)));
    const odd = parseExactly('{"a":1,"__proto__":{"x\\\\":2}}') as object;
    assert.deepEqual(Object.keys(odd), ['a', '__proto__']);
    assert.equal(Object.getPrototypeOf(odd), Object.prototype);
  });
});
