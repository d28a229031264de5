import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatMoment, parseMoment } from './format.ts';
import { minus, parseDuration, plus } from './moment.ts';

test('times are read and written as Python does it', () => {
  const cases: readonly [text: string, format: string, iso: string, again?: string][] = [
    ['2024-02-29T12:30:15.250000+0200', '%Y-%m-%dT%H:%M:%S.%f%z', '2024-02-29T10:30:15.250Z'],
    ['2024-02-29T12:30:15.25Z', '%Y-%m-%dT%H:%M:%S.%f%z', '2024-02-29T12:30:15.250Z', '2024-02-29T12:30:15.250000+0000'],
    ['2024-02-29T12:30:15.250Z', '%Y-%m-%dT%H:%M:%S.%_msZ', '2024-02-29T12:30:15.250Z'],
    ['2024-02-29', '%Y-%m-%d', '2024-02-29T00:00:00.000Z'],
    ['29/Feb/2024 03:04 PM', '%d/%b/%Y %I:%M %p', '2024-02-29T15:04:00.000Z'],
    ['1709209815', '%s', '2024-02-29T12:30:15.000Z'],
    ['1709209815250', '%ms', '2024-02-29T12:30:15.250Z'],
    ['1709209815.25', '%s_as_float', '2024-02-29T12:30:15.250Z'],
    ['1709209815250001', '%epoch_microseconds', '2024-02-29T12:30:15.250Z'],
    ['2024060', '%Y%j', '2024-02-29T00:00:00.000Z'],
  ];
  for (const [text, format, iso, again = text] of cases) {
    const moment = parseMoment(text, format);
    assert.ok(moment, `${text} as ${format}`);
    assert.equal(new Date(Number(moment.micros / 1000n)).toISOString(), iso, text);
    assert.equal(formatMoment(moment, format), again);
  }
});

test('what is not written in a format is no time', () => {
  for (const [text, format] of [
    ['2024-02-30', '%Y-%m-%d'],
    ['2024-02-29T00:00:00Z', '%Y-%m-%d'],
    ['today', '%s'],
    ['2024-02-29', '%Y-%m-%d %Q'],
    ['', '%s_as_float'],
  ] as const)
    assert.equal(parseMoment(text, format), undefined, `${text} as ${format}`);
});

test('a month is as long as it is', () => {
  const end = parseMoment('2024-01-31', '%Y-%m-%d');
  const month = parseDuration('P1M');
  assert.ok(end && month);
  assert.equal(formatMoment(plus(end, month), '%Y-%m-%d'), '2024-02-29');
  assert.equal(formatMoment(minus(end, month), '%Y-%m-%d'), '2023-12-31');
  assert.deepEqual(parseDuration('P1Y2W1DT2H3M0.5S'), { months: 12, micros: 1_303_380_500_000n });
  assert.deepEqual(parseDuration('-PT1S'), { months: 0, micros: -1_000_000n });
  for (const text of ['P', '1D', 'PT', 'one day']) assert.equal(parseDuration(text)?.micros ?? 0n, 0n, text);
});
