import type { Database } from '../../../db/database.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { Logger } from '../../../lib/log.ts';
import type { LogStore } from '../../logs/store.ts';
import { recoverRuns } from '../queue/recover.ts';
import { ended } from '../told/story.ts';

export interface RecoveryOptions {
  node: string;
  db: Database;
  clock: Clock;
  log: Logger;
  logs: LogStore;
}

/** `starting`: this node has not looked yet since it began. `lapsed`: a lease was over at the last look. */
type State = 'starting' | 'looked' | 'lapsed';

/** Has runs go on whose node is gone. */
export class Recovery {
  readonly #options: RecoveryOptions;
  #state: State = 'starting';

  constructor(options: RecoveryOptions) {
    this.#options = options;
  }

  /** Whether runs that were cut off before this node began have been found: until then it claims nothing. */
  get hasBegun(): boolean {
    return this.#state !== 'starting';
  }

  /** The first look. */
  async begin(): Promise<void> {
    if (this.#state === 'starting') await this.#recover();
  }

  /** What a look at the agenda has found: whether a lease is over. */
  look(isLapsed: boolean): void {
    this.#state = isLapsed ? 'lapsed' : 'looked';
  }

  /** After the runs of this node have been renewed, so what is over has no worker. Answers how many go on. */
  async ofLapsed(): Promise<number> {
    const recovered = this.#state === 'lapsed' ? await this.#recover() : 0;
    if (this.#state === 'lapsed') this.#state = 'looked';
    return recovered;
  }

  /** The only node of an SQLite database knows at its start that no other node runs anything. */
  async #recover(): Promise<number> {
    const { node, db, clock, log, logs } = this.#options;
    const isAlone = this.#state === 'starting' && db.read.engine === 'sqlite';
    const recovered = await db.write(recoverRuns, { now: clock(), node: isAlone ? null : node });
    if (this.#state === 'starting') this.#state = 'looked';
    if (recovered.length > 0) log.info({ runs: recovered.length }, 'runs that were cut off go on');
    for (const run of recovered) if (run.status === 'failed') logs.add(ended(run));
    return recovered.length;
  }
}
