import type { HookPort } from '../../../connectors/hook-port.ts';
import type { ShopPort } from '../../../connectors/shop-port.ts';
import type { Database } from '../../../db/database.ts';
import { asRunError } from '../../../engine/failure.ts';
import type { RunError, RunOrder, RunOutcome, StopReason } from '../../../engine/run.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { Logger } from '../../../lib/log.ts';
import type { LogStore } from '../../logs/store.ts';
import type { SourceSecrets } from '../../sources/kept-secrets.ts';
import type { SourceService } from '../../sources/service.ts';
import { asOutsideError } from '../../sources/app-errors.ts';
import { type ClaimedPart, endPart, partKey } from '../queue/parts.ts';
import { patiently } from './patience.ts';
import { deskOf } from './run-desk.ts';
import type { RunThreads, RunUnderWay } from './run-in-thread.ts';
import { orderOf } from './run-order.ts';
import { told } from '../told/story.ts';
import type { WrittenTogether } from './written-together.ts';

/** What went wrong here may go well elsewhere: so often a part is tried before its run is told. */
const MOST_TRIES = 5;
/** The worker that waits for a part finds out by its lease, should our database be away. */
const LAST_PATIENCE = 2_000;

export interface PartAtWorkOptions {
  db: Database;
  clock: Clock;
  log: Logger;
  logs: LogStore;
  sources: SourceService;
  shop: ShopPort;
  hooks: HookPort;
  secrets: SourceSecrets;
  threads: RunThreads;
  together: WrittenTogether;
  streamsPerRun: number;
  /** Rows from which on a stream is copied in parts; 0 for never. */
  splitRows: () => Promise<number>;
}

/** A part of a run that this node helps with, from the claim until what became of it is written down. */
export class PartAtWork {
  readonly #part: ClaimedPart;
  readonly #options: PartAtWorkOptions;
  #underWay: RunUnderWay | undefined;
  #stop: { reason: StopReason; patience: number } | undefined;
  /** Resolves when there is nothing more to do for it here. Never rejects. */
  readonly done: Promise<void>;

  constructor(part: ClaimedPart, options: PartAtWorkOptions) {
    this.#part = part;
    this.#options = options;
    this.done = this.#work().catch((error: unknown) => {
      // Its lease ends, and then another worker goes on with it.
      options.log.error({ err: error, run_id: this.key.runId }, 'what became of a part of a run could not be written down');
    });
  }

  get key() {
    const { claimed, target, part } = this.#part;
    return { ...partKey(claimed.run.id, target, part), token: part.token };
  }

  stop(reason: StopReason, patience: number): void {
    this.#stop ??= { reason, patience };
    this.#underWay?.stop(this.#stop.reason, this.#stop.patience);
  }

  async #work(): Promise<void> {
    const { db } = this.#options;
    const outcome = await this.#outcome();
    const ending = endingOf(outcome, this.key.token);
    await patiently(
      () => LAST_PATIENCE,
      () => db.write(endPart, { ...this.key, ...ending }),
    );
  }

  async #outcome(): Promise<RunOutcome> {
    const { threads, shop, hooks, secrets, logs } = this.#options;
    const { claimed, part } = this.#part;
    let order: RunOrder;
    try {
      order = await orderOf(claimed, this.#options, part);
    } catch (error) {
      return { status: 'failed', streams: [], error: asRunError(asOutsideError(error)) };
    }
    this.#underWay = threads.start(
      order,
      // Only where the target keeps positions a stream is cut into parts.
      { shop, hooks, secrets, desk: deskOf({ ...this.#options, targetKeepsPosition: true }, claimed, part) },
      // How far the whole stream is, tells the one who has the run.
      { progress: () => {}, lag: () => {}, log: (...line) => logs.add(told(claimed, line)) },
    );
    if (this.#stop) this.#underWay.stop(this.#stop.reason, this.#stop.patience);
    return this.#underWay.outcome;
  }
}

function endingOf({ status, error }: RunOutcome, tries: number): { status: 'done' | 'waiting' | 'failed'; error: RunError | null } {
  if (status === 'succeeded' || status === 'partial') return { status: 'done', error: null };
  const isFinal = error !== null && (tries >= MOST_TRIES || !['transient', 'fenced', 'bug'].includes(error.kind));
  return isFinal ? { status: 'failed', error } : { status: 'waiting', error: null };
}
