import { randomUUID } from 'node:crypto';
import { formatDatetime, parseDatetime } from './datetimes.ts';
import { TemplateError, TypeMismatch } from './failures.ts';
import { isoDuration, isoMoment } from './iso8601.ts';
import { pairsOf } from './methods.ts';
import { strftime, strptime } from './moment-format.ts';
import { CalendarDay, Delta, Moment } from './moments.ts';
import { bound, textArgument } from './parameters.ts';
import { type Arguments, Callable, entriesOf, Float, isDict, isInt, isNumeric, Namespace, numberOf, Undefined } from './values.ts';
import { spendOnText } from './work.ts';
import { compare, itemsOf, newDict } from './written.ts';

// The functions that every template has: those of Airbyte, and of Jinja those that cannot do harm.

type Macro = (args: readonly unknown[], named: Arguments) => unknown;

let now = (): number => Date.now();

/** For tests: what time it is in templates. */
export function setClock(clock: () => number): void {
  now = clock;
}

const named =
  (name: string, parameters: readonly string[], call: (...values: unknown[]) => unknown): Macro =>
  (args, given) =>
    call(...bound(name, parameters, args, given));

function timestamp(value: unknown): unknown {
  if (isNumeric(value)) return isInt(value) ? value : Math.trunc(numberOf(value));
  return new Float(momentFrom(value).timestamp);
}

/** A moment of UTC from a text in ISO 8601. */
function momentFrom(value: unknown): Moment {
  if (value instanceof Undefined) value.use();
  if (Array.isArray(value) || isDict(value)) throw new TemplateError('A template takes a list or a dict for a date.');
  const text = textArgument('str_to_datetime', value);
  const moment = isoMoment(text);
  if (!moment)
    throw new TemplateError(
      'A template takes a text for a date that is none.',
      'Dates are written as in 2024-01-31 or 2024-01-31T12:00:00Z.',
    );
  return new Moment(moment.seconds - (moment.offset ?? 0), moment.micro, 0);
}

function formatDatetimeMacro(value: unknown, format: unknown, inputFormat: unknown): string {
  const pattern = textArgument('format_datetime', format);
  const from =
    inputFormat === undefined || inputFormat === null || inputFormat === '' ? undefined : textArgument('format_datetime', inputFormat);
  if (value instanceof Moment) return strftime(value, pattern);
  if (isInt(value) || typeof value === 'boolean') return formatDatetime(parseDatetime(Number(value), from ?? '%s'), pattern);
  if (from === undefined) return formatDatetime(momentFrom(value), pattern);
  const text = textArgument('format_datetime', value);
  const moment = strptime(text, from);
  if (!moment)
    throw new TemplateError(
      `A template takes a text for a date of the form ${from} that is none.`,
      'Check the value and the form of dates in the template.',
    );
  return formatDatetime(moment.offset === undefined ? new Moment(moment.seconds, moment.micro, 0) : moment, pattern);
}

function extreme(name: string, sign: 1 | -1): Macro {
  return (args) => {
    if (args.length === 0) throw new TypeMismatch(`${name} needs a value`);
    if (args[0] instanceof Undefined && args.length === 1) throw new TemplateError(`A template asks for the ${name} of nothing.`);
    const items = args.length === 1 ? itemsOf(args[0]) : args;
    if (items.length === 0) throw new TemplateError(`A template asks for the ${name} of an empty list.`);
    return items.reduce((best, item) => (compare(item, best, '<') * sign > 0 ? item : best));
  };
}

/** As a form of a page would send it. */
function quotePlus(text: string): string {
  return encodeURIComponent(text)
    .replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll('%20', '+');
}

function today(zone: string): CalendarDay {
  try {
    const parts = new Intl.DateTimeFormat('en-CA', { timeZone: zone, year: 'numeric', month: '2-digit', day: '2-digit' }).formatToParts(
      now(),
    );
    const part = (type: string): number => Number(parts.find((candidate) => candidate.type === type)?.value);
    return new CalendarDay(part('year'), part('month'), part('day'));
  } catch {
    throw new TemplateError('A template takes a text for a time zone that is none.', 'Time zones are named as in Europe/Berlin.');
  }
}

function dict(args: readonly unknown[], given: Arguments): unknown {
  const from = args[0];
  return newDict([...(from === undefined || from instanceof Undefined ? [] : isDict(from) ? entriesOf(from) : pairsOf(from)), ...given]);
}

function duration(value: unknown): unknown {
  const text = textArgument('duration', value);
  const found = isoDuration(text);
  if (!found) throw new TemplateError('A template takes a text for a duration that is none.', 'Durations are written as in P1D or PT12H.');
  return found;
}

const MACROS: Readonly<Record<string, Macro>> = {
  now_utc: () => Moment.at(now()),
  today_utc: () => Moment.at(now()).date,
  today_with_timezone: named('today_with_timezone', ['timezone'], (zone) => today(textArgument('today_with_timezone', zone))),
  timestamp: named('timestamp', ['dt'], timestamp),
  str_to_datetime: named('str_to_datetime', ['s'], momentFrom),
  max: extreme('max', 1),
  min: extreme('min', -1),
  day_delta: named('day_delta', ['num_days', 'format'], (days, format) => {
    if (!isNumeric(days)) throw new TypeMismatch('day_delta needs a number');
    const delta = new Delta(1, 0, 0).times(numberOf(days));
    return strftime(Moment.at(now()).plus(delta), format === undefined ? '%Y-%m-%dT%H:%M:%S.%f%z' : textArgument('day_delta', format));
  }),
  duration: named('duration', ['datestring'], duration),
  format_datetime: named('format_datetime', ['dt', 'format', 'input_format'], formatDatetimeMacro),
  sanitize_url: named('sanitize_url', ['value'], (value) => {
    const text = textArgument('sanitize_url', value);
    spendOnText(text.length * 4);
    return quotePlus(text.toWellFormed());
  }),
  camel_case_to_snake_case: named('camel_case_to_snake_case', ['value'], (value) =>
    textArgument('camel_case_to_snake_case', value)
      .replace(/(?<!^)(?=[A-Z])/g, '_')
      .toLowerCase(),
  ),
  generate_uuid: () => randomUUID(),
  dict,
  namespace: (args, given) => {
    const space = new Namespace();
    for (const [key, value] of entriesOf(dict(args, given) as Record<string, unknown>)) space.members.set(String(key), value);
    return space;
  },
};

export const GLOBALS: ReadonlyMap<string, Callable> = new Map(
  Object.entries(MACROS).map(([name, call]) => [name, new Callable(name, call)]),
);
