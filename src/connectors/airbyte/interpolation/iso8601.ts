import { CalendarDelta, Delta, isValid, Moment } from './moments.ts';
import { offsetFrom } from './moment-format.ts';

const DAY = /^(\d{4})(?:-?(\d\d)(?:-?(\d\d))?)?$/;
const PARTS = /^(\d{4}-?W\d\d(?:-?[1-7])?|\d{4}-?\d{3}(?!\d)|\d{4}(?:-?\d\d(?:-?\d\d)?)?)(?:\D(.+))?$/;
const WEEK_DAY = /^(\d{4})-?W(\d\d)(?:-?([1-7]))?$/;
const YEAR_DAY = /^(\d{4})-?(\d{3})$/;
const TIME = /^(\d\d)(?::?(\d\d)(?::?(\d\d)(?:[.,](\d+))?)?)?(Z|z|[-+]\d\d(?::?\d\d)?)?$/;
const DURATION =
  /^([-+])?P(?:(\d+(?:[.,]\d+)?)Y)?(?:(\d+(?:[.,]\d+)?)M)?(?:(\d+(?:[.,]\d+)?)W)?(?:(\d+(?:[.,]\d+)?)D)?(?:T(?:(\d+(?:[.,]\d+)?)H)?(?:(\d+(?:[.,]\d+)?)M)?(?:(\d+(?:[.,]\d+)?)S)?)?$/;

/** A moment in ISO 8601, with or without an offset; undefined when it is none. */
export function isoMoment(text: string): Moment | undefined {
  const [, dayPart = '', timePart] = PARTS.exec(text) ?? [];
  const day = isoDay(dayPart);
  const time = timePart === undefined ? { hour: 0, minute: 0, second: 0, micro: 0, offset: undefined } : isoTime(timePart);
  if (!day || !time) return undefined;
  // 24:00 is the beginning of the next day.
  const isMidnight = time.hour === 24 && time.minute === 0 && time.second === 0 && time.micro === 0;
  const fields = { ...day, ...time, hour: isMidnight ? 0 : time.hour };
  if (!isValid(fields)) return undefined;
  const moment = Moment.of(fields, time.offset);
  return isMidnight ? moment.plus(new Delta(1, 0, 0)) : moment;
}

function isoDay(text: string): { year: number; month: number; day: number } | undefined {
  const found = DAY.exec(text);
  // Six digits are no year and month.
  if (found && text.length !== 6) return { year: Number(found[1]), month: Number(found[2] ?? 1), day: Number(found[3] ?? 1) };
  const week = WEEK_DAY.exec(text);
  const inYear = YEAR_DAY.exec(text);
  if (!week && !inYear) return undefined;
  const year = Number((week ?? inYear)?.[1]);
  const first = Moment.of({ year, month: 1, day: week ? 4 : 1, hour: 0, minute: 0, second: 0, micro: 0 }, 0);
  const weekday = (new Date(first.seconds * 1000).getUTCDay() + 6) % 7;
  const days = week ? (Number(week[2]) - 1) * 7 + Number(week[3] ?? 1) - 1 - weekday : Number(inYear?.[2]) - 1;
  const { fields } = first.plus(new Delta(days, 0, 0));
  return { year: fields.year, month: fields.month, day: fields.day };
}

function isoTime(text: string): { hour: number; minute: number; second: number; micro: number; offset: number | undefined } | undefined {
  const found = TIME.exec(text);
  if (!found) return undefined;
  const [, hour, minute, second, fraction, offset] = found;
  return {
    hour: Number(hour),
    minute: Number(minute ?? 0),
    second: Number(second ?? 0),
    micro: Number((fraction ?? '').slice(0, 6).padEnd(6, '0')),
    offset: offset === undefined ? undefined : offsetFrom(offset),
  };
}

/** A duration such as `P1DT12H`; undefined when it is none. With years or months it depends on when it begins. */
export function isoDuration(text: string): Delta | CalendarDelta | undefined {
  const found = DURATION.exec(text);
  if (!found || /[PT]$/.test(text)) return undefined;
  const [years = 0, months = 0, weeks = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = found
    .slice(2)
    .map((part) => Number((part ?? '0').replace(',', '.')));
  const direction = found[1] === '-' ? -1 : 1;
  const wholeDays = Math.floor(weeks * 7 + days);
  const restOfDays = weeks * 7 + days - wholeDays;
  const inSeconds = restOfDays * 86_400 + hours * 3600 + minutes * 60 + seconds;
  const whole = Math.floor(inSeconds);
  const delta = new Delta(wholeDays, whole, Math.round((inSeconds - whole) * 1_000_000)).times(direction);
  const inMonths = direction * (years * 12 + months);
  return inMonths === 0 ? delta : new CalendarDelta(inMonths, delta);
}
