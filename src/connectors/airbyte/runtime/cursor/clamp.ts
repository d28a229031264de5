import { evaluateText, type TemplateScope } from '../evaluate.ts';
import { manifestFault, type Part, partOf } from '../parts.ts';
import { calendarOf, DAY, type Duration, fromCalendar, minus, type Instant, plus, SECOND } from '../time/moment.ts';

/** Boundaries of slices that have to be those of days, weeks or months. */
export interface Clamp {
  /** Up to the next boundary. */
  slice(moment: Instant): Instant;
  /** The end of all slices: one grain before the last boundary. */
  end(moment: Instant, granularity: Duration | undefined): Instant;
}

const NO_CLAMP: Clamp = { slice: (moment) => moment, end: (moment) => moment };

const WEEKDAYS = ['MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY', 'SUNDAY'];

export function clampOf(part: Part, scope: TemplateScope): Clamp {
  const clamping = partOf(part['clamping']);
  if (!clamping) return NO_CLAMP;
  const target = evaluateText(clamping['target'], scope);
  const made = (floor: (moment: Instant) => Instant, next: (moment: Instant) => Instant, grain: bigint): Clamp => ({
    slice: (moment) => (isBoundary(moment, floor) ? floor(moment) : next(floor(moment))),
    end: (moment, granularity) => minus(floor(moment), granularity ?? { months: 0, micros: grain }),
  });
  switch (target) {
    case 'DAY':
      return {
        ...made(midnight, nextDay, SECOND),
        slice: (moment) => (midnight(moment).micros === moment.micros ? moment : nextDay(midnight(moment))),
      };
    case 'WEEK': {
      const weekday = WEEKDAYS.indexOf(String(partOf(clamping['target_details'])?.['weekday']));
      if (weekday === -1) break;
      const floor = (moment: Instant): Instant => {
        const day = midnight(moment);
        const behind = (weekdayOf(day) - weekday + 7) % 7;
        return { ...day, micros: day.micros - BigInt(behind) * DAY };
      };
      return made(floor, (moment) => ({ ...moment, micros: moment.micros + 7n * DAY }), DAY);
    }
    case 'MONTH':
      return made(
        (moment) => fromCalendar({ ...calendarOf(midnight(moment)), day: 1 }, moment.offset),
        (moment) => plus(moment, { months: 1, micros: 0n }),
        DAY,
      );
    default:
  }
  throw manifestFault(
    'CLAMPING_INVALID',
    `The manifest clamps slices to "${target}", which is none of DAY, MONTH, or WEEK with a weekday.`,
  );
}

/** By the day: the time of the day is cut off. */
function isBoundary(moment: Instant, floor: (moment: Instant) => Instant): boolean {
  return floor(moment).micros === midnight(moment).micros;
}

function midnight(moment: Instant): Instant {
  return fromCalendar({ ...calendarOf(moment), hour: 0, minute: 0, second: 0, micro: 0 }, moment.offset);
}

function nextDay(moment: Instant): Instant {
  return { ...moment, micros: moment.micros + DAY };
}

function weekdayOf(moment: Instant): number {
  const local = moment.micros + BigInt(moment.offset) * SECOND;
  // The first day of 1970 was a Thursday.
  return Number((((local / DAY + 3n) % 7n) + 7n) % 7n);
}
