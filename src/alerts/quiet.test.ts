import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { wallTime } from '../jobs/wall-clock.ts';
import { quietUntil } from './quiet.ts';

const until = (quiet: { from: string; to: string; timezone: string }, now: string): string | undefined => {
  const end = quietUntil(quiet, Date.parse(now));
  return end === undefined ? undefined : new Date(end).toISOString();
};

test('quiet hours go by the clock on the wall, also over midnight and when clocks are changed', () => {
  const night = { from: '22:00', to: '07:00', timezone: 'Europe/Berlin' };
  assert.equal(until(night, '2026-11-16T20:59:59Z'), undefined);
  assert.equal(until(night, '2026-11-16T21:00:00Z'), '2026-11-17T06:00:00.000Z');
  assert.equal(until(night, '2026-11-17T05:59:59Z'), '2026-11-17T06:00:00.000Z');
  assert.equal(until(night, '2026-11-17T06:00:00Z'), undefined);
  assert.equal(until(night, '2026-07-16T20:00:00Z'), '2026-07-17T05:00:00.000Z', 'in summer');
  assert.equal(until(night, '2026-03-28T22:00:00Z'), '2026-03-29T05:00:00.000Z', 'the night that is an hour shorter');
  assert.equal(until(night, '2026-10-24T21:00:00Z'), '2026-10-25T06:00:00.000Z', 'the night that is an hour longer');
  assert.equal(until({ from: '12:00', to: '13:00', timezone: 'UTC' }, '2026-11-16T12:30:00Z'), '2026-11-16T13:00:00.000Z');
  assert.equal(
    until({ from: '01:00', to: '02:30', timezone: 'Europe/Berlin' }, '2026-03-29T00:30:00Z'),
    '2026-03-29T01:00:00.000Z',
    'an end that is skipped',
  );
  assert.equal(quietUntil(null, 0), undefined);
});

test('the end of quiet hours is in the future, within a day, and shows the time that was asked for', () => {
  const time = fc
    .tuple(fc.nat(23), fc.nat(59))
    .map(([hour, minute]) => `${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}`);
  const now = fc.integer({ min: Date.parse('2020-01-01'), max: Date.parse('2040-01-01') });
  fc.assert(
    fc.property(
      time,
      time,
      fc.constantFrom('UTC', 'Europe/Berlin', 'America/St_Johns', 'Pacific/Apia', 'Asia/Kathmandu'),
      now,
      (from, to, timezone, at) => {
        fc.pre(from !== to);
        const end = quietUntil({ from, to, timezone }, at);
        if (end === undefined) return;
        assert.ok(end > at && end <= at + 26 * 3_600_000);
        const shown = new Date(wallTime(end, timezone)).toISOString().slice(11, 16);
        // At an end that is skipped or has been, the clocks show another time.
        if (shown !== to) assert.ok(timezone !== 'UTC');
      },
    ),
  );
});
