import { isJsonObject } from '../../../lib/exact-json.ts';
import { aborted, OutsideError } from '../../../outside/errors.ts';
import { type Decoder, decoderOf } from './decode/decoder.ts';
import { type Part, partOf, textAt } from './parts.ts';
import { type PageSizes, pageSizesOf } from './paging/page-size.ts';
import { type Paginator, paginatorOf } from './paging/paginator.ts';
import { type PropertyChunks, propertiesOf } from './request/properties.ts';
import { Reply } from './request/reply.ts';
import type { Requester } from './request/request.ts';
import { requesterOf } from './request/requester.ts';
import { PagingWish } from './request/sender.ts';
import { type Selector, selectorOf } from './records/selector.ts';
import type { PageChunk, Reading, Retriever, RetrieverOptions } from './retriever.ts';
import type { MutableRecord } from './records/transform.ts';
import type { AirbyteSession } from './session.ts';
import type { Slice } from './slices/slice.ts';
import { DAY, parseDuration } from './time/moment.ts';

interface Parts {
  requester: Requester;
  decoder: Decoder;
  selector: Selector;
  paginator: Paginator;
  properties: PropertyChunks | undefined;
  ignoresSlices: boolean;
  /** An API that forgets its pages is asked for them anew from the first, after so many records. */
  resetAfter: number | undefined;
  /** Pages may have to be asked for anew. */
  resets: boolean;
  /** Pages may have to become smaller. */
  newSizes: (() => PageSizes) | undefined;
  splitting: Splitting;
}

/** How slices are halved where the API wants less at a time. */
interface Splitting {
  /** Those of no more than so many microseconds are not. */
  readonly least: bigint;
  /** The manifest's words for when that does not help. */
  readonly words: string;
}

/** What reads the pages of one slice. */
interface SliceParts extends Parts {
  readonly ahead: Ahead;
  readonly sizes: PageSizes | undefined;
}

export function simpleRetriever(session: AirbyteSession, part: Part, options: RetrieverOptions): Retriever {
  const requester = requesterOf(session, partOf(part['requester']), options.isParent);
  const decoder = decoderOf(session, partOf(part['decoder']));
  const reset = partOf(part['pagination_reset']);
  const limit = Number(partOf(reset?.['limits'])?.['number_of_records']);
  const paginator = paginatorOf(session, partOf(part['paginator']), decoder);
  const parts: Parts = {
    requester,
    decoder,
    selector: selectorOf(session, partOf(part['record_selector']), options),
    paginator,
    properties:
      requester.properties &&
      propertiesOf(session, requester.properties.part, (inner) =>
        simpleRetriever(session, inner, { ...options, isParent: true, transforms: [], transformsFirst: false }),
      ),
    ignoresSlices: part['ignore_stream_slicer_parameters_on_paginated_requests'] === true,
    resetAfter: Number.isFinite(limit) ? limit : undefined,
    resets: reset !== undefined,
    newSizes: pageSizesOf(session, part, paginator),
    splitting: splittingOf(partOf(part['request_window_splitting'])),
  };
  return { read: (reading) => readSlice(parts, reading, 0) };
}

const MOST_HALVINGS = 10;
const MOST_RESETS = 2;

