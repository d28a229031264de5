const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });

/** 1,204 */
export function formatCount(count: number): string {
  return whole.format(count);
}

/** 1.2M: for charts and tiles. */
export function formatCompact(count: number): string {
  return compact.format(count);
}

/** `1 row`, `1,204 rows`. */
export function formatRows(count: number): string {
  return plural(count, 'row');
}

/** `1 run`, `3 runs`. */
export function plural(count: number, word: string, words = `${word}s`): string {
  return `${formatCount(count)} ${count === 1 ? word : words}`;
}

const percents = [1, 2, 3, 4].map((digits) => new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: digits }));

/** `96%`, `33.3%`. All or nothing is said only where it is: a part that is hardly less than all has more decimals. */
export function formatPart(part: number): string {
  const shown = percents.map((percent) => percent.format(part));
  return (
    shown.find((text) => part === 0 || part === 1 || (text !== '0%' && text !== '100%')) ?? (part < 0.5 ? 'under 0.01%' : 'over 99.99%')
  );
}

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'];

/** `96.3 kB` */
export function formatBytes(bytes: number): string {
  const step = Math.min(UNITS.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(bytes, 1)) / 3)));
  const value = bytes / 1000 ** step;
  return `${value.toLocaleString('en', { maximumFractionDigits: step === 0 || value >= 100 ? 0 : 1 })} ${UNITS[step]}`;
}

/** `419 ms`, `12.4 s`, `3 min 20 s`, `2 h 5 min` */
export function formatDuration(milliseconds: number): string {
  // Rounded first: what is nearly a minute is one, and not 60 seconds.
  if (Math.round(milliseconds) < 1000) return `${Math.round(milliseconds)} ms`;
  const tenths = Math.round(milliseconds / 100);
  if (tenths < 600) return `${(tenths / 10).toLocaleString('en', { maximumFractionDigits: 1 })} s`;
  const seconds = Math.round(milliseconds / 1000);
  if (seconds < 3600) return inUnits(seconds, 'min', 's');
  return inUnits(Math.round(seconds / 60), 'h', 'min');
}

/** `3 min 20 s`, `2 min`: sixty of the small unit make one of the large. */
function inUnits(count: number, large: string, small: string): string {
  return `${Math.floor(count / 60)} ${large}${count % 60 === 0 ? '' : ` ${count % 60} ${small}`}`;
}

/** `40,133 rows/s` */
export function formatRate(rowsPerSecond: number): string {
  return `${rowsPerSecond >= 10 ? formatCount(rowsPerSecond) : rowsPerSecond.toLocaleString('en', { maximumFractionDigits: 1 })} rows/s`;
}

const moment = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });
const minute = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' });
const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });
const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });

/** `1 Nov 2026, 09:30:00`, in the time of the browser. */
export function formatMoment(time: string): string {
  return moment.format(new Date(time));
}

/** `1 Nov 2026, 09:30` */
export function formatMinute(time: string): string {
  return minute.format(new Date(time));
}

/** `1 Nov` */
export function formatDay(time: string | Date): string {
  return day.format(new Date(time));
}

/** `09:30` */
export function formatClock(time: string | Date): string {
  return clock.format(new Date(time));
}

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

/** `3 minutes ago`, `in 2 hours`, `just now`; from a day on by the calendar of the browser: `tomorrow`, `in 2 days` */
export function formatRelative(time: string, now: number): string {
  const minutes = (Date.parse(time) - now) / 60_000;
  const far = Math.abs(minutes);
  if (far < 1) return minutes > 1 / 12 ? 'in a moment' : 'just now';
  if (far < 60) return relative.format(Math.trunc(minutes), 'minute');
  const days = far < 1440 ? 0 : dayNumber(Date.parse(time)) - dayNumber(now);
  // On the day on which clocks are put back, a day from now is still today.
  return days === 0 ? relative.format(Math.trunc(minutes / 60), 'hour') : relative.format(days, 'day');
}

/** Days by the calendar, which are not always 24 hours long. */
function dayNumber(time: number): number {
  const date = new Date(time);
  return Date.UTC(date.getFullYear(), date.getMonth(), date.getDate()) / 86_400_000;
}
