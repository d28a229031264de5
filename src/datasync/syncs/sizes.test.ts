import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bytesOfSize, sizeOfBytes } from './sizes.ts';

test('sizes are read as people write them', () => {
  for (const [size, bytes] of [
    ['10 GB', 10_000_000_000],
    ['10gb', 10_000_000_000],
    [' 1.5 GB ', 1_500_000_000],
    ['500MB', 500_000_000],
    ['123', 123],
    ['0.001 kB', 1],
    [4096, 4096],
  ] as const)
    assert.equal(bytesOfSize(size), bytes, String(size));
  for (const none of ['', 'GB', '-1 GB', '1 XB', '1e9', '10 GiB', '1.2345 GB', '99999 PB', 1.5, -1, Number.MAX_VALUE])
    assert.equal(bytesOfSize(none), undefined, String(none));
});

test('sizes are shown in the largest unit that tells them exactly', () => {
  assert.deepEqual([10_000_000_000, 1_500_000_000, 4096, 0].map(sizeOfBytes), ['10 GB', '1500 MB', '4096 B', '0 B']);
});
