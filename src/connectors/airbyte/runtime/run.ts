import { isJsonObject, type JsonObject } from '../../../lib/exact-json.ts';
import { aborted } from '../../../outside/errors.ts';
import { isWindow } from './cursor/datetime.ts';
import type { SliceCursor, KeptValue, Mark, Window } from './cursor/cursor.ts';
import { partOf } from './parts.ts';
import type { MutableRecord } from './records/transform.ts';
import type { Keeps } from './records/selector.ts';
import { noOptions, type Options } from './request/options.ts';
import type { PageChunk, Reading } from './retriever.ts';
import type { ParentRecord, ParentRun } from './slices/parent.ts';
import type { Slice } from './slices/slice.ts';
import { isKept, ReadState } from './state.ts';
import type { OpenStream } from './open-stream.ts';

/** Where a run of a stream goes on. It is plain JSON. */
export interface RunPosition {
  /** What the run began with, and the partitions that it has been through since. */
  readonly state: JsonObject;
  /** Milliseconds since 1970: how long a run takes is how far the next looks back where partitions have no state of their own. */
  readonly began: number;
  readonly window?: Window | undefined;
  /** Nothing had been read before it. */
  readonly isFirst?: boolean | undefined;
  /** The highest value of the cursor in all partitions so far. */
  readonly highest?: KeptValue | undefined;
  /** The partition that is under way. */
  readonly partition?: JsonObject | undefined;
  readonly extra?: JsonObject | undefined;
  /** The highest value of the cursor in it. */
  readonly high?: KeptValue | undefined;
  /** The slice of it, by its number. */
  readonly slice?: number | undefined;
  readonly token?: unknown;
  readonly skip?: number | undefined;
  /** Behind the partition. */
  readonly router?: unknown;
}

/** Some records of a run, and where it goes on behind each of them. */
export interface RunChunk {
  readonly records: readonly MutableRecord[];
  readonly slice: Slice;
  /** The value that the partition had come to before. */
  readonly known: KeptValue | undefined;
  /** Behind the first so many records. Counts may only grow, and the answer has to be written down at once. */
  at(count: number): RunPosition;
}

/** One way through a stream: partition after partition, slice after slice, page after page. */
export class StreamRun implements ParentRun {
  readonly #stream: OpenStream;
  readonly #signal: AbortSignal;
  /** All of it will be read. */
  readonly #isAhead: boolean;
  readonly #cursor: SliceCursor | undefined;
  readonly #state: ReadState;
  readonly #began: number;
  readonly #start: RunPosition | undefined;
  readonly #isFirst: boolean;
  #routerAfter: (() => unknown) | undefined;
  #now: { partition: JsonObject; extra: JsonObject; slice: number; token: unknown; skip: number } | undefined;
  #high: { mark: Mark; kept: KeptValue } | undefined;

