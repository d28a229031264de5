import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { encodeRows } from '../../connectors/lines.ts';
import { KeyMarks } from './key-marks.ts';
import { keyOfRow, LineKeys, rowOfKey } from './keyed-lines.ts';

const NAMES = ['a', 'b', 'c'];
const value = fc.option(fc.oneof(fc.string({ unit: 'grapheme', maxLength: 300 }), fc.integer().map(String)), { freq: 6 });
const rows = fc.array(fc.tuple(value, value, value), { minLength: 1, maxLength: 20 });
const keys = fc.subarray(NAMES, { minLength: 1 }).chain((some) => fc.shuffledSubarray(some, { minLength: some.length }));

describe('the keys of lines', () => {
  test('are those of their rows, and so are their marks, whatever stands in them', () => {
    fc.assert(
      fc.property(rows, keys, (given, key) => {
        const marks = new KeyMarks();
        const lines = new LineKeys(NAMES, key, marks).of(encodeRows(given));
        for (const row of given) {
          assert.ok(lines.next());
          const values = key.map((name) => row[NAMES.indexOf(name)] ?? null);
          assert.equal(lines.key, keyOfRow(values));
          assert.deepEqual(rowOfKey(lines.key), values);
          assert.deepEqual([...lines.mark], Array.from(marks.ofKey(keyOfRow(values))));
          assert.deepEqual(lines.row, row);
        }
        assert.equal(lines.next(), false);
      }),
    );
  });

  test('have one mark however they are spelled', () => {
    const marks = new KeyMarks();
    const marksOf = (line: string): number[] => {
      const lines = new LineKeys(['a', 'b'], ['a'], marks).of(Buffer.from(line));
      lines.next();
      return [...lines.mark];
    };
    assert.deepEqual(marksOf('a\\bc\tx\n'), marksOf('a\bc\tx\n'));
    assert.notDeepEqual(marksOf('\\N\tx\n'), marksOf('N\tx\n'));
  });

  test('have a digest of the whole line, and of the names of its fields', () => {
    const digestsOf = (names: string[]): string[] => {
      const lines = new LineKeys(names, ['a'], new KeyMarks()).of(encodeRows([['1', 'x'], ['1', 'x'], ['1', 'y']])); // biome-ignore format: rows
      return Array.from({ length: 3 }, () => (lines.next(), lines.digestText));
    };
    const [one, same, other] = digestsOf(['a', 'b']);
    assert.equal(one, same);
    assert.notEqual(one, other);
    assert.notEqual(one, digestsOf(['a', 'z'])[0]);
  });
});

describe('the marks of keys', () => {
  test('are those of HalfSipHash for keys that are too long to be their own', () => {
    const bytes = Uint8Array.from({ length: 63 }, (_, at) => at);
    const marks = new KeyMarks(bytes.subarray(0, 8));
    const firstOf = (length: number): string =>
      Buffer.from(marks.ofBytes(bytes, 0, length).slice().buffer)
        .toString('hex')
        .slice(0, 16);
    assert.deepEqual([12, 13, 16, 63].map(firstOf), ['7bc71f9faef5c799', '5a2352d75a0c3744', '7336aad25f7bf3b5', '2ea63c71bf326087']);
  });

  test('are told apart, also where one is the beginning of the other', () => {
    const marks = new KeyMarks();
    const seen = new Set<string>();
    for (let length = 0; length < 100; length++) for (const letter of ['a', '\0']) seen.add(marks.ofKey(letter.repeat(length)).join());
    assert.equal(seen.size, 199);
  });
});
