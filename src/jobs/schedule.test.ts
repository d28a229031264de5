import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { isoTime } from '../lib/clock.ts';
import { checkSchedule, nextRun, type Schedule } from './schedule.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

function cron(expression: string, timezone = 'UTC'): Schedule {
  return { type: 'cron', expression, timezone };
}

/** The times between two instants, both as ISO 8601 to the minute. */
function times(schedule: Schedule, from: string, to: string): string[] {
  const found: string[] = [];
  const end = Date.parse(to);
  for (let at = nextRun(schedule, Date.parse(from) - 1); at !== null && at <= end; at = nextRun(schedule, at))
    found.push(isoTime(at).slice(0, 16));
  return found;
}

describe('an interval', () => {
  test('runs at the multiples of itself, whenever one asks', () => {
    for (const [every, after, next] of [
      ['30s', '2026-11-15T08:03:31.001Z', '2026-11-15T08:04:00.000Z'],
      ['30s', '2026-11-15T08:04:00.000Z', '2026-11-15T08:04:30.000Z'],
      ['15m', '2026-11-15T08:14:59.999Z', '2026-11-15T08:15:00.000Z'],
      ['2h', '2026-11-15T08:00:00.000Z', '2026-11-15T10:00:00.000Z'],
      ['1d', '2026-11-15T08:00:00.000Z', '2026-11-16T00:00:00.000Z'],
    ] as const)
      assert.equal(isoTime(nextRun({ type: 'interval', every }, Date.parse(after)) ?? 0), next, `${every} after ${after}`);
  });

  test('is from one second to 366 days', () => {
    for (const every of ['1s', '59s', '90m', '48h', '366d', '31622400s'])
      assert.equal(checkSchedule({ type: 'interval', every }), undefined, every);
    for (const every of ['', '0s', '5', '1.5h', '-1m', '1 h', '1w', '1H', '367d', '31622401s', '999999999d', '01h', '1h30m'])
      assert.match(checkSchedule({ type: 'interval', every }) ?? '', /^every must be a number and a unit/, every);
  });
});

describe('what has no times', () => {
  test('is right, and never due', () => {
    for (const type of ['manual', 'on_change'] as const) {
      assert.equal(checkSchedule({ type }), undefined);
      assert.equal(nextRun({ type }, Date.now()), null);
    }
  });
});

describe('a cron expression', () => {
  test('that is wrong is told in words', () => {
    for (const [expression, fault] of [
      ['', /must have five fields/],
      ['* * * *', /must have five fields/],
      ['0 0 0 1 1 * 2030', /must have five fields/],
      ['2030-01-01T00:00:00', /must have five fields/],
      ['@reboot', /must have five fields/],
      [`${'1,'.repeat(200)}2 * * * *`, /must have five fields/],
      ['60 * * * *', /is not a cron expression: .*minute.*60/],
      ['0 24 * * *', /is not a cron expression: .*hour.*24/],
      ['*/0 * * * *', /is not a cron expression/],
      ['5-1 * * * *', /is not a cron expression/],
      ['a b c d e', /is not a cron expression/],
      ['0 0 31 2 *', /never comes to pass/],
      ['0 0 31 4,6,9,11 *', /never comes to pass/],
    ] as const)
      assert.match(checkSchedule(cron(expression)) ?? '', fault, expression);
    for (const timezone of ['', 'Europe/Atlantis', '+01:00', 'Europe/Berlin ', '../etc'])
      assert.match(checkSchedule(cron('0 6 * * *', timezone)) ?? '', /^timezone must be a name/, timezone);
  });

  test('may have seconds, names, nicknames and leap days', () => {
    assert.deepEqual(times(cron('*/30 * * * * *'), '2026-01-01T00:00:00Z', '2026-01-01T00:01:00Z'), [
      '2026-01-01T00:00',
      '2026-01-01T00:00',
      '2026-01-01T00:01',
    ]);
    assert.deepEqual(times(cron('0 6 * * MON-FRI'), '2026-11-13T00:00:00Z', '2026-11-17T00:00:00Z'), [
      '2026-11-13T06:00',
      '2026-11-16T06:00',
    ]);
    assert.deepEqual(times(cron('@monthly'), '2026-01-15T00:00:00Z', '2026-03-15T00:00:00Z'), ['2026-02-01T00:00', '2026-03-01T00:00']);
    assert.deepEqual(times(cron('0 0 29 2 *'), '2026-01-01T00:00:00Z', '2033-01-01T00:00:00Z'), ['2028-02-29T00:00', '2032-02-29T00:00']);
    // As in every cron: with a day of the month and a day of the week, either will do.
    assert.deepEqual(times(cron('0 0 13 * 5'), '2026-11-01T00:00:00Z', '2026-11-21T00:00:00Z'), [
      '2026-11-06T00:00',
      '2026-11-13T00:00',
      '2026-11-20T00:00',
    ]);
  });
});

