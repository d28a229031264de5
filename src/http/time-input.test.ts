import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { checkerOf } from '../lib/check.ts';
import { parseTime } from '../lib/clock.ts';
import { TimeInput } from './schemas.ts';

const checker = checkerOf(TimeInput('When.'));

test('what the schema of a time says is what is read: it refuses nothing that would be, and takes only what is one, but for days that a month has not', () => {
  const two = fc.integer({ min: 0, max: 62 }).map((n) => String(n).padStart(2, '0'));
  const end = fc.oneof(
    fc.constantFrom('', 'Z', 'z', '+1', ' '),
    fc.tuple(fc.constantFrom('+', '-'), two, two).map(([sign, h, m]) => `${sign}${h}:${m}`),
  );
  const fraction = fc.constantFrom('', '.', '.1', '.123456789', '.1234567890', ',5');
  const time = fc.oneof(
    fc.constant(''),
    fc.tuple(fc.constantFrom('T', 't', ' '), two, two).map(([t, h, m]) => `${t}${h}:${m}`),
    fc.tuple(fc.constantFrom('T'), two, two, two, fraction).map(([t, h, m, s, f]) => `${t}${h}:${m}:${s}${f}`),
  );
  const text = fc
    .tuple(fc.constantFrom('0000', '2026', '9999', '26'), two, two, time, end)
    .map(([y, m, d, t, z]) => `${y}-${m}-${d}${t}${z}`);
  let read = 0;
  fc.assert(
    fc.property(text, (given) => {
      const isRead = parseTime(given) !== undefined;
      if (isRead) read++;
      const fits = checker.test(given);
      if (isRead) assert.ok(fits, given);
      // What a pattern cannot know: the days of a month, and that a zone may lead out of the years that there are.
      const isOfSomeMonth = Number(given.slice(8, 10)) <= 28 && given.startsWith('2026');
      if (fits && isOfSomeMonth) assert.ok(isRead, given);
    }),
    { numRuns: 20_000 },
  );
  assert.ok(read > 100, `${read} were read`);
});

test('a text that is no time is told in words', () => {
  for (const given of ['', 'yesterday', '2026-11-01T00:00:00', '2026-13-01', '1762000000'])
    assert.deepEqual(checker.explain(given), [{ field: '', reason: 'must be a time such as 2026-11-01T00:00:00Z' }], given);
});
