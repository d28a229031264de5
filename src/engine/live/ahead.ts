import type { Position } from '../../connectors/batch.ts';
import type { Change, ChangeLog, ChangeSet, Following } from '../../connectors/changes.ts';
import { BATCH_BYTES } from '../../connectors/contract.ts';
import { at, type FailedEnd } from '../failure.ts';

interface AheadOptions {
  readonly source: FailedEnd;
  readonly log: Pick<ChangeLog, 'isBefore'>;
  /** Places at which sets stay cut. */
  readonly milestones: readonly Position[];
}

/**
 * What the log tells, ahead of what is written. Whole transactions that come while the target is at work are put together: it makes many at once faster than
 * one after the other, and none of them waits for others when there is nothing to wait for.
 */
export function ahead(following: Following, options: AheadOptions): AsyncGenerator<ChangeSet> {
  return following.readsAhead ? asAsked(following, options.source) : readAhead(following, options);
}

async function* readAhead(following: Following, options: AheadOptions): AsyncGenerator<ChangeSet> {
  const reading = new ReadingAhead(following, options);
  try {
    for (let set = await reading.next(); set; set = await reading.next()) yield set;
  } finally {
    reading.close();
  }
}

/** What one who reads ahead by himself has put together by the time that it is asked for. */
async function* asAsked(following: Following, source: FailedEnd): AsyncGenerator<ChangeSet> {
  const sets = following[Symbol.asyncIterator]();
  try {
    for (;;) {
      const { value, done } = await at(source, () => sets.next());
      if (done) return;
      yield value;
    }
  } finally {
    void sets.return?.().catch(() => {});
  }
}

/** A set that may still grow. */
interface Gathered {
  changes: Change[];
  bytes: number;
  position: Position | undefined;
  committedAt: number | undefined;
  /** It ends at a milestone. */
  isCut: boolean;
}

class ReadingAhead {
  readonly #sets: AsyncIterator<ChangeSet>;
  readonly #options: AheadOptions;
  /** Those that are still to come. */
  #milestones: readonly Position[];
  readonly #ready: Gathered[] = [];
  #end: { readonly error?: unknown } | undefined;
  /** The one who reads, and the one who asks, when they wait for each other. */
  #goOn: (() => void) | undefined;
  #arrived: (() => void) | undefined;

  constructor(following: Following, options: AheadOptions) {
    this.#sets = following[Symbol.asyncIterator]();
    this.#options = options;
    this.#milestones = options.milestones;
    void this.#read();
  }

  /** The next set; undefined at the end. What the source fails with comes behind everything that it has told before. */
  async next(): Promise<ChangeSet | undefined> {
    while (this.#ready.length === 0 && !this.#end) await new Promise<void>((resolve) => (this.#arrived = resolve));
    const set = this.#ready.shift();
    this.#goOn?.();
    if (!set && this.#end && 'error' in this.#end) throw this.#end.error;
    if (!set) return undefined;
    const { changes, bytes, position, committedAt } = set;
    return { changes, bytes, ...(position !== undefined && { position }), ...(committedAt !== undefined && { committedAt }) };
  }

  close(): void {
    this.#end ??= {};
    this.#goOn?.();
    void this.#sets.return?.().catch(() => {});
  }

  async #read(): Promise<void> {
    try {
      while (!this.#end) {
        const { value, done } = await at(this.#options.source, () => this.#sets.next());
        if (done) break;
        this.#take(value);
        this.#arrived?.();
        while (this.#isFull && !this.#end) await new Promise<void>((resolve) => (this.#goOn = resolve));
      }
      this.#end ??= {};
    } catch (error) {
      this.#end ??= { error };
    }
    this.#arrived?.();
  }

  get #isFull(): boolean {
    return this.#ready.length > 1 || (this.#ready[0]?.bytes ?? 0) >= BATCH_BYTES;
  }

  #take({ changes, bytes, position, committedAt }: ChangeSet): void {
    const isCut = this.#passes(position);
    const last = this.#ready.at(-1);
    // A piece of a transaction neither waits for others nor lets them wait for its end.
    if (!last || last.isCut || last.position === undefined || position === undefined || last.bytes + bytes > BATCH_BYTES) {
      this.#ready.push({ changes: [...changes], bytes, position, committedAt, isCut });
      return;
    }
    for (const change of changes) last.changes.push(change);
    Object.assign(last, { bytes: last.bytes + bytes, position, committedAt: committedAt ?? last.committedAt, isCut });
  }

  /** Whether a milestone is reached by this. */
  #passes(position: Position | undefined): boolean {
    if (position === undefined || this.#milestones.length === 0) return false;
    const left = this.#milestones.filter((milestone) => this.#options.log.isBefore(position, milestone));
    const isReached = left.length < this.#milestones.length;
    this.#milestones = left;
    return isReached;
  }
}

/** Waits until a signal has fired. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