describe('when the clocks are changed', () => {
  // Forward: 29 March 2026, 02:00 → 03:00 in Berlin (01:00 UTC). Back: 25 October 2026, 03:00 → 02:00 (01:00 UTC).
  // Forward: 8 March 2026, 02:00 → 03:00 in New York (07:00 UTC). Back: 1 November 2026, 02:00 → 01:00 (06:00 UTC).
  // Forward: 4 October 2026, 02:00 → 02:30 on Lord Howe (15:30 UTC the day before). Back: 5 April 2026, 02:00 → 01:30 (15:00 UTC).
  for (const [what, expression, timezone, from, to, expected] of [
    ['a skipped time runs when it is skipped', '30 2 * * *', 'Europe/Berlin', '2026-03-28T12', '2026-03-30T12', ['29T01:00', '30T00:30']],
    ['a time that comes twice runs once', '30 2 * * *', 'Europe/Berlin', '2026-10-24T12', '2026-10-26T12', ['25T00:30', '26T01:30']],
    ['several skipped times run once', '*/15 2 * * *', 'Europe/Berlin', '2026-03-28T12', '2026-03-29T12', ['29T01:00']],
    ['a skipped time may fall on another', '30 2,3 * * *', 'Europe/Berlin', '2026-03-28T12', '2026-03-29T12', ['29T01:00', '29T01:30']],
    [
      'every half hour goes on',
      '*/30 * * * *',
      'Europe/Berlin',
      '2026-03-29T00',
      '2026-03-29T02',
      ['29T00:00', '29T00:30', '29T01:00', '29T01:30', '29T02:00'],
    ],
    [
      'every half hour does not pause',
      '*/30 * * * *',
      'Europe/Berlin',
      '2026-10-25T00',
      '2026-10-25T02',
      ['25T00:00', '25T00:30', '25T01:00', '25T01:30', '25T02:00'],
    ],
    [
      'a skipped time runs when it is skipped',
      '15 2 * * *',
      'America/New_York',
      '2026-03-08T00',
      '2026-03-09T12',
      ['08T07:00', '09T06:15'],
    ],
    ['a time that comes twice runs once', '15 1 * * *', 'America/New_York', '2026-11-01T00', '2026-11-02T12', ['01T05:15', '02T06:15']],
    ['a skipped half hour', '15 2 * * *', 'Australia/Lord_Howe', '2026-10-03T00', '2026-10-05T00', ['03T15:30', '04T15:15']],
    ['a half hour that comes twice', '45 1 * * *', 'Australia/Lord_Howe', '2026-04-04T00', '2026-04-06T00', ['04T14:45', '05T15:15']],
    ['midnight that is skipped', '@daily', 'Africa/Cairo', '2026-04-23T12', '2026-04-25T12', ['23T22:00', '24T21:00']],
  ] as const)
    test(`${what}: ${expression} in ${timezone}`, () => {
      const found = times(cron(expression, timezone), `${from}:00:00Z`, `${to}:00:00Z`);
      assert.deepEqual(
        found.map((time) => time.slice(8)),
        expected,
      );
    });

  /** Independent of what is tested: the wall time as text, minute by minute. */
  function wallAt(instant: number, format: Intl.DateTimeFormat): string {
    return format.format(instant).replace(' ', 'T');
  }

  test('every minute of both switches is found once, as a walk through the minutes finds it', () => {
    const switches = [
      ['Europe/Berlin', '2026-03-29T01:00Z'],
      ['Europe/Berlin', '2026-10-25T01:00Z'],
      ['America/New_York', '2026-03-08T07:00Z'],
      ['America/New_York', '2026-11-01T06:00Z'],
      ['Australia/Lord_Howe', '2026-10-03T15:30Z'],
      ['Australia/Lord_Howe', '2026-04-04T15:00Z'],
    ] as const;
    const minutes = fc.uniqueArray(fc.integer({ min: 0, max: 59 }), { minLength: 1, maxLength: 4 });
    const hours = fc.option(fc.uniqueArray(fc.integer({ min: 0, max: 4 }), { minLength: 1, maxLength: 3 }), { nil: '*' as const });
    fc.assert(
      fc.property(
        fc.constantFrom(...switches),
        minutes,
        hours,
        fc.integer({ min: 0, max: 6 * 60 }),
        ([timezone, at], minute, hour, lead) => {
          const format = new Intl.DateTimeFormat('sv-SE', { timeZone: timezone, dateStyle: 'short', timeStyle: 'short' });
          const [start, end] = [Date.parse(at) - 8 * HOUR, Date.parse(at) + 8 * HOUR];
          const matches = (wall: string): boolean =>
            minute.includes(Number(wall.slice(14))) && (hour === '*' || hour.includes(Number(wall.slice(11, 13))));
          const expected = new Set<number>();
          const seen = new Set<string>();
          let last = wallAt(start, format);
          for (let instant = start + MINUTE; instant <= end; instant += MINUTE) {
            const wall = wallAt(instant, format);
            if (matches(wall) && (hour === '*' || !seen.has(wall))) expected.add(instant);
            seen.add(wall);
            for (let skipped = Date.parse(`${last}Z`) + MINUTE; skipped < Date.parse(`${wall}Z`); skipped += MINUTE)
              if (hour !== '*' && matches(isoTime(skipped).slice(0, 16))) expected.add(instant);
            last = wall;
          }
          const schedule = cron(`${minute.join()} ${hour === '*' ? '*' : hour.join()} * * *`, timezone);
          const from = start + lead * MINUTE;
          assert.deepEqual(
            times(schedule, isoTime(from + 1), isoTime(end)),
            [...expected].filter((instant) => instant > from).map((instant) => isoTime(instant).slice(0, 16)),
          );
        },
      ),
      { numRuns: 120 },
    );
  });
});