async function* readSlice(parts: Parts, reading: Reading, depth: number): AsyncGenerator<PageChunk> {
  const ahead = new Ahead();
  const sizes = parts.newSizes?.();
  const { splitting } = parts;
  const sliceParts = { ...parts, ahead, sizes };
  let resets = 0;
  let isOff = depth > 0;
  let { slice } = reading;
  let token = reading.token ?? parts.paginator.first;
  let seen: MutableRecord[] = [];
  /** Begins anew, behind what was read where that is known. */
  const restart = (): void => {
    const rest = reading.rest?.(slice, seen);
    if (!rest) resets++;
    ahead.forget();
    [slice, token, seen, isOff] = [rest ?? slice, parts.paginator.first, [], true];
  };
  try {
    for (;;) {
      if (reading.signal.aborted) throw aborted();
      try {
        const end: { next: unknown } = yield* readPage(sliceParts, { ...reading, slice }, token, isOff, (records) => {
          if (parts.resets) seen = seen.concat(records);
        });
        if (parts.resetAfter !== undefined && seen.length >= parts.resetAfter && resets < MOST_RESETS) restart();
        else if (end.next === undefined) return;
        else token = end.next;
      } catch (error) {
        if (!(error instanceof PagingWish)) throw error;
        if (error.action === 'REDUCE_PAGE_SIZE' && sizes) {
          await sizes.reduce(error.refusal, reading.signal);
          continue;
        }
        if (error.action === 'RESET_PAGINATION' && resets < MOST_RESETS - 1) {
          restart();
          continue;
        }
        const halves =
          error.action === 'SPLIT_REQUEST_WINDOW' && depth < MOST_HALVINGS ? reading.halves?.(slice, splitting.least) : undefined;
        if (!halves) throw error.action === 'SPLIT_REQUEST_WINDOW' ? withWords(error.refusal, splitting.words) : error.refusal;
        for (const half of halves) yield* readSlice(parts, { ...reading, slice: half, token: undefined }, depth + 1);
        return;
      }
    }
  } finally {
    await ahead.end();
  }
}

function splittingOf(part: Part | undefined): Splitting {
  const least = parseDuration(textAt(part, 'min_split_window') ?? '');
  return { least: least ? least.micros + BigInt(least.months) * 30n * DAY : 0n, words: textAt(part, 'failure_message')?.trim() ?? '' };
}

