/** Watches how fast something comes in, over all requests for it. Time counts only while one of them is under way: the rest is ours. */
export class AnswerPace {
  readonly #every: number;
  readonly #bytesPerSecond: number;
  readonly #tooSlow: () => Error;
  #underWay = 0;
  #since = 0;
  #waited = 0;
  #bytes = 0;

  /** It is looked at again and again, each time that so many milliseconds were waited. */
  constructor(every: number, bytesPerSecond: number, tooSlow: () => Error) {
    this.#every = every;
    this.#bytesPerSecond = bytesPerSecond;
    this.#tooSlow = tooSlow;
  }

  /** Waits for an answer. */
  async during<T>(answer: Promise<T>): Promise<T> {
    if (this.#underWay++ === 0) this.#since = performance.now();
    try {
      return await answer;
    } finally {
      this.#count();
      this.#underWay--;
    }
  }

  /** So many bytes have come in; throws when that is too slow. */
  add(bytes: number): void {
    if (this.#underWay > 0) this.#count();
    this.#bytes += bytes;
    if (this.#waited < this.#every) return;
    if (this.#bytes < (this.#bytesPerSecond * this.#waited) / 1000) throw this.#tooSlow();
    [this.#bytes, this.#waited] = [0, 0];
  }

  #count(): void {
    const now = performance.now();
    this.#waited += now - this.#since;
    this.#since = now;
  }
}
