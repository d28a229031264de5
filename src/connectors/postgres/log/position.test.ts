import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { heldName } from './held-names.ts';
import { endOfRecord, parsePosition, positionText } from './position.ts';
import { notedEntries } from './publication.ts';
import { endOfTimeline } from './server.ts';
import { plainMoney } from './shape.ts';

test('positions are read as they were written, and nothing else is one', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), fc.integer({ min: 1, max: 2 ** 31 - 1 }), (lsn, timeline) => {
      const position = { system: '7301234567890123456', timeline, lsn };
      assert.deepEqual(parsePosition(positionText(position)), position);
    }),
  );
  for (const text of ['', 'x', '1:1', '1:1:0', '1:1:G/0', ' 1:1:0/0', '1:1:0/0 '])
    assert.throws(() => parsePosition(text), { code: 'POSITION_INVALID' });
});

test('the end of the log is that of its last record, also where a page is full', () => {
  assert.equal(endOfRecord(0x16b3748n), 0x16b3748n);
  assert.equal(endOfRecord(0x2000018n), 0x2000000n);
  assert.equal(endOfRecord(0x3000028n), 0x3000000n);
});

test('names of slots have letters that a slot may have, at most 63, and are of one owner and database', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (owner, database) => {
      assert.match(heldName(owner, database), /^syncline_[a-z0-9_]{1,54}$/);
    }),
  );
  assert.equal(new Set([heldName('a', 'b'), heldName('A', 'b'), heldName('a', 'c'), heldName('ü', 'b'), heldName('ö', 'b')]).size, 5);
});

test('where a timeline ends is told by the history of those after it', () => {
  const history = '1\t0/3000148\tno recovery target specified\n\n2\t1/A0\tbefore 2024-01-01\n';
  assert.equal(endOfTimeline(history, 1), 0x3000148n);
  assert.equal(endOfTimeline(history, 2), 0x1000000a0n);
  assert.equal(endOfTimeline(history, 3), undefined);
});

test('money of any country is a plain number', () => {
  for (const [text, digits, plain] of [
    ['-$92,233,720,368,547,758.08', 2, '-92233720368547758.08'],
    ['$0.00', 2, '0.00'],
    ['-1.234,50 €', 2, '-1234.50'],
    ['($7.00)', 2, '-7.00'],
    ['￥1,234', 0, '1234'],
    ['1.234,567 د', 3, '1234.567'],
  ] as const)
    assert.equal(plainMoney(text, digits), plain);
  assert.equal(plainMoney(null, 2), null);
  assert.equal(plainMoney(undefined, 2), undefined);
});

test('what is noted on a publication is read again, and a note of others is none', () => {
  assert.deepEqual(
    [...(notedEntries('words [1=2 3=4+5+6]') ?? [])],
    [
      ['1', { entry: '2', parts: [] }],
      ['3', { entry: '4', parts: ['5', '6'] }],
    ],
  );
  assert.deepEqual([...(notedEntries('words []') ?? [])], []);
  assert.equal(notedEntries('for reports'), undefined);
  assert.equal(notedEntries(null), undefined);
});
