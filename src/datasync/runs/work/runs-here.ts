import type { StopReason } from '../../../engine/run.ts';
import type { RunNews } from '../queue/beat.ts';
import type { EndPace } from '../queue/pace.ts';
import type { RunAtWork } from './run-at-work.ts';

const MOST_AHEAD = 50;
/** How long a run may take to stop: at a checkpoint when it is handed over; sooner when its work is not wanted any more. */
const STOP_PATIENCE = 5_000;
const DRAIN_PATIENCE = 15_000;

/** The runs that this node has claimed, until it is written down what became of them. */
export class RunsHere {
  readonly #most: number;
  readonly #pace: EndPace;
  readonly #runs = new Map<string, RunAtWork>();
  /** How many of them have not done their work yet; the others are being written down. */
  #working = 0;

  constructor(most: number, pace: EndPace) {
    this.#most = most;
    this.#pace = pace;
  }

  get isAny(): boolean {
    return this.#runs.size > 0;
  }

  /** `worked`: it needs no thread any more. `done`: there is nothing more to do for it. */
  add(run: RunAtWork, { worked, done }: { worked: () => void; done: () => void }): void {
    this.#runs.set(run.id, run);
    this.#working++;
    void run.worked.then(() => {
      this.#working--;
      this.#pace.count();
      worked();
    });
    void run.done.then(() => {
      this.#runs.delete(run.id);
      done();
    });
  }

  /** How many more could be at work. */
  room(): number {
    return this.#most - this.#working;
  }

  /** The same where an end leaves room only when it is written down. */
  roomWhenWritten(): number {
    return this.#most - this.#runs.size;
  }

  /** How many more to claim beside what else is at work. Small runs are over sooner than the next is claimed: as many as end in half a second are claimed ahead, half of them at a time. */
  roomAhead(others: number): number {
    const ahead = Math.min(MOST_AHEAD, this.#pace.lately());
    const free = this.room() - others;
    return free > 0 || free + ahead > ahead / 2 ? free + ahead : 0;
  }

  /** How far they are. */
  progress(leaseMs: number): RunNews[] {
    return [...this.#runs.values()].map(({ id, token, reports, lag }) => ({ id, token, leaseMs, report: reports, ...(lag && { lag }) }));
  }

  stop(id: string, reason: StopReason): void {
    this.#runs.get(id)?.stop(reason, reason === 'handed_over' ? DRAIN_PATIENCE : STOP_PATIENCE);
  }

  /** Lets all of them reach a checkpoint, for others to go on from. */
  async handOver(): Promise<void> {
    const runs = [...this.#runs.values()];
    for (const run of runs) run.stop('handed_over', DRAIN_PATIENCE, true);
    await Promise.all(runs.map((run) => run.done));
  }
}
