import { keep } from './checkpoint.ts';
import { type PostgresCheckpoint, type RowWay, wayAfter } from './states.ts';
import type { PostgresTarget } from './target.ts';

/** Where a writer stands: the checkpoint of its last commit, and the way that rows take from there. Only what is below changes them. */
export class Writing {
  readonly target: PostgresTarget;
  #checkpoint: PostgresCheckpoint;
  #way: RowWay;

  constructor(target: PostgresTarget, checkpoint: PostgresCheckpoint, way: RowWay) {
    this.target = target;
    this.#checkpoint = checkpoint;
    this.#way = way;
  }

  get checkpoint(): PostgresCheckpoint {
    return this.#checkpoint;
  }

  get way(): RowWay {
    return this.#way;
  }

  /** Ends the transaction that is under way: all of it counts now, with this checkpoint. */
  async commit(checkpoint: PostgresCheckpoint, more = ''): Promise<void> {
    const { link, place } = this.target;
    await link.run(`${keep(place, checkpoint)}${more}; commit`);
    this.committed(checkpoint);
  }

  /** This checkpoint was committed. */
  committed(checkpoint: PostgresCheckpoint): void {
    this.#way = wayAfter(this.#way, this.#checkpoint.state, checkpoint.state);
    this.#checkpoint = checkpoint;
  }

  /** A key was there already: from now on rows are compared with those of the table. */
  keyMet(): void {
    this.#way = 'merge';
  }
}
