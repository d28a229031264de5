import { isJsonObject, type JsonObject } from '../../../src/lib/exact-json.ts';
import { evaluateText, evaluateTexts, scopeOf } from '../../../src/connectors/airbyte/runtime/evaluate.ts';
import { partOf, partsOf, textAt, textsAt } from '../../../src/connectors/airbyte/runtime/parts.ts';
import { putAt, valueAt } from '../../../src/connectors/airbyte/runtime/records/dpath.ts';
import type { AirbyteSession } from '../../../src/connectors/airbyte/runtime/session.ts';
import { openStream } from '../../../src/connectors/airbyte/runtime/stream.ts';
import { formatMoment } from '../../../src/connectors/airbyte/runtime/time/format.ts';
import { DAY, type Instant } from '../../../src/connectors/airbyte/runtime/time/moment.ts';
import type { ApiEndpoint } from './endpoints.ts';
import { numberOf, recordFor } from './values.ts';

/** A record that the simulated API has. */
export interface SimulatedRecord {
  readonly record: Record<string, unknown>;
  /** The time of its cursor in microseconds, or its number. */
  readonly at: bigint | undefined;
  /** Records of the second generation come into being between two runs. */
  readonly generation: 1 | 2;
}

/** How the cursor of a stream is written in its records, and from when to when there are any. */
export interface Timeline {
  readonly field: string;
  readonly start: bigint;
  readonly end: bigint;
  /** Cursors are written no finer than this. */
  readonly resolution: bigint;
  readonly isFeed: boolean;
  /** When the second generation begins. */
  readonly renewed: bigint;
  write(at: bigint): unknown;
}

/** `renewed`: when the records of the second generation come into being; undefined for within the first run. */
export function timelineOf(
  session: AirbyteSession,
  { stream }: ApiEndpoint,
  began: number,
  renewed: number | undefined,
): Timeline | undefined {
  const sync = partOf(stream['incremental_sync']);
  const cursor = sync && openStream(session, stream).cursor();
  if (!sync || !cursor) return undefined;
  const isFeed = sync['is_data_feed'] === true;
  if (sync['type'] === 'IncrementingCountCursor') {
    const start = BigInt(cursor.startOf(undefined));
    return { field: cursor.field, start, end: start + 1000n, renewed: start + 1000n, resolution: 1n, isFeed, write: Number };
  }
  const format = textsAt(sync, 'cursor_datetime_formats')[0] ?? textAt(sync, 'datetime_format') ?? '%Y-%m-%dT%H:%M:%S.%f%z';
  const isNumber = /^%(s|ms|s_as_float|epoch_microseconds)$/.test(format) && !isTextField(stream, cursor.field);
  const resolution = /%[HIsTcXm]s?|%epoch|%s/.test(format.replace('%m', '')) ? 1_000_000n : DAY;
  const [start, last] = [microsOf(cursor.window.start), microsOf(cursor.window.end)];
  const now = BigInt(began) * 1000n;
  // Where the settings say when to end, nothing comes behind it.
  const isOpen = last > now - DAY;
  const end = last < now ? last : now;
  const within = end - start > 10n * DAY ? end - DAY - DAY / 2n : start + ((end - start) * 8n) / 10n;
  return {
    field: cursor.field,
    start,
    end,
    renewed: isOpen && renewed !== undefined ? BigInt(renewed) * 1000n : within,
    resolution,
    isFeed,
    write: (at) => {
      const text = formatMoment({ micros: at, offset: 0 } satisfies Instant, format);
      return isNumber ? Number(text) : text;
    },
  };
}

function isTextField(stream: JsonObject, field: string): boolean {
  const property = partOf(partOf(schemaOf(stream)['properties'])?.[field]);
  const types = new Set<unknown>([property?.['type']].flat());
  return types.has('string') && !types.has('integer') && !types.has('number');
}

function microsOf(window: string): bigint {
  return BigInt(window.split('@')[0] ?? '0');
}

