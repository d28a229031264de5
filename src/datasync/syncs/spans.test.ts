import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { intervalOf } from '../../jobs/schedule.ts';
import { checkerOf } from '../../lib/check.ts';
import { NewSync } from './schemas.ts';

const DEFINITION = { name: 'a', source_id: 'src_a', target_id: 'src_b', streams: [{ source: 'x' }] };
const LONGEST = 366;
const DAYS: Readonly<Record<string, number>> = { s: 1 / 86_400, m: 1 / 1440, h: 1 / 24, d: 1 };

test('what the schema says of spans is what is read: nothing that would be is refused, and only what is longer than a year is left to the handler', () => {
  const checker = checkerOf(NewSync);
  const text = fc.oneof(
    fc
      .tuple(fc.integer({ min: -1, max: 2000 }), fc.constantFrom('s', 'm', 'h', 'd', 'w', '', 'S', ' m', 'ms'))
      .map(([count, unit]) => `${count}${unit}`),
    fc.string({ maxLength: 25 }),
    fc.constantFrom('007m', '1.5h', '999999999s', '1000000000s', ''),
  );
  fc.assert(
    fc.property(text, (span) => {
      const isRead = intervalOf(span) !== undefined;
      for (const more of [
        { schedule: { type: 'interval', every: span } },
        { expect_every: span },
        { undo: { keep: span } },
        { verify: { every: span } },
      ]) {
        const fits = checker.test({ ...DEFINITION, ...more });
        if (isRead) assert.ok(fits, JSON.stringify(more));
        const isLong = Number.parseInt(span, 10) * (DAYS[span.at(-1) ?? ''] ?? 0) > LONGEST;
        if (fits && !isLong) assert.ok(isRead, JSON.stringify(more));
      }
    }),
    { numRuns: 2000 },
  );
  const faults = checker.explain({ ...DEFINITION, expect_every: 'soon', undo: { keep: '0d' } });
  assert.deepEqual(faults, [
    { field: 'expect_every', reason: 'must be a number and a unit, such as 30m, 2h or 1d; at least 1s, at most 366d' },
    { field: 'undo.keep', reason: 'must be a number and a unit, such as 12h or 7d; at least 1s, at most 366d' },
  ]);
});
