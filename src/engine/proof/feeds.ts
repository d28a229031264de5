import type { Batch } from '../../connectors/batch.ts';
import { type CanonicalType, comparable, type Row, type Value } from '../../connectors/canonical.ts';
import type { Field, Filter, Stream } from '../../connectors/contract.ts';
import { DELETED_AT, MARK } from '../../connectors/marks.ts';
import { from, StreamFailure } from '../failure.ts';
import type { MappedColumn } from '../mapping/columns.ts';
import { LineMapping } from '../mapping/lines.ts';
import { compileTest, type Mapping } from '../mapping/mapping.ts';
import { mappingOf } from '../stream.ts';
import { sourceOf, type StreamWork, targetOf } from '../stream-work.ts';
import { unusableKeys } from '../unusable-keys.ts';
import { castOf } from '../values/cast.ts';
import type { LineFeed } from './pair-streams.ts';

/** Of a row at the target that cannot be read. */
export const TARGET_UNREADABLE = 'TARGET_UNREADABLE';

/** Hears of what is read at the source. */
export interface SourceListener {
  /** A batch that was read and mapped; `rejected` rows of it cannot be used. */
  read?(lines: Buffer, rows: number, rejected: number): void;
  /** The keys, as the target has them, of rows that cannot be used: what the target has of them stays. */
  spare?(keys: readonly Row[]): void;
}

/** The rows of the source as the mapping would have them at the target. `filters` are beside those of the definition. */
export async function* sourceFeed(work: StreamWork, listener: SourceListener, filters: readonly Filter[] = []): LineFeedOf {
  const { plan, source, signal } = work;
  const mapping: Mapping = mappingOf(plan);
  // Everything, and not what is new since a position.
  const { cursor: _, ...read } = plan.read;
  const batches = source.read({ ...read, filters: [...read.filters, ...filters], signal });
  for await (const found of ahead(from(sourceOf(work), batches))) {
    if (found.operation === 'delete') continue;
    const mapped = mapping.map(found);
    const rejected = found.rejects.length + mapped.rejects.length;
    // What a mirror spares is not missing, however the stream is written.
    const asMirror = { ...plan, write: { ...plan.write, mode: 'mirror' as const } };
    if (rejected > 0) listener.spare?.(unusableKeys(asMirror, mapping, found, mapped));
    listener.read?.(mapped.batch.lines, mapped.batch.count, rejected);
    yield mapped.batch.lines;
    mapped.batch.release();
    found.release();
  }
}

type LineFeedOf = AsyncGenerator<Buffer> & LineFeed;

/** The rows that the target has, with the fields that are written and nothing else; those that are marked as deleted are left out. */
export async function* targetFeed(work: StreamWork, target: Stream, filters: readonly Filter[] = []): LineFeedOf {
  const { plan, signal } = work;
  const { fields, key, deletes } = plan.write;
  const isMarking = deletes === 'mark' && target.fields.some(({ name }) => name === DELETED_AT);
  const there = fields.filter(({ name }) => target.fields.some((field) => field.name === name));
  const read = [...there.map(({ name }) => fieldOf(target, name)), ...(isMarking ? [fieldOf(target, DELETED_AT)] : [])];
  const mapping = mappingBack(fields, read, isMarking);
  const request = { stream: plan.write.stream, fields: read.map(({ name }) => name), key, signal };
  const batches = work.target.read({ ...request, ...(filters.length > 0 && { filters }) });
  for await (const found of ahead(from(targetOf(work), batches))) {
    if (found.rejects.length > 0) throw unreadable(plan.write.stream, found.rejects[0]?.reason ?? '');
    const { lines, recycle } = mapping ? mapping.map(found.lines) : { lines: found.lines, recycle: undefined };
    yield lines;
    recycle?.(lines);
    found.release();
  }
}

/** A field of the target as it is there. */
function fieldOf(target: Stream, name: string): Field {
  return target.fields.find((field) => field.name === name) ?? MARK;
}

/** How the rows that the target has become rows of the fields that are written; undefined when they are. */
function mappingBack(written: readonly Field[], read: readonly Field[], isMarking: boolean): LineMapping | undefined {
  const columns = written.map((field) => columnBack(field, read));
  const isSame = columns.every(({ from: place, sameUpTo }, at) => place === at && sameUpTo === Number.POSITIVE_INFINITY);
  if (isSame && !isMarking) return undefined;
  const tests = isMarking ? [compileTest(read, { field: DELETED_AT, op: 'is_null' })] : [];
  const names = read.map(({ name }) => name);
  return new LineMapping(names, columns, tests);
}

/** A value of the target in the type in which it was written. One that has no such value is compared as it is. */
function columnBack({ name, type }: Field, read: readonly Field[]): MappedColumn {
  const place = read.findIndex((field) => field.name === name);
  const found = read[place];
  // A field that the target lacks has no value there.
  if (!found) return { to: name, from: undefined, sameUpTo: -1, uses: [], value: () => null };
  const convert = converter(found.type, type);
  const value = (row: readonly Value[]): Value => {
    const text = row[place] ?? null;
    return text === null ? null : (convert?.(text) ?? text);
  };
  return { to: name, from: place, sameUpTo: convert ? -1 : Number.POSITIVE_INFINITY, uses: [place], value };
}

/** Nothing may get lost on the way: what the target has of the time of a day that was written as a date, or of space around a number, is a difference. */
function converter(there: CanonicalType, written: CanonicalType): ((text: string) => Value | undefined) | undefined {
  const cast = castOf(there, written);
  if (!cast || cast.sameUpTo === Number.POSITIVE_INFINITY) return undefined;
  if (there === 'text') return (text) => (text === text.trim() || written === 'json' ? cast.convert(text) : undefined);
  const back = castOf(written, there);
  return (text) => {
    const value = cast.convert(text);
    const again = value === undefined || value === null ? value : back?.convert(value);
    return again === undefined || again === null || comparable(there, again) === comparable(there, text) ? value : undefined;
  };
}

/** Reads one batch ahead, so that both ends are busy while rows are compared. */
async function* ahead(batches: AsyncGenerator<Batch>): AsyncGenerator<Batch> {
  const read = (): Promise<IteratorResult<Batch, unknown>> => {
    const next = batches.next();
    // It may fail while nobody waits for it yet.
    next.catch(() => {});
    return next;
  };
  let next = read();
  try {
    for (;;) {
      const { value, done } = await next;
      if (done) return;
      next = read();
      yield value;
    }
  } finally {
    await next.catch(() => {});
    await batches.return(undefined);
  }
}

function unreadable(stream: string, reason: string): StreamFailure {
  return new StreamFailure({
    kind: 'data',
    code: TARGET_UNREADABLE,
    message: `A row of "${stream}" at the target cannot be read, so nothing can be said of it: ${reason}`,
    hint: 'Correct it there, or load the stream anew with a full run.',
  });
}
