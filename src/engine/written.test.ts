import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { newReport } from './progress.ts';
import type { StreamReport } from './run.ts';
import { writtenText } from './written.ts';

const stream = (target: string, status: StreamReport['status'], counts: Partial<StreamReport> = {}): StreamReport => ({
  ...newReport({ source: target, target }),
  status,
  ...counts,
});

test('a run that has changed nothing says so, and no more', () => {
  assert.equal(writtenText([stream('a', 'needs_approval')]), 'Nothing was written.');
  assert.equal(writtenText([stream('a', 'needs_approval'), stream('b', 'succeeded', { read: 3, unchanged: 3 })]), 'Nothing was written.');
});

test('of several streams each is told where it belongs', () => {
  const streams = [
    stream('orders', 'succeeded', { inserted: 3 }),
    stream('people', 'needs_approval'),
    stream('stock', 'partial', { updated: 1, rejected: 2 }),
    stream('prices', 'succeeded', { unchanged: 9 }),
    stream('events', 'failed', { inserted: 100 }),
    stream('later', 'pending'),
  ];
  assert.equal(
    writtenText(streams),
    'Written: "orders", "stock". Written in part: "events". Nothing to change: "prices". Not written: "people", "later".',
  );
});

test('a long list is cut, and says by how much', () => {
  const many = Array.from({ length: 25 }, (_, at) => stream(`t${at}`, 'succeeded', { deleted: 1 }));
  const text = writtenText([...many, stream('x', 'needs_approval')]);
  assert.match(text, /^Written: "t0", .*"t9" and 15 more\. Not written: "x"\.$/);
});

test('whatever happened: no stream that was changed is told as not written', () => {
  const status = fc.constantFrom<StreamReport['status']>(
    'pending',
    'running',
    'succeeded',
    'partial',
    'failed',
    'cancelled',
    'needs_approval',
  );
  fc.assert(
    fc.property(fc.array(fc.tuple(status, fc.nat({ max: 2 })), { minLength: 1, maxLength: 8 }), (found) => {
      const streams = found.map(([state, inserted], at) => stream(`t${at}`, state, { inserted }));
      const text = writtenText(streams);
      const notWritten = /Not written: ([^.]*)\./.exec(text)?.[1] ?? '';
      const isNothing = text === 'Nothing was written.';
      for (const { target, inserted } of streams) {
        if (inserted > 0) assert.ok(!isNothing && !notWritten.includes(`"${target}"`) && text.includes(`"${target}"`), text);
        else if (!isNothing) assert.ok(text.includes(`"${target}"`), text);
      }
    }),
  );
});
