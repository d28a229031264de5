import assert from 'node:assert/strict';
import { test } from 'node:test';
import { progressLines, type StreamProgress } from './progress-bars.ts';

const stream = (more: Partial<StreamProgress>): StreamProgress => ({
  name: 'public.customers',
  target: 'customers',
  status: 'running',
  read: 0,
  inserted: 0,
  updated: 0,
  deleted: 0,
  unchanged: 0,
  rejected: 0,
  rows_per_second: 0,
  estimated_total: null,
  error: null,
  ...more,
});

test('a stream that runs shows how far it is and how fast', () => {
  const [line] = progressLines([stream({ read: 500_000, estimated_total: 1_000_000, rows_per_second: 180_000 })], 120);
  assert.equal(line, `public.customers  ${'█'.repeat(12)}${'░'.repeat(12)}  50 %  500,000 rows, 180,000 rows/s`);
});

test('of an estimate that was too low it is never through before its end', () => {
  assert.match(progressLines([stream({ read: 2000, estimated_total: 1000 })], 120)[0] ?? '', / 99 % /);
  assert.match(
    progressLines([stream({ status: 'succeeded', read: 2000, unchanged: 2000 })], 120)[0] ?? '',
    /100 % +succeeded: 2,000 unchanged$/,
  );
});

test('without an estimate there is no percentage to be wrong', () => {
  assert.doesNotMatch(progressLines([stream({ read: 10 })], 120)[0] ?? '', /%/);
});

test('lines fit the terminal, and names cannot move its cursor', () => {
  const [line = ''] = progressLines([stream({ name: `a\u001b[2Jb${'c'.repeat(300)}` })], 60);
  assert.equal(Array.from(line).length, 60);
  assert.ok(!line.includes('\u001b'));
});

test('a terminal that does not tell its width, or tells 0, has the usual one', () => {
  for (const width of [0, undefined]) {
    const [line = ''] = progressLines([stream({ status: 'succeeded', unchanged: 3 })], width);
    assert.match(line, /succeeded: 3 unchanged$/);
    assert.equal(
      Array.from(progressLines([stream({ status: 'failed', name: 'x'.repeat(90), inserted: 1e12 })], width)[0] ?? '').length,
      80,
    );
  }
});

test('streams of the same name are told apart by where they go, also when one of them is shown alone', () => {
  const streams = [stream({ target: 'a' }), stream({ target: 'b' }), stream({ name: 'public.orders', target: 'c' })];
  assert.deepEqual(
    progressLines(streams, 200).map((line) => line.split('  ', 1)[0]?.trim()),
    ['public.customers → a', 'public.customers → b', 'public.orders'],
  );
  assert.match(progressLines(streams.slice(1, 2), 200, streams)[0] ?? '', /^public.customers → b /);
});

test('lines that are shown one after the other stand below each other', () => {
  const all = [stream({ status: 'succeeded' }), stream({ name: 'orders', target: 'orders', status: 'succeeded' })];
  const begins = all.map((one) => progressLines([one], 120, all)[0]?.indexOf('█'));
  assert.deepEqual(begins, [18, 18]);
});
