// Longer texts would be kept apart by V8 and live until its next great collection.
const PIECE = 8 * 1024;

/** Collects lines as bytes, in one buffer of about the expected size. */
export class LineBuilder {
  #text = '';
  #buffer: Buffer;
  #used = 0;

  constructor(expected: number) {
    this.#buffer = Buffer.allocUnsafeSlow(expected + 4 * PIECE);
  }

  /** About how many bytes there are so far. */
  get bytes(): number {
    return this.#used + this.#text.length;
  }

  add(line: string): void {
    this.#text += line;
    if (this.#text.length > PIECE) this.#flush();
  }

  finish(): Buffer {
    this.#flush();
    const lines = this.#buffer.subarray(0, this.#used);
    // Most of it unused: not worth keeping.
    return this.#used * 2 < this.#buffer.length ? Buffer.from(lines) : lines;
  }

  #flush(): void {
    // A sign of a JavaScript text has at most three bytes.
    const needed = this.#used + this.#text.length * 3;
    if (needed > this.#buffer.length) {
      const larger = Buffer.allocUnsafeSlow(needed);
      this.#buffer.copy(larger, 0, 0, this.#used);
      this.#buffer = larger;
    }
    this.#used += this.#buffer.write(this.#text, this.#used);
    this.#text = '';
  }
}
