// Moments, days and durations, in microseconds, as Python's datetime has them.

const MICROS_OF_DAY = 86_400_000_000;
const MICROS_OF_SECOND = 1_000_000;

export interface Fields {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  readonly micro: number;
}

/** A day. */
export class CalendarDay {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  constructor(year: number, month: number, day: number) {
    this.year = year;
    this.month = month;
    this.day = day;
  }

  get days(): number {
    return daysOf(this.year, this.month, this.day);
  }

  plusDays(days: number): CalendarDay {
    const date = new Date((this.days + days) * 86_400_000);
    return new CalendarDay(date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate());
  }
}

/** A moment: what a clock and a calendar show, and how many seconds they are ahead of UTC, where that is known. */
export class Moment {
  /** Whole seconds since 1970, as if the clock showed UTC. */
  readonly seconds: number;
  readonly micro: number;
  readonly offset: number | undefined;
  constructor(seconds: number, micro: number, offset: number | undefined) {
    this.seconds = seconds;
    this.micro = micro;
    this.offset = offset;
  }

  static of(fields: Fields, offset: number | undefined): Moment {
    const seconds = daysOf(fields.year, fields.month, fields.day) * 86_400 + fields.hour * 3600 + fields.minute * 60 + fields.second;
    return new Moment(seconds, fields.micro, offset);
  }

  /** A moment of UTC. */
  static at(milliseconds: number): Moment {
    const seconds = Math.floor(milliseconds / 1000);
    return new Moment(seconds, Math.round((milliseconds - seconds * 1000) * 1000), 0);
  }

  get fields(): Fields {
    const date = new Date(this.seconds * 1000);
    return {
      year: date.getUTCFullYear(),
      month: date.getUTCMonth() + 1,
      day: date.getUTCDate(),
      hour: date.getUTCHours(),
      minute: date.getUTCMinutes(),
      second: date.getUTCSeconds(),
      micro: this.micro,
    };
  }

  get date(): CalendarDay {
    const { year, month, day } = this.fields;
    return new CalendarDay(year, month, day);
  }

  /** Seconds since 1970 in UTC; without an offset it is taken for UTC. */
  get timestamp(): number {
    return this.seconds - (this.offset ?? 0) + this.micro / MICROS_OF_SECOND;
  }

  plus({ days, seconds, micros }: Delta): Moment {
    const total = this.micro + micros;
    const carry = Math.floor(total / MICROS_OF_SECOND);
    return new Moment(this.seconds + days * 86_400 + seconds + carry, total - carry * MICROS_OF_SECOND, this.offset);
  }

  /** The same moment on a clock with another offset. */
  withOffset(offset: number): Moment {
    return new Moment(this.seconds - (this.offset ?? 0) + offset, this.micro, offset);
  }
}

/** A duration, in the form that Python keeps it: seconds within a day, microseconds within a second. */
export class Delta {
  readonly days: number;
  readonly seconds: number;
  readonly micros: number;
  constructor(days: number, seconds: number, micros: number) {
    const wholeSeconds = seconds + Math.floor(micros / MICROS_OF_SECOND);
    this.micros = micros - Math.floor(micros / MICROS_OF_SECOND) * MICROS_OF_SECOND;
    this.days = days + Math.floor(wholeSeconds / 86_400);
    this.seconds = wholeSeconds - Math.floor(wholeSeconds / 86_400) * 86_400;
  }

  get totalSeconds(): number {
    return this.days * 86_400 + this.seconds + this.micros / MICROS_OF_SECOND;
  }

  times(factor: number): Delta {
    return new Delta(0, 0, Math.round((this.days * MICROS_OF_DAY + this.seconds * MICROS_OF_SECOND + this.micros) * factor));
  }

  plus(other: Delta): Delta {
    return new Delta(this.days + other.days, this.seconds + other.seconds, this.micros + other.micros);
  }
}

/** A duration with years and months, whose length depends on when it begins. */
export class CalendarDelta {
  readonly months: number;
  readonly rest: Delta;
  constructor(months: number, rest: Delta) {
    this.months = months;
    this.rest = rest;
  }

  negated(): CalendarDelta {
    return new CalendarDelta(-this.months, this.rest.times(-1));
  }
}

/** So many months later; where that month is shorter, on its last day. */
export function plusMonths(fields: Fields, months: number): Fields {
  const month = fields.year * 12 + fields.month - 1 + months;
  const year = Math.floor(month / 12);
  const within = month - year * 12;
  return { ...fields, year, month: within + 1, day: Math.min(fields.day, daysOfMonth(year, within + 1)) };
}

function daysOfMonth(year: number, month: number): number {
  return new Date(Date.UTC(2000, month, 0)).getUTCDate() - (month === 2 && !isLeap(year) ? 1 : 0);
}

function isLeap(year: number): boolean {
  return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
}

export function daysOf(year: number, month: number, day: number): number {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  return date.getTime() / 86_400_000;
}

export function isValid({ year, month, day, hour, minute, second }: Fields): boolean {
  if (year < 1 || year > 9999 || month < 1 || month > 12 || day < 1 || day > daysOfMonth(year, month)) return false;
  return hour < 24 && minute < 60 && second < 60;
}

/** `+02:00`, or with nothing between hours and minutes. */
export function offsetText(offset: number, between: string): string {
  const [sign, size] = offset < 0 ? ['-', -offset] : ['+', offset];
  const rest = size % 60;
  return `${sign}${two(Math.floor(size / 3600))}${between}${two(Math.floor(size / 60) % 60)}${rest ? `${between}${two(rest)}` : ''}`;
}

export function two(value: number): string {
  return String(value).padStart(2, '0');
}

export function dayText({ year, month, day }: { year: number; month: number; day: number }): string {
  return `${String(year).padStart(4, '0')}-${two(month)}-${two(day)}`;
}

/** ISO 8601, with a T or a space between day and time. */
export function momentText(moment: Moment, between: string): string {
  const { hour, minute, second, micro, ...day } = moment.fields;
  const fraction = micro === 0 ? '' : `.${String(micro).padStart(6, '0')}`;
  const offset = moment.offset === undefined ? '' : offsetText(moment.offset, ':');
  return `${dayText(day)}${between}${two(hour)}:${two(minute)}:${two(second)}${fraction}${offset}`;
}

export function deltaText({ days, seconds, micros }: Delta): string {
  const before = days === 0 ? '' : `${days} day${Math.abs(days) === 1 ? '' : 's'}, `;
  const time = `${Math.floor(seconds / 3600)}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
  return `${before}${time}${micros === 0 ? '' : `.${String(micros).padStart(6, '0')}`}`;
}
