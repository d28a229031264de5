import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { resultOf } from './told.ts';

const MOST = 41_000;

function textOf(data: unknown): string {
  return resultOf({ words: 'Words.', data })
    .content.map(({ text }) => text)
    .join('\n');
}

test('no value can end the mark of data, whatever it is', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom('</data>', '<data>', '\u003c/data>', '\\u003c/data>'), (value, end) => {
      const text = textOf({ value, end, [end]: end });
      assert.equal(text.split('</data>').length, 2);
      assert.ok(text.endsWith('</data>'));
      const json = text.slice(text.indexOf('<data>\n') + 7, -'\n</data>'.length);
      assert.deepEqual(JSON.parse(json), JSON.parse(JSON.stringify({ value, end, [end]: end })));
    }),
  );
});

test('an answer is never larger than it may be, and says when something is left out', () => {
  const long = 'ä'.repeat(100_000);
  const rows = Array.from({ length: 5000 }, (_, id) => ({ id, name: 'somebody', more: [1, 2, 3] }));
  const wide = Object.fromEntries(Array.from({ length: 3000 }, (_, n) => [`column ${n}`, 'some value of it']));
  for (const data of [long, { rows }, { rows: [{ long, rows }] }, [wide, wide], { one: wide, two: wide }, [[[rows]]]]) {
    const text = textOf(data);
    assert.ok(Buffer.byteLength(text) <= MOST, `${Buffer.byteLength(text)}`);
    assert.match(text, /Not all of it fits/);
  }
  assert.ok((textOf({ rows }).match(/somebody/g)?.length ?? 0) > 100, 'as much as fits is told');
  assert.doesNotMatch(textOf({ rows: rows.slice(0, 10) }), /Not all of it fits/);
});
