import assert from 'node:assert/strict';
import { test } from 'node:test';
import { labelEvery, plotOf, ticksTo } from '../../dashboard/src/parts/chart/scale.ts';

test('the lines of a chart are whole, round numbers, a few of them, and none lies below the largest value', () => {
  assert.deepEqual(ticksTo(1), [0, 1]);
  assert.deepEqual(ticksTo(3), [0, 1, 2, 3]);
  assert.deepEqual(ticksTo(10), [0, 5, 10]);
  assert.deepEqual(ticksTo(130), [0, 50, 100, 150]);
  assert.deepEqual(ticksTo(0.2), [0, 1]);
  for (const largest of [1, 2, 7, 11, 99, 101, 999, 1_234_567, 4e12]) {
    const ticks = ticksTo(largest);
    assert.ok((ticks.at(-1) ?? 0) >= largest, `${largest}`);
    assert.ok(ticks.length >= 2 && ticks.length <= 6, `${largest}: ${ticks.length} lines`);
    assert.ok(ticks.every(Number.isInteger), `${largest}`);
  }
});

test('labels stand so far from each other that none lies over the next', () => {
  assert.equal(labelEvery(['09:30'], 100), 1);
  assert.ok(labelEvery(['12 Nov 09:30'], 10) * 10 >= 12 * 6.5);
});

test('bars on top of each other fit into the drawing', () => {
  const chart = { kind: 'bar', label: '', height: 200, stacked: true, format: String } as const;
  const series = ['a', 'b'].map((name) => ({ name, label: name, color: 'red.5' }));
  const { rise, height } = plotOf({ ...chart, series, data: [{ at: 'now', a: 6, b: 8 }] }, 400);
  assert.ok(rise(14) <= height);
  assert.ok(rise(14) > height / 2);
});
