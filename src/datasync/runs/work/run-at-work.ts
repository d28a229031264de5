import { findManifest } from '../../../connectors/registry.ts';
import type { HookPort } from '../../../connectors/hook-port.ts';
import type { ShopPort } from '../../../connectors/shop-port.ts';
import type { Database } from '../../../db/database.ts';
import { asRunError } from '../../../engine/failure.ts';
import type { Lag, RunOrder, RunOutcome, StopReason, StreamReport } from '../../../engine/run.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { Logger } from '../../../lib/log.ts';
import type { Spans } from '../../../traces/span.ts';
import type { LogStore } from '../../logs/store.ts';
import type { SourceSecrets } from '../../sources/kept-secrets.ts';
import type { SourceService } from '../../sources/service.ts';
import { asOutsideError } from '../../sources/app-errors.ts';
import type { Claimed } from '../queue/claim.ts';
import type { FinishedAttempt } from '../queue/finish.ts';
import { PATIENCE, patiently } from './patience.ts';
import { type Desk, deskOf } from './run-desk.ts';
import { orderOf } from './run-order.ts';
import { RunTrace } from './run-trace.ts';
import type { RunThreads, RunUnderWay } from './run-in-thread.ts';
import { reportsOf } from '../rows/run-row.ts';
import { begun, ended, told } from '../told/story.ts';
import { headwayOf, mergeReports } from '../rows/transitions.ts';
import type { RunWatch } from '../told/watch.ts';
import type { WrittenTogether } from './written-together.ts';

/** When the service stops there is no time left to wait for a database; the lease of the run ends by itself. */
const LAST_PATIENCE = 2_000;

export interface RunAtWorkOptions {
  db: Database;
  clock: Clock;
  log: Logger;
  logs: LogStore;
  sources: SourceService;
  shop: ShopPort;
  hooks: HookPort;
  secrets: SourceSecrets;
  watch: RunWatch;
  threads: RunThreads;
  together: WrittenTogether;
  /** Where runs are traced; nowhere unless given. */
  spans?: Spans | undefined;
  streamsPerRun: number;
  /** Rows from which on a stream is copied in parts; 0 for never. */
  splitRows: () => Promise<number>;
  /** Asks for a look at what is due, and whether runs are to stop. */
  wake: () => void;
  /** Asks that the progress of this node's runs is written down. */
  tell: () => void;
  /** Tells those who help with large runs that there is something to do. */
  offered: () => void;
}

/** A run that this node has claimed, from the claim until its outcome is written down. */
export class RunAtWork {
  readonly #claimed: Claimed;
  readonly #options: RunAtWorkOptions;
  readonly #reports = new Map<number, StreamReport>();
  #lag: Lag | undefined;
  #underWay: RunUnderWay | undefined;
  #desk: Desk | undefined;
  readonly #trace: RunTrace | undefined;
  #stop: { reason: StopReason; patience: number } | undefined;
  #isClosing = false;
  #hasGotOn = false;
  readonly #worked = Promise.withResolvers<void>();
  /** Resolves when its work is done and needs no thread any more; how it ended is still to be written down. */
  readonly worked = this.#worked.promise;
  /** Resolves when there is nothing more to do for it here. Never rejects. */
  readonly done: Promise<void>;

  constructor(claimed: Claimed, options: RunAtWorkOptions) {
    this.#claimed = claimed;
    this.#options = options;
    this.#trace = options.spans && new RunTrace(options.spans, claimed);
    this.done = this.#work().catch((error: unknown) => {
      // Its lease ends, and then it is tried again.
      options.log.error({ err: error, run_id: this.id }, 'how a run ended could not be written down');
    });
  }

  get id(): string {
    return this.#claimed.run.id;
  }

  get token(): number {
    return this.#claimed.sync.token;
  }

  /** How far behind it is, of a live one that has told. */
  get lag(): Lag | undefined {
    return this.#lag;
  }

  /** How far the streams are that this node works on. */
  get reports(): StreamReport[] {
    return [...this.#reports.values()];
  }

  /** `closing`: the service stops, and has no time to wait. */
  stop(reason: StopReason, patience: number, closing = false): void {
    if (closing) this.#isClosing = true;
    this.#stop ??= { reason, patience };
    this.#underWay?.stop(this.#stop.reason, this.#stop.patience);
  }

  async #work(): Promise<void> {
    const { logs, watch, wake } = this.#options;
    // A cancellation is told here first.
    const stopWatching = watch.watch(this.id, (snapshot) => {
      if (!snapshot) wake();
    });
    try {
      logs.add(begun(this.#claimed));
      watch.changed(this.id);
      const outcome = await this.#outcome();
      this.#trace?.end(outcome);
      this.#worked.resolve();
      const row = await this.#finish(outcome);
      if (row) logs.add(ended(row));
      if (row?.isAwaited) wake();
    } finally {
      this.#worked.resolve();
      stopWatching();
      watch.changed(this.id);
    }
  }

  /** Does the run. What keeps it from starting is an outcome too. */
  async #outcome(): Promise<RunOutcome> {
    const { threads, shop, hooks, secrets, logs } = this.#options;
    let order: RunOrder;
    try {
      order = await patiently(
        () => this.#patience(PATIENCE),
        () => orderOf(this.#claimed, this.#options),
      );
    } catch (error) {
      return { status: 'failed', streams: [], error: asRunError(asOutsideError(error)) };
    }
    const targetKeepsPosition = findManifest(order.target.type)?.abilities.checkpoints ?? false;
    this.#desk = deskOf({ ...this.#options, targetKeepsPosition }, this.#claimed);
    this.#underWay = threads.start(
      this.#trace ? { ...order, traceparent: this.#trace.traceparent } : order,
      { shop, hooks, secrets, desk: this.#desk },
      {
        progress: (index, report) => {
          this.#reports.set(index, report);
          this.#publish();
          this.#noticeHeadway();
        },
        lag: (lag) => {
          this.#lag = lag;
          this.#publish();
        },
        log: (...line) => logs.add(told(this.#claimed, line)),
        times: (times) => this.#trace?.streams(times),
      },
    );
    if (this.#stop) this.#underWay.stop(this.#stop.reason, this.#stop.patience);
    return this.#underWay.outcome;
  }

  #publish(): void {
    this.#options.watch.publish(this.id, { streams: this.reports, ...(this.#lag && { lag: this.#lag }) });
  }

  /** That a run got on where it crashed before is written down at once: should it crash again, it is not taken for the cause. */
  #noticeHeadway(): void {
    const { run } = this.#claimed;
    if (run.crashes === 0 || this.#hasGotOn) return;
    this.#hasGotOn = headwayOf(mergeReports(reportsOf(run), this.reports)) > run.headway;
    if (this.#hasGotOn) this.#options.tell();
  }

  /** Writes down how it ended. A database that is away is waited for, as nobody else knows; but not when the service stops. */
  #finish(outcome: RunOutcome): Promise<FinishedAttempt | null> {
    const { together } = this.#options;
    const finished = { id: this.id, token: this.token, outcome, memories: this.#desk?.memories() ?? [] };
    return patiently(
      () => this.#patience(Number.POSITIVE_INFINITY),
      () => together.finish(finished),
    );
  }

  #patience(usual: number): number {
    return this.#isClosing ? LAST_PATIENCE : usual;
  }
}
