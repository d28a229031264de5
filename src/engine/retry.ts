import { Batch, type Version } from '../connectors/batch.ts';
import type { Row } from '../connectors/canonical.ts';
import type { ReadRequest, Settle, Writer } from '../connectors/contract.ts';
import { at, from } from './failure.ts';
import type { Mapped, Mapping } from './mapping/mapping.ts';
import { type Note, readNote, writeNote } from './note.ts';
import { added, bytesOf, changesOf, NO_COUNTS } from './progress.ts';
import type { Quarantine } from './quarantine.ts';
import type { Counts, KeptReject, StoredReject } from './run.ts';
import { copyStream, mappingOf, openWriter, quarantineOf } from './stream.ts';
import { sourceOf, type StreamWork, targetOf } from './stream-work.ts';
import { type ShownValue, valueOfShown } from '../connectors/shown-values.ts';

/** So many keys are asked for at once. */
const KEYS_AT_ONCE = 500;

/**
 * Tries again what was rejected. Rows with a key are read anew, as what was rejected may be older than what the target
 * has; rows without one are written as they were found. The position of the stream stays where it is.
 */
export async function retryRejects(work: StreamWork, sourceFilters: boolean): Promise<void> {
  const { report, order, state, ports } = work;
  const writer = await openWriter(work, (note) => note === undefined || note.generation === state.generation);
  if (writer.checkpoint === undefined && work.targetKeepsPosition) {
    // There is nothing yet that a row could be added to: the whole stream is to be written.
    await writer.close();
    return copyStream(work);
  }
  try {
    const note = readNote(writer.note);
    const mine = note?.run === order.id ? note : undefined;
    if (mine?.finished) Object.assign(report, mine.counts);
    else await new Retry(work, writer, mine).run(sourceFilters);
    // Everything was tried; what was refused again has been seen by this run.
    await ports.resolveRejects(state.index, 'unseen');
    report.status = report.rejected > 0 ? 'partial' : 'succeeded';
  } finally {
    await writer.close();
  }
}

class Retry {
  readonly #work: StreamWork;
  readonly #writer: Writer;
  readonly #mapping: Mapping;
  readonly #quarantine: Quarantine;
  readonly #mine: Note | undefined;
  #counts: Counts;
  #batches = 0;

  constructor(work: StreamWork, writer: Writer, mine: Note | undefined) {
    this.#work = work;
    this.#writer = writer;
    this.#mapping = mappingOf(work.plan);
    this.#quarantine = quarantineOf(work);
    this.#mine = mine;
    this.#counts = mine?.counts ?? NO_COUNTS;
  }

