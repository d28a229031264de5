import type { JsonObject } from '../../../../lib/exact-json.ts';
import { scalarText } from '../../../../lib/exact-json.ts';
import { evaluateText, type TemplateScope, scopeOf } from '../evaluate.ts';
import { manifestFault, type Part, partOf, textAt, textsAt } from '../parts.ts';
import { pythonText } from '../python-text.ts';
import type { AirbyteSession } from '../session.ts';
import { formatMoment, parseMoment } from '../time/format.ts';
import { type Duration, earlier, later, minus, type Instant, momentOf, parseDuration, plus, SECOND } from '../time/moment.ts';
import { type Clamp, clampOf } from './clamp.ts';
import type { SliceCursor, Window } from './cursor.ts';

/** By times: the stretch from the last one, or from the start, up to now, in steps. */
export function datetimeCursor(session: AirbyteSession, part: Part, known?: Window): SliceCursor {
  const scope = scopeOf(session.config, part);
  const format = textAt(part, 'datetime_format') ?? '%Y-%m-%dT%H:%M:%S.%f%z';
  const formats = [...textsAt(part, 'cursor_datetime_formats'), format];
  const granularity = durationAt(part, 'cursor_granularity', scope);
  const step = durationAt(part, 'step', scope);
  const lookback = durationAt(part, 'lookback_window', scope);
  const clamp = clampOf(part, scope);
  const ways: Ways = {
    granularity,
    step,
    clamp,
    isStrict: part['is_compare_strictly'] === true,
  };
  const start = known ? readWindow(known.start) : boundary(part['start_datetime'], scope, format);
  const end = known
    ? readWindow(known.end)
    : clamp.end(part['end_datetime'] ? boundary(part['end_datetime'], scope, format) : momentOf(session.clock.now()), granularity);
  const names = [textAt(part, 'partition_field_start') ?? 'start_time', textAt(part, 'partition_field_end') ?? 'end_time'].map((name) =>
    evaluateText(name, scope),
  );
  const [startName = '', endName = ''] = names;
  const read = (value: unknown): Instant | undefined => {
    const text = scalarText(value);
    if (text === undefined || typeof value === 'boolean') return undefined;
    for (const each of formats) {
      // A number that was kept as a float is one of whole seconds all the same.
      const moment =
        parseMoment(text, each) ??
        (typeof value === 'number' && /^%(s|ms)$/.test(each) ? parseMoment(String(Math.trunc(value)), each) : undefined);
      if (moment) return moment;
    }
    return undefined;
  };
  /** Where the last run came to; nothing before the start counts. */
  const reached = (value: unknown, seconds: number): Instant => {
    const before = value === undefined || value === null ? undefined : read(value);
    const looked = before && seconds > 0 ? { ...before, micros: before.micros - BigInt(Math.ceil(seconds)) * SECOND } : before;
    return looked && looked.micros >= start.micros ? looked : start;
  };
  const asSlice = (from: Instant, to: Instant): JsonObject => ({
    [startName]: formatMoment(from, format),
    [endName]: formatMoment(to, format),
  });
  return {
    field: evaluateText(part['cursor_field'], scope),
    window: { start: writeWindow(start), end: writeWindow(end) },
    markOf: (value) => read(value)?.micros,
    kept: (value) => {
      const moment = read(value);
      return moment && formatMoment(moment, format);
    },
    startOf: (value) => reached(value, 0).micros,
    keptStart: (value) => formatMoment(reached(value, 0), format),
    slices: function* (value, seconds) {
      const lower = reached(value, seconds);
      for (const [from, to] of stretches(lookback ? minus(lower, lookback) : lower, end, start, ways)) yield asSlice(from, to);
    },
    includes: (mark, value, seconds) => {
      const from = reached(value, seconds);
      const lowest = lookback ? later(minus(from, lookback), earlier(from, start)) : from;
      return mark >= lowest.micros && mark <= end.micros;
    },
    halves: (slice, least = 0n) => halvesOf(slice, { read, asSlice, startName, endName, granularity, least }),
  };
}

interface Ways {
  readonly granularity: Duration | undefined;
  readonly step: Duration | undefined;
  readonly clamp: Clamp;
  readonly isStrict: boolean;
}

