import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { firstMillisecond, isoTime, parseTime, systemClock } from './clock.ts';

const FIRST = Date.parse('0000-01-01T00:00:00.000Z');
const LAST = Date.parse('9999-12-31T23:59:59.999Z');
const LIMIT = 8_640_000_000_000_000;
const moment = fc.oneof(fc.integer({ min: FIRST, max: LAST }), fc.constantFrom(FIRST, LAST, -1, 0, 1, 999, 1000, -999, -1000, -1001));

describe('isoTime', () => {
  test('is what Date says, for every millisecond there is', () => {
    const any = fc.oneof(moment, fc.integer({ min: -LIMIT, max: LIMIT }), fc.constantFrom(-LIMIT, LIMIT, FIRST - 1, LAST + 1));
    fc.assert(
      fc.property(any, fc.integer({ min: 0, max: 1999 }), (milliseconds, step) => {
        assert.equal(isoTime(milliseconds), new Date(milliseconds).toISOString());
        // Once more from nearby, as it remembers the second it was last asked for.
        const near = Math.min(milliseconds + step, LIMIT);
        assert.equal(isoTime(near), new Date(near).toISOString());
      }),
      { numRuns: 5000 },
    );
  });

  test('sorts as text like the time, within the years of four digits', () => {
    fc.assert(
      fc.property(moment, moment, (a, b) => {
        assert.equal(isoTime(a) < isoTime(b), a < b);
      }),
    );
  });

  test('throws for what is no time', () => {
    for (const odd of [Number.NaN, LIMIT + 1000, Number.POSITIVE_INFINITY]) assert.throws(() => isoTime(odd), RangeError);
  });
});

describe('parseTime', () => {
  test('reads back what isoTime writes', () => {
    fc.assert(
      fc.property(moment, (milliseconds) => {
        const text = isoTime(milliseconds);
        assert.deepEqual(parseTime(text), { milliseconds, exact: text.replace('Z', '000000Z') });
      }),
      { numRuns: 2000 },
    );
  });

  test('reads every zone, and fractions down to a nanosecond', () => {
    const zone = fc.tuple(fc.constantFrom('+', '-'), fc.integer({ min: 0, max: 23 }), fc.integer({ min: 0, max: 59 }));
    const fraction = fc.stringMatching(/^\d{1,9}$/);
    const second = fc.integer({ min: Date.parse('0001-01-02') / 1000, max: Date.parse('9999-12-30') / 1000 });
    fc.assert(
      fc.property(second, zone, fraction, (seconds, [sign, hours, minutes], digits) => {
        const local = isoTime(seconds * 1000).slice(0, 19);
        const two = (n: number): string => String(n).padStart(2, '0');
        const parsed = parseTime(`${local}.${digits}${sign}${two(hours)}:${two(minutes)}`);
        const utc = seconds * 1000 - (sign === '+' ? 1 : -1) * (hours * 60 + minutes) * 60_000;
        const nine = digits.padEnd(9, '0');
        assert.deepEqual(parsed, { milliseconds: utc + Number(nine.slice(0, 3)), exact: `${isoTime(utc).slice(0, 19)}.${nine}Z` });
      }),
      { numRuns: 2000 },
    );
  });

  test('takes the short forms', () => {
    for (const [text, expected] of [
      ['2026-11-01', '2026-11-01T00:00:00.000Z'],
      ['2024-02-29', '2024-02-29T00:00:00.000Z'],
      ['2026-11-01T09:30Z', '2026-11-01T09:30:00.000Z'],
      ['2026-11-01T09:30:15Z', '2026-11-01T09:30:15.000Z'],
      ['2026-11-01T09:30:15.5Z', '2026-11-01T09:30:15.500Z'],
      ['2026-11-01T09:30+02:00', '2026-11-01T07:30:00.000Z'],
      ['2026-11-01T00:30+01:00', '2026-10-31T23:30:00.000Z'],
      ['0000-01-01', '0000-01-01T00:00:00.000Z'],
      ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
    ] as const)
      assert.equal(isoTime(parseTime(text)?.milliseconds ?? Number.NaN), expected, text);
  });

  test('compares as text like the time, to the nanosecond', () => {
    const exact = (text: string): string => parseTime(text)?.exact ?? '';
    assert.ok(exact('2026-11-01T00:00:00.000000001Z') > exact('2026-11-01T00:00:00Z'));
    assert.ok(exact('2026-11-01T01:00:00.5+01:00') > exact('2026-11-01T00:00:00.4999Z'));
    assert.equal(exact('2026-11-01T01:00:00+01:00'), exact('2026-11-01'));
  });

  const refused = [
    '',
    'now',
    '2026',
    '2026-11',
    '2026-1-1',
    '20261101',
    '2026-11-01 00:00:00Z',
    '2026-11-01T00:00:00',
    '2026-11-01T00:00',
    '2026-11-01Z',
    '2026-11-01T9:00Z',
    '2026-11-01T24:00:00Z',
    '2026-11-01T24:00:00.5Z',
    '2026-11-01T25:00Z',
    '2026-11-01T00:60Z',
    '2026-11-01T00:00:60Z',
    '2026-11-01T09:30.5Z',
    '2026-11-01T00:00:00.Z',
    '2026-11-01T00:00:00,5Z',
    '2026-11-01T00:00:00.1234567890Z',
    '2026-11-01T00:00:00+0100',
    '2026-11-01T00:00:00+01',
    '2026-11-01T00:00:00+24:00',
    '2026-11-01T00:00:00+01:60',
    '2026-11-01t00:00:00z',
    '2026-00-01',
    '2026-13-01',
    '2026-01-00',
    '2026-01-32',
    '2026-02-29',
    '2026-06-31',
    '1900-02-29',
    '+010000-01-01T00:00:00Z',
    '-000001-01-01T00:00:00Z',
    '10000-01-01',
    '9999-12-31T23:59:59-00:01',
    '0000-01-01T00:00:00+00:01',
    '1767225600',
    '２０２６-11-01',
    ' 2026-11-01',
    '2026-11-01\n',
    '2026-11-01T00:00:00Z; drop table orders',
  ];
  for (const text of refused) test(`refuses ${JSON.stringify(text)}`, () => assert.equal(parseTime(text), undefined));

  test('never throws, and never makes up a day', () => {
    const nearly = fc.stringMatching(/^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2}))?$/);
    fc.assert(
      fc.property(fc.oneof(nearly, fc.string({ maxLength: 40 })), (text) => {
        const parsed = parseTime(text);
        if (!parsed) return;
        assert.match(parsed.exact, /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{9}Z$/);
        if (text.endsWith('Z') || text.length === 10) assert.equal(parsed.exact.slice(0, 10), text.slice(0, 10));
      }),
      { numRuns: 5000 },
    );
  });
});

test('firstMillisecond is the first that is not before the time', () => {
  const at = (text: string): string => isoTime(firstMillisecond(parseTime(text) as NonNullable<ReturnType<typeof parseTime>>));
  assert.equal(at('2026-11-01T00:00:00.123Z'), '2026-11-01T00:00:00.123Z');
  assert.equal(at('2026-11-01T00:00:00.123000001Z'), '2026-11-01T00:00:00.124Z');
  assert.equal(at('2026-11-01T00:00:00.9999Z'), '2026-11-01T00:00:01.000Z');
});

test('systemClock tells the time of the machine', () => {
  const before = Date.now();
  const told = systemClock();
  assert.ok(told >= before && told <= Date.now());
});
