import assert from 'node:assert/strict';
import { afterEach, describe, test } from 'node:test';
import fc from 'fast-check';
import { formatDuration, formatRelative } from '../../dashboard/src/parts/words/format.ts';

const ZONES = ['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'Pacific/Auckland', 'Pacific/Kiritimati', 'America/St_Johns'];
const HOUR = 3_600_000;

test('a duration is rounded before it is cut into units', () => {
  for (const [milliseconds, words] of [
    [419, '419 ms'],
    [999.6, '1 s'],
    [12_400, '12.4 s'],
    [59_960, '1 min'],
    [119_700, '2 min'],
    [200_000, '3 min 20 s'],
    [3_599_900, '1 h'],
    [7_500_000, '2 h 5 min'],
    [7_199_000, '2 h'],
  ] as const)
    assert.equal(formatDuration(milliseconds), words);
});

describe('a time as people say it', () => {
  const zone = process.env['TZ'];
  afterEach(() => {
    if (zone === undefined) delete process.env['TZ'];
    else process.env['TZ'] = zone;
  });
  const said = (time: string, now: string): string => formatRelative(time, Date.parse(now));

  test('goes by days of the calendar, not by 24 hours', () => {
    process.env['TZ'] = 'UTC';
    for (const [time, now, words] of [
      ['2026-11-18T06:00:00Z', '2026-11-16T10:00:00Z', 'in 2 days'],
      ['2026-11-17T23:30:00Z', '2026-11-16T00:30:00Z', 'tomorrow'],
      ['2026-11-17T06:00:00Z', '2026-11-16T10:00:00Z', 'in 20 hours'],
      ['2026-11-14T20:00:00Z', '2026-11-16T10:00:00Z', '2 days ago'],
      ['2026-11-15T09:00:00Z', '2026-11-16T10:00:00Z', 'yesterday'],
      ['2026-11-16T10:00:04Z', '2026-11-16T10:00:00Z', 'just now'],
      ['2026-11-16T10:00:30Z', '2026-11-16T10:00:00Z', 'in a moment'],
      ['2026-11-16T09:58:00Z', '2026-11-16T10:00:00Z', '2 minutes ago'],
    ] as const)
      assert.equal(said(time, now), words, `${time} at ${now}`);
  });

  test('is the reader’s calendar, also where clocks are put forward and back', () => {
    process.env['TZ'] = 'Pacific/Auckland';
    assert.equal(said('2026-11-18T06:00:00Z', '2026-11-16T10:00:00Z'), 'in 2 days');
    assert.equal(said('2026-11-18T12:00:00Z', '2026-11-16T10:00:00Z'), 'in 3 days');
    process.env['TZ'] = 'Europe/Berlin';
    // The night of 25 October 2026 is an hour longer: a day later it is still the same day.
    assert.equal(said('2026-10-25T22:30:00Z', '2026-10-24T22:15:00Z'), 'in 24 hours');
    assert.equal(said('2026-03-29T22:30:00Z', '2026-03-28T22:15:00Z'), 'in 2 days');
  });

  test('names the day that a calendar in that zone names', () => {
    const moment = fc.integer({ min: Date.parse('2024-01-01T00:00:00Z'), max: Date.parse('2028-01-01T00:00:00Z') });
    fc.assert(
      fc.property(fc.constantFrom(...ZONES), moment, fc.integer({ min: -90 * 24, max: 90 * 24 }), (timeZone, now, hours) => {
        process.env['TZ'] = timeZone;
        const then = now + hours * HOUR;
        const words = formatRelative(new Date(then).toISOString(), now);
        const [, count] = /^(?:in )?(\d+) days?(?: ago)?$/.exec(words) ?? [];
        const days = words === 'tomorrow' || words === 'yesterday' ? 1 : count === undefined ? undefined : Number(count);
        if (days === undefined) return;
        const day = new Intl.DateTimeFormat('en-CA', { timeZone });
        const apart = (Date.parse(day.format(then)) - Date.parse(day.format(now))) / (24 * HOUR);
        assert.equal(apart, Math.sign(hours) * days, `${words} in ${timeZone}`);
      }),
      { numRuns: 2000 },
    );
  });
});
