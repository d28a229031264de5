import { setTimeout as pause } from 'node:timers/promises';
import type { RecordedChanges } from '../rows.ts';
import { isBusy } from './pace.ts';
import type { DeliveryPort, DeliveryTally } from './port.ts';
import type { Receiver } from './receiver.ts';

interface RecorderOptions {
  port: DeliveryPort;
  receivers: ReadonlyMap<string, Receiver>;
  /** How far the feed was read for those at its end. */
  tail: () => number;
  inFlight: () => number;
  /** How busy the API is, from 0 to 1. */
  busy: () => number;
  /** Reads endpoints anew. */
  load: (ids: readonly string[]) => Promise<void>;
  /** There is room again for what comes of attempts. */
  onRoom: () => void;
}

/** What comes of attempts is written down together, so often; more seldom when it takes long: a tenth of the time at most. */
const INTERVAL = 40;
const LONGEST_INTERVAL = 500;
const SHARE = 10;
/** More than this is not begun before it is written down. */
const MOST_UNWRITTEN = 5_000;
/** Positions that move over events that are not meant are written now and then, so many at a time. */
const QUIET_INTERVAL = 1_000;
const QUIET_AT_ONCE = 500;
const RETRY = 500;

/**
 * Milliseconds until the next writing, when the last one took so long. Each has to reach the disk, and orders wait for that: while the API is busy there are few.
 */
export function intervalAfter(took: number, busy: number): number {
  return isBusy(busy) ? LONGEST_INTERVAL : Math.min(LONGEST_INTERVAL, Math.max(INTERVAL, SHARE * took));
}

/** Writes down what comes of deliveries, for all endpoints in one transaction, and reads endpoints anew in between. */
export class Recorder {
  readonly #options: RecorderOptions;
  readonly #touched = new Set<Receiver>();
  readonly #changed = new Set<string>();
  #tally = emptyTally();
  #unwritten = 0;
  /** Milliseconds that the last writing took. */
  #took = 0;
  #quietAt = performance.now();
  #quiet: Iterator<Receiver> | undefined;
  #wake: (() => void) | undefined;
  #isFenced = false;
  #writing: Promise<void> = Promise.resolve();

  constructor(options: RecorderOptions) {
    this.#options = options;
  }

  get isFull(): boolean {
    return this.#unwritten >= MOST_UNWRITTEN;
  }

  /** Whether something of it is not written yet. */
  hasNews(receiver: Receiver): boolean {
    return this.#touched.has(receiver);
  }

  /** There is something to be written of it. */
  touch(receiver: Receiver): void {
    this.#touched.add(receiver);
    this.#wake?.();
  }

  settled(receiver: Receiver, as: 'delivered' | 'retried' | 'failed'): void {
    this.#tally[as]++;
    this.#unwritten++;
    this.touch(receiver);
  }

  /** An endpoint is not what it was. */
  changed(id: string): void {
    this.#changed.add(id);
    this.#wake?.();
  }

  /** Ends with its signal, or when another node has the duty. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && !this.#isFenced) {
      await pause(intervalAfter(this.#took, this.#options.busy()));
      if (this.#touched.size === 0 && this.#changed.size === 0) await this.#news();
      if (signal.aborted) return;
      this.#writing = this.#round(signal);
      await this.#writing;
    }
  }

  /** Writes down what is left, once. */
  async last(): Promise<void> {
    await this.#writing;
    if (!this.#isFenced) await this.#write(this.#collect(true)).catch(() => undefined);
  }

  async #round(signal: AbortSignal): Promise<void> {
    const changes = this.#collect(performance.now() - this.#quietAt >= QUIET_INTERVAL);
    for (let done = false; !done && !signal.aborted; ) {
      done = await this.#write(changes).then(
        () => true,
        async () => {
          // The database is away; what is not written down stays, and no more than so much is begun.
          await pause(RETRY);
          return false;
        },
      );
    }
    const wasFull = this.isFull;
    this.#unwritten = 0;
    if (wasFull) this.#options.onRoom();
    for (const { id, lane } of this.#options.receivers.values()) if (lane.hasMoreRows && lane.size < 1000) this.#changed.add(id);
    // Nothing is written meanwhile: rows that are read now are as they were left.
    const ids = [...this.#changed];
    this.#changed.clear();
    if (ids.length > 0 && !signal.aborted && !this.#isFenced)
      await this.#options.load(ids).catch(() => ids.forEach((id) => this.#changed.add(id)));
  }

  async #write(changes: readonly RecordedChanges[]): Promise<void> {
    if (changes.length === 0) return;
    const tally = { ...this.#tally, inFlight: this.#options.inFlight() };
    const began = performance.now();
    this.#isFenced = !(await this.#options.port.record(changes, tally));
    this.#took = performance.now() - began;
    this.#tally = emptyTally();
  }

  #collect(andQuiet: boolean): RecordedChanges[] {
    const { tail } = this.#options;
    const touched = [...this.#touched];
    this.#touched.clear();
    const quiet = andQuiet ? this.#someQuiet() : [];
    return [...touched, ...quiet].flatMap((receiver) => {
      if (receiver.isAtTail) receiver.lane.scannedTo(tail());
      const changes = receiver.lane.changes(true);
      return changes ? [{ webhookId: receiver.id, ...changes }] : [];
    });
  }

  /** The next ones whose position alone has moved. */
  #someQuiet(): Receiver[] {
    this.#quietAt = performance.now();
    const some: Receiver[] = [];
    for (let looked = 0; looked < QUIET_AT_ONCE; looked++) {
      this.#quiet ??= this.#options.receivers.values();
      const { value, done } = this.#quiet.next();
      if (done) {
        this.#quiet = undefined;
        break;
      }
      some.push(value);
    }
    return some;
  }

  async #news(): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, QUIET_INTERVAL);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#wake = undefined;
  }
}

function emptyTally(): DeliveryTally {
  return { delivered: 0, retried: 0, failed: 0, inFlight: 0 };
}
