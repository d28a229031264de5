import { isDeepStrictEqual } from 'node:util';
import { cursorFieldOf, describeStream } from '../../../src/connectors/airbyte/describe.ts';
import type { OpenManifest } from '../../../src/connectors/airbyte/open.ts';
import { read } from '../../../src/connectors/airbyte/read.ts';
import { type Part, partOf, partsOf, typeOf } from '../../../src/connectors/airbyte/runtime/parts.ts';
import { parseDuration } from '../../../src/connectors/airbyte/runtime/time/moment.ts';
import { evaluateText, scopeOf } from '../../../src/connectors/airbyte/runtime/evaluate.ts';
import type { TestClock } from '../airbyte-manifest.ts';
import type { SimulatedRecord } from './lists.ts';
import type { AirbyteSimulator } from './simulator.ts';
import { openSubject, type Subject } from './subject.ts';

/** What came of reading a stream in one way: undefined is well. */
export interface StreamTrial {
  readonly stream: string;
  readonly rows: number;
  readonly requests: number;
  readonly pages: number;
  readonly full: string | undefined;
  /** Read incrementally twice; null for a stream that has no cursor. */
  readonly twice: string | undefined | null;
  readonly resumed: string | undefined;
  /** What is not as one may expect, but as the manifest wants it. */
  readonly notes: readonly string[];
}

/** Of a long stream, so many batches are made. */
const MOST_KILLS = 15;

/** From the first run of a stream to the second. */
const DAYS_BETWEEN = 3;

interface Taken {
  rows: string[];
  position: string | undefined;
  batches: number;
}

/** Reads a stream of a manifest through the simulator: in full, incrementally twice, and killed behind every batch. */
export class ManifestTrial {
  readonly #simulator: AirbyteSimulator;
  readonly #subject: Subject;
  readonly #clock: TestClock;

  constructor(simulator: AirbyteSimulator, subject: Subject, clock: TestClock) {
    this.#simulator = simulator;
    this.#subject = subject;
    this.#clock = clock;
  }