function withWords(error: OutsideError, hint: string): OutsideError {
  return hint === '' ? error : new OutsideError(error.kind, error.code, error.message, { hint, cause: error });
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** The page that comes next, asked for while the one before is worked with. */
class Ahead {
  #page: { token: unknown; reply: Promise<Reply> } | undefined;

  /** The request has left when this is done: records that are worked with at once would keep it. */
  async begin(token: unknown, ask: () => Promise<Reply>): Promise<void> {
    // A turn later the connection of the last answer is free again.
    const reply = turn().then(ask);
    // A failure is told when the page is asked for.
    reply.catch(() => {});
    this.#page = { token, reply };
    await turn();
  }

  take(token: unknown): Promise<Reply> | undefined {
    const page = this.#page;
    this.#page = undefined;
    return page?.token === token ? page?.reply : undefined;
  }

  forget(): void {
    this.#page = undefined;
  }

  /** Waits for what is under way, so that nothing is left over. */
  async end(): Promise<void> {
    await this.#page?.reply.catch(() => {});
  }
}

async function* readPage(
  parts: SliceParts,
  reading: Reading,
  token: unknown,
  isOff: boolean,
  onRecords: (records: readonly MutableRecord[]) => void,
): AsyncGenerator<PageChunk, { next: unknown }> {
  const { paginator, selector, decoder, properties, ahead, sizes } = parts;
  const { slice, feeds } = reading;
  const asked = { token: token === paginator.first ? undefined : token, ...(isOff && { isOff: true as const }) };
  const give = (records: readonly MutableRecord[]): readonly MutableRecord[] => {
    onRecords(records);
    return feeds ? records.filter(feeds) : records;
  };
  const nextOf = (reply: Reply, found: number, given: number, last: MutableRecord | undefined): unknown => {
    if (!reply.isGood || (feeds && last && !feeds(last))) return undefined;
    const next = paginator.next({ reply, slice, token, found, given, last, size: sizes?.size });
    sizes?.worked();
    return next;
  };
  if (properties) {
    const { reply, found, records } = await readProperties(parts, reading, token);
    const end = { next: reply && nextOf(reply, found, records.length, records.at(-1)) };
    yield { ...asked, before: 0, records: give(records), end };
    return end;
  }
  const reply = replyWithin(reading, token === paginator.first) ?? (await (ahead.take(token) ?? fetchPage(parts, reading, slice, token)));
  if (!reply.isGood) {
    const end = { next: undefined };
    yield { ...asked, before: 0, records: [], end };
    return end;
  }
  if (!decoder.streams) {
    const bodies: unknown[] = [];
    for await (const some of decoder.decode(reply)) for (const body of some) bodies.push(body);
    const { found, records } = selector.select(bodies, slice, token, reading.keeps);
    const end = { next: nextOf(reply, found, records.length, records.at(-1)) };
    const given = give(records);
    if (reading.isAhead && end.next !== undefined && parts.resetAfter === undefined)
      await ahead.begin(end.next, () => fetchPage(parts, reading, slice, end.next));
    yield { ...asked, before: 0, records: given, end };
    return end;
  }
  let [found, given, before] = [0, 0, 0];
  let last: MutableRecord | undefined;
  try {
    for await (const bodies of decoder.decode(reply)) {
      const some = selector.select(bodies, slice, token, reading.keeps);
      found += some.found;
      given += some.records.length;
      last = some.records.at(-1) ?? last;
      const records = give(some.records);
      yield { ...asked, before, records };
      before += records.length;
    }
  } finally {
    reply.discard();
  }
  const end = { next: nextOf(reply, found, given, last) };
  yield { ...asked, before, records: [], end };
  return end;
}

function fetchPage(
  { requester, paginator, decoder, ignoresSlices, sizes }: SliceParts,
  { options, signal }: Reading,
  slice: Slice,
  token: unknown,
): Promise<Reply> {
  const isFirst = token === undefined || token === null;
  const own = paginator.options(token, sizes?.size);
  return requester.send({
    slice,
    token,
    path: paginator.path(token),
    options: ignoresSlices && !isFirst ? [own] : [own, options],
    streams: decoder.streams,
    signal,
  });
}

/** The first page of a child that lies in the record of its parent already. */
function replyWithin({ slice, isLazy }: Reading, isFirst: boolean): Reply | undefined {
  const part = slice.extra['child_response'];
  if (!isLazy || !isFirst || part === undefined) return undefined;
  return new Reply({ status: 200, headers: {}, url: new URL('http://parent.invalid/') }, Buffer.from(JSON.stringify(part)));
}

interface Merged {
  reply: Reply | undefined;
  found: number;
  records: MutableRecord[];
}

/** A page that is asked for in several requests, each for some of the properties; records with the same key become one. */
async function readProperties(parts: SliceParts, reading: Reading, token: unknown): Promise<Merged> {
  const chunks = await (parts.properties as PropertyChunks).chunks(reading.signal);
  const merged = new Map<string, MutableRecord>();
  const records: MutableRecord[] = [];
  let reply: Reply | undefined;
  let found = 0;
  for (const query_properties of chunks) {
    const slice = { ...reading.slice, extra: { ...reading.slice.extra, query_properties } };
    reply = await fetchPage(parts, reading, slice, token);
    if (!reply.isGood) continue;
    const bodies: unknown[] = [];
    for await (const some of parts.decoder.decode(reply)) for (const body of some) bodies.push(body);
    const selection = parts.selector.select(bodies, slice, token, reading.keeps);
    found = Math.max(found, selection.found);
    for (const record of selection.records) {
      const key = parts.properties?.keyOf(record);
      if (key === undefined) records.push(record);
      else merged.set(key, deeplyMerged(merged.get(key), record));
    }
  }
  return { reply, found, records: [...records, ...merged.values()] };
}

function deeplyMerged(target: MutableRecord | undefined, source: MutableRecord): MutableRecord {
  if (!target) return { ...source };
  for (const [name, value] of Object.entries(source)) {
    const known = target[name];
    target[name] = isJsonObject(known) && isJsonObject(value) ? deeplyMerged({ ...known }, value) : value;
  }
  return target;
}