/** When the records of a list came into being. Most lie close together, so that a slice has several pages; two lie elsewhere. */
function timesOf({ start, end, renewed, resolution }: Timeline, counts: readonly [number, number]): { at: bigint; generation: 1 | 2 }[] {
  const isLong = resolution === 1n || end - start > 10n * DAY;
  const ago = (days: number, part: bigint): bigint =>
    isLong && resolution !== 1n ? end - (BigInt(Math.round(days * 24)) * DAY) / 24n : start + ((end - start) * part) / 100n;
  const minute = resolution === 1n ? 1n : isLong && resolution < DAY ? 60_000_000n : 1n;
  const [first, second] = counts;
  const times: { at: bigint; generation: 1 | 2 }[] = [];
  const rounded = (at: bigint): bigint => (at <= start ? start : at - (at % resolution) < start ? start : at - (at % resolution));
  for (let i = 0; i < first; i++) {
    const at = i === 0 ? start : i === 1 && first > 2 ? ago(8.5, 20n) : ago(4.5, 40n) + BigInt(i) * minute;
    times.push({ at: rounded(at), generation: 1 });
  }
  for (let i = 0; i < second; i++) times.push({ at: rounded(renewed + BigInt(i) * minute), generation: 2 });
  return times;
}

/** The records of one list, in the order in which the API gives them. */
export function listFor(
  session: AirbyteSession,
  endpoint: ApiEndpoint,
  name: string,
  counts: readonly [number, number],
  timeline: Timeline | undefined,
): SimulatedRecord[] {
  const { stream, retriever } = endpoint;
  const schema = schemaOf(stream);
  const base = numberOf(name) * 10_000;
  const total = counts[0] + counts[1];
  const times = timeline ? timesOf(timeline, counts) : undefined;
  const items = Array.from({ length: total }, (_, index): SimulatedRecord => {
    const number = base + index;
    const record = recordFor(schema, number);
    for (const path of keysOf(stream)) putAt(record, path, keyValue(valueAt(record, path), path, number));
    if (record['id'] === undefined) record['id'] = number;
    for (const path of endpoint.parentKeys) if (valueAt(record, path) === undefined) putAt(record, path, number);
    if (index % 3 !== 2) for (const [path, value] of wantedValues(session, retriever)) putAt(record, path, value);
    for (const page of endpoint.held) putAt(record, page.path, heldPage(session, page, number));
    const time = times?.[index];
    putTimes(session, stream, record, timeline, time?.at);
    return { record: expandable(session, retriever, record), at: time?.at, generation: index < counts[0] ? 1 : 2 };
  });
  return timeline?.isFeed ? items.toSorted((a, b) => ((a.at ?? 0n) < (b.at ?? 0n) ? 1 : -1)) : items;
}

/** The only page of a child, with one record. */
function heldPage(session: AirbyteSession, { stream, retriever }: ApiEndpoint['held'][number], number: number): unknown {
  const extractor = partOf(partOf(retriever['record_selector'])?.['extractor']);
  const path = evaluateTexts(Array.isArray(extractor?.['field_path']) ? extractor['field_path'] : [], scopeOf(session.config, extractor));
  const record = recordFor(schemaOf(stream), number);
  for (const key of keysOf(stream)) putAt(record, key, keyValue(valueAt(record, key), key, number));
  return path.reduceRight<unknown>((inner, step) => ({ [step]: inner }), [record]);
}

