/** A run that flows has fewer under way; more would only lie about. */
const MOST_FREE = 8;

/**
 * Memory for batches, a piece for each, that is used again: to leave so much of it to the garbage collector makes a copy slower, and
 * the service larger. What is never given back is garbage as ever.
 */
export class Recycler {
  readonly #size: number;
  readonly #free: ArrayBuffer[] = [];
  readonly #lent = new WeakSet<ArrayBufferLike>();

  constructor(size: number) {
    this.#size = size;
  }

  take(): Buffer {
    const memory = this.#free.pop();
    const piece = memory ? Buffer.from(memory) : Buffer.allocUnsafeSlow(this.#size);
    this.#lent.add(piece.buffer);
    return piece;
  }

  /**
   * Takes a piece back, or a part of it that stands for the whole; an empty part stands for nothing, and other memory is let be.
   * A late look at it finds nothing, and never what comes into it next.
   */
  readonly giveBack = ({ buffer, length }: Buffer): void => {
    if (length > 0 && buffer instanceof ArrayBuffer && this.#free.length < MOST_FREE && this.#lent.delete(buffer))
      this.#free.push(buffer.transfer());
  };
}
