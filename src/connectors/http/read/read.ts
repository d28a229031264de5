import { type JsonObject, scalarText } from '../../../lib/exact-json.ts';
import { Batch, type Reject } from '../../batch.ts';
import type { Row, Value } from '../../canonical.ts';
import type { ReadRequest } from '../../contract.ts';
import { aborted, OutsideError } from '../../../outside/errors.ts';
import { type Api, ofStream, pageOf, streamOf } from '../api.ts';
import type { HttpStreamConfig } from '../config/config.ts';
import { LoopGuard } from './loops.ts';
import { digestOf, type CursorMark, MarkKeeper, sinceValue } from './mark.ts';
import type { RecordPage } from '../answer/page.ts';
import { nextPage, type PageStart, type RequestParameter } from './paging.ts';
import { at } from '../answer/paths.ts';
import { type HttpPosition, writePosition } from './position.ts';
import { type Cursor, type HttpReadPlan, planOf } from './plan.ts';
import { parseRecord, rowOf, valueOf } from '../answer/records.ts';
import type { FoundRecord } from '../answer/record-scanner.ts';
import { pageRequest } from './requests.ts';

// A slow API fills a batch slowly; what is there is handed on after this time.
const MAX_GATHERING = 1000;

/** A cursor is kept in every position. */
const MAX_MARK = 4096;
/** What a row weighs in memory besides its text. */
const ROW_BYTES = 32;

/** Reads a stream page by page. */
export async function* read(api: Api, request: ReadRequest): AsyncGenerator<Batch> {
  const stream = streamOf(api, request.stream);
  try {
    if (api.signal.aborted) throw aborted();
    const plan = await planOf(api, request);
    if (plan.progress.isDone && !plan.cursor) return;
    yield* readPages(api, plan);
  } catch (error) {
    throw ofStream(error, stream);
  }
}

async function* readPages(api: Api, plan: HttpReadPlan): AsyncGenerator<Batch> {
  const { stream, cursor, signal } = plan;
  let { page, skip, since, mark } = beginning(plan.progress);
  const guard = new LoopGuard({ hasKey: stream.key.length > 0, maxPages: api.config.max_pages });
  const gathered = new Gathered();
  const marks = new MarkKeeper(cursor?.type ?? 'text', mark);
  const position = (progress: Partial<HttpPosition>): string =>
    writePosition(stream.name, cursor?.incremental.field, { page, skip: 0, isDone: false, since, mark: marks.mark, ...progress });
  let left = plan.limit;
  const isPaged = stream.paging.type !== 'none';

  for (let isResumed = page !== undefined; ; isResumed = false) {
    /** Records of this page that are done. */
    let done = skip;
    try {
      guard.enter(page);
      const answer = await ask(api, plan, page, since, isResumed);
      if (answer === 'expired') {
        // The oldest change comes first here, so all up to the mark has been read.
        [page, skip, since] = [undefined, 0, marks.mark];
        guard.restart();
        continue;
      }
      if (answer === 'past the end') break;
      let count = 0;
      let last: FoundRecord | undefined;
      for await (const some of answer.records) {
        for (const found of some) {
          if (isPaged) guard.record(found.text);
          last = found;
          if (++count <= skip) continue;
          left -= take(plan, found, { gathered, marks, since });
          done = count;
          if (left > 0 && gathered.bytes < plan.batchBytes && gathered.rows < plan.batchRows) continue;
          yield gathered.batch(position({ skip: count }));
          if (left <= 0) return;
          if (signal.aborted) throw aborted();
        }
      }
      guard.leave(count);
      const next = nextPage(stream.paging, {
        start: page,
        count,
        envelope: answer.envelope(),
        headers: answer.headers,
        url: answer.url,
        origin: api.client.urlOf('/').origin,
        lastField: (name) => last && fieldOf(plan, last, name),
      });
      if (next === undefined) break;
      page = keepable(api, plan, next);
      skip = 0;
    } catch (error) {
      // What was read before the fault is none the worse for it, and need not be read again.
      if (gathered.count > 0 && !signal.aborted) yield gathered.batch(position({ skip: done }));
      throw error;
    }
    const isMuch = gathered.bytes >= plan.batchBytes / 2 || gathered.rows >= plan.batchRows / 2;
    if (isMuch || gathered.age > MAX_GATHERING) yield gathered.batch(position({}));
    if (signal.aborted) throw aborted();
  }
  yield gathered.batch(position({ page: undefined, since: undefined, isDone: true }));
}

/** An incremental read that came to its end begins anew with what is new since then. */
function beginning(progress: HttpPosition): HttpPosition {
  return progress.isDone ? { ...progress, page: undefined, skip: 0, since: progress.mark } : progress;
}