  constructor(stream: OpenStream, from: { state: JsonObject; after: unknown; signal: AbortSignal; isAhead?: boolean }) {
    this.#stream = stream;
    this.#isAhead = from.isAhead ?? false;
    this.#signal = from.signal;
    this.#start = isRunPosition(from.after) ? from.after : undefined;
    this.#began = this.#start?.began ?? stream.session.clock.now();
    this.#cursor = stream.cursor(this.#start?.window);
    this.#state = new ReadState(this.#start?.state ?? from.state, this.#cursor, stream.router !== undefined, stream.usesGlobalState);
    this.#isFirst = this.#start ? this.#start.isFirst === true : this.#state.isFresh;
    if (this.#start?.highest !== undefined) this.#state.raise(this.#start.highest);
  }

  /** What counts when all chunks were taken. */
  state(): JsonObject {
    return this.#state.final((this.#stream.session.clock.now() - this.#began) / 1000);
  }

  get cursor(): SliceCursor | undefined {
    return this.#cursor;
  }

  async *records(): AsyncGenerator<ParentRecord> {
    for await (const chunk of this.chunks())
      for (const [index, record] of chunk.records.entries())
        yield { record, partition: chunk.slice.partition, after: () => chunk.at(index + 1) };
  }

  async *chunks(): AsyncGenerator<RunChunk> {
    const { router } = this.#stream;
    const start = this.#start;
    await this.#stream.prepare(this.#signal);
    if (!router) {
      yield* this.#partition({}, {}, start);
      return;
    }
    const kept = start?.router;
    this.#routerAfter = kept === undefined ? undefined : () => kept;
    if (start?.partition) yield* this.#partition(start.partition, start.extra ?? {}, start);
    const partitions = router.partitions({ after: kept, parentState: this.#state.parents, signal: this.#signal });
    const seen = new Set<string>(start?.partition ? [this.#state.keyOf(start.partition)] : []);
    for (;;) {
      const { value, done } = await partitions.next();
      if (done) {
        this.#state.parents = value;
        return;
      }
      if (this.#signal.aborted) throw aborted();
      this.#routerAfter = value.after;
      // Where each partition has a state, one that comes again has been read.
      if (this.#cursor && seen.has(this.#state.keyOf(value.partition))) continue;
      if (this.#cursor) seen.add(this.#state.keyOf(value.partition));
      yield* this.#partition(value.partition, value.extra, undefined);
    }
  }

  /** All slices of a partition, from where the last attempt stopped. */
  async *#partition(partition: JsonObject, extra: JsonObject, from: RunPosition | undefined): AsyncGenerator<RunChunk> {
    const cursor = this.#cursor;
    const { known, lookback } = this.#state.of(partition);
    const high = from?.high === undefined ? undefined : cursor?.markOf(from.high);
    this.#high = high === undefined || from?.high === undefined ? undefined : { mark: high, kept: from.high };
    const slices: Iterable<JsonObject> = cursor ? cursor.slices(known, lookback) : [{}];
    let index = 0;
    for (const bounds of slices) {
      const number = index++;
      if (number < (from?.slice ?? 0)) continue;
      const isFirst = number === from?.slice;
      const slice = { partition, cursor: bounds, extra };
      const [token, skip] = isFirst ? [from?.token, from?.skip ?? 0] : [undefined, 0];
      yield* this.#slice(slice, number, token, skip, { known, lookback });
    }
    this.#state.close(partition, known, this.#high?.kept);
    this.#high = undefined;
    this.#now = undefined;
  }

  async *#slice(
    slice: Slice,
    number: number,
    token: unknown,
    skip: number,
    { known, lookback }: { known: KeptValue | undefined; lookback: number },
  ): AsyncGenerator<RunChunk> {
    const { partition, extra } = slice;
    const at = (next: { slice?: number; token?: unknown; skip?: number }): void => {
      this.#now = { partition, extra, slice: number, token: undefined, skip: 0, ...next };
    };
    at({ token, skip });
    let left = skip;
    for await (const chunk of this.#stream.retriever.read(this.#reading(slice, token, known, lookback))) {
      const { before, end, isOff } = chunk;
      const skipped = Math.min(left, chunk.records.length);
      left -= skipped;
      const records = skipped === 0 ? chunk.records : chunk.records.slice(skipped);
      let observed = 0;
      const observeUpTo = (count: number): void => {
        for (; observed < count; observed++) this.#observe(records[observed] as MutableRecord);
      };
      const whereAfter = (count: number): void => {
        observeUpTo(count);
        if (isOff) at({});
        else if (end && count === records.length) at(end.next === undefined ? { slice: number + 1 } : { token: end.next });
        else at({ token: chunk.token, skip: before + skipped + count });
      };
      yield {
        records,
        slice,
        known,
        at: (count) => {
          whereAfter(count);
          return this.position();
        },
      };
      whereAfter(records.length);
    }
    at({ slice: number + 1 });
  }

  #reading(slice: Slice, token: unknown, known: KeptValue | undefined, lookback: number): Reading {
    const { isFeed, isFiltered } = this.#stream;
    const cursor = this.#cursor;
    const belongs: Keeps | undefined =
      cursor &&
      ((record) => {
        const mark = cursor.markOf(record[cursor.field]);
        return mark === undefined || cursor.includes(mark, known, lookback);
      });
    return {
      slice,
      token,
      options: this.#options(slice),
      keeps: isFiltered && !isFeed ? belongs : undefined,
      feeds: isFeed ? belongs : undefined,
      halves: (whole, least) => cursor?.halves(whole.cursor, least)?.map((bounds) => ({ ...whole, cursor: bounds })),
      rest: (whole, records) => restOf(whole, records, cursor),
      isLazy: this.#isFirst,
      isAhead: this.#isAhead,
      signal: this.#signal,
    };
  }

  #options(slice: Slice): Options {
    const options = this.#stream.router?.options(slice) ?? noOptions();
    const own = this.#stream.cursorOptions(slice);
    return {
      params: { ...options.params, ...own.params },
      headers: { ...options.headers, ...own.headers },
      data: { ...(options.data as object), ...(own.data as object) },
      json: { ...options.json, ...own.json },
    };
  }

  #observe(record: MutableRecord): void {
    const cursor = this.#cursor;
    const mark = cursor?.markOf(record[cursor.field]);
    if (!cursor || mark === undefined || (this.#high && mark <= this.#high.mark)) return;
    const kept = cursor.kept(record[cursor.field]);
    if (kept === undefined) return;
    this.#high = { mark, kept };
    this.#state.raise(kept);
  }

  /** Where the run stands. It has to be written down at once. */
  position(): RunPosition {
    const now = this.#now;
    return {
      state: this.#state.underWay(),
      began: this.#began,
      window: this.#cursor?.window,
      ...(this.#isFirst && { isFirst: true }),
      highest: this.#state.highest,
      ...(now && {
        partition: now.partition,
        extra: now.extra,
        slice: now.slice,
        ...(now.token !== undefined && { token: now.token }),
        ...(now.skip !== 0 && { skip: now.skip }),
      }),
      high: this.#high?.kept,
      router: this.#routerAfter?.(),
    };
  }
}

/** The slice from the highest value on that was read of it. */
function restOf(slice: Slice, records: PageChunk['records'], cursor: SliceCursor | undefined): Slice | undefined {
  if (!cursor) return undefined;
  let highest: { mark: Mark; value: unknown } | undefined;
  for (const record of records) {
    const mark = cursor.markOf(record[cursor.field]);
    if (mark !== undefined && (!highest || mark > highest.mark)) highest = { mark, value: record[cursor.field] };
  }
  const kept = highest && cursor.kept(highest.value);
  const [startName] = Object.keys(slice.cursor);
  if (kept === undefined || startName === undefined || slice.cursor[startName] === kept) return undefined;
  return { ...slice, cursor: { ...slice.cursor, [startName]: kept } };
}

export function isRunPosition(value: unknown): value is RunPosition {
  const position = partOf(value);
  if (!position) return false;
  const { state, began, window, partition, extra, slice, skip, high, highest } = position;
  const isCount = (count: unknown): boolean => count === undefined || (Number.isSafeInteger(count) && (count as number) >= 0);
  return (
    isJsonObject(state) &&
    typeof began === 'number' &&
    (window === undefined || isWindow(window)) &&
    [partition, extra].every((member) => member === undefined || isJsonObject(member)) &&
    [slice, skip].every(isCount) &&
    [high, highest].every((kept) => kept === undefined || isKept(kept))
  );
}
