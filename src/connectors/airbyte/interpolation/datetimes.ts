import { TemplateError } from './failures.ts';
import { strftime, strptime } from './moment-format.ts';
import { Delta, isValid, Moment } from './moments.ts';
import { floatText } from './written.ts';

// Airbyte's forms of dates: those of strptime, and some of its own for times since 1970.

/** A moment from a text or a number; without an offset it is taken for UTC. */
export function parseDatetime(value: string | number | bigint, format: string): Moment {
  const parsed = parsedBy(value, format);
  if (!parsed || !isValid(parsed.fields))
    throw new TemplateError(`A value is no date of the form ${format}.`, 'Check the value and the form of dates in the manifest.');
  return parsed.offset === undefined ? new Moment(parsed.seconds, parsed.micro, 0) : parsed;
}

function parsedBy(value: string | number | bigint, format: string): Moment | undefined {
  const number = Number(value);
  const isInteger = /^\s*[-+]?\d+\s*$/.test(String(value));
  const epoch = new Moment(0, 0, 0);
  if (format === '%s') return isInteger || typeof value === 'number' ? epoch.plus(new Delta(0, Math.trunc(number), 0)) : undefined;
  if (format === '%s_as_float') {
    const whole = Math.floor(number);
    return Number.isFinite(number) ? epoch.plus(new Delta(0, whole, Math.round((number - whole) * 1_000_000))) : undefined;
  }
  if (format === '%epoch_microseconds') return isInteger ? epoch.plus(new Delta(0, 0, number)) : undefined;
  if (format === '%ms') return isInteger ? epoch.plus(new Delta(0, 0, number * 1000)) : undefined;
  return strptime(String(value), format.replaceAll('%_ms', '%f'));
}

export function formatDatetime(moment: Moment, format: string): string {
  const seconds = moment.seconds - (moment.offset ?? 0);
  if (format === '%s') return String(Math.trunc(moment.timestamp));
  if (format === '%s_as_float') return floatText(moment.timestamp);
  if (format === '%epoch_microseconds') return String(BigInt(seconds) * 1_000_000n + BigInt(moment.micro));
  if (format === '%ms') return String(seconds * 1000 + Math.floor(moment.micro / 1000));
  if (!format.includes('%_ms')) return strftime(moment, format);
  return strftime(moment, format.replaceAll('%_ms', String(Math.floor(moment.micro / 1000)).padStart(3, '0')));
}
