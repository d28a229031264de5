import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CANONICAL_TYPES, isCanonical } from '../../connectors/canonical.ts';
import { castOf } from './cast.ts';
import { holds } from './compatible.ts';

test('what one type holds of another can be cast there, and nothing else is taken for granted', () => {
  const pairs = CANONICAL_TYPES.flatMap((column) =>
    CANONICAL_TYPES.filter((type) => holds(column, type)).map((type) => [column, type] as const),
  );
  for (const [column, type] of pairs) assert.ok(castOf(type, column), `${type} to ${column}`);
  for (const type of CANONICAL_TYPES) assert.ok(holds(type, type));
  assert.ok(!holds('float64', 'int64'), 'a double does not hold every whole number');
  assert.ok(!holds('timestamp', 'timestamptz'), 'the zone would be lost');
  assert.ok(!holds('int64', 'decimal'));
});

test('a date is the midnight of a timestamp', () => {
  const midnight = castOf('date', 'timestamp')?.convert('2026-11-15');
  assert.ok(midnight && isCanonical('timestamp', midnight));
});
