import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AirbyteSession } from '../session.ts';
import { TestClock } from '../../../../../test/support/airbyte-manifest.ts';
import { countCursor } from './count.ts';
import { datetimeCursor } from './datetime.ts';

const session = { config: { start: '2024-01-01', days: 10 }, clock: new TestClock('2024-03-10T12:00:00Z') } as unknown as AirbyteSession;

function slices(part: object, value?: string, lookback = 0): string[] {
  const cursor = datetimeCursor(session, {
    cursor_field: 'at',
    datetime_format: '%Y-%m-%d',
    start_datetime: "{{ config['start'] }}",
    ...part,
  });
  return [...cursor.slices(value, lookback)].map((slice) => Object.values(slice).join('..'));
}

test('without a step there is one slice, from the start or from what was reached', () => {
  assert.deepEqual(slices({}), ['2024-01-01..2024-03-10']);
  assert.deepEqual(slices({}, '2024-02-01'), ['2024-02-01..2024-03-10']);
  assert.deepEqual(slices({}, '2020-01-01'), ['2024-01-01..2024-03-10'], 'nothing before the start');
  assert.deepEqual(slices({ lookback_window: 'P5D' }, '2024-02-01'), ['2024-01-27..2024-03-10']);
  assert.deepEqual(slices({}, '2024-02-01', 86_400), ['2024-01-31..2024-03-10']);
  assert.deepEqual(slices({ end_datetime: '2023-01-01' }), []);
});

test('steps touch each other without a gap, one grain apart', () => {
  const step = { step: "P{{ config['days'] }}D", cursor_granularity: 'P1D', end_datetime: '2024-01-25' };
  assert.deepEqual(slices(step), ['2024-01-01..2024-01-10', '2024-01-11..2024-01-20', '2024-01-21..2024-01-25']);
  assert.deepEqual(slices({ ...step, end_datetime: '2024-01-21' }), ['2024-01-01..2024-01-10', '2024-01-11..2024-01-21']);
  assert.deepEqual(slices(step, '2024-01-25'), ['2024-01-25..2024-01-25']);
  assert.deepEqual(slices({ ...step, is_compare_strictly: true }, '2024-01-25'), []);
  assert.deepEqual(slices({ step: 'P1M', cursor_granularity: 'P1D', start_datetime: '2024-01-31', end_datetime: '2024-04-10' }), [
    '2024-01-31..2024-02-28',
    '2024-02-29..2024-03-28',
    '2024-03-29..2024-04-10',
  ]);
});

test('boundaries have formats and limits of their own', () => {
  const start = {
    type: 'MinMaxDatetime',
    datetime: '2020-01-01T00:00:00Z',
    datetime_format: '%Y-%m-%dT%H:%M:%SZ',
    min_datetime: '2024-02-03T00:00:00Z',
  };
  assert.deepEqual(slices({ start_datetime: start, end_datetime: '2024-02-05' }), ['2024-02-03..2024-02-05']);
  assert.throws(() => slices({ start_datetime: 'soon' }), /not written as %Y-%m-%d/);
});

test('slices that have to be whole months or weeks', () => {
  const month = {
    clamping: { target: 'MONTH' },
    step: 'P1M',
    cursor_granularity: 'P1D',
    start_datetime: '2024-01-15',
    end_datetime: '2024-04-20',
  };
  assert.deepEqual(slices(month), ['2024-02-01..2024-02-29', '2024-03-01..2024-03-31']);
  const week = {
    clamping: { target: 'WEEK', target_details: { weekday: 'MONDAY' } },
    step: 'P1W',
    cursor_granularity: 'P1D',
    start_datetime: '2024-01-03',
    end_datetime: '2024-01-24',
  };
  assert.deepEqual(slices(week), ['2024-01-08..2024-01-14', '2024-01-15..2024-01-21']);
  assert.throws(() => slices({ clamping: { target: 'YEAR' } }), /YEAR/);
});

test('what belongs to a read, and halves of a slice', () => {
  const cursor = datetimeCursor(session, {
    cursor_field: 'at',
    datetime_format: '%Y-%m-%d',
    cursor_datetime_formats: ['%s'],
    start_datetime: '2024-01-01',
    lookback_window: 'P2D',
    step: 'P1M',
    cursor_granularity: 'P1D',
  });
  const belongs = (value: unknown): boolean => cursor.includes(cursor.markOf(value) ?? -1n, '2024-02-10', 0);
  assert.deepEqual(['2024-02-07', '2024-02-08', '2024-03-10', '2024-03-12'].map(belongs), [false, true, true, false]);
  assert.equal(cursor.kept(1_707_523_200), '2024-02-10');
  assert.equal(cursor.markOf('nonsense'), undefined);
  assert.deepEqual(cursor.halves({ start_time: '2024-01-01', end_time: '2024-01-04' }), [
    { start_time: '2024-01-01', end_time: '2024-01-02' },
    { start_time: '2024-01-03', end_time: '2024-01-04' },
  ]);
  assert.equal(cursor.halves({ start_time: '2024-01-01', end_time: '2024-01-01' }), undefined);
  const threeDays = 3n * 86_400_000_000n;
  assert.equal(cursor.halves({ start_time: '2024-01-01', end_time: '2024-01-04' }, threeDays), undefined);
  assert.equal(cursor.halves({ start_time: '2024-01-01', end_time: '2024-01-05' }, threeDays)?.length, 2);
  const kept = datetimeCursor(session, { cursor_field: 'at', datetime_format: '%Y-%m-%d', start_datetime: 'changed since' }, cursor.window);
  assert.deepEqual(
    [...kept.slices(undefined, 0)],
    [{ start_time: '2024-01-01', end_time: '2024-03-10' }],
    'a run keeps the window it began with',
  );
});

test('numbers that grow', () => {
  const cursor = countCursor(session, { cursor_field: 'id', start_value: "{{ config['days'] }}" });
  assert.deepEqual([...cursor.slices(undefined, 0)], [{ start: 10 }]);
  assert.deepEqual([...cursor.slices(25, 0)], [{ start: 25 }]);
  assert.equal(cursor.markOf('31'), 31);
});