async function ask(
  api: Api,
  { stream, cursor, signal }: HttpReadPlan,
  page: PageStart | undefined,
  since: CursorMark | undefined,
  isResumed: boolean,
): Promise<RecordPage | 'expired' | 'past the end'> {
  const start = cursor?.incremental.start;
  const value = cursor && (since ? sinceValue(since, cursor.type, cursor.incremental) : start);
  const parameter: RequestParameter | undefined = cursor && value !== undefined ? [cursor.incremental.param, value] : undefined;
  // Some APIs have no page behind the last rather than an empty one.
  const isNumbered = stream.paging.type === 'page' || stream.paging.type === 'offset';
  const mayEnd = isNumbered && page !== undefined;
  try {
    return await api.client.ask(pageRequest(api.client, stream, { page, since: parameter, signal }), async (answer) => {
      const isEnd = mayEnd && answer.status === 404 && (!isResumed || (await hasFirstPage(api, stream, parameter, signal)));
      if (!isEnd) return pageOf(api, stream, answer);
      answer.discard();
      return 'past the end';
    });
  } catch (error) {
    const { code } = error instanceof OutsideError ? error : {};
    if (!isResumed || isNumbered || (code !== 'PATH_MISSING' && code !== 'REQUEST_REFUSED')) throw error;
    if (cursor?.incremental.order === 'ascending') return 'expired';
    const said = (error as OutsideError).message;
    throw new OutsideError('config', 'POSITION_EXPIRED', `The API does not know the page any more where the read was cut off. ${said}`, {
      hint: 'Reset the synchronization, so that it reads from the beginning.',
      cause: error,
    });
  }
}

/** Whether it is only this page that is missing, and not the whole stream. */
async function hasFirstPage(
  { client }: Api,
  stream: HttpStreamConfig,
  since: RequestParameter | undefined,
  signal: AbortSignal,
): Promise<boolean> {
  const answer = await client.send(pageRequest(client, stream, { page: undefined, since, signal }));
  answer.discard();
  return answer.status >= 200 && answer.status <= 299;
}

/** Adds a record to what is gathered; answers how many rows that made. */
function take(
  plan: HttpReadPlan,
  found: FoundRecord,
  into: { gathered: Gathered; marks: MarkKeeper; since: CursorMark | undefined },
): number {
  const { gathered } = into;
  const parsed = parseRecord(found);
  if ('reject' in parsed) {
    gathered.reject(parsed.reject, found);
    return 0;
  }
  demandKnown(plan, parsed.record);
  const made = rowOf(parsed.record, plan.fields);
  if ('reject' in made) {
    gathered.reject(made.reject, found);
    return 0;
  }
  if (plan.cursor && isKnown(plan.cursor, parsed.record, found, into)) return 0;
  gathered.row(made.row, found);
  return 1;
}

/** Moves the mark on; true for a record that was read before and is the same still. */
function isKnown(
  { field, type }: Cursor,
  record: JsonObject,
  found: FoundRecord,
  { marks, since }: { marks: MarkKeeper; since: CursorMark | undefined },
): boolean {
  const given = at(record, field.path);
  const value = valueOf(type, given) ?? null;
  if (value === null) return false;
  if (value.length > MAX_MARK)
    throw new OutsideError('config', 'CURSOR_INVALID', `A value of "${field.name}" is far too long for a cursor.`, {
      hint: 'Use a number or a time as cursor.',
    });
  const digest = digestOf(found.text);
  marks.add(value, rawText(given), digest);
  return since?.seen.includes(digest) ?? false;
}

function demandKnown({ known }: HttpReadPlan, record: JsonObject): void {
  if (!known) return;
  const strange = Object.keys(record).filter((name) => !known.has(name));
  if (strange.length === 0) return;
  throw new OutsideError(
    'config',
    'SCHEMA_CHANGED',
    `A record has fields that the first page did not have: ${strange.slice(0, 20).join(', ')}.`,
    {
      hint: 'Declare the `fields` of the stream, or set `new_fields` to `ignore` to read on without them.',
    },
  );
}

/** An address is kept without our key in it. */
function keepable({ client }: Api, { stream }: HttpReadPlan, next: PageStart): PageStart {
  return stream.paging.type === 'next_url' || stream.paging.type === 'link_header' ? client.bare(new URL(String(next))).href : next;
}

function fieldOf(plan: HttpReadPlan, found: FoundRecord, name: string): unknown {
  const parsed = parseRecord(found);
  const path = plan.fields.find((field) => field.name === name)?.path ?? [name];
  return 'record' in parsed ? at(parsed.record, path) : undefined;
}

function rawText(value: unknown): string {
  return scalarText(value) ?? JSON.stringify(value);
}

/** Rows and rejects on their way into a batch. */
class Gathered {
  #rows: Row[] = [];
  #rejects: Reject[] = [];
  #since: number | undefined;
  bytes = 0;

  row(row: readonly Value[], { text }: FoundRecord): void {
    this.#rows.push(row);
    this.#count(text);
  }

  reject(reject: Reject, { text }: FoundRecord): void {
    this.#rejects.push(reject);
    this.#count(text);
  }

  get rows(): number {
    return this.#rows.length;
  }

  /** Rows and rejects. */
  get count(): number {
    return this.#rows.length + this.#rejects.length;
  }

  /** Milliseconds since the first of them came. */
  get age(): number {
    return this.#since === undefined ? 0 : performance.now() - this.#since;
  }

  batch(position: string): Batch {
    const batch = Batch.ofRows(this.#rows, { position, rejects: this.#rejects });
    this.#rows = [];
    this.#rejects = [];
    this.#since = undefined;
    this.bytes = 0;
    return batch;
  }

  #count(text: Buffer): void {
    this.bytes += text.length + ROW_BYTES;
    this.#since ??= performance.now();
  }
}
