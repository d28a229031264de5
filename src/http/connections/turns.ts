/** So many questions of one key are worked on at once: enough to keep the database busy. */
const WIDEST = 8;
/** At first, as nobody knows what the answers will be like. */
const WIDTH_AT_FIRST = 2;
/** Characters from which on an answer is work that others notice: it is read, put together and copied in this thread. */
const LARGE = 256 * 1024;

interface Lane {
  /** How many may be at work. Small answers make it wider; after a large one, they come one by one. */
  width: number;
  working: number;
  /** Raised when those at work are not counted any more. */
  era: number;
  readonly waiting: ((era: number) => void)[];
}

/** Lets the questions of each key wait for their turn behind each other, not behind those of others. */
export class Turns {
  readonly #lanes = new Map<string, Lane>();

  /** Works when it is this one's turn; a text is an answer that is put together. */
  async take<Answer>(key: string, work: () => Promise<Answer>): Promise<Answer> {
    const lane = this.#laneOf(key);
    let { era } = lane;
    if (lane.working < lane.width) lane.working++;
    else era = await new Promise<number>((resolve) => lane.waiting.push(resolve));
    try {
      const answer = await work();
      lane.width = typeof answer === 'string' && answer.length > LARGE ? 1 : Math.min(lane.width + 1, WIDEST);
      return answer;
    } finally {
      if (era === lane.era) lane.working--;
      this.#go(lane);
      if (lane.working === 0 && this.#lanes.get(key) === lane) this.#lanes.delete(key);
    }
  }

  /** Called every second: a request that is still at work waits for something else, such as a system that does not answer. Others go on. */
  look(): void {
    for (const lane of this.#lanes.values()) {
      if (lane.waiting.length === 0) continue;
      lane.era++;
      lane.working = 0;
      this.#go(lane);
    }
  }

  #go(lane: Lane): void {
    for (; lane.working < lane.width && lane.waiting.length > 0; lane.working++) lane.waiting.shift()?.(lane.era);
  }

  #laneOf(key: string): Lane {
    const known = this.#lanes.get(key);
    if (known) return known;
    const lane = { width: WIDTH_AT_FIRST, working: 0, era: 0, waiting: [] };
    this.#lanes.set(key, lane);
    return lane;
  }
}