/** Cuts a stretch into steps. With a granularity, a slice ends one grain before the next begins; the last one ends where the stretch does. */
function* stretches(
  from: Instant,
  end: Instant,
  start: Instant,
  { granularity, step, clamp, isStrict }: Ways,
): Generator<[Instant, Instant]> {
  if (from.micros > end.micros || (from.micros === end.micros && !granularity) || end.micros < start.micros) return;
  const lower = clamp.slice(later(from, start));
  if (lower.micros > end.micros || (lower.micros === end.micros && isStrict)) return;
  if (!step || plus(lower, step).micros >= end.micros) {
    yield [lower, granularity ? end : clamp.slice(end)];
    return;
  }
  for (let at = lower; ; ) {
    const upper = earlier(plus(at, step), end);
    const clamped = upper.micros === end.micros ? upper : clamp.slice(upper);
    const isLast = upper.micros >= end.micros || clamped.micros === end.micros;
    const begin = clamp.slice(at);
    if (begin.micros >= clamped.micros) return;
    yield [begin, granularity && !isLast ? minus(clamped, granularity) : clamped];
    if (isLast) return;
    at = clamped;
  }
}

interface Halving {
  read: (value: unknown) => Instant | undefined;
  asSlice: (from: Instant, to: Instant) => JsonObject;
  startName: string;
  endName: string;
  granularity: Duration | undefined;
  readonly least: bigint;
}

function halvesOf(
  slice: JsonObject,
  { read, asSlice, startName, endName, granularity, least }: Halving,
): readonly JsonObject[] | undefined {
  const [from, to] = [read(slice[startName]), read(slice[endName])];
  if (!from || !to || !granularity || granularity.micros <= 0n || granularity.months !== 0) return undefined;
  const units = (to.micros - from.micros) / granularity.micros + 1n;
  if (units <= 1n || to.micros - from.micros <= least) return undefined;
  const firstEnd = { ...from, micros: from.micros + (units / 2n - 1n) * granularity.micros };
  const secondStart = { ...from, micros: firstEnd.micros + granularity.micros };
  if (firstEnd.micros < from.micros || secondStart.micros > to.micros) return undefined;
  return [asSlice(from, firstEnd), asSlice(secondStart, to)];
}

function durationAt(part: Part, name: string, scope: TemplateScope): Duration | undefined {
  const written = part[name];
  if (written === undefined || written === null || written === '') return undefined;
  const text = evaluateText(written, scope);
  if (text === '' || text === 'None') return undefined;
  const duration = parseDuration(text);
  if (!duration)
    throw manifestFault(
      'DURATION_INVALID',
      `"${name}" of a cursor comes out as "${text}", which is no duration such as P1D.`,
      'Check the settings that it is made of.',
    );
  return duration;
}

/** A start or an end, in its own format, within its own limits. */
function boundary(written: unknown, scope: TemplateScope, usual: string): Instant {
  const part = partOf(written);
  const own = part ? { config: scope.config, parameters: { ...scope.parameters, ...scopeOf(scope.config, part).parameters } } : scope;
  const format = textAt(part, 'datetime_format') || usual;
  const read = (template: unknown): Instant | undefined => {
    const text = evaluateText(template, own);
    return text === '' ? undefined : (parseMoment(text, format) ?? parsedFreely(text, format));
  };
  const time = read(part ? part['datetime'] : written);
  if (!time) {
    const text = pythonText(evaluateText(part ? part['datetime'] : written, own));
    throw manifestFault(
      'DATE_INVALID',
      `A time of the settings or the manifest is "${text.slice(0, 60)}", which is not written as ${format}.`,
      'Write the date in the settings as the manifest wants it.',
    );
  }
  const [least, most] = [read(part?.['min_datetime']), read(part?.['max_datetime'])];
  const raised = least ? later(time, least) : time;
  return most ? earlier(raised, most) : raised;
}

/** A date that is whole but written otherwise is understood: people write the zone as they please. */
function parsedFreely(text: string, format: string): Instant | undefined {
  if (!format.includes('%Y')) return undefined;
  for (const other of ['%Y-%m-%dT%H:%M:%S%z', '%Y-%m-%dT%H:%M:%S.%f%z', '%Y-%m-%dT%H:%M:%S', '%Y-%m-%d %H:%M:%S', '%Y-%m-%d']) {
    const moment = parseMoment(text, other);
    if (moment) return moment;
  }
  return undefined;
}

const WINDOW = '%epoch_microseconds';

function writeWindow(moment: Instant): string {
  return `${formatMoment(moment, WINDOW)}@${moment.offset}`;
}

function readWindow(text: string): Instant {
  const [micros = '0', offset = '0'] = text.split('@');
  return { micros: BigInt(micros), offset: Number(offset) };
}

export function isWindow(value: unknown): value is Window {
  const part = partOf(value);
  const isText = (text: unknown): boolean => typeof text === 'string' && /^(-?\d+@-?\d+|-?\d+(\.\d+)?|)$/.test(text);
  return part !== undefined && isText(part['start']) && isText(part['end']);
}
