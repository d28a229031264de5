import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { objection } from './guard.ts';

const GUARD = { max_delete_percent: 20, allow_empty: false };
const changes = (part: Partial<Record<'inserted' | 'updated' | 'unchanged' | 'deleted', number>>) => ({
  inserted: 0,
  updated: 0,
  unchanged: 0,
  deleted: 0,
  ...part,
});

test('up to the limit no approval is needed, beyond it there is', () => {
  const finding = (deleted: number) => ({
    target: 't',
    changes: changes({ unchanged: 100 - deleted, deleted }),
    read: 100 - deleted,
    rowsBefore: 100,
  });
  assert.equal(objection(GUARD, finding(20)), undefined);
  assert.equal(objection(GUARD, finding(21))?.code, 'TOO_MANY_DELETES');
  assert.match(objection(GUARD, finding(21))?.message ?? '', /delete 21 of the 100 rows of "t" \(21 %\); 20 % are allowed/);
});

test('a third is told as a third', () => {
  const found = { target: 't', changes: changes({ unchanged: 200, deleted: 100 }), read: 200, rowsBefore: 300 };
  assert.equal(
    objection(GUARD, found)?.message,
    'The run would delete 100 of the 300 rows of "t" (33.3 %); 20 % are allowed. "t" was left as it is.',
  );
});

test('exactly the limit is within it, whatever the limit', () => {
  for (let hundredths = 1; hundredths < 10_000; hundredths++) {
    const found = (deleted: number) => ({
      target: 't',
      changes: changes({ unchanged: 10_000 - deleted, deleted }),
      read: 1,
      rowsBefore: null,
    });
    const guard = { max_delete_percent: hundredths / 100, allow_empty: false };
    assert.equal(objection(guard, found(hundredths)), undefined, `${hundredths / 100} %`);
    assert.equal(objection(guard, found(hundredths + 1))?.code, 'TOO_MANY_DELETES', `more than ${hundredths / 100} %`);
  }
});

test('a part that is hardly beyond the limit is not told as the limit', () => {
  const found = { target: 't', changes: changes({ unchanged: 799_999, deleted: 200_001 }), read: 799_999, rowsBefore: 1_000_000 };
  assert.match(objection(GUARD, found)?.message ?? '', /\(20\.0001 %\)/);
});

test('a source that is suddenly empty is asked about, unless that is allowed', () => {
  const empty = { target: 't', changes: changes({ deleted: 1_000_000 }), read: 0, rowsBefore: 1_000_000 };
  assert.equal(objection({ max_delete_percent: 100, allow_empty: false }, empty)?.code, 'SOURCE_EMPTY');
  assert.equal(objection({ max_delete_percent: 20, allow_empty: true }, empty), undefined);
  // With `keep` nothing would be deleted, but it is as odd.
  assert.equal(objection(GUARD, { ...empty, changes: changes({}) })?.code, 'SOURCE_EMPTY');
  assert.equal(objection(GUARD, { target: 't', changes: changes({}), read: 0, rowsBefore: null }), undefined, 'nothing into nothing');
  assert.equal(objection(GUARD, { target: 't', changes: changes({}), read: 0, rowsBefore: 0 }), undefined, 'it was empty before');
});

test('whatever the numbers: nobody is asked when nothing is deleted and something was read', () => {
  const count = fc.nat({ max: 1_000_000_000 });
  fc.assert(
    fc.property(count, count, count, fc.integer({ min: 1, max: 1_000_000 }), (inserted, updated, unchanged, read) => {
      assert.equal(
        objection(GUARD, { target: 't', changes: { inserted, updated, unchanged, deleted: 0 }, read, rowsBefore: null }),
        undefined,
      );
    }),
  );
});
