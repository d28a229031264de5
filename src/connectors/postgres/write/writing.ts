import { keep } from './checkpoint.ts';
import { type Checkpoint, type Way, wayAfter } from './states.ts';
import type { Target } from './target.ts';

/** Where a writer stands: the checkpoint of its last commit, and the way that rows take from there. Only what is below changes them. */
export class Writing {
  readonly target: Target;
  #checkpoint: Checkpoint;
  #way: Way;

  constructor(target: Target, checkpoint: Checkpoint, way: Way) {
    this.target = target;
    this.#checkpoint = checkpoint;
    this.#way = way;
  }

  get checkpoint(): Checkpoint {
    return this.#checkpoint;
  }

  get way(): Way {
    return this.#way;
  }

  /** Ends the transaction that is under way: all of it counts now, with this checkpoint. */
  async commit(checkpoint: Checkpoint, more = ''): Promise<void> {
    const { link, place } = this.target;
    await link.run(`${keep(place, checkpoint)}${more}; commit`);
    this.committed(checkpoint);
  }

  /** This checkpoint was committed. */
  committed(checkpoint: Checkpoint): void {
    this.#way = wayAfter(this.#way, this.#checkpoint.state, checkpoint.state);
    this.#checkpoint = checkpoint;
  }

  /** A key was there already: from now on rows are compared with those of the table. */
  keyMet(): void {
    this.#way = 'merge';
  }
}
