import { Batch, type Reject } from '../batch.ts';
import type { Row } from '../canonical.ts';
import { BATCH_BYTES, MAX_ROW_BYTES, type ReadRequest } from '../contract.ts';
import { aborted, OutsideError } from '../../outside/errors.ts';
import type { JsonObject } from '../../lib/exact-json.ts';
import { cursorFieldOf, describeStream } from './describe.ts';
import type { Described } from './described.ts';
import type { OpenManifest } from './open.ts';
import { ofStream } from './of-stream.ts';
import { type AirbytePosition, readPosition, writePosition } from './position.ts';
import { Boundary } from './runtime/records/boundary.ts';
import { rowOf } from './runtime/records/rows.ts';
import type { MutableRecord } from './runtime/records/transform.ts';
import { type RunChunk, StreamRun } from './runtime/run.ts';
import type { ManifestField } from './runtime/schema/fields.ts';
import { openStream, variantOf } from './runtime/stream.ts';
import { type Part, partOf } from './runtime/parts.ts';

// A slow API fills a batch slowly; what is there is handed on after this time.
const MAX_GATHERING = 1000;

/** Reads a stream page by page. */
export async function* read(manifest: OpenManifest, request: ReadRequest): AsyncGenerator<Batch> {
  try {
    yield* readStream(manifest, request);
  } catch (error) {
    throw ofStream(error, request.stream);
  }
}

async function* readStream(manifest: OpenManifest, request: ReadRequest): AsyncGenerator<Batch> {
  const { session } = manifest;
  const signal = request.signal ? AbortSignal.any([session.signal, request.signal]) : session.signal;
  if (signal.aborted) throw aborted();
  const part = await manifest.stream(request.stream);
  demandAble(manifest, part, request);
  const position = request.after === undefined ? START : readPosition(request.after, request.stream, request.cursor, session.vault);
  if (position.state !== undefined && request.cursor === undefined) return;
  const fields = chosenFields(await describeStream(manifest, part, signal), request.fields);
  const state = request.cursor === undefined ? {} : (position.state ?? {});
  const [variant, chosen] = chosenVariant(manifest, part, position, state);
  const run = new StreamRun(openStream(session, chosen), { state, after: position.run, signal, isAhead: request.limit === undefined });
  const isFresh = position.run === undefined;
  const boundary = new Boundary(isFresh ? position.seen : position.before);
  const before = isFresh ? position.seen : position.before;
  const kept = isFresh ? [] : position.seen;
  const write = (progress: Partial<AirbytePosition>): string => {
    const seen = request.cursor === undefined ? [] : [...new Set([...kept, ...boundary.digests()])];
    return writePosition(request.stream, request.cursor, { variant, before, seen, ...progress }, session.vault);
  };
  const gathered = new Gathered();
  const limits = { bytes: request.batchBytes ?? BATCH_BYTES, rows: request.batchRows ?? Number.POSITIVE_INFINITY };
  let left = request.limit ?? Number.POSITIVE_INFINITY;
  const isKnown = request.cursor === undefined ? () => false : noter(run, boundary);
  try {
    for await (const chunk of run.chunks()) {
      const { records } = chunk;
      for (let index = 0; index < records.length; index++) {
        const record = records[index] as MutableRecord;
        if (isKnown(chunk, record)) continue;
        left -= gathered.take(record, fields);
        if (left > 0 && gathered.bytes < limits.bytes && gathered.rows < limits.rows) continue;
        yield gathered.batch(write({ run: chunk.at(index + 1) }));
        if (left <= 0) return;
        if (signal.aborted) throw aborted();
      }
      const isMuch = gathered.bytes >= limits.bytes / 2 || gathered.rows >= limits.rows / 2;
      if (isMuch || gathered.age > MAX_GATHERING) yield gathered.batch(write({ run: chunk.at(records.length) }));
      if (signal.aborted) throw aborted();
    }
  } catch (error) {
    // What was read before the fault is none the worse for it, and need not be read again.
    if (gathered.count > 0 && !signal.aborted) yield gathered.batch(write({ run: run.position() }));
    throw error;
  }
  yield gathered.batch(write({ variant: undefined, before: [], state: request.cursor === undefined ? {} : run.state() }));
}

const START: AirbytePosition = { seen: [], before: [] };

function chosenVariant({ session }: OpenManifest, part: Part, position: AirbytePosition, state: JsonObject): [string | undefined, Part] {
  const kept = position.variant === undefined ? undefined : partOf(part[position.variant]);
  if (kept) return [position.variant, kept];
  const chosen = variantOf(session, part, state);
  if (chosen === part) return [undefined, part];
  return [chosen === part['full_refresh_stream'] ? 'full_refresh_stream' : 'incremental_stream', chosen];
}

/** Notes what lies at the boundary, and says whether a record is one that was read before. */
function noter(run: StreamRun, boundary: Boundary): (chunk: RunChunk, record: MutableRecord) => boolean {
  const { cursor } = run;
  let last: { slice: RunChunk['slice']; partition: string; start: ReturnType<NonNullable<typeof cursor>['startOf']> } | undefined;
  return (chunk, record) => {
    const mark = cursor?.markOf(record[cursor.field]);
    if (!cursor || mark === undefined) return false;
    if (last?.slice !== chunk.slice)
      last = { slice: chunk.slice, partition: JSON.stringify(chunk.slice.partition), start: cursor.startOf(chunk.known) };
    const known = mark === last.start && boundary.knows(record);
    boundary.add(last.partition, mark, record);
    return known;
  };
}

function demandAble(manifest: OpenManifest, part: Part, { filters, cursor, range }: ReadRequest): void {
  if (filters?.length || range)
    throw new OutsideError('config', 'FILTERS_UNSUPPORTED', 'The streams of a manifest cannot be filtered by the API.', {
      hint: 'Use the settings of the manifest, or a condition of the synchronization.',
    });
  const own = cursorFieldOf(manifest.session, part);
  if (cursor !== undefined && cursor !== own)
    throw new OutsideError('config', 'CURSOR_UNSUPPORTED', `It cannot be read incrementally by "${cursor}".`, {
      hint: own === undefined ? 'The manifest has no `incremental_sync` for it: read it in full.' : `Use "${own}", as the manifest does.`,
    });
}

function chosenFields({ fields }: Described, names: readonly string[]): ManifestField[] {
  const known = new Map(fields.map((field) => [field.name, field]));
  return names.map((name) => {
    const field = known.get(name);
    if (field) return field;
    throw new OutsideError('config', 'FIELD_MISSING', `There is no field "${name}".`, {
      hint: 'Look at the stream again: its schema has changed.',
    });
  });
}

/** What a row weighs in memory besides its text. */
const ROW_BYTES = 32;

/** Rows and rejects on their way into a batch. */
class Gathered {
  #rows: Row[] = [];
  #rejects: Reject[] = [];
  #since: number | undefined;
  bytes = 0;

  /** Takes a record; answers how many rows that made. */
  take(record: MutableRecord, fields: readonly ManifestField[]): number {
    this.#since ??= performance.now();
    const made = rowOf(record, fields);
    if ('reject' in made) {
      this.#rejects.push(made.reject);
      this.bytes += ROW_BYTES;
      return 0;
    }
    let size = ROW_BYTES;
    for (const value of made.row) size += (value?.length ?? 0) + 1;
    if (size > MAX_ROW_BYTES) {
      this.#rejects.push({ row: {}, reason: 'The record is too large.' });
      return 0;
    }
    this.#rows.push(made.row);
    this.bytes += size;
    return 1;
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
}