/** What the manifest's own filter wants in a record, where it says so plainly. */
function wantedValues(session: AirbyteSession, retriever: JsonObject): [string[], unknown][] {
  const condition = textAt(partOf(partOf(retriever['record_selector'])?.['record_filter']), 'condition') ?? '';
  const equal = /record(?:\.get\(['"]|\[['"]|\.)(\w+)(?:['"]\s*(?:,[^)]*)?[\])])?\s*==\s*['"]([^'"]+)['"]/g;
  const among = /record\.(\w+) in\s+config\[['"](\w+)['"]\]/g;
  const given = (name: string): unknown => [session.config[name]].flat()[0];
  return [
    ...[...condition.matchAll(equal)].map(([, name = '', value = '']): [string[], unknown] => [[name], value]),
    ...[...condition.matchAll(among)].map(([, name = '', setting = '']): [string[], unknown] => [[name], given(setting)]),
  ];
}

/** A value that no other record has in its key. */
function keyValue(known: unknown, path: readonly string[], number: number): unknown {
  if (typeof known !== 'string') return number;
  const time = /^\d{4}-\d{2}-\d{2}(T?)/.exec(known);
  if (time?.[1] === 'T') return `${new Date((number % 1e9) * 1000).toISOString().slice(0, 19)}Z`;
  if (time) return new Date((number % 10_000) * 86_400_000).toISOString().slice(0, 10);
  return path.at(-1) === 'id' ? String(number) : `${path.at(-1)}_${number}`;
}

/**
 * The cursor stands where the record has it when it was transformed: where a field is made of another one, the other one has it. Where a
 * template reads a time in a format of its own, it is written so.
 */
function putTimes(
  session: AirbyteSession,
  stream: JsonObject,
  record: Record<string, unknown>,
  timeline: Timeline | undefined,
  at: bigint | undefined,
): void {
  if (timeline && at !== undefined) record[timeline.field] = timeline.write(at);
  for (const addition of partsOf(stream['transformations']).flatMap((part) => partsOf(part['fields']))) {
    const path = Array.isArray(addition['path'])
      ? addition['path'].map((step) => evaluateText(step, scopeOf(session.config, addition)))
      : [];
    const text = String(addition['value']);
    const source = /record((?:\.get\(['"][^'"]+['"][^)]*\)|\.\w+|\[['"][^'"]+['"]\])+)/.exec(text)?.[1];
    if (source === undefined) continue;
    const steps = [...source.matchAll(/\.get\(['"]([^'"]+)['"][^)]*\)|\[['"]([^'"]+)['"]\]|\.(\w+)/g)].map(
      ([, a, b, c]) => a ?? b ?? c ?? '',
    );
    const isCursor = path.join('.') === timeline?.field && at !== undefined;
    const format = /,\s*['"](%a, %d %b [^'"]+)['"]/.exec(text)?.[1];
    if (format !== undefined) putAt(record, steps, formatMoment({ micros: isCursor ? (at ?? 0n) : 0n, offset: 0 }, format));
    else if (isCursor) putAt(record, steps, timeline?.write(at ?? 0n));
  }
}

/** Where records are made of a list within a record, it has one. */
function expandable(session: AirbyteSession, retriever: JsonObject, record: Record<string, unknown>): Record<string, unknown> {
  const expander = partOf(partOf(partOf(retriever['record_selector'])?.['extractor'])?.['record_expander']);
  const written = expander?.['expand_records_from_field'];
  if (!expander || !Array.isArray(written)) return record;
  // What transformations look for in the record around it stands there.
  const { original_record: above, ...inner } = record;
  const outer = { ...structuredClone(inner), ...(isJsonObject(above) && above) };
  const steps = written.map((step) => evaluateText(step, scopeOf(session.config, expander)));
  putAt(outer, steps.at(-1) === '*' ? steps.slice(0, -1) : steps, steps.at(-1) === '*' ? [[inner]] : [inner]);
  return outer;
}

export function schemaOf(stream: JsonObject): JsonObject {
  const loaders = partsOf(stream['schema_loader']);
  return partOf(loaders.find((loader) => partOf(loader['schema']))?.['schema']) ?? {};
}

function keysOf(stream: JsonObject): string[][] {
  const written = stream['primary_key'];
  if (typeof written === 'string') return written === '' ? [] : [[written]];
  return Array.isArray(written) ? written.map((entry) => (Array.isArray(entry) ? entry.map(String) : [String(entry)])) : [];
}