  open(): OpenManifest {
    return openSubject(this.#subject, this.#simulator.port, this.#clock);
  }

  async of(stream: string): Promise<StreamTrial> {
    const simulator = this.#simulator;
    const manifest = this.open();
    const notes: string[] = [];
    try {
      const part = await manifest.stream(stream);
      const cursor = cursorFieldOf(manifest.session, part);
      simulator.become(manifest.session, part);
      let whole: Taken | undefined;
      const full = await told(async () => {
        whole = await this.#all(stream, undefined, undefined);
        this.#demandAll(part, whole, notes);
      });
      const { length: requests } = simulator.watch.requests;
      const pages = requests - simulator.watch.refused;
      const outcome = { stream, rows: whole?.rows.length ?? 0, requests, pages, full, notes };
      if (!whole || full !== undefined) return { ...outcome, twice: cursor === undefined ? null : 'not tried', resumed: 'not tried' };
      const known = whole.rows;
      const resumed = await told(() => this.#resumed(part, stream, cursor, undefined, known));
      if (cursor === undefined) return { ...outcome, twice: null, resumed };
      let later: { position: string; rows: string[] } | undefined;
      const { time } = this.#clock;
      const twice = await told(async () => {
        later = await this.#twice(manifest, part, stream, cursor, known, notes);
      });
      const again =
        later && resumed === undefined
          ? await told(() => this.#resumed(part, stream, cursor, later?.position, later?.rows ?? []))
          : undefined;
      this.#clock.time = time;
      return { ...outcome, twice, resumed: resumed ?? (again && `second run: ${again}`) };
    } finally {
      manifest.close();
    }
  }

  async #all(
    stream: string,
    cursor: string | undefined,
    after: string | undefined,
    most = Number.POSITIVE_INFINITY,
    batchRows?: number,
  ): Promise<Taken> {
    const manifest = this.open();
    try {
      const part = await manifest.stream(stream);
      // Fields may be known by the first records; that is not what is looked at.
      this.#simulator.isWatching = false;
      const { fields, key } = await describeStream(manifest, part, manifest.session.signal);
      this.#simulator.isWatching = true;
      const fleeting = fleetingFields(part);
      if (most === Number.POSITIVE_INFINITY) this.#simulator.begin();
      const taken: Taken = { rows: [], position: after, batches: 0 };
      const request = {
        stream,
        key,
        fields: fields.map(({ name }) => name),
        ...(cursor !== undefined && { cursor }),
        ...(after !== undefined && { after }),
        ...(batchRows !== undefined && { batchRows }),
      };
      for await (const batch of read(manifest, request)) {
        if (batch.rejects.length > 0) throw new Error(`a record cannot be used: ${batch.rejects[0]?.field}: ${batch.rejects[0]?.reason}`);
        for (const row of batch.rows) taken.rows.push(JSON.stringify(row.filter((_, index) => !fleeting.has(fields[index]?.name ?? ''))));
        taken.position = batch.position;
        if (++taken.batches >= most) break;
      }
      return taken;
    } finally {
      manifest.close();
    }
  }

  /** All that the API had was asked for and given on. */
  #demandAll(part: Part, { rows }: Taken, notes: string[]): void {
    const { watch } = this.#simulator;
    const faults = this.#simulator.faults();
    if (faults.length > 0) throw new Error(faults.slice(0, 2).join('; '));
    const missed = this.#simulator.offered().filter((item) => !watch.served.has(item));
    if (missed.length > 0) throw new Error(`${missed.length} of ${missed.length + watch.served.size} records were not asked for`);
    if (drops(part)) notes.push(`the manifest keeps ${rows.length} of ${watch.served.size}`);
    else if (rows.length < watch.served.size) throw new Error(`${watch.served.size} records were given and ${rows.length} rows came`);
    if (rows.length === 0 && !drops(part)) throw new Error('nothing came');
  }

  /** Read incrementally to the end, and once more when the API has new records. Answers where the second run began and what it gave. */
  async #twice(
    manifest: OpenManifest,
    part: Part,
    stream: string,
    cursor: string,
    known: readonly string[],
    notes: string[],
  ): Promise<{ position: string; rows: string[] }> {
    const simulator = this.#simulator;
    const first = await this.#all(stream, cursor, undefined);
    if (!sameRows(first.rows, known))
      throw new Error(`the first incremental run gave ${first.rows.length} rows, the full one ${known.length}`);
    const { position } = first;
    if (position === undefined) throw new Error('the first incremental run ended without a position');
    const before = simulator.watch.served;
    simulator.generation = 2;
    this.#clock.time += DAYS_BETWEEN * 86_400_000;
    const second = await this.#all(stream, cursor, position);
    const faults = simulator.faults();
    if (faults.length > 0) throw new Error(`second run: ${faults[0]}`);
    const { served } = simulator.watch;
    const rowsBefore = new Set(first.rows);
    const fresh = second.rows.filter((row) => !rowsBefore.has(row));
    // What is old in a partition that is new may be left out: it begins where the others are.
    const expected = [...served].filter((item) => item.generation === 2 && !before.has(item));
    const missed = simulator.offered().filter((item) => item.generation === 2 && !served.has(item));
    if (missed.length > 0) throw new Error(`second run: ${missed.length} new records were not asked for`);
    if (fresh.length < expected.length && !drops(part))
      throw new Error(`second run: ${expected.length} new records were given, ${fresh.length} new rows came`);
    // Several partitions may lead to the same record.
    const again = new Set(second.rows.filter((row) => rowsBefore.has(row))).size;
    this.#demandFew(manifest, part, [...served], before, again, notes);
    return { position, rows: second.rows };
  }

