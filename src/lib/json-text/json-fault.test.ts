import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { jsonFault } from './json-fault.ts';

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** JSON with a piece cut out, put in or replaced, and texts of signs that JSON is made of. */
const texts = fc.oneof(
  fc
    .tuple(
      fc.json(),
      fc.nat(),
      fc.nat(3),
      fc.constantFrom('', ',', '"', '\\', '\\u12', '}', ']', '{', '[', ':', '1', '-', '.', 'e', 't', '\n', '\u0001', ' '),
    )
    .map(([json, place, gone, put]) => {
      const at = place % (json.length + 1);
      return json.slice(0, at) + put + json.slice(at + gone);
    }),
  fc.array(fc.constantFrom(...'{}[],:"\\u0019-+.eE tfnrualsé\n\u0001'.split('')), { maxLength: 12 }).map((signs) => signs.join('')),
);

test('tells a fault of just those texts that are not JSON, at the first place from which on no text could be', () => {
  fc.assert(
    fc.property(texts, (text) => {
      const fault = jsonFault(text);
      assert.equal(fault === undefined, isJson(text));
      if (!fault) return;
      const before = text.slice(0, fault.at);
      // What comes before may still become JSON: it is JSON, or ends too early.
      assert.equal(jsonFault(before)?.at ?? before.length, before.length, 'what is before it is no fault');
      for (const more of ['', '0', '"', '}', ' ']) {
        const longer: string = text.slice(0, fault.at + 1) + (fault.at < text.length ? more : '');
        assert.equal(jsonFault(longer)?.at, fault.at, 'nothing that follows mends it');
      }
    }),
    { numRuns: 5_000 },
  );
});

test('says what is wrong', () => {
  const cases: [text: string, at: number, what: RegExp][] = [
    ['', 0, /ends where a value/],
    ['{"a":x}', 5, /^unexpected "x", where a value has to be$/],
    ['{"a":1,}', 7, /unexpected "}", where the name of a member/],
    ["{'a':1}", 1, /unexpected "'", where the name of a member, in quotation marks, or }/],
    ['{"a" 1}', 5, /where a colon/],
    ['[1 2]', 3, /a comma or the end/],
    ['[1]]', 3, /the text has to end/],
    ['"a\tb"', 2, /U\+0009/],
    ['"\\x"', 2, /escape/],
    ['"a', 2, /ends within a string/],
    ['[truth]', 4, /unexpected "t" within true/],
    ['1.', 2, /ends within a number/],
    ['\ufeff{}', 0, /unexpected U\+FEFF/],
  ];
  for (const [text, at, what] of cases) {
    const fault = jsonFault(text);
    assert.equal(fault?.at, at, text);
    assert.match(fault?.what ?? '', what, text);
  }
});

test('takes texts that are deep, and long, in one pass', () => {
  assert.equal(jsonFault('['.repeat(1_000_000))?.at, 1_000_000);
  assert.equal(jsonFault(`"${'x'.repeat(1_000_000)}`)?.at, 1_000_001);
});