  async run(sourceFilters: boolean): Promise<void> {
    const { ports, plan } = this.#work;
    const keys = new Map<string, readonly string[]>();
    const staying: StoredReject[] = [];
    const isAppend = plan.write.mode === 'append';
    for (let after: string | undefined; ; ) {
      const page = await ports.listRejects(plan.index, after);
      const asFound: StoredReject[] = [];
      for (const reject of page) {
        const key = reject.key === null ? [] : (JSON.parse(reject.key) as ShownValue[]).map(valueOfShown);
        // Rows that are only added are written as they were found, and so are those that no key can find again.
        if (!reject.unreadable && (isAppend || key.length === 0)) asFound.push(reject);
        // What was no row, or has no whole key, can be found again only by reading everything.
        else if (reject.unreadable || key.includes(null)) staying.push(reject);
        else keys.set(reject.identity, key as string[]);
      }
      await this.#writeAsFound(asFound);
      after = page.at(-1)?.identity;
      if (after === undefined) break;
    }
    await this.#stay(staying);
    if (keys.size > 0) for await (const rows of this.#found(keys, sourceFilters)) await this.#write(rows, undefined);
    const settle: Settle = (result) => {
      this.#counts = added(this.#counts, changesOf(result));
      return this.#note({ finished: true });
    };
    await at(targetOf(this.#work), () => this.#writer.finish(undefined, settle));
    Object.assign(this.#work.report, this.#counts);
  }

  /** Rows of an append: each is written once, also when we are killed in between. */
  async #writeAsFound(rejects: readonly StoredReject[]): Promise<void> {
    const { retried } = this.#mine ?? {};
    const fresh = rejects.filter(({ identity }) => retried === undefined || identity > retried);
    const last = fresh.at(-1);
    if (!last) return;
    const { sourceFields } = this.#work.plan;
    const rows = fresh.map(({ row }): Row => sourceFields.map(({ name }) => valueOfShown(row[name])));
    await this.#write(rows, last.identity, fresh);
  }

  /** What cannot be tried alone is not forgotten. */
  async #stay(rejects: readonly StoredReject[]): Promise<void> {
    if (rejects.length === 0) return;
    const { ports, plan } = this.#work;
    await ports.keepRejects(plan.index, rejects);
    this.#counts = added(this.#counts, { read: rejects.length, rejected: rejects.length });
    ports.log('warn', {
      stream: plan.definition.source,
      message: `${rejects.length} rejects cannot be tried alone; a full run reads them again.`,
    });
  }

  /** The rows of these keys as they are now. */
  async *#found(keys: ReadonlyMap<string, readonly string[]>, sourceFilters: boolean): AsyncGenerator<Row[]> {
    const { plan, source, signal } = this.#work;
    const { cursor: _cursor, ...everything } = plan.read;
    const firsts = [...new Set(keys.values().map(([first]) => first ?? ''))];
    const requests: ReadRequest[] = [];
    if (sourceFilters)
      for (let start = 0; start < firsts.length; start += KEYS_AT_ONCE) {
        const some = { field: plan.read.key[0] ?? '', op: 'in', value: firsts.slice(start, start + KEYS_AT_ONCE) } as const;
        requests.push({ ...everything, filters: [...plan.read.filters, some], signal });
      }
    else requests.push({ ...everything, signal });
    for (const request of requests)
      for await (const batch of from(sourceOf(this.#work), source.read(request))) {
        const rows = batch.rows.filter((row) => keys.has(this.#quarantine.identityOf(row) ?? ''));
        if (rows.length > 0) yield rows;
      }
  }

  async #write(rows: readonly Row[], retried: string | undefined, kept?: readonly StoredReject[]): Promise<void> {
    const { targetKeepsPosition, order } = this.#work;
    this.#work.signal.throwIfAborted();
    const position = targetKeepsPosition ? (this.#writer.checkpoint ?? '') : `${order.id}/${this.#batches++}`;
    const batch = Batch.ofRows(rows, { position });
    const mapped = this.#mapping.map(batch);
    // One that was rejected before keeps its identity.
    const known = (reject: KeptReject): KeptReject => {
      const before = kept?.[reject.index ?? -1];
      return before ? { ...reject, identity: before.identity, key: before.key } : reject;
    };
    const unusable = this.#quarantine.unusable(position, batch, mapped).map(known);
    let counts = this.#counts;
    const settle: Settle = async (result) => {
      const rejects = [...unusable, ...this.#quarantine.refused(position, batch, mapped, result.rejects).map(known)];
      await this.#quarantine.keep(rejects, this.#counts.rejected);
      const read = mapped.batch.count + unusable.length;
      counts = added(this.#counts, { ...changesOf(result), read, rejected: rejects.length, bytes: bytesOf(mapped.batch) });
      return this.#note({ counts, ...(retried !== undefined && { retried }) });
    };
    await at(targetOf(this.#work), () => this.#writer.write(mapped.batch.telling(this.#versionOf(batch, mapped, kept)), settle));
    this.#counts = counts;
  }

  /** A target that remembers what it has seen must not take a reject for what it refused then. */
  #versionOf(batch: Batch, { origin }: Mapped, kept: readonly StoredReject[] | undefined): Version {
    const { order, state } = this.#work;
    return (index) => {
      const place = origin?.[index] ?? index;
      const identity = kept?.[place]?.identity ?? this.#quarantine.identityOf(batch.rows[place] ?? []);
      return JSON.stringify({ generation: state.generation, retry: order.id, identity });
    };
  }

  #note(more: Partial<Note>): string {
    const { order, state } = this.#work;
    return writeNote({ run: order.id, generation: state.generation, finished: false, counts: this.#counts, ...more });
  }
}