  /** What was read before came again only as far as the manifest looks back, or because the API cannot be asked for less. */
  #demandFew(
    manifest: OpenManifest,
    part: Part,
    served: readonly SimulatedRecord[],
    before: ReadonlySet<SimulatedRecord>,
    again: number,
    notes: string[],
  ): void {
    const sync = partOf((partOf(part['incremental_stream']) ?? part)['incremental_sync']);
    const written = sync?.['lookback_window'];
    const lookback = written === undefined ? undefined : parseDuration(evaluateText(written, scopeOf(manifest.session.config, sync)));
    const old = served.filter((item) => before.has(item));
    const highest = old.reduce((most, { at = 0n }) => (at > most ? at : most), 0n);
    const reach = (lookback ? lookback.micros + BigInt(lookback.months) * 31n * 86_400_000_000n : 0n) + 2n * 86_400_000_000n;
    const allowed = old.filter(({ at = 0n }) => at >= highest - reach).length;
    if (again === 0) return;
    if (again <= allowed && lookback) notes.push(`${again} rows came again: the manifest looks back`);
    else if (!this.#simulator.filters()) notes.push(`${again} rows came again: the manifest does not ask for what is new only`);
    else if (again > allowed) throw new Error(`second run: ${again} rows that were read before came again`);
    else notes.push(`${again} rows of the last days came again`);
  }

  /** Ends behind every batch, and goes on as another process. */
  async #resumed(
    part: Part,
    stream: string,
    cursor: string | undefined,
    from: string | undefined,
    expected: readonly string[],
  ): Promise<void> {
    this.#simulator.begin();
    const rows: string[] = [];
    let position = from;
    let [patience, attempts] = [1, 0];
    const batchRows = Math.max(1, Math.ceil(expected.length / MOST_KILLS));
    for (;;) {
      if (++attempts > expected.length * 3 + 200) throw new Error('killed behind every batch, it does not come to its end');
      const taken = await this.#all(stream, cursor, position, patience, batchRows);
      rows.push(...taken.rows);
      if (taken.batches < patience) break;
      patience = taken.position === position ? patience * 2 : 1;
      position = taken.position;
      if (cursor !== undefined && isAtEnd(position)) break;
    }
    const faults = this.#simulator.faults();
    if (faults.length > 0) throw new Error(faults[0]);
    const lost = lostRows(expected, rows);
    if (lost > 0) throw new Error(`${lost} of ${expected.length} rows are lost when it is killed ${attempts} times`);
    if (rows.length > expected.length && !isExport(part))
      throw new Error(`${rows.length - expected.length} rows came twice when it was killed ${attempts} times`);
  }
}

function isAtEnd(position: string | undefined): boolean {
  return position !== undefined && !('run' in (JSON.parse(position) as object));
}

function lostRows(expected: readonly string[], rows: readonly string[]): number {
  const counts = new Map<string, number>();
  for (const row of rows) counts.set(row, (counts.get(row) ?? 0) + 1);
  let lost = 0;
  for (const row of expected) {
    const left = counts.get(row) ?? 0;
    if (left === 0) lost++;
    else counts.set(row, left - 1);
  }
  return lost;
}

function sameRows(one: readonly string[], other: readonly string[]): boolean {
  return isDeepStrictEqual(one.toSorted(), other.toSorted());
}

/** Whether the manifest itself leaves records out. */
function drops(part: Part): boolean {
  const streams = [part, partOf(part['full_refresh_stream']), partOf(part['incremental_stream'])];
  return streams.some((stream) => partOf(partOf(partOf(stream?.['retriever'])?.['record_selector'])?.['record_filter']) !== undefined);
}

function isExport(part: Part): boolean {
  const streams = [part, partOf(part['full_refresh_stream']), partOf(part['incremental_stream'])];
  return streams.some((stream) => typeOf(partOf(stream?.['retriever'])) === 'AsyncRetriever');
}

/** Fields that are otherwise each time: the manifest fills them with the time or with chance. */
function fleetingFields(part: Part): Set<string> {
  const streams = [part, partOf(part['full_refresh_stream']), partOf(part['incremental_stream'])];
  const added = streams.flatMap((stream) => partsOf(stream?.['transformations'])).flatMap(({ fields }) => partsOf(fields));
  const isFleeting = ({ value }: Part): boolean => /now_|today|random|uuid/.test(String(value));
  return new Set(added.filter(isFleeting).map(({ path }) => String(Array.isArray(path) ? path[0] : path)));
}

async function told(work: () => Promise<void>): Promise<string | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    const { message, code, stack } = error as Error & { code?: string };
    return code === undefined && error instanceof TypeError ? `${message} ${stack?.split('\n')[1]}` : message;
  }
}
