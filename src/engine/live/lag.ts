import type { ChangeLog, ChangeSet } from '../../connectors/changes.ts';
import type { Lag } from '../run.ts';
import { isoTime } from '../../lib/clock.ts';
import { everyTick } from '../../lib/ticks.ts';

/** How often it is told. When nothing happens, less often: there may be hundreds of these. */
const TELL_EVERY = 2_000;
const TELL_IDLE_EVERY = 10_000;
/** The source is asked what it keeps less often: it has to look for it. */
const ASK_EVERY = 10_000;
const ASK_IDLE_EVERY = 30_000;
/** When nothing has come for so long, everything is there. */
const IDLE_AFTER = 2_000;

interface LagOptions {
  readonly log: ChangeLog;
  readonly owner: string;
  readonly tell: (lag: Lag) => void;
  /** Bytes that the source keeps; called when it was asked. */
  readonly kept: (bytes: number) => void;
}

/** Measures how far a live run is behind its source, and tells it. */
export class LagWatch {
  readonly #options: LagOptions;
  readonly #stopTelling: () => void;
  /** When the oldest change was committed that has come and is not in the target. */
  #waitingSince: number | undefined;
  /** How long the last one took from its commit into the target. */
  #last = 0;
  #lastAt = 0;
  /** When it was last told that nothing happens. */
  #toldAt = 0;
  #askedAt = Number.NEGATIVE_INFINITY;
  #isAsking = false;
  #kept: { bytes: number | null; bytesPerSecond: number | null } = { bytes: null, bytesPerSecond: null };

  constructor(options: LagOptions) {
    this.#options = options;
    this.#stopTelling = everyTick(TELL_EVERY, () => this.#tell());
  }

  arrived({ committedAt }: ChangeSet): void {
    this.#waitingSince ??= committedAt;
  }

  applied({ committedAt }: ChangeSet): void {
    this.#waitingSince = undefined;
    this.#lastAt = Date.now();
    // Clocks differ: nothing arrives before it was sent.
    if (committedAt !== undefined) this.#last = Math.max(0, this.#lastAt - committedAt);
  }

  close(): void {
    this.#stopTelling();
  }

  #tell(): void {
    const now = Date.now();
    const isIdle = this.#waitingSince === undefined && now - this.#lastAt > IDLE_AFTER;
    const behind = this.#waitingSince === undefined ? this.#last : Math.max(this.#last, now - this.#waitingSince);
    const seconds = isIdle ? 0 : Math.round(behind) / 1000;
    if (isNextTurn(this.#askedAt, performance.now(), isIdle ? ASK_IDLE_EVERY : ASK_EVERY)) void this.#ask();
    if (isIdle && !isNextTurn(this.#toldAt, now, TELL_IDLE_EVERY)) return;
    this.#toldAt = isIdle ? now : 0;
    this.#options.tell({ seconds, bytes: this.#kept.bytes, bytes_per_second: this.#kept.bytesPerSecond, at: isoTime(now) });
  }

  async #ask(): Promise<void> {
    if (this.#isAsking) return;
    this.#isAsking = true;
    this.#askedAt = performance.now();
    try {
      this.#kept = await this.#options.log.kept(this.#options.owner);
      if (this.#kept.bytes !== null) this.#options.kept(this.#kept.bytes);
    } catch {
      // What is wrong with the source, the one who follows it says.
    } finally {
      this.#isAsking = false;
    }
  }
}

/** Whether time has come into another stretch of this length. They are the same for all in a thread: so all ask, and tell, in the same moment. */
function isNextTurn(before: number, now: number, length: number): boolean {
  return Math.floor(before / length) !== Math.floor(now / length);
}
